"""The slices form: columns that belong together stay together, and the slices of a bucket are shuffled by themselves.

Paper        Li, Li, Zhang and Molloy: Slicing: A New Approach for Privacy Preserving Data Publishing. TKDE 2012. Other
             slices for each bucket: Wang, Yu and Zhang: Research on Anonymization Algorithms Based on Local
             Partitioning. 2018.
Promises     l and a least bucket size. Whoever knows all quasi-identifiers of a person finds the bucket, and of the
             person's sensitive value those that stand beside the same quasi-identifiers in its slice: they are diverse.
Protects     sensitive values alone: who is in the table, and with which quasi-identifiers, can be read off it.
Shows        `release`: the bucket, and all columns. What stands in one row belongs together within a slice only. Where
             a bucket has quasi-identifiers beside a sensitive column that would leave it less diverse than asked, they
             show what the whole bucket has. Buckets are numbered by lot, those with the same slices one after another.

The shuffles are uniform, so that a value may stay where it was: if none did, all that stands in one row would be known
not to belong together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.kernels import cutting
from shoal.kernels.shuffle import permutation_within
from shoal.partition.eligible import asked
from shoal.plan.plan import Plan
from shoal.privacy.requirements import LDiversity
from shoal.privacy.search import SensitiveColumn, numbers
from shoal.publish import numbered
from shoal.publish.draft import Draft
from shoal.publish.numbered import Places, Shown, added, arranged, cells, coarse, in_order, lots, plain
from shoal.release.manifest import Layout
from shoal.schema.columns import Column
from shoal.table.chance import Chance
from shoal.table.classes import Classes
from shoal.table.codes import Codes

Slice = tuple[str, ...]
Rows = NDArray[np.uint32]
Flags = NDArray[np.bool_]


def publish(codes: Codes, classes: Classes, plan: Plan, column_order: Sequence[str], chance: Chance) -> Draft:
    """One table of all columns, the rows of each slice in an order of their own within each bucket."""
    columns = {column.name: column for column in (*plan.quasi_identifying, *plan.sensitive, *plan.insensitive)}
    named = [columns[name] for name in column_order if name in columns]
    buckets = _numbered_by_lot(classes, named, chance)
    whole = _generalized(codes, buckets, plan)
    links = _shuffled(buckets, chance)
    shown = [_shown(codes, buckets, column, links, whole[column.name]) for column in named]
    rows = in_order(shown, buckets.starts)
    table = pa.table({"bucket": numbered.numbers(buckets.sizes), **cells(shown, rows)})
    described = (added("bucket"), *(column.meaning for column in shown))
    link = codes.rows[links[:, rows]]
    return Draft({"release": table}, described, link, len(codes) - link.shape[1], buckets.published)


# -- buckets ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Buckets:
    """Classes in the order of their numbers; those with the same slices stand together."""

    order: Rows
    starts: Places
    layouts: Sequence[tuple[Slice, ...]]
    layout: Places
    whole: Flags  # by bucket and quasi-identifier: what the method wants shown as a whole

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def sizes(self) -> Places:
        return np.diff(self.starts)

    @property
    def published(self) -> tuple[Layout, ...]:
        """Which buckets have which slices, by their numbers from 1."""
        ends = np.searchsorted(self.layout, np.arange(len(self.layouts) + 1)).tolist()
        return tuple(
            Layout(slices, first + 1, last) for slices, first, last in zip(self.layouts, ends, ends[1:], strict=False)
        )

    def slice_of(self, name: str) -> Places:
        """For each bucket, which of its slices holds this column."""
        of_layout = [next(at for at, held in enumerate(slices) if name in held) for slices in self.layouts]
        return np.array(of_layout, np.int64)[self.layout]

    def beside(self, name: str, other: str) -> Flags:
        """In which buckets two columns share a slice."""
        return np.asarray(self.slice_of(name) == self.slice_of(other))

    @cached_property
    def of_row(self) -> Places:
        return np.repeat(np.arange(len(self)), self.sizes)


def _numbered_by_lot(classes: Classes, columns: Sequence[Column], chance: Chance) -> Buckets:
    """The buckets in random order but for their slices, which are published anyway."""
    quasi = [column.name for column in columns if column.role == "quasi-identifying"]
    if classes.slices is None:
        secret = [(column.name,) for column in columns if column.role == "sensitive"]
        given, of_class, whole = [(tuple(quasi), *secret)], np.zeros(len(classes), np.int64), None
    else:
        given, of_class = list(classes.slices.layouts), classes.slices.layout.astype(np.int64)
        whole = classes.slices.generalized
    complete = [_complete(slices, columns) for slices in given]
    layouts = sorted({complete[layout] for layout in np.unique(of_class).tolist()})
    number = {slices: at for at, slices in enumerate(layouts)}
    place = np.array([number.get(slices, -1) for slices in complete], np.int64)
    by_lot = lots(classes, chance)
    by_class = by_lot[np.argsort(place[of_class[by_lot]], kind="stable")]
    held = arranged(classes, by_class)
    nothing = np.zeros((len(classes), len(quasi)), np.bool_)
    return Buckets(
        held.order, held.starts, layouts, place[of_class[by_class]], nothing if whole is None else whole[by_class]
    )


def _complete(slices: Sequence[Slice], columns: Sequence[Column]) -> tuple[Slice, ...]:
    """The slices in the order of the table, and insensitive columns beside the first without a sensitive one.

    These stand where an adversary who knows one of them learns nothing of a sensitive value; if there is no such slice,
    they are one of their own.
    """
    role = {column.name: column.role for column in columns}
    place = {name: at for at, name in enumerate(role)}
    ordered = sorted([tuple(sorted(held, key=place.__getitem__)) for held in slices if held], key=lambda s: place[s[0]])
    free = next((held for held in ordered if all(role[name] != "sensitive" for name in held)), ())
    joined = tuple(sorted((*free, *(n for n in role if role[n] == "insensitive")), key=place.__getitem__))
    found = [*(held for held in ordered if held != free), *([joined] if joined else [])]
    return tuple(sorted(found, key=lambda held: place[held[0]]))


def _shuffled(buckets: Buckets, chance: Chance) -> Rows:
    """For each slice of the buckets, the record whose slice stands in each row.

    The first slices stay where they are, and each other is shuffled against them, by itself.
    """
    count = max(map(len, buckets.layouts), default=1)
    links = np.empty((count, len(buckets.order)), np.uint32)
    links[0] = buckets.order
    for slice_ in range(1, count):
        links[slice_] = buckets.order[permutation_within(buckets.starts, chance.words(len(buckets.order)))]
    return links


def _shown(codes: Codes, buckets: Buckets, column: Column, links: Rows, whole: Flags) -> Shown:
    of_row = np.repeat(buckets.slice_of(column.name), buckets.sizes)
    order = links[of_row, np.arange(links.shape[1])]
    if not whole.any():
        return plain(codes, column, order)
    return coarse(codes, column, order, buckets.starts, whole)


# -- diversity ----------------------------------------------------------------------------------------------


def _generalized(codes: Codes, buckets: Buckets, plan: Plan) -> Mapping[str, Flags]:
    """Of each column, the buckets that show it as a whole: the method wants it, or a part would not be diverse."""
    found = {column.name: np.zeros(len(buckets), np.bool_) for column in plan.columns}
    for at, domain in enumerate(codes.domains[: codes.quasi]):
        found[domain.name] |= buckets.whole[:, at]
    required = asked(plan, codes.sensitive_domains)
    for column in plan.sensitive:
        requirements = [r for r in required if isinstance(r, LDiversity) and r.on == column.name]
        parts = _Parts.of(codes, buckets, column.name, requirements)
        while parts is not None and (bad := parts.broken(found)).any():
            if not parts.join(found, bad):
                break  # the bucket itself is not diverse, which the judges will see
    return found


@dataclass(frozen=True, eq=False)
class _Parts:
    """The quasi-identifiers that stand beside a sensitive column, in some buckets or in all."""

    codes: Codes
    buckets: Buckets
    place: int
    requirements: Sequence[LDiversity]
    beside: Mapping[str, Flags]  # by quasi-identifier, the buckets in which it does

    @classmethod
    def of(cls, codes: Codes, buckets: Buckets, name: str, requirements: Sequence[LDiversity]) -> _Parts | None:
        """None if there is nothing beside the column, or nothing is asked of it."""
        found = {domain.name: buckets.beside(domain.name, name) for domain in codes.domains[: codes.quasi]}
        beside = {other: flags for other, flags in found.items() if flags.any()}
        return cls(codes, buckets, codes.place(name), requirements, beside) if beside and requirements else None

    def broken(self, whole: Mapping[str, Flags]) -> Flags:
        """The buckets in which the values beside some quasi-identifiers are not diverse."""
        key = self.buckets.of_row
        for name, flags in self.beside.items():
            width, code = self._code(name)
            told = (flags & ~whole[name])[self.buckets.of_row]
            key = np.unique(key * np.int64(width) + np.where(told, code, 0), return_inverse=True)[1]
        order = np.argsort(key, kind="stable")
        starts = np.append(np.flatnonzero(np.diff(key[order], prepend=-1)), len(order)).astype(np.int64)
        unkept = np.zeros(len(starts) - 1, np.bool_)
        domain = self.codes.domains[self.place]
        held = np.ascontiguousarray(self.codes.matrix[self.buckets.order, self.place][:, None])
        column = SensitiveColumn(domain.known, [np.zeros(len(domain), np.int64)], {})
        asked_of = numbers(self.requirements, {domain.name: column})
        ends = np.array([0, len(domain)], np.int64)
        every, alone = np.arange(len(unkept)), np.ones(len(order), np.int64)
        cutting.broken(every, starts, order, alone, held, asked_of, ends, False, unkept)
        found = np.zeros(len(self.buckets), np.bool_)
        found[self.buckets.of_row[order[starts[:-1][unkept]]]] = True
        return found

    def join(self, whole: Mapping[str, Flags], bad: Flags) -> bool:
        """Show one more column of these buckets as a whole, the one with the most values; False if none is left."""
        most, which = np.zeros(len(self.buckets), np.int64), np.full(len(self.buckets), -1)
        names = list(self.beside)
        for at, name in enumerate(names):
            width, code = self._code(name)
            pairs = np.unique(self.buckets.of_row * np.int64(width) + code)
            values = np.bincount(pairs // width, minlength=len(self.buckets))
            better = self.beside[name] & ~whole[name] & bad & (values > most)
            most[better], which[better] = values[better], at
        for at, name in enumerate(names):
            whole[name][which == at] = True
        return bool((which >= 0).any())

    def _code(self, name: str) -> tuple[int, NDArray[np.unsignedinteger[Any]]]:
        place = self.codes.place(name)
        return max(len(self.codes.domains[place]), 1), self.codes.matrix[self.buckets.order, place]
