"""A published table whose rows belong together slice by slice: which columns do, in which buckets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.errors import DataError
from shoal.privacy.verdict import Finding
from shoal.release.manifest import Layout, PublishedColumn
from shoal.release.published import Published
from shoal.verify import grouping
from shoal.verify.anatomized import whole
from shoal.verify.grouping import Classes

Flags = NDArray[np.bool_]
Integers = NDArray[np.int64]

_LAID_OUT = "every bucket has each of its columns in one slice"


@dataclass(frozen=True, eq=False)
class Sliced:
    """One table of all records, its rows in buckets; within these, each slice has its rows in an order of its own."""

    published: Published

    def __post_init__(self) -> None:
        """Refuse a table that is none of this form."""
        if "release" not in self.published.tables:
            raise DataError("the release has no table release")
        names = [name for column in self.columns for name in column.columns]
        if absent := [name for name in dict.fromkeys(["bucket", *names]) if name not in self.rows.column_names]:
            raise DataError(f"the published table release has no column {', '.join(absent)}")

    @property
    def columns(self) -> Sequence[PublishedColumn]:
        return self.published.columns

    @property
    def rows(self) -> pa.Table:
        return self.published.tables["release"]

    @property
    def layouts(self) -> Sequence[Layout]:
        return self.published.layouts

    def of_role(self, *roles: str) -> list[PublishedColumn]:
        return [column for column in self.columns if column.role in roles]

    @cached_property
    def bucket(self) -> Integers:
        """The bucket of each row."""
        return whole(self.rows, "bucket")

    @cached_property
    def buckets(self) -> Classes:
        return grouping.of_integers([self.bucket], len(self.bucket))

    @cached_property
    def layout(self) -> Integers:
        """The layout of each row; -1 where the bucket has none."""
        first = np.array([layout.first for layout in self.layouts], np.int64)
        last = np.array([*(layout.last for layout in self.layouts), 0], np.int64)
        by_first = np.argsort(first, kind="stable")
        place = np.append(by_first, -1)[np.searchsorted(first[by_first], self.bucket, side="right") - 1]
        return np.where((place >= 0) & (self.bucket <= last[place]), place, -1)

    def laid_out(self) -> Finding:
        """Whether all buckets have a layout, and one only, in which each column stands once."""
        names = sorted(column.name for column in self.columns if column.role != "added")
        wrong = [layout for layout in self.layouts if sorted(name for s in layout.slices for name in s) != names]
        spans = sorted((layout.first, layout.last) for layout in self.layouts)
        doubtful = bool(wrong) or any(one[1] >= other[0] for one, other in pairwise(spans))
        without = int((self.layout < 0).sum())
        says = f"{without:,} row(s) are in buckets without" if without else "not so" if doubtful else ""
        return Finding("outsider", _LAID_OUT, not says, records=without, says=says)

    def beside(self, name: str, other: str) -> Flags:
        """In which rows two columns share a slice."""
        shared = [any({name, other} <= set(held) for held in layout.slices) for layout in self.layouts]
        return np.array(shared, np.bool_)[self.layout]

    def slice_of(self, name: str) -> Integers:
        """For each row, which slice of its layout holds this column."""
        places = [next(at for at, held in enumerate(layout.slices) if name in held) for layout in self.layouts]
        return np.array(places, np.int64)[self.layout]

    def parts(self, name: str) -> Classes:
        """Rows of a bucket in which the same quasi-identifiers stand beside this column: what can be told apart."""
        told: list[NDArray[Any]] = [self.bucket]
        for quasi in self.of_role("quasi-identifying"):
            flags = self.beside(quasi.name, name)
            if flags.any():
                cells = (part for held in quasi.columns for part in grouping.integers(self.rows.column(held), held))
                told += [np.where(flags, part, np.zeros(1, part.dtype)) for part in cells]
        return grouping.of_integers(told, len(self.bucket))

    def each(self) -> Iterator[tuple[tuple[str, ...], NDArray[np.int64]]]:
        """Every different slice, and the rows of the buckets that have it."""
        by_layout = np.argsort(self.layout, kind="stable")
        ends = np.searchsorted(self.layout[by_layout], np.arange(len(self.layouts) + 1)).tolist()
        having: dict[tuple[str, ...], list[Integers]] = {}
        for layout, span in zip(self.layouts, pairwise(ends), strict=True):
            for held in layout.slices:
                having.setdefault(held, []).append(by_layout[slice(*span)])
        for held, rows in having.items():
            yield held, np.concatenate(rows)
