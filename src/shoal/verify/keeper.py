"""The judge who has the original too, and believes nothing that is said of how the release was made."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from math import floor
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.privacy.requirements import Requirement, TCloseness
from shoal.privacy.verdict import Finding, Note, Verdict
from shoal.release.manifest import PublishedColumn
from shoal.schema.columns import Column
from shoal.schema.hierarchy import Hierarchy
from shoal.verify import centres, exposure, grouping, linked, order, people, resolve, suppressed, unlinked
from shoal.verify.case import Case

Link = NDArray[np.integer[Any]]


def judge(
    table: pa.Table,
    columns: Sequence[PublishedColumn],
    requirements: Sequence[Requirement],
    original: pa.Table,
    plan_columns: Sequence[Column],
    trees: Mapping[str, Hierarchy],
    *,
    missing: tuple[str, ...],
    link: Link | None,
    person: str | None,
    suppress: float,
    allow_unique: Collection[str] = (),
    own: bool = True,
) -> Verdict:
    """Whether a published table is a true and complete account of its original, and its rows are people.

    ``link[i]`` is the record of row i, if anybody says so. ``person`` names the column of the original that
    tells people apart; None and ``"row"`` say that each row is a person. Text in ``missing`` means that nothing
    is known. A release that is not Shoal's ``own`` may have suppressed records left in place.
    """
    if not own and link is None:
        table = suppressed.split(table, columns).shown
    case = Case(table, columns, original, plan_columns, trees, missing)
    asked = resolve.requirements(requirements, columns, table)
    said = [
        *names(case),
        *accounted(case, suppress),
        *of_rows(case, link),
        *_of_classes(case, asked, person, link),
        *exposure.endpoints(case, asked),
        *exposure.unique(case, allow_unique),
    ]
    return Verdict(
        findings=tuple(finding for finding in said if isinstance(finding, Finding)),
        notes=tuple(note for note in said if isinstance(note, Note)),
        records=table.num_rows,
        suppressed=max(case.left_out, 0),
    )


def names(case: Case) -> Iterator[Finding]:
    """What is published is what the plan says, and nothing that names anybody."""
    roles = {column.name: column.role for column in case.plan_columns}
    spoken_of = {name: column for column in case.columns for name in column.columns}
    added = {name for column in case.of_role("added") for name in column.columns}
    named = [
        name
        for name in case.table.column_names
        if name not in added and roles.get(spoken_of[name].name if name in spoken_of else name) == "identifying"
    ]
    says = f"published: {', '.join(named)}" if named else ""
    yield Finding("keeper", "no identifying column is published", holds=not named, says=says)
    shown = {column.name: column.role for column in case.columns}
    astray = [name for name, role in roles.items() if role not in ("identifying", shown.get(name, "not published"))]
    says = f"not so: {', '.join(astray)}" if astray else ""
    yield Finding("keeper", "every column of the plan is published in its role", holds=not astray, says=says)


def accounted(case: Case, suppress: float) -> Iterator[Finding]:
    """Published and left out make the original, and not too many were left out."""
    records, left_out = case.original.num_rows, case.left_out
    allowed = floor(suppress * records + 1e-9)
    says = "there are more rows than records" if left_out < 0 else ""
    yield Finding(
        "keeper",
        f"at most {suppress:.4g} of the records left out",
        holds=0 <= left_out <= allowed,
        asked=suppress,
        reached=left_out / max(records, 1),
        records=max(left_out, 0),
        says=says,
    )


def of_rows(case: Case, link: Link | None) -> Iterator[Finding | Note]:
    """Whether the rows are true of their records."""
    if link is None:
        yield from unlinked.judged(case)
        return
    claim = linked.is_link(case, link)
    yield claim
    if claim.holds:
        yield from linked.judged(case, link)
        yield from centres.judged(case, link)
        yield from order.judged(link, case.table, case.columns, case.trees)


def _of_classes(
    case: Case, asked: Sequence[Requirement], person: str | None, link: Link | None
) -> Iterator[Finding | Note]:
    """The requirements of which an outsider cannot see all."""
    counts_people = person is not None and person != "row"
    compares = case.left_out > 0 and any(isinstance(requirement, TCloseness) for requirement in asked)
    if not counts_people and not compares:
        return
    quasi = [name for column in case.of_role("quasi-identifying") for name in column.columns]
    classes = grouping.classes(case.table, quasi)
    if person is not None and counts_people:
        sound = link if link is not None and linked.is_link(case, link).holds else None
        yield from people.counted(case, classes, asked, person, sound)
    if compares:
        yield from people.compared(case, classes, asked)
