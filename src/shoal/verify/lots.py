"""Whether what is said to have fallen by lot may have, by bounds that a true lot breaks once in 10^12 times at most."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
Integers = NDArray[np.int64]

#: How seldom a true lot may be called false.
_SELDOM = 1e-12
#: Buckets above this size have as many fixed points as if they were endless, but for less than one in 10^30.
_ENDLESS = 30
#: Where Chernoff's bound is tried: any exponent will do, the best one gives most.
_EXPONENTS = np.concatenate([np.linspace(-40, 12, 521), np.linspace(-0.1, 0.1, 201)])


def shuffled(fixed: int, sizes: Integers) -> bool:
    """Whether uniform shuffles of buckets of these sizes may leave so many places as they were, or so few.

    Of a uniform permutation of m, the mean of (1 + u)^fixed is the sum of u^k/k! for k = 0..m.
    """
    size, times = np.unique(np.minimum(sizes[sizes > 1], _ENDLESS + 1), return_counts=True)

    def logarithm(exponent: Numbers) -> Numbers:
        u = np.expm1(exponent)
        found = np.zeros(len(u))
        for m, count in zip(size.tolist(), times.tolist(), strict=True):
            found += count * (u if m > _ENDLESS else np.log(_series(u, m)))
        return found

    return _may_be(fixed - int((sizes == 1).sum()), logarithm)


def _series(u: Numbers, last: int) -> Numbers:
    """The sum of u^k/k! for k = 0..last."""
    found = np.ones(len(u))
    for k in range(last, 0, -1):
        found = 1 + u * found / k
    return found


def kept(own: int, chances: Numbers, times: Integers) -> bool:
    """Whether of so many tries with each of these chances so many may have come true."""
    sure = chances >= 1
    held, of = np.unique(chances[~sure], return_inverse=True)
    total = np.bincount(of, weights=times[~sure], minlength=len(held))

    def logarithm(exponent: Numbers) -> Numbers:
        found = np.zeros(len(exponent))
        for chance, count in zip(held.tolist(), total.tolist(), strict=True):
            found += count * np.log1p(chance * np.expm1(exponent))
        return found

    return _may_be(own - int(times[sure].sum()), logarithm)


def too_often(times: Integers, expected: Numbers) -> NDArray[np.bool_]:
    """Which things came true oftener than by lot, if of each so many or fewer are to be expected of all its tries."""
    above = times > expected
    count, mean = times[above], np.maximum(expected[above], np.finfo(np.float64).tiny)
    found = np.zeros(len(times), np.bool_)
    found[above] = count - mean - count * np.log(count / mean) < math.log(_SELDOM)
    return found


def _may_be(count: int, logarithm: Callable[[Numbers], Numbers]) -> bool:
    """Whether a number is not too far out; ``logarithm`` is that of the mean of e to its exponent times the number."""
    bound = logarithm(_EXPONENTS) - _EXPONENTS * count
    return bool(bound.min() >= math.log(_SELDOM))
