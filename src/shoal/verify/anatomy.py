"""Anatomy, judged by the join that an adversary can make: of a person's row the class, of the class all that it holds.

A sensitive column stands in a table of its own, so of all rows of a class the same is known of it. Each class must
keep the requirements, and a table of sensitive values must speak of each class and of as many records as it has.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.privacy.requirements import KAnonymity, Requirement, TCloseness
from shoal.privacy.verdict import Finding, Note, Verdict
from shoal.release.manifest import PublishedColumn
from shoal.release.published import Published
from shoal.schema.hierarchy import Hierarchy
from shoal.verify import exposure, figures, grouping, keeper, linked, notes, order, outsider, people, resolve, unlinked
from shoal.verify.anatomized import Anatomized, whole
from shoal.verify.case import Case, Kept
from shoal.verify.coding import coded, matched
from shoal.verify.findings import finding
from shoal.verify.grouping import Classes
from shoal.verify.outsider import Sight

Codes = NDArray[np.integer[Any]]
Integers = NDArray[np.int64]

_CLASS = PublishedColumn("class", "quasi-identifying", "class", ("class",))
_WHOLE = "every class has one sensitive value for each of its records"


# -- the outsider -------------------------------------------------------------------------------------------


def outside(
    published: Published, requirements: Sequence[Requirement], trees: Mapping[str, Hierarchy], *, persons_known: bool
) -> Verdict:
    """Whether every class keeps every requirement, by all that is published of it."""
    release = Anatomized(published)
    partial = [column.name for column in release.sensitive if not release.is_whole(column.name)]
    says = f"not so: {', '.join(partial)}" if partial else ""
    complete = Finding("outsider", _WHOLE, holds=not partial, says=says)
    stray = list(release.stray())
    if partial:
        return Verdict((*stray, complete), records=release.rows.num_rows)
    sight = replace(
        outsider.look(release.joined, [_CLASS, *release.sensitive], trees, own=True),
        columns=release.columns,
        joined=False,
    )
    asked = resolve.requirements(requirements, release.columns, release.joined)
    found = [_finding(release, sight, requirement) for requirement in asked]
    reached = [(requirement, figure) for requirement, figure, _ in found]
    said = [finding("outsider", requirement, figure, classes.sizes) for requirement, figure, classes in found]
    return Verdict(
        findings=(*stray, complete, *said),
        notes=(*notes.of(sight, reached, persons_known=persons_known), *_exact(release)),
        records=release.rows.num_rows,
        classes=sight.classes.count,
    )


def _finding(release: Anatomized, sight: Sight, requirement: Requirement) -> tuple[Requirement, Any, Classes]:
    """What each class reaches; whoever looks for a row knows more of it than the class."""
    if isinstance(requirement, KAnonymity):
        alike = grouping.classes(release.rows, ["class", *_quasi(release)])
        return requirement, figures.sizes(alike), alike
    return requirement, sight.reached(requirement), sight.classes


def _quasi(release: Anatomized) -> list[str]:
    return [name for column in release.columns if column.role == "quasi-identifying" for name in column.columns]


def _exact(release: Anatomized) -> Iterator[Note]:
    """What the form leaves open."""
    if release.rows.num_rows:
        alone = int((grouping.classes(release.rows, _quasi(release)).sizes == 1).sum())
        says = (
            "they are published as they are: who is in the table, and with which of them, is not hidden; "
            f"{alone:,} record(s) are the only ones with theirs"
        )
        yield Note("quasi-identifiers", says, {"alone": float(alone)})


# -- the keeper ---------------------------------------------------------------------------------------------


def inside(
    published: Published, requirements: Sequence[Requirement], trees: Mapping[str, Hierarchy], kept: Kept
) -> Verdict:
    """Whether the tables are a true and complete account of the original."""
    release = Anatomized(published)
    every = Case(release.rows, release.columns, kept.original, kept.plan_columns, trees, kept.missing)
    case = replace(every, columns=release.true)
    said = [
        *keeper.names(every),
        *keeper.accounted(case, kept.suppress),
        *_of_rows(every, case, release, kept),
        *_of_people(case, release, requirements, kept),
        *exposure.unique(case, kept.allow_unique),
    ]
    return Verdict(
        findings=tuple(said_of for said_of in said if isinstance(said_of, Finding)),
        notes=tuple(said_of for said_of in said if isinstance(said_of, Note)),
        records=release.rows.num_rows,
        suppressed=max(case.left_out, 0),
    )


def _of_rows(every: Case, case: Case, release: Anatomized, kept: Kept) -> Iterator[Finding | Note]:
    """Whether the rows are true of their records, and the sensitive values of the classes."""
    if kept.link is None:
        yield from unlinked.judged(case)
        yield from (_possible(case, release, column.name) for column in release.sensitive)
        return
    claim = linked.is_link(case, kept.link)
    yield claim
    if not claim.holds:
        return
    yield linked.covered(case, kept.link)
    yield linked.unchanged(case, kept.link)
    yield linked.nobody_named(every)
    yield from (_same(case, release, column.name, kept.link) for column in release.sensitive)
    yield from order.judged(kept.link, release.rows, release.shown, case.trees)
    yield from order.numbers(whole(release.rows, "class"), kept.link)
    yield _in_order(case, release)


def _in_order(case: Case, release: Anatomized) -> Finding:
    """Tables of sensitive values are sorted, so that the order of their rows says nothing."""
    meaning = [PublishedColumn("class", "added", "class", ("class",)), *release.sensitive]
    astray = [
        column.name
        for column in release.sensitive
        if not order.sorted_by_cells(release.published.tables[f"sat_{column.name}"], meaning, case.trees)
    ]
    says = f"not so: {', '.join(astray)}" if astray else ""
    return Finding("keeper", "the tables of sensitive values are sorted", holds=not astray, says=says)


def _values(case: Case, release: Anatomized, name: str) -> tuple[Integers, Integers, Codes, Codes, int]:
    """Of a sensitive column the class, count and value of each row of its table, and the value of each record."""
    of, count, table = release.counted(name)
    both = matched(coded(table.column(name), name), case.coded(name))
    return of, count, both.published, both.original, both.count


def _same(case: Case, release: Anatomized, name: str, link: Codes) -> Finding:
    """The sensitive values of each class are those of its records, each as often."""
    of, count, published, original, values = _values(case, release, name)
    pairs = np.concatenate([of * np.int64(values) + published, release.of_row * np.int64(values) + original[link]])
    weights = np.concatenate([count, np.full(len(link), -1)])
    different, place = np.unique(pairs, return_inverse=True)
    surplus = np.zeros(len(different), np.int64)
    np.add.at(surplus, place, weights)
    wrong = len(np.unique(different[surplus != 0] // values))
    what = f"the values of {name} in each class are those of its records"
    says = f"not so: in {wrong:,} class(es)" if wrong else ""
    return Finding("keeper", what, holds=not wrong, records=int(np.maximum(surplus, 0).sum()), says=says)


def _possible(case: Case, release: Anatomized, name: str) -> Finding:
    """Each class has records enough that hold its sensitive values, if nobody says which row is of which record."""
    of, count, published, original, values = _values(case, release, name)
    room = unlinked.room(case, release.of_row, original, values, of * np.int64(values) + published)
    short = int(np.maximum(count - room, 0).sum())
    what = f"the values of {name} in each class may be those of its records"
    return Finding("keeper", what, holds=not short, records=short, says=f"{short:,} too many" if short else "")


def _of_people(
    case: Case, release: Anatomized, requirements: Sequence[Requirement], kept: Kept
) -> Iterator[Finding | Note]:
    """The requirements of which an outsider cannot see all."""
    if not all(release.is_whole(column.name) for column in release.sensitive):
        return
    asked = resolve.requirements(requirements, release.columns, release.joined)
    if kept.person is not None and kept.person != "row":
        sound = kept.link if kept.link is not None and linked.is_link(case, kept.link).holds else None
        yield from people.counted(case, release.classes, asked, kept.person, sound)
    if case.left_out > 0 and any(isinstance(requirement, TCloseness) for requirement in asked):
        yield from people.compared(
            replace(case, table=release.joined), grouping.classes(release.joined, ["class"]), asked
        )
