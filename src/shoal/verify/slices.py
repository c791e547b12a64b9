"""Slices, judged by what matching buckets tell: of a person's quasi-identifiers the bucket, and in it the values that
stand beside the same quasi-identifiers in the slice of the sensitive column.

All ways of joining the slices of a bucket are alike likely, so of the people of a bucket who have the same
quasi-identifiers beside a sensitive column, each is as likely to have any of the values there. If these are diverse for
whatever stands beside them, so is every mixture of them, whichever buckets a person may be in.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.privacy.requirements import KAnonymity, LDiversity, Requirement, Size, TCloseness
from shoal.privacy.verdict import Finding, Note, Verdict
from shoal.release.published import Published
from shoal.schema.hierarchy import Hierarchy
from shoal.verify import (
    exposure,
    figures,
    grouping,
    keeper,
    linked,
    lots,
    notes,
    order,
    outsider,
    people,
    resolve,
    unlinked,
)
from shoal.verify.case import Case, Kept
from shoal.verify.coding import coded, matched
from shoal.verify.findings import finding
from shoal.verify.grouping import Classes
from shoal.verify.outsider import Sight
from shoal.verify.sliced import Sliced
from shoal.verify.suppressed import Split
from shoal.verify.values import Values

Integers = NDArray[np.int64]
Link = NDArray[np.integer[Any]]

#: Above so many different slices, releases are compared with their original column by column, if nobody says which row
#: is of which record: each would be compared with all records.
_MANY = 30
_SHUFFLED = "slices of a bucket are shuffled by lot"


# -- the outsider -------------------------------------------------------------------------------------------


def outside(
    published: Published, requirements: Sequence[Requirement], trees: Mapping[str, Hierarchy], *, persons_known: bool
) -> Verdict:
    """Whether every bucket keeps every requirement, whatever stands beside a sensitive value."""
    release = Sliced(published)
    claims = [*_stray(release), release.laid_out()]
    if not all(claim.holds for claim in claims):
        return Verdict(tuple(claims), records=release.rows.num_rows)
    sight = _sight(release, release.buckets, [], trees)
    asked = resolve.requirements(requirements, release.columns, release.rows)
    said = [_judged(release, requirement, trees) for requirement in asked]
    return Verdict(
        findings=(*claims, *(found for found, _ in said)),
        notes=(
            *notes.of(sight, [], persons_known=persons_known),
            *(note for _, on_it in said for note in on_it),
            *_exact(release),
        ),
        records=release.rows.num_rows,
        classes=release.buckets.count,
    )


def _stray(release: Sliced) -> Iterator[Finding]:
    """Nothing is published that nobody decided to publish."""
    yield from outsider.of_columns(release.rows, release.columns)
    if stray := [name for name in release.published.tables if name != "release"]:
        says = f"published without a role: {', '.join(stray)}"
        yield Finding("outsider", "every published table and column has a role", holds=False, says=says)


def _sight(release: Sliced, classes: Classes, names: Sequence[str], trees: Mapping[str, Hierarchy]) -> Sight:
    """What is seen of some columns that are published as they are."""
    rows = Split(release.rows, release.rows.slice(0, 0))
    return Sight(rows, classes, release.columns, {name: rows.values(name) for name in names}, trees, joined=False)


def _judged(release: Sliced, requirement: Requirement, trees: Mapping[str, Hierarchy]) -> tuple[Finding, list[Note]]:
    """What is reached of one requirement, and what else is to be said of it."""
    match requirement:
        case Size():
            return finding("outsider", requirement, figures.sizes(release.buckets), release.buckets.sizes), []
        case KAnonymity():
            alike = _alike(release)
            return finding("outsider", requirement, figures.sizes(alike), alike.sizes), []
        case LDiversity(on=on) | TCloseness(on=on):
            name = str(on)
            sight = _sight(release, release.parts(name), [name], trees)
            reached = sight.reached(requirement)
            more = notes.on_column(sight, requirement, reached, _beside(release, name))
            return finding("outsider", requirement, reached, sight.classes.sizes), list(more)


def _alike(release: Sliced) -> Classes:
    """The rows of a bucket that look alike in all quasi-identifiers, of whichever record they are."""
    names = [name for column in release.of_role("quasi-identifying") for name in column.columns]
    return grouping.classes(release.rows, ["bucket", *names])


def _beside(release: Sliced, name: str) -> dict[str, Values]:
    """Sensitive and insensitive columns that share a slice with a sensitive one, where they do."""
    rows = Split(release.rows, release.rows.slice(0, 0))
    found = {}
    for column in release.of_role("sensitive", "insensitive"):
        flags = release.beside(column.name, name)
        if column.name != name and flags.any():
            values = rows.values(column.name)
            found[column.name] = replace(values, code=np.where(flags, values.code, np.zeros(1, values.code.dtype)))
    return found


def _exact(release: Sliced) -> Iterator[Note]:
    """What the form leaves open."""
    if not release.rows.num_rows:
        return
    alone = np.zeros(release.rows.num_rows, np.bool_)
    meaning = {column.name: column for column in release.of_role("quasi-identifying")}
    for held, rows in release.each():
        names = [name for column in held if column in meaning for name in meaning[column].columns]
        if names:
            classes = grouping.classes(release.rows.take(pa.array(rows)), names)
            single = np.repeat(classes.sizes == 1, classes.sizes)
            alone[classes.arranged(rows)[single]] = True
    count = int(alone.sum())
    says = (
        "they are published as they are, within their slices: who is in the table, and with which of them, is not "
        f"hidden; {count:,} row(s) have a slice of them that is the only one of its kind"
    )
    yield Note("quasi-identifiers", says, {"alone": float(count)})


# -- the keeper ---------------------------------------------------------------------------------------------


def inside(
    published: Published, requirements: Sequence[Requirement], trees: Mapping[str, Hierarchy], kept: Kept
) -> Verdict:
    """Whether the table is a true and complete account of the original, and by lot what should be."""
    release = Sliced(published)
    case = Case(release.rows, release.columns, kept.original, kept.plan_columns, trees, kept.missing)
    said: list[Finding | Note] = [*keeper.names(case), *keeper.accounted(case, kept.suppress)]
    if release.laid_out().holds:
        said += _of_rows(case, release, kept)
        said += _of_buckets(case, release, resolve.requirements(requirements, release.columns, release.rows), kept)
    said += exposure.unique(case, kept.allow_unique)
    return Verdict(
        findings=tuple(said_of for said_of in said if isinstance(said_of, Finding)),
        notes=tuple(said_of for said_of in said if isinstance(said_of, Note)),
        records=release.rows.num_rows,
        suppressed=max(case.left_out, 0),
    )


def _of_rows(case: Case, release: Sliced, kept: Kept) -> Iterator[Finding | Note]:
    """Whether each slice is true of its records, and whose they are is hidden."""
    if kept.link is None:
        parts = list(_parts(case, release)) if len(dict(release.each())) <= _MANY else []
        yield from unlinked.sliced(case, [part for part, _ in parts])
        if parts:
            yield from _possible(case, release, parts)
        return
    links = np.atleast_2d(kept.link)
    claim = _is_link(case, release, links)
    yield claim
    if not claim.holds:
        return
    row = np.arange(links.shape[1])
    of_column = {c.name: links[release.slice_of(c.name), row] for c in release.columns if c.role != "added"}
    yield linked.covered(case, of_column)
    yield linked.unchanged(case, of_column)
    yield linked.nobody_named(case)
    yield _by_lot(release, links)
    orders = [list(order.judged(link, release.rows, release.columns, case.trees)) for link in links]
    yield from next((said for said in orders if any(isinstance(s, Finding) and not s.holds for s in said)), orders[0])
    yield from order.numbers(release.bucket, links[0])


def _is_link(case: Case, release: Sliced, links: NDArray[np.integer[Any]]) -> Finding:
    """In every slice each row is of one record, and the slices of a bucket are of the same records."""
    slices = max((len(layout.slices) for layout in release.layouts), default=1)
    claims = [linked.is_link(case, link) for link in links]
    worst = next((claim for claim in claims if not claim.holds), claims[0])
    if not worst.holds:
        return worst
    bucket = np.full(case.original.num_rows, np.iinfo(np.int64).min)
    bucket[links[0]] = release.bucket
    astray = sum(int((bucket[link] != release.bucket).sum()) for link in links[1:])
    says = f"{astray:,} row(s) have records of another bucket" if astray else ""
    if len(links) < slices:
        says = f"the link speaks of {len(links)} slices, the release has {slices}"
    return replace(worst, holds=not says, records=astray, says=says)


def _by_lot(release: Sliced, links: NDArray[np.integer[Any]]) -> Finding:
    """As many slices stand beside those of their own record as a uniform shuffle leaves, and no fewer."""
    slices = np.array([len(layout.slices) for layout in release.layouts], np.int64)[release.layout]
    wrong = []
    for one, other in combinations(range(len(links)), 2):
        having = slices > other
        stayed = int((links[one] == links[other])[having].sum())
        sizes = np.unique(release.bucket[having], return_counts=True)[1]
        if not lots.shuffled(stayed, sizes):
            wrong.append(f"{stayed:,} of {int(having.sum()):,} rows keep a pair, {len(sizes):,} would be expected")
    return Finding("keeper", _SHUFFLED, not wrong, says="; ".join(wrong))


def _parts(case: Case, release: Sliced) -> Iterator[tuple[Case, Integers]]:
    """Each slice by itself, with the rows that have it."""
    for held, rows in release.each():
        columns = [column for column in release.columns if column.name in held]
        yield replace(case, table=case.table.take(pa.array(rows)), columns=columns), rows


def _possible(case: Case, release: Sliced, parts: Sequence[tuple[Case, Integers]]) -> Iterator[Finding]:
    """Each bucket has records enough that hold its sensitive values, if nobody says which row is of which record."""
    for column in release.of_role("sensitive"):
        short = 0
        for part, rows in parts:
            if not _is_base(part, release, rows, column.name):
                continue
            both = matched(coded(part.table.column(column.name), column.name), case.coded(column.name))
            pairs, times = np.unique(release.bucket[rows] * np.int64(both.count) + both.published, return_counts=True)
            room = unlinked.room(part, release.bucket[rows], both.original, both.count, pairs)
            short = max(short, int(np.maximum(times - room, 0).sum()))
        what = f"the values of {column.name} in each bucket may be those of its records"
        yield Finding("keeper", what, not short, records=short, says=f"{short:,} too many" if short else "")


def _is_base(part: Case, release: Sliced, rows: Integers, name: str) -> bool:
    """Whether this slice is one of quasi-identifiers, apart from a sensitive column."""
    roles = {column.role for column in part.columns}
    return "quasi-identifying" in roles and all(column.name != name for column in part.columns) and len(rows) > 0


def _of_buckets(case: Case, release: Sliced, asked: Sequence[Requirement], kept: Kept) -> Iterator[Finding | Note]:
    """The requirements of which an outsider cannot see all."""
    if kept.person is not None and kept.person != "row":
        links = None if kept.link is None else np.atleast_2d(kept.link)
        sound = links[0] if links is not None and _is_link(case, release, links).holds else None
        yield from people.counted(case, release.buckets, asked, kept.person, sound)
    if case.left_out > 0:
        for requirement in asked:
            if isinstance(requirement, TCloseness):
                yield from people.compared(case, release.parts(requirement.on), [requirement])
