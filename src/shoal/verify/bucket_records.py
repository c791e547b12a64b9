"""Releases with buckets beside their original: everybody who holds a value sensitive has it hidden, and by enough.

Some whose values are hidden do not hold them sensitive: they cover for those who do. Of them an adversary knows the
values, can strike these out of a bucket, and can look for the buckets that hold them. So what is left of a bucket must
keep what was asked too, and a class must hold enough records with such a bucket.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cached_property
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.privacy.requirements import KAnonymity, LDiversity, Requirement, TCloseness
from shoal.privacy.verdict import Finding, Note, Verdict
from shoal.release import buckets as meaning
from shoal.release.manifest import PublishedColumn
from shoal.release.published import Published
from shoal.schema.columns import Column
from shoal.schema.hierarchy import Hierarchy
from shoal.verify import exposure, figures, grouping, keeper, linked, order, people, resolve, threads, unlinked
from shoal.verify.buckets import Bucketized, Flags, Integers
from shoal.verify.case import Case, Kept, Quasi
from shoal.verify.coding import Coded, coded, matched
from shoal.verify.covering import Cover, cover
from shoal.verify.findings import finding
from shoal.verify.grouping import dense
from shoal.verify.ticks import ticked
from shoal.verify.values import values

Link = NDArray[np.integer[Any]]
Codes = NDArray[np.integer[Any]]

#: By chance as many values stay where they were, give or take so many times the root of that number.
_UNLIKELY = 10.0


def inside(
    published: Published, requirements: Sequence[Requirement], trees: Mapping[str, Hierarchy], kept: Kept
) -> Verdict:
    """Whether the table is a true and complete account of the original, and hides what is to be hidden."""
    desk = Desk.of(published, kept.original, kept.plan_columns, trees, kept.missing)
    whole, release = desk.whole, desk.release
    asked = resolve.requirements(requirements, release.as_sensitive, release.rows)
    said = [
        *keeper.names(whole),
        *keeper.accounted(desk.case, kept.suppress),
        *_of_rows(desk, asked, kept),
        *_of_people(desk, asked, kept),
        *exposure.endpoints(desk.case, asked),
        *exposure.unique(desk.case, kept.allow_unique),
        *(_telling(desk, column) for column in release.hidden if column.role == "semi-sensitive"),
    ]
    return Verdict(
        findings=tuple(one for one in said if isinstance(one, Finding)),
        notes=tuple(one for one in said if isinstance(one, Note)),
        records=release.rows.num_rows,
        suppressed=max(desk.case.left_out, 0),
    )


@dataclass(frozen=True, eq=False)
class Desk:
    """A release with buckets, its original, and who in it holds what sensitive."""

    whole: Case
    release: Bucketized

    @classmethod
    def of(
        cls,
        published: Published,
        original: pa.Table,
        columns: Sequence[Column],
        trees: Mapping[str, Hierarchy],
        missing: tuple[str, ...],
    ) -> Desk:
        release = Bucketized(published)
        return cls(Case(release.rows, release.columns, original, columns, trees, missing), release)

    @cached_property
    def case(self) -> Case:
        """The case of what classes show, and of insensitive columns."""
        semi = {column.name: column for column in self.release.hidden if column.role == "semi-sensitive"}
        shown = [
            msgspec.structs.replace(column, role="quasi-identifying") if column.name in semi else column
            for column in self.whole.columns
            if column.role != "sensitive"
        ]
        held = {name: self.holds(name) for name in semi}
        fields = {name: getattr(self.whole, name) for name in Case.__dataclass_fields__}
        return _Coarsened(**{**fields, "columns": shown}, release=self.release, semi=semi, holds=held)

    def holds(self, name: str) -> Flags:
        """The records that hold their value of a column sensitive."""
        if name not in self._held:
            column = next(c for c in self.whole.plan_columns if c.name == name)
            everybody = np.ones(self.whole.original.num_rows, np.bool_)
            self._held[name] = everybody if column.role == "sensitive" else ticked(column, self.whole.coded)
        return self._held[name]

    _held: dict[str, Flags] = field(default_factory=dict, init=False)

    def original(self, column: PublishedColumn) -> Coded:
        """A column of the original, its extremes coded as they are published."""
        found = self.whole.coded(column.name)
        for end, nearer in ((column.bottom, max), (column.top, min)):
            if end is not None:
                found = Coded(found.code, _ended(found.held, end, nearer))
        return found


def _ended(held: pa.Array, end: float, nearer: Callable[[Any, Any], Any]) -> pa.Array:
    """Values with those beyond an end as the end."""
    last = Decimal(str(end)) if pa.types.is_decimal(held.type) else end
    return pa.array([None if value is None else nearer(value, last) for value in held.to_pylist()], held.type)


# -- what is coarsened ------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Coarsened(Case):
    """A case in which a semi-sensitive column is a quasi-identifier, of those who do not hold it sensitive alone."""

    release: Bucketized
    semi: Mapping[str, PublishedColumn]
    holds: Mapping[str, Flags]

    def _quasi(self, column: PublishedColumn) -> Quasi:
        if column.name not in self.semi:
            return super()._quasi(column)
        shown = meaning.read(self.table, self.semi[column.name], self.trees.get(column.name))
        original = self.coded(column.name)
        both = Coded(original.code + self.holds[column.name] * len(original.held), _twice(original.held))
        cells, values = shown.cells, len(original.held)
        return Quasi(column, cells, both, _OfOthers(cover(cells, both.held), shown.coarse, len(cells), values))


def _twice(held: pa.Array) -> pa.Array:
    """Each value for those who do not hold it sensitive, and for those who do."""
    return pa.concat_arrays([held, held])


@dataclass(frozen=True, eq=False)
class _OfOthers:
    """A cover in which values from ``split`` on are sensitive: only cells that hide them, from ``coarse`` on, do so."""

    cover: Cover
    coarse: int
    cells: int
    split: int

    def covers(self, cell: Codes, value: Codes) -> Flags:
        return self.cover.covers(cell, value) & ((value < self.split) | (cell >= self.coarse))

    def room(self, times: Integers) -> Integers:
        public = times.copy()
        public[self.split :] = 0
        found = self.cover.room(public)
        found[self.coarse :] = times.sum()
        return found

    def covered(self) -> Flags:
        found = self.cover.covered()
        found[self.split :] = self.coarse < self.cells
        return found

    def only(self) -> Codes | None:
        return None


# -- row by row ---------------------------------------------------------------------------------------------------


def _of_rows(desk: Desk, asked: Sequence[Requirement], kept: Kept) -> Iterator[Finding | Note]:
    """Whether the rows are true of their records, and the values of those of their buckets."""
    release, case = desk.release, desk.case
    if kept.link is None:
        yield from unlinked.judged(case)
        yield from (_possible(desk, column) for column in release.hidden)
        return
    claim = linked.is_link(case, kept.link)
    yield claim
    if not claim.holds:
        return
    yield linked.covered(case, kept.link)
    yield linked.unchanged(case, kept.link)
    columns = [msgspec.structs.replace(c, role="sensitive") if meaning.has_buckets(c) else c for c in release.columns]
    yield linked.nobody_named(replace(desk.whole, columns=columns))
    yield from order.judged(kept.link, release.rows, release.columns, case.trees)
    yield from order.numbers(np.asarray(release.rows.column("class").to_numpy()), kept.link)
    link = kept.link
    for found in threads.each(lambda column: [*_of_buckets(desk, column, asked, link)], release.hidden):
        yield from found
    yield from _company(desk, asked, kept.link)


def _of_buckets(
    desk: Desk, column: PublishedColumn, asked: Sequence[Requirement], link: Link
) -> Iterator[Finding | Note]:
    """Whether the values of each bucket are those of its records, shuffled, and hide those who asked for it."""
    number = desk.release.bucket(column)
    some = np.flatnonzero(number >= 0)
    if not len(some):
        return
    records = link[some]
    bucket, _ = dense(number[some], int(number.max()) + 1)
    shown = coded(desk.release.in_buckets(column).column(meaning.value_of(column)), column.name)
    both = matched(shown, desk.original(column))
    own = both.original[records]
    yield _same(column.name, bucket, both.published, own)
    yield _shuffled(column.name, bucket, both.published, own)
    yield from order.numbers(number[some], records, f"buckets of {column.name}")
    yield from _of_holders(desk, column, asked, bucket, records)


def _same(name: str, bucket: Integers, shown: Codes, own: Codes) -> Finding:
    width = int(max(shown.max(initial=0), own.max(initial=0))) + 1
    told, real = (np.sort(bucket * np.int64(width) + code) for code in (shown, own))
    wrong = len(np.unique(told[told != real] // width))
    says = f"not so: in {wrong:,} bucket(s)" if wrong else ""
    return Finding(
        "keeper", f"the values of {name} in each bucket are those of its records", holds=not wrong, says=says
    )


def _shuffled(name: str, bucket: Integers, shown: Codes, own: Codes) -> Finding:
    """About as many values stay where they were as chance would leave there: no fewer either, for that tells too."""
    pairs, times = np.unique(bucket * (np.int64(own.max(initial=0)) + 1) + own, return_counts=True)
    sizes = np.bincount(bucket)
    expected = float((times**2 / sizes[pairs // (int(own.max(initial=0)) + 1)]).sum())
    stayed = int((shown == own).sum())
    holds = abs(stayed - expected) <= _UNLIKELY * (expected**0.5 + 1)
    says = "" if holds else f"{stayed:,} stayed where they were, and chance would leave {expected:,.0f}"
    return Finding("keeper", f"the values of {name} are shuffled within their buckets", holds=holds, says=says)


def _of_holders(
    desk: Desk,
    column: PublishedColumn,
    asked: Sequence[Requirement],
    bucket: Integers,
    records: Link,
) -> Iterator[Finding | Note]:
    """What is left of the buckets to somebody who knows all that is not sensitive, and how it compares with before."""
    holds = desk.holds(column.name)
    mine = holds[records]
    before = desk.original(column)
    about = [r for r in asked if isinstance(r, LDiversity | TCloseness) and r.on == column.name]
    if not mine.all():
        others = int((~holds).sum())
        says = f"to cover for those who hide it, {int((~mine).sum()):,} of {others:,} others are hidden too"
        yield Note(column.name, says, {"share": float((~mine).sum() / max(others, 1))})
        for requirement in about:
            if isinstance(requirement, LDiversity):
                yield _struck(requirement, before, records, bucket, mine)
            else:
                yield _found(desk, requirement, before, records[mine], bucket[mine], None, "of those who hide it")
    if int(mine.sum()) < int(holds.sum()):
        close = [r for r in about if isinstance(r, TCloseness)]
        whole = np.flatnonzero(holds)
        yield from (_found(desk, r, before, records[mine], bucket[mine], whole, "against the original") for r in close)


def _struck(requirement: LDiversity, before: Coded, records: Link, bucket: Integers, mine: Flags) -> Finding:
    """What is left of each bucket to whoever strikes out values of those who cover: all but those of one value."""
    known = before.held.is_valid().to_numpy(zero_copy_only=False)[before.code[records]]
    judged = known | requirement.missing_is_sensitive
    count = int(bucket.max(initial=-1)) + 1
    held = np.bincount(bucket[judged & mine], minlength=count)
    value = before.held.dictionary_encode(null_encoding="encode").indices.to_numpy(zero_copy_only=False)
    value = value[before.code[records]].astype(np.int64)
    pairs, place, same = np.unique(
        (bucket * (np.int64(value.max(initial=0)) + 1) + value)[judged], return_inverse=True, return_counts=True
    )
    others = np.bincount(place, weights=~mine[judged], minlength=len(pairs))
    of = pairs // (int(value.max(initial=0)) + 1)
    reached = np.zeros(count)
    reached[of] = np.inf
    np.minimum.at(reached, of, (held[of] + others) / same)
    sizes = np.bincount(bucket, minlength=count)
    return finding("keeper", requirement, reached, sizes, what=f"{requirement} (of those who hide it)")


def _found(
    desk: Desk,
    requirement: TCloseness,
    before: Coded,
    records: Link,
    bucket: Integers,
    whole: Integers | None,
    what: str,
) -> Finding:
    """How far the own values of some records are, bucket by bucket, from all of these, or from those of others."""
    rows = Coded(before.code[records], before.held)
    on = values(requirement.on, rows, None if whole is None else Coded(before.code[whole], before.held))
    classes = grouping.classes(pa.table({"bucket": bucket}), ["bucket"])
    ground = resolve.ground(requirement, on, desk.whole.trees)
    reached = figures.closeness(ground, classes, on) if classes.count else np.zeros(0)
    return finding("keeper", requirement, reached, classes.sizes, what=f"{requirement} ({what})")


# -- those who cover for others -----------------------------------------------------------------------------------


def _company(desk: Desk, asked: Sequence[Requirement], link: Link) -> Iterator[Finding]:
    """Whoever knows a value that is hidden, though not sensitive, finds as many rows that may have it as others do."""
    covered = {
        column.name: (desk.release.bucket(column) >= 0) & ~desk.holds(column.name)[link]
        for column in desk.release.hidden
    }
    rows = np.flatnonzero(np.logical_or.reduce([*covered.values(), np.zeros(len(link), np.bool_)]))
    if not len(rows):
        return
    classes = desk.release.classes
    number, members = _classes_of(classes)
    sizes = classes.sizes[number[rows]]
    person = np.repeat(np.arange(len(rows)), sizes)
    other = members[grouping.spread_out(classes.bounds[number[rows]], sizes)]
    possible = np.ones(len(other), np.bool_)
    for column in desk.release.hidden:
        possible &= ~covered[column.name][rows][person] | _may_hold(desk, column, link, rows[person], other)
    reached = np.bincount(person, weights=possible, minlength=len(rows)).astype(np.float64)
    for requirement in asked:
        if isinstance(requirement, KAnonymity):
            what = f"{requirement} (of those who cover for others)"
            yield finding("keeper", requirement, reached, np.ones(len(rows), np.int64), what=what)


def _classes_of(classes: grouping.Classes) -> tuple[Integers, Integers]:
    """The class of each row, and the rows class by class."""
    members = classes.arranged(np.arange(classes.rows))
    number = np.empty(classes.rows, np.int64)
    number[members] = np.repeat(np.arange(classes.count), classes.sizes)
    return number, members


def _may_hold(desk: Desk, column: PublishedColumn, link: Link, rows: Integers, others: Integers) -> Flags:
    """Pair by pair, whether the bucket of the other row holds the value of the record of the first."""
    number = desk.release.bucket(column)
    some = number >= 0
    shown = coded(desk.release.in_buckets(column).column(meaning.value_of(column)), column.name)
    both = matched(shown, desk.original(column))
    held = np.unique(number[some] * np.int64(both.count) + both.published)
    sought = number[others] * np.int64(both.count) + both.original[link[rows]]
    place = np.minimum(np.searchsorted(held, sought), max(len(held) - 1, 0))
    return held[place] == sought if len(held) else np.zeros(len(sought), np.bool_)


# -- without a link, and of people --------------------------------------------------------------------------------


def _possible(desk: Desk, column: PublishedColumn) -> Finding:
    """Each bucket has records enough that hold its values, if nobody says which row is of which record."""
    number = desk.release.bucket(column)
    shown = coded(desk.release.in_buckets(column).column(meaning.value_of(column)), column.name)
    both = matched(shown, desk.original(column))
    group, _ = dense(number + 1, int(number.max(initial=-1)) + 2)
    pairs, count = np.unique(group[number >= 0] * np.int64(both.count) + both.published, return_counts=True)
    room = unlinked.room(desk.case, group, both.original, both.count, pairs)
    short = int(np.maximum(count - room, 0).sum())
    what = f"the values of {column.name} in each bucket may be those of its records"
    return Finding("keeper", what, holds=not short, records=short, says=f"{short:,} too many" if short else "")


def _of_people(desk: Desk, asked: Sequence[Requirement], kept: Kept) -> Iterator[Finding | Note]:
    """How many people a class holds, where people have several rows."""
    if kept.person is not None and kept.person != "row":
        sound = kept.link if kept.link is not None and linked.is_link(desk.case, kept.link).holds else None
        yield from people.counted(desk.case, desk.release.classes, asked, kept.person, sound)


def _telling(desk: Desk, column: PublishedColumn) -> Note:
    """How far hiding a value goes together with the value itself: Cramer's V, corrected for chance (Bergsma 2013)."""
    original, holds = desk.original(column), desk.holds(column.name)
    _, value = np.unique(original.code, return_inverse=True)
    counts = np.bincount(value * 2 + holds, minlength=2 * (int(value.max(initial=-1)) + 1)).reshape(-1, 2)
    n, width = max(len(holds), 2), len(counts)
    expected = counts.sum(axis=1, keepdims=True) * (counts.sum(axis=0, keepdims=True) / n)
    square = np.divide((counts - expected) ** 2, expected, out=np.zeros(counts.shape), where=expected > 0).sum() / n
    excess = max(float(square) - (width - 1) / (n - 1), 0.0)
    most = min(width - (width - 1) ** 2 / (n - 1), 2 - 1 / (n - 1)) - 1
    strength = min((excess / most) ** 0.5, 1.0) if most > 0 else 0.0
    says = (
        f"{int(holds.sum()):,} of {len(holds):,} records hold it sensitive; whether one does goes together with the "
        f"value by {strength:.2f}, from 0 (not at all) to 1 (one tells the other)"
    )
    return Note(column.name, says, {"sensitive": float(holds.mean()) if len(holds) else 0.0, "association": strength})
