"""The release beside the original when nobody says which row is of which record.

Rows that look the same are one *kind*, as are records. A record may be shown by a kind of rows that covers all
its quasi-identifiers and has its other values. If every record has one, and no rows of a kind, or with the same
other values, are more than the records that they may show, then the release can be what it says it is; and it
is, where no record may be shown by two kinds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.privacy.verdict import Finding, Note
from shoal.verify import kinds
from shoal.verify.case import Case, Quasi
from shoal.verify.grouping import dense
from shoal.verify.kinds import Candidates, Kinds

#: As many pairs of kinds are looked at.
_PAIRS = 1 << 27
_COVERED = "every record is covered by rows that have its other values"
_ROOM = "no rows are more than the records that they cover"


def judged(case: Case) -> Iterator[Finding | Note]:
    """What holds of every way in which the rows could be linked to the records."""
    rows, records = _kinds(case)
    candidates = kinds.candidates(case.quasi, rows, records)
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
    for both in [*case.unchanged.values(), *kinds.by_cell(case.quasi)]:
        values = np.concatenate([both.published, both.original])
        exact, count = dense(exact * both.count + values, count * both.count)
    rows = kinds.distinct([quasi.cells.code for quasi in case.quasi], exact[:split], count)
    records = kinds.distinct([quasi.original.code for quasi in case.quasi], exact[split:], count)
    return rows, records


def _join(
    quasi: Sequence[Quasi], rows: Kinds, records: Kinds, candidates: Candidates
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For each kind of records, how many kinds of rows may show it; for each kind of rows, how many records it may."""
    covering = np.zeros(len(records.times), np.int64)
    room = np.zeros(len(rows.times), np.int64)
    for row, record in kinds.pairs(quasi, rows, records, candidates):
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
