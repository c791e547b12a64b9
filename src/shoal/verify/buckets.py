"""Releases with buckets: a class is judged by its size, a bucket by its values, whoever is in which.

A row says what its class shows, and of each other column the number of a bucket. The value beside it is one of that
bucket's, and of no row in particular: so of all rows of a bucket the same is known.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.errors import DataError
from shoal.privacy.requirements import KAnonymity, Requirement, Size
from shoal.privacy.verdict import Finding, Note, Verdict
from shoal.release import buckets as meaning
from shoal.release.manifest import PublishedColumn
from shoal.release.published import Published
from shoal.schema.hierarchy import Hierarchy
from shoal.verify import figures, grouping, notes, outsider, resolve, threads
from shoal.verify.findings import finding
from shoal.verify.grouping import Classes
from shoal.verify.outsider import Sight

Flags = NDArray[np.bool_]
Integers = NDArray[np.int64]

_ALIKE = "all rows of a class show the same"
_EITHER = "each cell is either coarsened or in a bucket"


@dataclass(frozen=True, eq=False)
class Bucketized:
    """The published table, and what its columns say."""

    published: Published

    def __post_init__(self) -> None:
        columns = [PublishedColumn("class", "added", "class", ("class",)), *self.published.columns]
        wanted = {name for column in columns for name in column.columns}
        if absent := sorted(wanted - set(self.rows.column_names)):
            raise DataError(f"the published table has no column {', '.join(absent)}")
        for name in ("class", *map(meaning.bucket_of, self.hidden)):
            if not pa.types.is_integer(self.rows.column(name).type) or (
                name == "class" and self.rows["class"].null_count
            ):
                raise DataError(f"the published column {name} does not hold whole numbers alone")

    @property
    def rows(self) -> pa.Table:
        return self.published.rows

    @property
    def columns(self) -> Sequence[PublishedColumn]:
        return self.published.columns

    @cached_property
    def hidden(self) -> list[PublishedColumn]:
        """The columns that have buckets."""
        return [column for column in self.columns if meaning.has_buckets(column)]

    @cached_property
    def as_sensitive(self) -> list[PublishedColumn]:
        """The columns that have buckets, as of their values alone."""
        return [PublishedColumn(c.name, "sensitive", "value", (meaning.value_of(c),)) for c in self.hidden]

    @cached_property
    def coarsened(self) -> list[PublishedColumn]:
        """What classes show: quasi-identifiers, and of semi-sensitive columns the part that is coarsened."""
        general = {column.name: meaning.general_of(column) for column in self.hidden}
        shown = [general.get(c.name, c) for c in self.columns if c.role != "insensitive"]
        return [column for column in shown if column is not None and column.role == "quasi-identifying"]

    def bucket(self, column: PublishedColumn) -> Integers:
        """The bucket of each row; -1 where it is in none."""
        return meaning.numbers(self.rows, column)

    def shows_nothing(self, column: PublishedColumn) -> Flags:
        """The rows that neither coarsen a column nor have it in a bucket."""
        return meaning.shows_nothing(self.rows, column)

    @cached_property
    def looks(self) -> pa.Table:
        """All that tells classes apart: their numbers, what they show, and which columns are in buckets."""
        names = [name for column in self.coarsened for name in column.columns]
        found = {name: self.rows.column(name) for name in ("class", *names)}
        found |= {meaning.bucket_of(c): self.rows.column(meaning.bucket_of(c)).is_null() for c in self.hidden}
        return pa.table(found)

    @cached_property
    def classes(self) -> Classes:
        """The rows that look alike."""
        return grouping.classes(self.looks, self.looks.column_names)

    def in_buckets(self, column: PublishedColumn, some: Flags | None = None) -> pa.Table:
        """The rows that have a column in buckets: bucket and value; only some of the rows, if it is said which."""
        held = self.rows.select([meaning.bucket_of(column), meaning.value_of(column)])
        return held.filter(pa.array((self.bucket(column) >= 0) if some is None else some))


def _flags(held: pa.ChunkedArray) -> Flags:
    return np.asarray(held.to_numpy(), np.bool_)


# -- the outsider -----------------------------------------------------------------------------------------------


def outside(
    published: Published, requirements: Sequence[Requirement], trees: Mapping[str, Hierarchy], *, persons_known: bool
) -> Verdict:
    """Whether every class and every bucket keeps what is asked of it."""
    release = Bucketized(published)
    asked = resolve.requirements(requirements, release.as_sensitive, release.rows)
    looked = threads.each(lambda column: sight(release, column, trees), release.hidden)
    seen = dict(zip((column.name for column in release.hidden), looked, strict=True))
    found = [_judged(release, requirement, seen) for requirement in asked]
    about = [note for column in release.hidden for note in _of_column(release, column, seen[column.name], asked)]
    return Verdict(
        findings=(*_stray(release), _alike(release), _either(release), *found),
        notes=(*_of_classes(release, asked, persons_known=persons_known), *about),
        records=release.rows.num_rows,
        classes=release.classes.count,
    )


def sight(release: Bucketized, column: PublishedColumn, trees: Mapping[str, Hierarchy]) -> Sight:
    """What an outsider makes of the buckets of one column."""
    number = PublishedColumn("bucket", "quasi-identifying", "class", (meaning.bucket_of(column),))
    value = PublishedColumn(column.name, "sensitive", "value", (meaning.value_of(column),))
    return replace(outsider.look(release.in_buckets(column), [number, value], trees, own=True), joined=False)


def _judged(release: Bucketized, requirement: Requirement, seen: Mapping[str, Sight]) -> Finding:
    if isinstance(requirement, KAnonymity | Size):
        return finding("outsider", requirement, figures.sizes(release.classes), release.classes.sizes)
    of_column = seen[str(requirement.on)]
    reached = of_column.reached(requirement) if of_column.classes.count else np.zeros(0)
    return finding("outsider", requirement, reached, of_column.classes.sizes)


def _stray(release: Bucketized) -> Iterator[Finding]:
    """Nothing is published that nobody decided to publish."""
    yield from outsider.of_columns(release.rows, release.columns)
    stray = list(release.published.tables)[1:]
    if stray:
        says = f"published without a role: {', '.join(stray)}"
        yield Finding("outsider", "every published table has a role", holds=False, says=says)


def _alike(release: Bucketized) -> Finding:
    """Nobody can be told apart within a class, by what it shows or by what is in buckets."""
    numbers = grouping.classes(release.rows, ["class"]).count
    differ = release.classes.count - numbers
    says = f"not so: {differ:,} class(es) look in several ways" if differ else ""
    return Finding("outsider", _ALIKE, holds=not differ, classes=numbers, says=says)


def _either(release: Bucketized) -> Finding:
    """Nothing of a value is shown but as one of its bucket, and nothing of a bucket's values beside it."""
    wrong = {column.name: _both_or_none(release, column) for column in release.hidden}
    says = ", ".join(f"{name} in {count:,} row(s)" for name, count in wrong.items() if count)
    return Finding("outsider", _EITHER, holds=not says, says=f"not so: {says}" if says else "")


