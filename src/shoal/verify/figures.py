"""What each class reaches, by the definitions, a piece of the table at a time so that memory is bounded."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.privacy import definitions
from shoal.privacy.definitions import Counts, Figures
from shoal.privacy.distances import GroundDistance, Held
from shoal.privacy.requirements import LDiversity
from shoal.verify import threads
from shoal.verify.grouping import Classes, spread_out
from shoal.verify.resolve import Ground
from shoal.verify.values import Values

Codes = NDArray[np.integer[Any]]

#: Rows and cells of a matrix of counts that are looked at in one go.
_ROWS, _CELLS = 1 << 20, 1 << 20
#: A matrix that has no more cells for each row is not worth making smaller.
_CELLS_A_ROW = 4


def sizes(classes: Classes) -> Figures:
    """How many rows each class holds."""
    return definitions.size(classes.sizes[:, None])


def diversity(requirement: LDiversity, classes: Classes, values: Values) -> Figures:
    """The l that each class reaches on a column."""
    code = classes.arranged(values.code)

    def of_piece(piece: slice) -> Figures:
        group, rows = members(classes, piece)
        return diversity_of(requirement, group, piece.stop - piece.start, code[rows], values)

    return np.concatenate([np.zeros(0), *threads.each(of_piece, by_rows(classes))])


def closeness(ground: Ground, classes: Classes, values: Values) -> Figures:
    """The distance of each class from the whole table on a column."""
    code = classes.arranged(values.code)
    whole = values.whole[ground.order]

    def of_piece(piece: slice) -> Figures:
        group, rows = members(classes, piece)
        counts = _counts(group, piece.stop - piece.start, code[rows], values.width)
        return definitions.closeness(counts[:, ground.order], whole, ground.distance)

    if classes.count * values.width > max(_CELLS, _CELLS_A_ROW * classes.rows):
        return _closeness_of_held(ground.distance, classes, np.argsort(ground.order)[code], whole)
    return np.concatenate([np.zeros(0), *threads.each(of_piece, _by_cells(classes, values.width))])


def _closeness_of_held(distance: GroundDistance, classes: Classes, code: Codes, whole: Counts) -> Figures:
    """The same where values are many: of each class only those that it holds are looked at."""

    def of_piece(piece: slice) -> Figures:
        group, rows = members(classes, piece)
        pairs, times = np.unique(group * len(whole) + code[rows], return_counts=True)
        return distance.reached(Held(*np.divmod(pairs, len(whole)), times), whole)

    return np.concatenate([np.zeros(0), *threads.each(of_piece, by_rows(classes))])


def by_rows(classes: Classes) -> Iterator[slice]:
    """Classes in pieces that hold no more rows than fit the memory set aside, or one class."""
    marks = np.arange(0, classes.rows, _ROWS)
    edges = np.unique(np.append(np.searchsorted(classes.bounds, marks), classes.count)).tolist()
    return (slice(first, last) for first, last in pairwise(edges))


def _by_cells(classes: Classes, width: int) -> Iterator[slice]:
    step = max(_CELLS // max(width, 1), 1)
    return (slice(first, min(first + step, classes.count)) for first in range(0, classes.count, step))


def members(classes: Classes, piece: slice) -> tuple[NDArray[np.int64], slice]:
    """The class of each row of a piece, counted from the first of the piece; and where these rows are."""
    rows = slice(int(classes.bounds[piece.start]), int(classes.bounds[piece.stop]))
    return np.repeat(np.arange(piece.stop - piece.start), classes.sizes[piece]), rows


def _counts(group: Codes, groups: int, code: Codes, width: int) -> Counts:
    return np.bincount(group * width + code, minlength=groups * width).reshape(groups, width)


def diversity_of(requirement: LDiversity, group: Codes, groups: int, code: Codes, values: Values) -> Figures:
    """The l that each group of rows reaches.

    Which values a group holds does not matter to any kind of diversity, only how often it holds each. So where
    the values are many, each group counts its own, and not the values that it does not hold.
    """
    if groups * values.width <= max(_CELLS, _CELLS_A_ROW * len(group)):
        counts = _counts(group, groups, code, values.width)
        return definitions.diversity(requirement, counts, values.known)
    reached = np.zeros(groups)
    for some, counts in _own_counts(group, groups, code, values):
        reached[some] = definitions.diversity(requirement, counts, counts.shape[1] - 1)
    return reached


def _own_counts(group: Codes, groups: int, code: Codes, values: Values) -> Iterator[tuple[Codes, Counts]]:
    """Groups of similar width together, with the counts of their own known values, then of missing."""
    pairs, times = np.unique(group * values.width + code, return_counts=True)
    of_pair, value = np.divmod(pairs, values.width)
    first = np.searchsorted(of_pair, np.arange(groups + 1))
    held = np.diff(first)
    widest_first = np.argsort(-held, kind="stable")
    at = 0
    while at < groups:
        width = int(held[widest_first[at]])
        some = widest_first[at : at + max(_CELLS // (width + 1), 1)]
        pair = spread_out(first[some], held[some])
        row = np.repeat(np.arange(len(some)), held[some])
        place = np.where(value[pair] < values.known, pair - first[some][row], width)  # missing sorts last
        counts = np.zeros((len(some), width + 1), np.int64)
        counts[row, place] = times[pair]
        yield some, counts
        at += len(some)
