"""What a stream has published, beside what came in: each batch before it leaves, and a recorded stream as a whole.

A class of a stream is the finest thing that an outsider can group by: the cells that speak of quasi-identifiers, with
the numbers of the batch and of the window. Its sensitive values are compared with those of its window, which is part
of the input: how near they are, only the keeper can say.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from shoal.errors import DataError
from shoal.privacy.requirements import KAnonymity, Requirement, Size, TCloseness
from shoal.privacy.verdict import Finding, Verdict
from shoal.release.manifest import PublishedColumn
from shoal.schema.columns import Column, Listed
from shoal.schema.hierarchy import Hierarchy
from shoal.verify import centres, figures, grouping, linked, order, outsider, resolve
from shoal.verify.case import Case
from shoal.verify.coding import Coded, alike, coded, smallest
from shoal.verify.findings import finding
from shoal.verify.grouping import Classes
from shoal.verify.values import Values, values

Link = NDArray[np.integer[Any]]


@dataclass(frozen=True, eq=False, repr=False)
class Leaving:
    """Rows that are about to leave in one batch, of classes that were made in one window.

    Row i of ``table`` speaks of record ``link[i]``; ``window`` has the sensitive columns of the whole window.
    """

    table: pa.Table
    columns: Sequence[PublishedColumn]
    link: Link
    records: pa.Table
    window: pa.Table


def judge(
    leaving: Leaving,
    requirements: Sequence[Requirement],
    plan_columns: Sequence[Column],
    trees: Mapping[str, Hierarchy],
) -> Verdict:
    """Whether classes that are about to leave keep what is promised of each, and are true of their records."""
    classes = finest(leaving.table, leaving.columns)
    asked = resolve.requirements(requirements, leaving.columns, leaving.table)
    found = [*outsider.of_columns(leaving.table, leaving.columns), *sizes(asked, classes)]
    for requirement in asked:
        if isinstance(requirement, TCloseness):
            column = next(column for column in plan_columns if column.name == requirement.on)
            rows, whole = leaving.table.column(requirement.on), leaving.window.column(requirement.on)
            on = measured(column, trees.get(column.name), rows, whole)
            reached = figures.closeness(resolve.ground(requirement, on, trees), classes, on)
            found.append(near(requirement, reached, classes.sizes))
    claim = linked.is_link(_case(leaving, leaving.records, plan_columns, trees), leaving.link)
    found.append(claim)
    if claim.holds:
        case = _case(leaving, leaving.records.take(pa.array(leaving.link)), plan_columns, trees)
        row = np.arange(len(leaving.link))
        found += [linked.covered(case, row), linked.unchanged(case, row), *centres.judged(case, row)]
        ordered = order.judged(leaving.link, leaving.table, leaving.columns, trees)
        found += [one for one in ordered if isinstance(one, Finding)]
    return Verdict(found, records=leaving.table.num_rows, classes=classes.count)


def _case(leaving: Leaving, records: pa.Table, plan_columns: Sequence[Column], trees: Mapping[str, Hierarchy]) -> Case:
    return Case(leaving.table, leaving.columns, records, plan_columns, trees, ())


def finest(table: pa.Table, columns: Sequence[PublishedColumn]) -> Classes:
    """The finest groups: what a stream adds to each row is part of them."""
    among = ("quasi-identifying", "added")
    return grouping.classes(table, [name for column in columns if column.role in among for name in column.columns])


def sizes(asked: Sequence[Requirement], classes: Classes) -> Iterator[Finding]:
    """How many people share a class."""
    reached = figures.sizes(classes)
    for requirement in asked:
        if isinstance(requirement, KAnonymity | Size):
            yield finding("outsider", requirement, reached, classes.sizes)


def near(requirement: TCloseness, reached: NDArray[np.float64], people: NDArray[np.int64]) -> Finding:
    """How near classes are to their windows."""
    return finding("keeper", requirement, reached, people, what=f"{requirement} (against a window)")


def measured(column: Column, tree: Hierarchy | None, rows: pa.ChunkedArray, window: pa.ChunkedArray) -> Values:
    """Rows and the window that they are compared with, over all values that the plan says may come."""
    of_rows, of_window = coded(rows, column.name), coded(window, column.name)
    held = _may_come(column, tree)
    if held is None:
        held = values(column.name, of_rows, of_window).held
    counts = np.bincount(places(of_window, held), minlength=len(held) + 1)
    return Values(column.name, held, places(of_rows, held), counts if counts[-1] else counts[:-1])


def _may_come(column: Column, tree: Hierarchy | None) -> pa.Array | None:
    """The values of a column in order, as the plan says them: its hierarchy's leaves, or its domain."""
    if tree is not None:
        return pa.array(tree.leaves, pa.string())
    return pa.array(column.coarsening.values) if isinstance(column.coarsening, Listed) else None


def places(column: Coded, held: pa.Array) -> NDArray[np.unsignedinteger[Any]]:
    """Where each value stands among those held; missing after the last."""
    one, other = alike(column.held, held)
    place = pc.index_in(one, other, skip_nulls=True)
    lost = (place.is_null().to_numpy(zero_copy_only=False)) & one.is_valid().to_numpy(zero_copy_only=False)
    strange = int(column.times[lost].sum())
    if strange:
        raise DataError(f"{strange:,} value(s) of a published column are none that the plan says may come")
    found = place.fill_null(len(held)).to_numpy(zero_copy_only=False)
    return np.asarray(found, dtype=smallest(len(held) + 1))[column.code]
