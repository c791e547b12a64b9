"""How one column of a stream is read: in a type that the plan says, or that the first window decides for good."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from shoal.engine.stream.coding import declared
from shoal.errors import DataError
from shoal.plan.plan import Read
from shoal.schema.columns import Column, Listed, Numeric
from shoal.schema.hierarchy import Hierarchy
from shoal.table import written
from shoal.table.domain import check_kind
from shoal.table.texts import texts

Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Fault:
    """Which values of a column cannot be taken, and why."""

    bad: Flags
    why: str


#: Values of a column, and what is wrong with some of them.
Found = tuple[pa.ChunkedArray, list[Fault]]


class Reading:
    """How the values of one column are read."""

    def __init__(self, column: Column, tree: Hierarchy | None, options: Read) -> None:
        self._column = column
        self._options = options
        self._may = declared(column, tree)
        self.kind = self._said()
        self._asked = True
        self.is_text = False  # a value was told to be text where it came from
        self.type = None if self._may is None else self._may.type

    def _said(self) -> str | None:
        """What the plan says the words of the column are."""
        if self._column.stays_text:
            return "text"
        if isinstance(self._column.coarsening, Listed):
            return "integer" if self._may is not None and pa.types.is_integer(self._may.type) else "number"
        return self._options.types.get(self._column.name)

    def settled(self, values: pa.ChunkedArray, *, spelled: bool) -> pa.ChunkedArray:
        """All values of the first window, in the type that they have together: from now on it is the column's."""
        if self.type is not None:
            return values
        if not spelled:
            self.type = _common(values.type)
            return values.cast(self.type)
        self.kind = "text" if self.is_text else written.kind_of(values.unique().drop_null(), self._options.decimal)
        if self._is_number and self.kind != "integer":
            self.kind = "number"
        self._asked = self._is_number
        self.type = written.type_of(self.kind)
        return self._from_words(values, self.kind)[0]

    def remembered(self) -> list[Any]:
        """What was found out of the column, beside its type."""
        return [self.kind, self._asked]

    def restore(self, kind: pa.DataType, remembered: list[Any]) -> None:
        """Go on with what was found out."""
        self.type = kind
        self.kind, self._asked = remembered

    @property
    def _is_number(self) -> bool:
        return isinstance(self._column.coarsening, Numeric)

    def read(self, values: pa.ChunkedArray, *, spelled: bool) -> Found:
        """Values in the column's type, as far as it is known; those that cannot be taken may be anything."""
        if not spelled:
            check_kind(values.type, self._column.name)
            if self._column.stays_text:  # as its hierarchy and its domain write it
                values = pa.chunked_array([texts(chunk) for chunk in values.chunks], pa.string())
        if spelled and self.kind is not None:
            self.type = self.type or written.type_of(self.kind)
            found, faults = self._from_words(values, self.kind)
        elif spelled and self._is_number:
            found, faults = values, self._from_words(values, "number")[1]
        else:
            found, faults = (values, []) if self.type is None else _cast(values, self.type)
        return found, [*faults, *self._unsound(found)]

    def _from_words(self, values: pa.ChunkedArray, kind: str) -> Found:
        if kind == "text" or not len(values):
            return values.cast(written.type_of(kind)), []
        held = values.combine_chunks().dictionary_encode()
        read, fits = written.read_as(held.dictionary, kind, self._options.decimal, asked=self._asked)
        found = pa.chunked_array([read.take(held.indices)])
        if pc.all(fits).as_py():
            return found, []
        bad = pc.invert(fits).take(held.indices).fill_null(False)
        return found, [Fault(_flags(bad), f"expected {kind}")]

    def _unsound(self, values: pa.ChunkedArray) -> list[Fault]:
        """Values of the right type may still be none that the plan knows of, or no end of a range."""
        if self._may is not None and values.type == self._may.type:
            bad = pc.and_(pc.invert(pc.is_in(values, self._may)), values.is_valid())
            why = "not in its domain" if isinstance(self._column.coarsening, Listed) else "not in its hierarchy"
        elif self._column.role == "quasi-identifying" and pa.types.is_floating(values.type):
            bad, why = pc.is_inf(values).fill_null(False), "infinite"
        else:
            return []
        return [Fault(_flags(bad), why)] if pc.any(bad).as_py() else []


def _common(kind: pa.DataType) -> pa.DataType:
    """The type in which values of a kind are held: whole numbers of any width are the same."""
    if pa.types.is_integer(kind) and not pa.types.is_uint64(kind):
        return pa.int64()
    return pa.float64() if pa.types.is_floating(kind) else kind


def _cast(values: pa.ChunkedArray, kind: pa.DataType) -> Found:
    """Values in another type, where they stay the same."""
    if values.type == kind or pa.types.is_null(values.type):
        return values.cast(kind), []
    why = f"expected {kind}, as before"
    if not _are_related(values.type, kind):
        return pa.chunked_array([pa.nulls(len(values), kind)]), [Fault(_flags(values.is_valid()), why)]
    try:
        return values.cast(kind), []
    except pa.ArrowInvalid:
        moved = values.cast(kind, safe=False)
        same = pc.equal(moved.cast(values.type, safe=False), values).fill_null(True)
        return moved, [Fault(_flags(pc.invert(same)), why)]


def _are_related(one: pa.DataType, other: pa.DataType) -> bool:
    """Whether a value of the first type may be one of the second."""
    numbers = pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal
    if any(test(one) for test in numbers):
        return any(test(other) for test in numbers)
    return bool(pa.types.is_temporal(one) and pa.types.is_temporal(other))


def _flags(values: pa.Array | pa.ChunkedArray) -> Flags:
    return np.asarray(values.to_numpy(zero_copy_only=False) if isinstance(values, pa.Array) else values.to_numpy())


def unified(parts: list[pa.ChunkedArray], name: str) -> pa.ChunkedArray:
    """Values that came in pieces, in the one type that keeps them all."""
    kinds = list(dict.fromkeys(part.type for part in parts if not pa.types.is_null(part.type)))
    if len(kinds) > 1 and all(pa.types.is_integer(kind) or pa.types.is_floating(kind) for kind in kinds):
        wide = pa.float64() if any(map(pa.types.is_floating, kinds)) else pa.int64()
        kinds = [wide]
    if len(kinds) > 1:
        said = " and ".join(str(kind) for kind in kinds)
        raise DataError(f"the column {name} came as {said} within one window: give it one type")
    kind = kinds[0] if kinds else pa.string()
    return pa.chunked_array([chunk for part in parts for chunk in part.cast(kind).chunks], kind)
