"""What a publication lost: how much of its column's domain each cell covers.

Three formulas, never mixed. ``NCP``, the normalised certainty penalty, is 0 for a cell that is one value, and
1 for one that covers the domain: (high - low) / (range of the original), or (values - 1) / (all values - 1),
where the values of a cell with a hierarchy are the leaves below its label. Only values that occur in the
original count, coded at bottom and top as the publication says. ``GLM`` is the general loss metric of Cao,
Karras, Kalnis and Tan, "SABRE: a Sensitive Attribute Bucketization and REdistribution framework for
t-closeness", VLDB Journal 2011, Section 3.2, whose mean over records and columns is called AIL there: the
same for numbers; for categories (leaves below the label) / (leaves of the hierarchy), occurring or not, and
0 for a single leaf. A set is taken for a node above its values, in a hierarchy of the values that occur. ``NCP_Xu`` is
the penalty as Li and He have it from Xu et al. ("Utility-Based Anonymization Using Local Recoding", KDD 2006): the same
for numbers; for categories (values) / (all values) of those that occur, and 0 for a single one.

Missing is a value. It hangs directly below the root, beside all known values: a cell that covers it and a
known value costs 1, except in a column without hierarchy, where it is one more value of a set. A suppressed
record costs 1 in every column. Nothing can be lost of a column that holds one value only. Of a column that is
sensitive for some people, their values cost nothing where they are in buckets, and 1 where nothing is shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from shoal.measure.originals import Figures, Originals
from shoal.release.cells import Cells, Values
from shoal.release.manifest import PublishedColumn
from shoal.schema.hierarchy import Hierarchy

Costs = tuple[Figures, Figures, Figures]


@dataclass(frozen=True)
class Loss:
    """Each formula's mean over the records; none where there is no original to compare with."""

    ncp: float | None
    glm: float | None
    ncp_xu: float | None


_FORMULAS = tuple(formula.name for formula in fields(Loss))


@dataclass(frozen=True)
class Losses:
    """The loss of each quasi-identifier, the mean of these, and why they are not known if they are not."""

    whole: Loss
    columns: Mapping[str, Loss]
    reason: str | None = None


def mean_loss(columns: Mapping[str, Loss]) -> Loss:
    """The loss in all: every record and every quasi-identifier counts the same."""
    counted = max(len(columns), 1)
    return Loss(*(sum(getattr(loss, name) or 0.0 for loss in columns.values()) / counted for name in _FORMULAS))


def loss_of(
    cells: Cells,
    known: Originals,
    column: PublishedColumn,
    tree: Hierarchy | None,
    suppressed: int,
    coarse: NDArray[np.bool_] | None = None,
) -> Loss:
    """The loss of one quasi-identifier over all records, published and suppressed.

    Where values are in buckets they are not ``coarse``: they are shown as they are, and nothing of them is lost.
    """
    held = np.bincount(cells.code if coarse is None else cells.code[coarse], minlength=len(cells))
    records = max(len(cells.code) + suppressed, 1)
    costs = _costs(cells, known, column, tree)
    return Loss(*(float((held * cost).sum() + suppressed) / records for cost in costs))


def _costs(cells: Cells, known: Originals, column: PublishedColumn, tree: Hierarchy | None) -> Costs:
    """What each distinct cell costs, by each formula."""
    if cells.low is not None and cells.high is not None and known.numbers is not None:
        cost = _of_ranges(cells.low, cells.high, cells.missing, known.numbers, column)
        return cost, cost, cost
    if cells.values is None or known.texts is None:
        raise TypeError("cells are either ranges or sets of values, and originals numbers or texts accordingly")
    occurring = frozenset(text for text in known.texts if text is not None)
    unknown = None in known.texts
    if len(occurring) + unknown <= 1:
        return np.zeros(len(cells)), np.zeros(len(cells)), np.zeros(len(cells))
    if tree is None:
        return _of_sets(cells.values, cells.missing, occurring, unknown)
    return _of_nodes(cells.values, cells.missing & unknown, occurring, len(tree.leaves), unknown)


def _of_ranges(
    low: Figures, high: Figures, missing: NDArray[np.bool_], numbers: Figures, column: PublishedColumn
) -> Figures:
    """Range over range; all formulas agree on numbers."""
    unknown = np.isnan(numbers)
    bottom = -np.inf if column.bottom is None else column.bottom
    top = np.inf if column.top is None else column.top
    coded = np.clip(numbers[~unknown], bottom, top)
    if not len(coded):
        return np.zeros(len(low))
    least, most = float(coded.min()), float(coded.max())
    valued = ~np.isnan(low)
    width = np.where(valued, np.clip(high, least, most) - np.clip(low, least, most), 0)
    cost = width / (most - least) if most > least else np.zeros(len(low))
    return np.where(valued & missing & unknown.any(), 1.0, cost)


def _of_sets(values: Values, missing: NDArray[np.bool_], occurring: frozenset[str], unknown: bool) -> Costs:
    """Sets over the values that occur, missing being one of them."""
    every = len(occurring) + unknown
    covered = np.minimum(_counts(values, occurring, every) + (missing & unknown), every)
    share = np.where(covered <= 1, 0, covered / every)
    return np.maximum(covered - 1, 0) / (every - 1), share, share


def _of_nodes(
    values: Values, missing: NDArray[np.bool_], occurring: frozenset[str], leaves: int, unknown: bool
) -> Costs:
    """Leaves below a node over leaves below the root, a missing value being one of these."""
    every = len(occurring) + unknown
    found = _counts(values, occurring, every)
    below = np.array([leaves if value is None else len(value) for value in values], np.int64)
    rooted = missing & (found > 0)
    rooted |= np.array([value is None for value in values], np.bool_)
    ncp = np.maximum(found - 1, 0) / (every - 1)
    glm = np.where(below <= 1, 0, below / (leaves + unknown))
    xu = np.where(found <= 1, 0, found / every)
    return np.where(rooted, 1, ncp), np.where(rooted, 1, glm), np.where(rooted, 1, xu)


def _counts(values: Values, occurring: frozenset[str], every: int) -> NDArray[np.int64]:
    """How many of the occurring values each cell covers; all, missing among them, if it covers any value."""
    return np.array([every if value is None else len(value & occurring) for value in values], np.int64)
