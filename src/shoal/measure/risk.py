"""What an adversary may hope for who looks for people in a release, and how many stand in small classes.

The three adversaries of the literature on re-identification (El Emam, "Guide to the De-Identification of
Personal Health Information", 2013): the *prosecutor* looks for somebody known to be in the release; the
*journalist* for anybody of whom it can be shown, with a register of the population at hand; the *marketer*
for as many as possible.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.measure.groups import Groups, Whole

#: A risk above this is commonly held to be too high, whatever k was asked: classes of fewer than 5.
COMMON_THRESHOLD = 0.2

#: The least size of each bin of class sizes; a bin ends where the next begins.
_BINS = (1, 2, 3, 5, 10, 20, 50, 100)


@dataclass(frozen=True)
class Above:
    """The records whose risk exceeds a threshold."""

    threshold: float
    records: int
    share: float


@dataclass(frozen=True)
class Adversary:
    """The chance of finding a record: highest, average, share of records at the highest, those too high."""

    highest: float
    average: float
    at_highest: float
    above: tuple[Above, ...]


@dataclass(frozen=True)
class Journalist(Adversary):
    """Beside the risk, the classes of which the population table holds fewer people than the release itself.

    Such a table is not the whole population. The risk of these classes is that of the prosecutor.
    """

    short: int


@dataclass(frozen=True)
class Risk:
    """The risk of being found, to each adversary; the journalist needs a table of the population.

    ``marketer`` is the share of the records that are expected to be found, among the people of the release
    or, with a table of the population, among these.
    """

    prosecutor: Adversary
    journalist: Journalist | None
    marketer: float


@dataclass(frozen=True)
class Bin:
    """The records in classes of ``least`` to ``most`` records; of at least ``least`` if ``most`` is none."""

    least: int
    most: int | None
    records: int


@dataclass(frozen=True)
class Smallest:
    """The size of the smallest classes, the share of records in them, and all records by size of class."""

    size: int
    share: float
    sizes: tuple[Bin, ...]


def risk_of(groups: Groups, k: int | None, population: Whole | None) -> Risk:
    """The risk of each adversary; ``population`` says how many people each class's cells cover."""
    thresholds = (COMMON_THRESHOLD,) if k is None else (COMMON_THRESHOLD, 1 / k)
    prosecutor = Adversary(*_figures(groups, groups.size, thresholds))
    if population is None:
        return Risk(prosecutor, None, prosecutor.average)
    crowd = np.maximum(population, groups.size)  # a class itself shows that there are as many
    short = int((population < groups.size).sum())
    journalist = Journalist(*_figures(groups, crowd, thresholds), short)
    return Risk(prosecutor, journalist, journalist.average)


def smallest_of(groups: Groups) -> Smallest:
    """How much of the release stands in its smallest classes."""
    size = groups.size
    least = int(size.min()) if len(size) else 0
    held = np.histogram(size, bins=(*_BINS, np.inf), weights=size)[0].astype(np.int64)
    mosts = (*(following - 1 for following in _BINS[1:]), None)
    sizes = tuple(Bin(*found) for found in zip(_BINS, mosts, held.tolist(), strict=True))
    return Smallest(least, _share(groups, size == least), sizes)


def _figures(
    groups: Groups, crowd: Whole, thresholds: Sequence[float]
) -> tuple[float, float, float, tuple[Above, ...]]:
    """The figures of an :class:`Adversary` from whom each class hides in a crowd of that size."""
    if not len(groups):
        return 0.0, 0.0, 0.0, tuple(Above(threshold, 0, 0.0) for threshold in thresholds)
    risk = 1 / crowd
    average = float((groups.size / crowd).sum() / groups.records)
    above = tuple(
        Above(threshold, int(groups.size[risk > threshold].sum()), _share(groups, risk > threshold))
        for threshold in thresholds
    )
    return float(risk.max()), average, _share(groups, crowd == crowd.min()), above


def _share(groups: Groups, classes: NDArray[np.bool_]) -> float:
    """The share of the records that these classes hold."""
    return float(groups.size[classes].sum() / max(groups.records, 1))