def _both_or_none(release: Bucketized, column: PublishedColumn) -> int:
    """In how many rows a column is coarsened beside its bucket, or has a value without one."""
    inside = release.bucket(column) >= 0
    valued = _flags(release.rows.column(meaning.value_of(column)).is_valid())
    general = meaning.general_of(column)
    if general is None:
        return int((~inside).sum())
    shown = np.logical_or.reduce([_flags(release.rows.column(name).is_valid()) for name in general.columns])
    return int(((valued & ~inside) | (shown & inside)).sum())


# -- notes --------------------------------------------------------------------------------------------------------


def _of_column(
    release: Bucketized, column: PublishedColumn, seen: Sight, asked: Sequence[Requirement]
) -> Iterator[Note]:
    """What is true of a column beside what was asked of it."""
    if seen.classes.count:
        about = [r for r in asked if getattr(r, "on", None) == column.name]
        yield from notes.of(seen, [(r, seen.reached(r)) for r in about], persons_known=True)
    if nothing := int(release.shows_nothing(column).sum()):
        says = f"{nothing:,} cell(s) show nothing: only some of their class hold them sensitive, or too many alike"
        yield Note(column.name, says, {"cells": float(nothing)})


def _of_classes(release: Bucketized, asked: Sequence[Requirement], *, persons_known: bool) -> Iterator[Note]:
    """What somebody finds who knows an insensitive column too."""
    looks = [PublishedColumn(name, "quasi-identifying", "value", (name,)) for name in release.looks.column_names]
    others = [column for column in release.columns if column.role == "insensitive"]
    table = release.looks
    for column in others:
        table = table.append_column(column.columns[0], release.rows.column(column.columns[0]))
    seen = outsider.look(table, [*looks, *others], {}, own=True)
    sized = [(r, seen.reached(r)) for r in asked if isinstance(r, KAnonymity)]
    yield from notes.of(seen, sized, persons_known=persons_known)
