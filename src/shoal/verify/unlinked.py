"""The release beside the original when nobody says which row is of which record.

Rows that look the same are one *kind*, as are records. A record may be shown by a kind of rows that covers all
its quasi-identifiers and has its other values. If every record has one, and no rows of a kind, or with the same
other values, are more than the records that they may show, then the release can be what it says it is; and it
is, where no record may be shown by two kinds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, starmap
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.privacy.verdict import Finding, Note
from shoal.verify.case import Case, Quasi
from shoal.verify.coding import Matched
from shoal.verify.covering import numbers
from shoal.verify.grouping import dense, spread_out

Codes = NDArray[np.integer[Any]]

#: As many pairs of kinds are looked at: in all, and in one go.
_PAIRS, _AT_ONCE = 1 << 27, 1 << 20
#: Numbers for combinations of columns are below this.
_KEYS = 1 << 62
_COVERED = "every record is covered by rows that have its other values"
_ROOM = "no rows are more than the records that they cover"


@dataclass(frozen=True, eq=False)
class Kinds:
    """Rows, or records, that look the same.

    Attributes:
        codes: per quasi-identifier, the cell or value of each kind.
        exact: of each kind, the number of all in which rows and records must be equal: what is published as it
            is, and the cells of columns whose cells do not overlap.
        times: how many there are of each kind.
        exact_times: how many there are of each number in ``exact``, whatever their quasi-identifiers.
    """

    codes: Sequence[Codes]
    exact: NDArray[np.int64]
    times: NDArray[np.int64]
    exact_times: NDArray[np.int64]


def judged(case: Case) -> Iterator[Finding | Note]:
    """What holds of every way in which the rows could be linked to the records."""
    rows, records = _kinds(case)
    candidates = _candidates(case.quasi, rows, records)
    if candidates.pairs > _PAIRS:
        says = "too many rows look alike to compare all columns at once, so each was compared by itself"
        yield Note("link", says)
        yield from _by_column(case)
        return
    covering, room = _join(case.quasi, rows, records, candidates)
    yield _all_covered(int(records.times[covering == 0].sum()), case.left_out)
    yield _has_room(max(_excess(rows.times, room), _excess(rows.exact_times, records.exact_times)))
    several = int(records.times[covering > 1].sum())
    if several:
        says = (
            f"{several:,} record(s) are covered by rows of several classes, so it was checked that the release "
            "can be made from the original, not that it was"
        )
        yield Note("link", says, {"records": float(several)})


def _all_covered(uncovered: int, left_out: int) -> Finding:
    holds = uncovered <= max(left_out, 0)
    says = "" if holds else f"{uncovered:,} record(s) are not covered, {max(left_out, 0):,} were left out"
    return Finding("keeper", _COVERED, holds=holds, records=uncovered, says=says)


def _has_room(excess: int) -> Finding:
    says = f"{excess:,} row(s) too many" if excess else ""
    return Finding("keeper", _ROOM, holds=not excess, records=excess, says=says)


def _excess(counts: NDArray[np.int64], room: NDArray[np.int64]) -> int:
    return int(np.maximum(counts - room, 0).sum())


def _kinds(case: Case) -> tuple[Kinds, Kinds]:
    """The kinds of rows and of records, with one number for all in which they must be equal."""
    split = case.table.num_rows
    exact, count = np.zeros(split + case.original.num_rows, np.int64), 1
    for both in [*case.unchanged.values(), *_by_cell(case.quasi)]:
        values = np.concatenate([both.published, both.original])
        exact, count = dense(exact * both.count + values, count * both.count)
    rows = _distinct([quasi.cells.code for quasi in case.quasi], exact[:split], count)
    records = _distinct([quasi.original.code for quasi in case.quasi], exact[split:], count)
    return rows, records


def _by_cell(quasi: Sequence[Quasi]) -> Iterator[Matched]:
    """Quasi-identifiers whose cells do not overlap: the cell of each row, and the cell that each record must have."""
    for one in quasi:
        only = one.cover.only()
        if only is not None:
            yield Matched(one.cells.code, only[one.original.code], len(one.cells) + 1)


def _distinct(columns: Sequence[Codes], exact: NDArray[np.int64], count: int) -> Kinds:
    key, total = exact, count
    for code in columns:
        size = int(code.max(initial=0)) + 1
        if total * size >= _KEYS:
            key, total = dense(key, total)
        key, total = key * size + code, total * size
    _, first, times = np.unique(key, return_index=True, return_counts=True)
    return Kinds([code[first] for code in columns], exact[first], times, np.bincount(exact, minlength=count))


@dataclass(frozen=True, eq=False)
class _Candidates:
    """For each kind of rows, the kinds of records that it may show: ``order[first:last]``."""

    order: NDArray[np.int64]
    first: NDArray[np.int64]
    last: NDArray[np.int64]

    @property
    def pairs(self) -> int:
        return int((self.last - self.first).sum())


def _candidates(quasi: Sequence[Quasi], rows: Kinds, records: Kinds) -> _Candidates:
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


def _between(low: Codes, high: Codes, key: Codes) -> _Candidates:
    order = np.argsort(key)
    first, last = np.searchsorted(key[order], low), np.searchsorted(key[order], high, side="right")
    return _Candidates(order, first, np.maximum(first, last))


def _join(
    quasi: Sequence[Quasi], rows: Kinds, records: Kinds, candidates: _Candidates
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For each kind of records, how many kinds of rows may show it; for each kind of rows, how many records it may."""
    covering = np.zeros(len(records.times), np.int64)
    room = np.zeros(len(rows.times), np.int64)
    lengths = candidates.last - candidates.first
    piece = np.cumsum(lengths) // _AT_ONCE
    edges = [0, *(np.flatnonzero(np.diff(piece)) + 1).tolist(), len(lengths)]
    for some in starmap(slice, pairwise(edges)):
        row = np.repeat(np.arange(some.start, some.stop), lengths[some])
        record = candidates.order[spread_out(candidates.first[some], lengths[some])]
        for at, one in enumerate(quasi):
            held = one.cover.covers(rows.codes[at][row], records.codes[at][record])
            row, record = row[held], record[held]
        covering += np.bincount(record, minlength=len(covering))
        room += np.bincount(row, weights=records.times[record], minlength=len(room)).astype(np.int64)
    return covering, room


def _by_column(case: Case) -> Iterator[Finding]:
    """The same two questions, asked of each column by itself."""
    uncovered, excess = 0, 0
    for quasi in case.quasi:
        times = quasi.original.times
        uncovered = max(uncovered, int(times[~quasi.cover.covered()].sum()))
        rows = np.bincount(quasi.cells.code, minlength=len(quasi.cells))
        excess = max(excess, _excess(rows, quasi.cover.room(times)))
    for both in case.unchanged.values():
        published, original = (np.bincount(code, minlength=both.count) for code in (both.published, both.original))
        uncovered = max(uncovered, _excess(original, published))
        excess = max(excess, _excess(published, original))
    yield _all_covered(uncovered, case.left_out)
    yield _has_room(excess)
