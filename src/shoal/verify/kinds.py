"""Which kinds of rows may show which kinds of records: rows, or records, that look the same are one *kind*."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, starmap
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.verify.case import Quasi
from shoal.verify.coding import Matched
from shoal.verify.covering import numbers
from shoal.verify.grouping import dense, spread_out

Codes = NDArray[np.integer[Any]]

#: As many pairs of kinds are looked at in one go.
_AT_ONCE = 1 << 20
#: Numbers for combinations of columns are below this.
_KEYS = 1 << 62


@dataclass(frozen=True, eq=False)
class Kinds:
    """Rows, or records, that look the same.

    Attributes:
        of: of each row or record, the number of its kind.
        codes: per quasi-identifier, the cell or value of each kind.
        exact: of each kind, the number of all in which rows and records must be equal: what is published as it
            is, and the cells of columns whose cells do not overlap.
        times: how many there are of each kind.
        exact_times: how many there are of each number in ``exact``, whatever their quasi-identifiers.
    """

    of: Codes
    codes: Sequence[Codes]
    exact: NDArray[np.int64]
    times: NDArray[np.int64]
    exact_times: NDArray[np.int64]


def by_cell(quasi: Sequence[Quasi]) -> Iterator[Matched]:
    """Quasi-identifiers whose cells do not overlap: the cell of each row, and the cell that each record must have."""
    for one in quasi:
        only = one.cover.only()
        if only is not None:
            yield Matched(one.cells.code, only[one.original.code], len(one.cells) + 1)


def distinct(columns: Sequence[Codes], exact: NDArray[np.int64], count: int) -> Kinds:
    key, total = exact, count
    for code in columns:
        size = int(code.max(initial=0)) + 1
        if total * size >= _KEYS:
            key, total = dense(key, total)
        key, total = key * size + code, total * size
    _, first, of, times = np.unique(key, return_index=True, return_inverse=True, return_counts=True)
    return Kinds(of, [code[first] for code in columns], exact[first], times, np.bincount(exact, minlength=count))


@dataclass(frozen=True, eq=False)
class Candidates:
    """For each kind of rows, the kinds of records that it may show: ``order[first:last]``."""

    order: NDArray[np.int64]
    first: NDArray[np.int64]
    last: NDArray[np.int64]

    @property
    def pairs(self) -> int:
        return int((self.last - self.first).sum())


def candidates(quasi: Sequence[Quasi], rows: Kinds, records: Kinds) -> Candidates:
    """Records with the same exact values that lie in the range of one column of numbers: the one that leaves fewest."""
    choices = [_between(rows.exact, rows.exact, records.exact)]
    for at, one in enumerate(quasi):
        if one.cells.low is None or one.cells.high is None:
            continue
        number = numbers(one.original.held)
        places = np.unique(number[~np.isnan(number)])
        beyond = len(places) + 1  # where missing values are, and what is no number
        rank = np.where(np.isnan(number), beyond - 1, np.searchsorted(places, number))
        low = np.where(np.isnan(one.cells.low), beyond - 1, np.searchsorted(places, one.cells.low))
        high = np.searchsorted(places, one.cells.high, side="right") - 1
        high = np.where(one.cells.missing, beyond - 1, high)
        choices.append(
            _between(
                rows.exact * beyond + low[rows.codes[at]],
                rows.exact * beyond + high[rows.codes[at]],
                records.exact * beyond + rank[records.codes[at]],
            )
        )
    return min(choices, key=lambda choice: choice.pairs)


def _between(low: Codes, high: Codes, key: Codes) -> Candidates:
    order = np.argsort(key)
    first, last = np.searchsorted(key[order], low), np.searchsorted(key[order], high, side="right")
    return Candidates(order, first, np.maximum(first, last))


def pairs(quasi: Sequence[Quasi], rows: Kinds, records: Kinds, candidates: Candidates) -> Iterator[tuple[Codes, Codes]]:
    """The kinds of rows and of records that they may show, pair by pair, some at a time."""
    lengths = candidates.last - candidates.first
    piece = np.cumsum(lengths) // _AT_ONCE
    edges = [0, *(np.flatnonzero(np.diff(piece)) + 1).tolist(), len(lengths)]
    for some in starmap(slice, pairwise(edges)):
        row = np.repeat(np.arange(some.start, some.stop), lengths[some])
        record = candidates.order[spread_out(candidates.first[some], lengths[some])]
        for at, one in enumerate(quasi):
            held = one.cover.covers(rows.codes[at][row], records.codes[at][record])
            row, record = row[held], record[held]
        yield row, record
