"""A recorded stream as a whole: all that was published, beside all that came in.

Nobody says which row is of which record. But rows that agree in all that is published unchanged can only be of records
that do, and among these the oldest must be out first: whether each could leave in time is told by comparing them in
order.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.privacy import definitions
from shoal.privacy.requirements import Requirement, TCloseness
from shoal.privacy.verdict import Finding, Note, Verdict
from shoal.release.manifest import PublishedColumn
from shoal.schema.columns import Column
from shoal.schema.hierarchy import Hierarchy
from shoal.verify import keeper, order, outsider, resolve, streaming, unlinked
from shoal.verify.case import Case
from shoal.verify.coding import coded
from shoal.verify.grouping import Classes, dense, spread_out
from shoal.verify.values import Values

Places = NDArray[np.int64]


@dataclass(frozen=True)
class Windows:
    """Windows of ``size`` records that advance by ``advance``, over so many records in all; the first is number 1."""

    size: int
    advance: int
    records: int

    @property
    def last(self) -> int:
        """The number of the last window, which is the partial one if the others left any records."""
        full = max((self.records - self.size) // self.advance + 1, 0)
        return full + (self.records > full * self.advance)

    def span(self, number: int) -> slice:
        """The records of a window."""
        first = (number - 1) * self.advance
        return slice(first, min(first + self.size, self.records))

    def due(self, record: Places) -> Places:
        """The window with whose advance a record expires."""
        return np.minimum(record // self.advance + 1, self.last)

    def earliest(self, record: Places) -> Places:
        """The first window that is decided when the record is there."""
        return np.minimum(np.maximum((record - self.size) // self.advance + 2, 1), self.last)


def judge(
    table: pa.Table,
    columns: Sequence[PublishedColumn],
    requirements: Sequence[Requirement],
    plan_columns: Sequence[Column],
    trees: Mapping[str, Hierarchy],
    *,
    original: pa.Table | None = None,
    missing: tuple[str, ...] = (),
    window: int,
    advance: int,
) -> Verdict:
    """Whether every class keeps what is asked; with what came in, whether each record left once, and in time."""
    asked = resolve.requirements(requirements, columns, table)
    classes = streaming.finest(table, columns)
    found: list[Finding | Note] = [*outsider.of_columns(table, columns), *streaming.sizes(asked, classes)]
    left_out = 0
    if original is None:
        if any(isinstance(requirement, TCloseness) for requirement in asked):
            found.append(Note("t", "it is kept against windows of what came in, which only the keeper has"))
    else:
        windows = Windows(window, advance, original.num_rows)
        case = Case(table, columns, original, plan_columns, trees, missing)
        left_out = max(case.left_out, 0)
        found += [*keeper.names(case), _accounted(case, windows), *unlinked.judged(case), *_in_time(case, windows)]
        is_sorted = order.sorted_by_cells(table, columns, trees)
        found.append(Finding("keeper", "the rows of each batch stand in the order of what they show", holds=is_sorted))
        if all(one.holds for one in found if isinstance(one, Finding)):  # else a window may be none
            found += _near(case, asked, classes, windows)
    return Verdict(
        tuple(one for one in found if isinstance(one, Finding)),
        tuple(one for one in found if isinstance(one, Note)),
        records=table.num_rows,
        suppressed=left_out,
        classes=classes.count,
    )


def _accounted(case: Case, windows: Windows) -> Finding:
    """Records that were gone from the last window when it was decided have a row each."""
    rows, records = _kinds(case)
    earlier = records[: max(windows.span(windows.last).start, 0)]
    kinds = int(max(rows.max(initial=-1), records.max(initial=-1))) + 1
    gone = np.bincount(earlier, minlength=kinds) - np.bincount(rows, minlength=kinds)
    lost = int(np.maximum(gone, 0).sum())
    says = f"{lost:,} were left out before" if lost else ""
    if case.left_out < 0:
        says = "there are more rows than records"
    return Finding("keeper", "records are left out at the end only", not says, records=max(case.left_out, 0), says=says)


def _in_time(case: Case, windows: Windows) -> Iterator[Finding]:
    """Of rows and records that agree in what is unchanged, row i must have left before record i expired."""
    batch, window = (_numbers(case.table, name) for name in ("batch", "window"))
    rows, records = _kinds(case)
    late = early = 0
    of_record = np.lexsort((np.arange(len(records)), records))
    start = np.searchsorted(records[of_record], np.arange(int(max(rows.max(initial=-1), records.max(initial=-1))) + 2))
    for numbers in (batch, window):
        of_row = np.lexsort((numbers, rows))
        place = np.arange(len(rows)) - np.searchsorted(rows[of_row], rows[of_row])
        partner = np.minimum(start[rows[of_row]] + place, max(len(records) - 1, 0))
        if len(records):
            late += int((numbers[of_row] > windows.due(of_record[partner])).sum())
            early += int((numbers[of_row] < windows.earliest(of_record[partner])).sum())
    astray = int(((window > batch) | (window < 1) | (batch > windows.last)).sum())
    yield _of_rows("every record left before it expired", late, "row(s) left too late")
    yield _of_rows("no record left before it came", early, "row(s) left too early")
    yield _of_rows("every row names windows that there were", astray, "row(s) do not")


def _of_rows(what: str, wrong: int, says: str) -> Finding:
    return Finding("keeper", what, holds=not wrong, records=wrong, says=f"{wrong:,} {says}" if wrong else "")


def _kinds(case: Case) -> tuple[Places, Places]:
    """For each row and each record a number that is the same where all agrees that is published unchanged."""
    split = case.table.num_rows
    kind, count = np.zeros(split + case.original.num_rows, np.int64), 1
    for both in case.unchanged.values():
        values = np.concatenate([both.published, both.original]).astype(np.int64)
        kind, count = dense(kind * both.count + values, count * both.count)
    return kind[:split], kind[split:]


def _numbers(table: pa.Table, name: str) -> Places:
    return np.asarray(table.column(name).cast(pa.int64()).to_numpy(), np.int64)


def _near(case: Case, asked: Sequence[Requirement], classes: Classes, windows: Windows) -> Iterator[Finding]:
    """How near each class is to the window that it names."""
    named = classes.arranged(_numbers(case.table, "window"))[classes.bounds[:-1]]
    for requirement in asked:
        if not isinstance(requirement, TCloseness):
            continue
        column = next(column for column in case.plan_columns if column.name == requirement.on)
        rows, original = case.table.column(requirement.on), case.original.column(requirement.on)
        on = streaming.measured(column, case.trees.get(column.name), rows, original)
        whole = streaming.places(coded(original, column.name), on.held)
        reached = np.zeros(classes.count)
        for number in np.unique(named).tolist():
            some = np.flatnonzero(named == number)
            counts = _counts(classes, some, on)
            of_window = np.bincount(whole[windows.span(number)], minlength=len(on.held) + 1)
            width = len(on.held) + (of_window[-1] > 0)
            held = Values(on.name, on.held, on.code, of_window[:width])
            ground = resolve.ground(requirement, held, case.trees)
            reached[some] = definitions.closeness(
                counts[:, :width][:, ground.order], of_window[ground.order], ground.distance
            )
        yield streaming.near(requirement, reached, classes.sizes)


def _counts(classes: Classes, some: Places, on: Values) -> NDArray[Any]:
    """How often each value occurs in some of the classes, missing last."""
    width = len(on.held) + 1
    rows = spread_out(classes.bounds[some], classes.sizes[some])
    group = np.repeat(np.arange(len(some)), classes.sizes[some])
    code = classes.arranged(on.code)[rows].astype(np.int64)
    return np.bincount(group * width + code, minlength=len(some) * width).reshape(len(some), width)
