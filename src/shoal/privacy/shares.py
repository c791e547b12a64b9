"""Diversity as shares: what a search must know that builds classes of different values instead of testing them.

Every kind of diversity is kept by enough different values, each as often as the others. So of each sensitive column a
class holds some values at most so often, and a block from which classes are drawn is in order if no value has more than
a certain share of it. By frequency that share is the requirement itself. For other kinds, and where values are shown
randomized, it is one over the number of values that are needed, or the share that the table's commonest value has, if
that is more: the table must be in order too. What they ask beyond that is not said here, so classes must be tested in
the end.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.privacy import retention
from shoal.privacy.definitions import TOLERANCE
from shoal.privacy.requirements import LDiversity, RandomizedDiversity

Integers = NDArray[np.int64]
Reals = NDArray[np.float64]


class Shares(NamedTuple):
    """The sensitive columns that must be diverse, the most demanding first; values are numbered through all of them.

    Column a's values are ``start[a]`` to ``start[a + 1] - 1``; codes beyond, such as that of a missing value, make
    nothing diverse.
    """

    column: Integers  # its place among all columns
    start: Integers
    of: Integers  # by number of a value, its column
    bound: Reals  # no value of a block may have a share above one over this
    cap: Integers  # how often a class that is drawn may hold a value at most
    size: int  # how many records are drawn for a class
    least: int  # how many a class must have


@dataclass(frozen=True, eq=False)
class Asked:
    """What is asked of one sensitive column, and how often each of its codes occurs."""

    place: int
    requirements: Sequence[LDiversity]
    counts: Integers
    known: int

    @property
    def judged(self) -> int:
        """How many of the codes count for diversity."""
        return len(self.counts) if all(r.missing_is_sensitive for r in self.requirements) else self.known

    @property
    def values(self) -> int:
        """How many different values make a class diverse that holds each once."""
        return max(values_needed(r, self.occurring, gap=self.gap) for r in self.requirements)

    @property
    def occurring(self) -> int:
        """How many different values there are."""
        return int((self.counts[: self.judged] > 0).sum())

    @property
    def gap(self) -> bool:
        """Whether there are records whose value does not count."""
        return bool(self.counts[self.judged :].any())

    @property
    def bound(self) -> float:
        """The l by frequency that blocks are to reach: what is asked, as far as the table itself reaches it."""
        counts = self.counts[: self.judged]
        return min(max(r.l if _is_plain(r) else self.values for r in self.requirements), reached(counts))

    @property
    def is_exact(self) -> bool:
        """Whether a block that reaches the bound keeps all that is asked."""
        return all(_is_plain(r) and r.l <= self.bound and _judged(r, self) == self.judged for r in self.requirements)


def reached(counts: Integers) -> float:
    """The l by frequency that these counts reach."""
    return float(counts.sum() / max(counts.max(initial=0), 1))


def values_needed(requirement: LDiversity, most: int, *, gap: bool = False) -> int:
    """How many different values make a class diverse that holds each once."""
    if requirement.kind == "recursive":  # 1 < c (values - l + 1)
        return math.floor(requirement.l - 1 + 1 / (requirement.c or 1.0)) + 1
    if isinstance(requirement, RandomizedDiversity):
        found = values_randomized(requirement, most, gap=gap)
        return _least(requirement) if found is None else found
    return _least(requirement)


def values_randomized(requirement: LDiversity, most: int, *, gap: bool = False) -> int | None:
    """The same where values are shown randomized, and missing ones perhaps among them; None if ``most`` are too few."""
    if not isinstance(requirement, RandomizedDiversity) or requirement.retention > retention.MOST:
        return None
    able = (
        values
        for values in range(_least(requirement), most + 1)
        if retention.diversity(requirement.retention, values + gap, values) >= requirement.l
    )
    return next(able, None)


def _least(requirement: LDiversity) -> int:
    return math.ceil(requirement.l * (1 - TOLERANCE))


def _is_plain(requirement: LDiversity) -> bool:
    """Whether the share of the commonest value is all that is asked about."""
    return requirement.kind == "frequency" and not isinstance(requirement, RandomizedDiversity)


def shares(asked: Sequence[Asked], least: int, values: int = 1) -> Shares:
    """The shares of the columns of which something is asked; a class that is drawn has at least so many values."""
    asked = sorted(asked, key=lambda one: -one.values)
    size = max([values, *(one.values for one in asked)])
    judged = [one.judged for one in asked]
    return Shares(
        np.array([one.place for one in asked], np.int64),
        np.cumsum([0, *judged]).astype(np.int64),
        np.repeat(np.arange(len(asked)), judged).astype(np.int64),
        np.array([one.bound for one in asked], np.float64),
        np.array([size // max(one.values, values) for one in asked], np.int64),
        size,
        max(least, 1),
    )


def _judged(requirement: LDiversity, asked: Asked) -> int:
    return len(asked.counts) if requirement.missing_is_sensitive else asked.known
