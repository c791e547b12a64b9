"""Sums that are asked for, and the paper's bounds for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from benchmarks.papers.local_buckets.tables import QUASI, SEMI
from shoal.measure.queries.counting import Bounded
from shoal.measure.queries.forms.buckets import Page
from shoal.measure.queries.question import Question

#: A query for a handful of people has an error of thousands, and would be all that a mean shows.
_LEAST_ASKED = 0.001
#: Shares that add up to a whole number may miss it by their last bits.
_NEAR = 1e-9


@dataclass(frozen=True)
class Asked:
    """A query as it is put, and the true sum."""

    where: Mapping[str, Any]
    truth: float


def queries(table: pa.Table, count: int) -> list[Asked]:
    """Four predicates on random columns; those that ask for next to nobody are drawn anew."""
    chance = np.random.default_rng(3)
    salary = table.column("salary").to_numpy()
    held = {name: np.asarray(table.column(name).to_pylist(), dtype=object) for name in (*QUASI, *SEMI)}
    domains = {name: sorted(set(values.tolist())) for name, values in held.items()}
    found: list[Asked] = []
    while len(found) < count:
        names = chance.choice([*QUASI, *SEMI], 4, replace=False).tolist()
        where = {name: _predicate(domains[name], chance) for name in names}
        met = np.logical_and.reduce([np.isin(held[name], list(values)) for name, values in where.items()])
        if (truth := float(salary[met].sum())) >= _LEAST_ASKED * salary.sum():
            texts = {name: list(map(str, values)) for name, values in where.items()}
            found.append(Asked({n: texts[n] if n == "education" else list(where[n]) for n in names}, truth))
    return found


def _predicate(domain: Sequence[Any], chance: np.random.Generator) -> list[Any]:
    """Of categories some random values; of numbers those on one side of a random value, or it alone, or all others."""
    if isinstance(domain[0], str):
        return sorted(set(chance.choice(domain, chance.integers(1, len(domain) + 1)).tolist()))
    value = domain[chance.integers(len(domain))]
    sign = chance.integers(6)
    kept = [
        [v for v in domain if v > value],
        [v for v in domain if v < value],
        [value],
        [v for v in domain if v >= value],
        [v for v in domain if v <= value],
        [v for v in domain if v != value],
    ][sign]
    return kept or [value]


def rounded(page: Page, column: str, asked: Sequence[Question]) -> Bounded:
    """Sums of a column that is sensitive for everybody, as Section 4.2 bounds them.

    Of each bucket as many of the smallest and of the largest values count as records are expected to be asked for,
    rounded down and up. These bounds are narrow, and the truth may lie beyond.
    """
    held = page.values(next(c for c in page.release.hidden if c.name == column))
    value = held.axis.amounts([()]).mean[0][held.axis.code]
    ordered = np.lexsort([value, held.bucket])
    first = np.append(0, np.cumsum(held.sizes))
    upto = np.append(0.0, np.cumsum(value[ordered]))
    found = Bounded(*(np.zeros(len(asked)) for _ in range(3)))
    for place, question in enumerate(asked):
        share = np.ones(len(held.bucket))
        for name, condition in question.items():
            axis = page.axes[name]
            share *= axis.meets([condition]).shares[0][axis.code]
        expected = np.bincount(held.bucket, weights=share, minlength=len(held.sizes))
        fewest, most = np.floor(expected + _NEAR).astype(np.int64), np.ceil(expected - _NEAR).astype(np.int64)
        found.low[place] = (upto[first[:-1] + fewest] - upto[first[:-1]]).sum()
        found.high[place] = (upto[first[1:]] - upto[first[1:] - most]).sum()
        found.estimate[place] = (expected * (upto[first[1:]] - upto[first[:-1]]) / held.sizes).sum()
    return found
