"""The adversary of releases with buckets, who knows everybody, and of each all that is not sensitive to that person.

Li and He, "Local Generalization and Bucketization Technique for Personalized Privacy Preservation", Journal of King
Saud University - Computer and Information Sciences, 2023, Section 2.2. A row may be a person's if it shows nothing else
of what is known of that person: a coarse cell covers the value, a bucket holds it. Each such row is taken for as
likely, and in a bucket each of its values. Values that others are known to have put there are struck out first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.release import buckets as meaning
from shoal.release.manifest import PublishedColumn
from shoal.release.published import Published
from shoal.schema.columns import Column
from shoal.schema.hierarchy import Hierarchy
from shoal.verify.bucket_records import Desk
from shoal.verify.coding import coded, matched

Codes = NDArray[np.integer[Any]]
Flags = NDArray[np.bool_]
Figures = NDArray[np.float64]

#: As many pairs of people and rows are looked at in one go.
_AT_ONCE = 1 << 22


@dataclass(frozen=True, eq=False)
class Exposure:
    """How strongly the adversary believes the strongest.

    Attributes:
        identity: of each person, in one row being that person's; 0 for those whom no row fits.
        sensitive: of each column and each person who holds it sensitive, in one known value; 0 for all others.
    """

    identity: Figures
    sensitive: Mapping[str, Figures]

    def __repr__(self) -> str:
        worst = ", ".join(f"{name} {figures.max(initial=0):.4g}" for name, figures in self.sensitive.items())
        return f"<Exposure: {len(self.identity)} people, identity {self.identity.max(initial=0):.4g}, {worst}>"


def exposed(
    published: Published,
    people: pa.Table,
    columns: Sequence[Column],
    trees: Mapping[str, Hierarchy],
    *,
    missing: Sequence[str] = (),
) -> Exposure:
    """What is believed of these people: a table like the original, with everybody in it who is in the release.

    Every pair of a person and a row is looked at: this is for thousands of people, not for millions.
    """
    desk = Desk.of(published, people, columns, trees, tuple(missing))
    known = [_Bucketized.of(desk, column) for column in desk.release.hidden]
    fitting = _Fitting(desk, [one for one in known if one.column.role == "semi-sensitive"])
    everybody = people.num_rows == published.rows.num_rows  # else nobody is known to be in the release at all
    struck = [one.without(fitting.only_in(one.number) if everybody else None) for one in known]
    identity, beliefs = np.zeros(people.num_rows), {one.column.name: np.zeros(people.num_rows) for one in known}
    for some, fits in fitting.blocks():
        rows = fits.sum(axis=1)
        identity[some] = np.divide(1.0, rows, out=np.zeros(len(rows)), where=rows > 0)
        for one, shares in zip(known, struck, strict=True):
            inside = fits[:, one.number >= 0]
            counts = np.array([np.bincount(one.number[one.number >= 0][row], minlength=len(shares)) for row in inside])
            belief = (counts @ shares) * identity[some][:, None]
            beliefs[one.column.name][some] = np.where(one.holds[some], belief.max(axis=1, initial=0), 0)
    return Exposure(identity, beliefs)


@dataclass(frozen=True, eq=False)
class _Bucketized:
    """A column with buckets: the bucket of each row, what buckets hold, and what is known of each person."""

    column: PublishedColumn
    number: Codes  # of each row, its bucket, counted from 0; -1 if it is in none
    counts: NDArray[np.int64]  # of each bucket, how often it holds each value; the last is for rows in none
    value: Codes  # of each person
    holds: Flags  # of each person, whether it is sensitive, and so not known
    known: Flags  # of each value, whether it is one

    @classmethod
    def of(cls, desk: Desk, column: PublishedColumn) -> _Bucketized:
        number = desk.release.bucket(column)
        shown = coded(desk.release.in_buckets(column).column(meaning.value_of(column)), column.name)
        original = desk.original(column)
        both = matched(shown, original)
        _, place = np.unique(number[number >= 0], return_inverse=True)
        counts = np.zeros((int(place.max(initial=-1)) + 2, both.count), np.int64)
        np.add.at(counts, (place, both.published), 1)
        found = np.full(len(number), -1)
        found[number >= 0] = place
        known: Flags = np.ones(both.count, np.bool_)
        known[both.original[~original.held.is_valid().to_numpy(zero_copy_only=False)[original.code]]] = False
        known[both.published[~shown.held.is_valid().to_numpy(zero_copy_only=False)[shown.code]]] = False
        return cls(column, found, counts, both.original, desk.holds(column.name), known)

    def may_be(self, rows: Codes, people: Codes) -> Flags:
        """Pair by pair, whether the bucket of a row holds what is known of a person, if anything is."""
        number = self.number[rows]
        held = self.counts[number, self.value[people]] > 0
        return np.asarray((number < 0) | self.holds[people] | held, np.bool_)

    def without(self, only: Codes | None) -> Figures:
        """The shares of the known values in each bucket, less those of people who are known to be in it."""
        left = self.counts.copy()
        if only is not None:
            there = (only >= 0) & ~self.holds
            np.subtract.at(left, (only[there], self.value[there]), 1)
        left = np.maximum(left, 0)
        total = left.sum(axis=1, keepdims=True)
        return np.divide(left * self.known, total, out=np.zeros(left.shape), where=total > 0)


@dataclass(frozen=True, eq=False)
class _Fitting:
    """Which rows may be which people's."""

    desk: Desk
    semi: Sequence[_Bucketized]

    def blocks(self) -> Iterator[tuple[Codes, Flags]]:
        """Some of the people, and for each of them (down) and each row (across) whether it fits."""
        rows, people = self.desk.case.table.num_rows, self.desk.case.original.num_rows
        step = max(1, _AT_ONCE // max(rows, 1))
        for start in range(0, people, step):
            some = np.arange(start, min(start + step, people))
            person, row = np.repeat(some, rows), np.tile(np.arange(rows), len(some))
            fits = np.ones(len(row), np.bool_)
            for quasi in self.desk.case.quasi:
                fits &= quasi.cover.covers(quasi.cells.code[row], quasi.original.code[person])
            for one in self.semi:
                fits &= one.may_be(row, person)
            yield some, fits.reshape(len(some), rows)

    def only_in(self, number: Codes) -> Codes:
        """Of each person the bucket in which all rows are that fit; -1 if they are in several, or not all in one."""
        found = np.full(self.desk.case.original.num_rows, -1)
        for some, fits in self.blocks():
            least = np.where(fits, number, np.iinfo(np.int64).max).min(axis=1, initial=np.iinfo(np.int64).max)
            most = np.where(fits, number, -1).max(axis=1, initial=-1)
            found[some] = np.where(least == most, most, -1)
        return found
