"""The release beside the original when nobody says which row is of which record.

Rows that look the same are one *kind*, as are records. A record may be shown by a kind of rows that covers all
its quasi-identifiers and has its other values. If every record has one, and no rows of a kind, or with the same
other values, are more than the records that they may show, then the release can be what it says it is; and it
is, where no record may be shown by two kinds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.privacy.verdict import Finding, Note
from shoal.verify import kinds
from shoal.verify.case import Case, Quasi
from shoal.verify.grouping import dense, spread_out
from shoal.verify.kinds import Candidates, Kinds

Codes = NDArray[np.integer[Any]]

#: As many pairs of kinds are looked at.
_PAIRS = 1 << 27
_COVERED = "every record is covered by rows that have its other values"
_ROOM = "no rows are more than the records that they cover"


def judged(case: Case) -> Iterator[Finding | Note]:
    """What holds of every way in which the rows could be linked to the records."""
    yield from _said(compared(case), case.left_out)


def sliced(whole: Case, parts: Sequence[Case]) -> Iterator[Finding | Note]:
    """The same where rows are shown in slices: each of these parts is compared by itself, and the worst is said.

    Without parts, each column of the whole is.
    """
    if not parts:
        yield from _said(_by_column(whole), whole.left_out)
        return
    found = [(compared(part), max(part.left_out, 0)) for part in parts]
    worst = Match(
        max(max(match.uncovered - left_out, 0) for match, left_out in found),
        max(match.excess for match, _ in found),
        max(match.several for match, _ in found),
        by_column=any(match.by_column for match, _ in found),
    )
    yield from _said(worst, 0)


@dataclass(frozen=True)
class Match:
    """Records that no row covers, rows that are too many, records that rows of several kinds cover."""

    uncovered: int
    excess: int
    several: int = 0
    by_column: bool = False


def compared(case: Case) -> Match:
    """How rows and records can be matched."""
    rows, records = _kinds(case)
    candidates = kinds.candidates(case.quasi, rows, records)
    if candidates.pairs > _PAIRS:
        return _by_column(case)
    covering, room = _join(case.quasi, rows, records, candidates)
    return Match(
        int(records.times[covering == 0].sum()),
        max(_excess(rows.times, room), _excess(rows.exact_times, records.exact_times)),
        int(records.times[covering > 1].sum()),
    )


def _said(match: Match, left_out: int) -> Iterator[Finding | Note]:
    if match.by_column:
        says = "there is too much to compare all columns at once, so each was compared by itself"
        yield Note("link", says)
    yield _all_covered(match.uncovered, left_out)
    yield _has_room(match.excess)
    if match.several:
        says = (
            f"{match.several:,} record(s) are covered by rows of several classes, so it was checked that the release "
            "can be made from the original, not that it was"
        )
        yield Note("link", says, {"records": float(match.several)})


def room(case: Case, group: Codes, value: Codes, values: int, pairs: Codes) -> NDArray[np.int64]:
    """For some pairs of a group of rows and a value of the records, how many records with it these rows may show.

    ``group`` numbers the group of each row, and ``value`` says of each record which of so many values it has; a pair is
    the number of the group times ``values``, plus that of the value. Where too many rows look alike, all records count.
    """
    rows, records = _kinds(case)
    candidates = kinds.candidates(case.quasi, rows, records)
    held, times = np.unique(records.of * np.int64(values) + value, return_counts=True)
    everybody = np.bincount(value, minlength=values)[pairs % values]
    if candidates.pairs > _PAIRS:
        return everybody
    found = [(np.zeros(0, np.int64),) * 2, *kinds.pairs(case.quasi, rows, records, candidates)]
    shows, shown = (np.concatenate(parts) for parts in zip(*found, strict=True))
    by_row = np.argsort(shows, kind="stable")
    in_group, of = np.divmod(np.unique(group * np.int64(len(rows.times)) + rows.of), len(rows.times))
    some, at = _alike(of, shows[by_row])
    if some is None or at is None:
        return everybody
    in_group, kind = np.divmod(np.unique(in_group[some] * len(records.times) + shown[by_row][at]), len(records.times))
    some, at = _alike(kind, held // values)
    if some is None or at is None:
        return everybody
    keys, place = np.unique(in_group[some] * values + held[at] % values, return_inverse=True)
    total = np.bincount(place, weights=times[at], minlength=len(keys)).astype(np.int64)
    where = np.minimum(np.searchsorted(keys, pairs), max(len(keys) - 1, 0))
    return np.where(keys[where] == pairs, total[where], 0) if len(keys) else np.zeros(len(pairs), np.int64)


def _alike(sought: Codes, ordered: Codes) -> tuple[Codes, Codes] | tuple[None, None]:
    """All pairs of places where a number sought and one of those in order are equal; none if there are too many."""
    first, last = np.searchsorted(ordered, sought), np.searchsorted(ordered, sought, side="right")
    if (last - first).sum() > _PAIRS:
        return None, None
    return np.repeat(np.arange(len(sought)), last - first), spread_out(first, last - first)


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


def _by_column(case: Case) -> Match:
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
    return Match(uncovered, excess, by_column=True)
