"""What may have fallen by lot, and what has not."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from shoal.verify.lots import kept, shuffled, too_often


def test_true_shuffles_are_believed() -> None:
    chance = np.random.default_rng(0)
    for sizes in ([2] * 200, [1, 2, 3] * 50, [7] * 30, [400], [1] * 9, [], [40, 31, 30, 2]):
        for _ in range(30):
            stayed = sum(int((chance.permutation(size) == np.arange(size)).sum()) for size in sizes)
            assert shuffled(stayed, np.array(sizes, np.int64))


@pytest.mark.parametrize("sizes", [[2] * 60, [3] * 80, [10] * 40, [1] * 5 + [4] * 60])
def test_false_ones_are_not(sizes: list[int]) -> None:
    """Nothing moved, or nothing stayed where it was but what could not move."""
    held = np.array(sizes)
    assert not shuffled(int(held.sum()), held)
    assert not shuffled(int((held == 1).sum()), held)
    assert not shuffled(0, np.array([1] * 5 + [4] * 60)), "a bucket of one stays"


def test_a_large_bucket_that_stays_is_seen() -> None:
    assert not shuffled(1000, np.array([1000]))
    assert not shuffled(40, np.array([1000]))
    assert shuffled(3, np.array([1000]))


def test_few_buckets_may_fall_in_any_way() -> None:
    assert shuffled(2, np.array([2]))
    assert shuffled(0, np.array([2, 3, 3]))


def test_the_bound_is_never_below_the_truth() -> None:
    """Whatever has a chance of one in 10^12 is believed: of some buckets of two and three, by all their ways."""
    fixed = {
        size: Counter(sum(i == j for i, j in enumerate(way)) for way in itertools.permutations(range(size)))
        for size in (2, 3)
    }
    whole: dict[int, Fraction] = {0: Fraction(1)}
    sizes = [2] * 25 + [3] * 25
    for size in sizes:
        step: dict[int, Fraction] = Counter()
        for (before, share), (more, ways) in itertools.product(whole.items(), fixed[size].items()):
            step[before + more] += share * Fraction(ways, math.factorial(size))
        whole = step
    for stayed in range(sum(sizes) + 1):
        tail = min(
            sum(share for count, share in whole.items() if count <= stayed),
            sum(share for count, share in whole.items() if count >= stayed),
        )
        assert tail < 1e-9 or shuffled(stayed, np.array(sizes))
        assert tail > 1e-16 or not shuffled(stayed, np.array(sizes))


def test_values_that_are_kept() -> None:
    chance = np.random.default_rng(0)
    chances, times = np.array([0.3, 1.0, 0.9, 0.3]), np.array([500, 7, 20, 100])
    for _ in range(100):
        assert kept(int(chance.binomial(times, chances).sum()), chances, times)
    expected = float(chances @ times)
    for wrong in (0, 7, int(expected) - 100, int(expected) + 100, int(times.sum())):
        assert not kept(wrong, chances, times)
    assert not kept(6, np.array([1.0]), np.array([7]))
    assert kept(0, np.zeros(0), np.zeros(0, np.int64))


def test_what_comes_too_often() -> None:
    chance = np.random.default_rng(0)
    expected = np.array([0.0, 0.5, 20.0, 1000.0])
    for _ in range(200):
        assert not too_often(chance.poisson(expected), expected).any()
    assert too_often(np.array([1, 30, 90, 1300]), expected).all()
    assert not too_often(np.array([0, 0, 0, 0]), expected).any()
