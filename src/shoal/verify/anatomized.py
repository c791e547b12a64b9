"""Published tables of which those of sensitive values are joined to the first by the class alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.errors import DataError
from shoal.privacy.verdict import Finding
from shoal.release.manifest import PublishedColumn
from shoal.release.published import Published
from shoal.verify import grouping, outsider
from shoal.verify.grouping import Classes

Integers = NDArray[np.int64]

#: The table in which each record has a row, by form.
_FIRST = {"anatomy": "qit", "randomized": "release"}


@dataclass(frozen=True, eq=False)
class Anatomized:
    """One table of all records, and one of each sensitive column: its values, counted class by class."""

    published: Published

    def __post_init__(self) -> None:
        """Refuse tables that are none of this form."""
        tables = self.published.tables
        absent = [name for name in self._needed if name not in tables]
        if absent:
            raise DataError(f"the release has no table {', '.join(absent)}")
        for table, names in self._needed.items():
            if missing := [name for name in names if name not in tables[table].column_names]:
                raise DataError(f"the published table {table} has no column {', '.join(missing)}")

    @property
    def _needed(self) -> dict[str, list[str]]:
        """The columns that each table must have."""
        first = {_FIRST[self.published.form]: [name for column in self.shown for name in column.columns]}
        return first | {f"sat_{column.name}": ["class", column.name, "count"] for column in self.sensitive}

    @property
    def columns(self) -> Sequence[PublishedColumn]:
        return self.published.columns

    @property
    def sensitive(self) -> list[PublishedColumn]:
        return [column for column in self.columns if column.role == "sensitive"]

    @property
    def shown(self) -> list[PublishedColumn]:
        """The columns of the first table."""
        return [c for c in self.columns if c.shown == "randomized" or (c.role != "sensitive" and c.shown != "count")]

    @property
    def true(self) -> list[PublishedColumn]:
        """The columns of the first table that say of each record what it has."""
        return [column for column in self.shown if column.shown != "randomized"]

    @property
    def rows(self) -> pa.Table:
        return self.published.tables[_FIRST[self.published.form]]

    @cached_property
    def classes(self) -> Classes:
        """The rows of the first table by their class."""
        return grouping.classes(self.rows, ["class"])

    @cached_property
    def numbers(self) -> tuple[Integers, Integers]:
        """The numbers of the classes, and how many rows each one has."""
        return np.unique(whole(self.rows, "class"), return_counts=True)

    @cached_property
    def of_row(self) -> Integers:
        """The class of each row of the first table, counted from 0."""
        return np.asarray(np.searchsorted(self.numbers[0], whole(self.rows, "class")))

    def counted(self, name: str) -> tuple[Integers, Integers, pa.Table]:
        """The class, counted from 0 and past the last for one that there is not, and the count of each value."""
        table = self.published.tables[f"sat_{name}"]
        number, held = whole(table, "class"), self.numbers[0]
        place = np.searchsorted(held, number)
        found = np.append(held, -1)[place] == number
        return np.where(found, place, len(held)), whole(table, "count"), table

    def is_whole(self, name: str) -> bool:
        """Whether the table of this column speaks of each class, and of as many records as it has."""
        of, count, _ = self.counted(name)
        sizes = self.numbers[1]
        if (count < 1).any() or (count > len(of) + sizes.sum()).any() or (of == len(sizes)).any():
            return False
        return np.array_equal(np.bincount(of, weights=count, minlength=len(sizes)).astype(np.int64), sizes)

    @cached_property
    def joined(self) -> pa.Table:
        """Each class with its sensitive values, one for each record; nothing links those in one row."""
        numbers, sizes = self.numbers
        columns = {"class": pa.array(np.repeat(numbers, sizes))}
        for column in self.sensitive:
            of, count, table = self.counted(column.name)
            by_class = np.argsort(of, kind="stable")
            columns[column.name] = table.column(column.name).take(pa.array(np.repeat(by_class, count[by_class])))
        return pa.table(columns)

    def stray(self) -> Iterator[Finding]:
        """Nothing is published that nobody decided to publish."""
        yield from outsider.of_columns(self.rows, self.shown)
        tables, first = self.published.tables, _FIRST[self.published.form]
        known = {**self._needed, first: self.rows.column_names}
        stray = [name for name in tables if name not in known]
        stray += [
            f"{name} of {table}" for table in known for name in tables[table].column_names if name not in known[table]
        ]
        if stray:
            says = f"published without a role: {', '.join(stray)}"
            yield Finding("outsider", "every published table and column has a role", holds=False, says=says)


def whole(table: pa.Table, name: str) -> NDArray[Any]:
    """A column of whole numbers, all known."""
    column = table.column(name)
    if not pa.types.is_integer(column.type) or column.null_count:
        raise DataError(f"the published column {name} does not hold whole numbers alone")
    return np.asarray(column.cast(pa.int64()).to_numpy(), dtype=np.int64)
