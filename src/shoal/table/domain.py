"""A column's values as a small ordered set, and the column as integers into it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from shoal.errors import DataError
from shoal.schema.columns import Column, Listed, Numeric
from shoal.schema.hierarchy import Hierarchy
from shoal.table.distinct import Codes1, distinct, smallest
from shoal.table.texts import texts

__all__ = [
    "Codes1",
    "Domain",
    "Kind",
    "check_kind",
    "encode",
    "is_ordered",
    "listed",
    "occurring",
    "smallest",
    "tree_over",
]

Kind = Literal["number", "category"]

#: Where a missing value lies on an axis from 0 to 1: so far off that it is cut away before anything else.
_BEYOND = 2.0


@dataclass(frozen=True, eq=False)
class Domain:
    """The distinct values of a column in order; the code after the last one stands for missing, if any is.

    Where they are ``declared``, not all of them need occur.
    """

    name: str
    kind: Kind
    values: pa.Array
    missing: bool
    tree: Hierarchy | None = None
    declared: bool = False

    def __len__(self) -> int:
        return len(self.values) + self.missing

    def __repr__(self) -> str:
        return f"<Domain: {self.name}, {self.known} known values>"

    @property
    def known(self) -> int:
        return len(self.values)

    def position(self, *, scaled: bool = True) -> NDArray[np.float64]:
        """Where each code lies on an axis that runs from 0 to 1; a missing value lies beyond.

        Unscaled it runs to half of the column's range: the whole may be too large for a float.
        """
        place = _half_above_first(self.values) if self.kind == "number" else np.arange(self.known) / 2
        if scaled and self.known and place[-1] > 0:
            place = place / place[-1]
        return np.append(place, _BEYOND) if self.missing else place


def _half_above_first(values: pa.Array) -> NDArray[np.float64]:
    """Half of how far each value lies above the first: of whole numbers and moments exactly, however large they are."""
    if pa.types.is_temporal(values.type):
        values = values.cast(pa.int32() if values.type.bit_width == 32 else pa.int64())
    if pa.types.is_integer(values.type):
        wide = np.uint64 if pa.types.is_uint64(values.type) else np.int64
        whole = values.to_numpy(zero_copy_only=False).astype(wide).view(np.uint64)
        return np.asarray(whole - whole[:1], dtype=np.float64) / 2
    floats = values.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
    return np.asarray(floats / 2 - floats[:1] / 2, dtype=np.float64)


def is_ordered(kind: pa.DataType) -> bool:
    """Whether values of this type have ranges: numbers, dates and times."""
    return _is_number(kind) or _is_moment(kind)


def _is_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind))


def _is_moment(kind: pa.DataType) -> bool:
    return bool(pa.types.is_temporal(kind) and not pa.types.is_interval(kind))


def encode(column: pa.ChunkedArray, how: Column, *, tree: Hierarchy | None) -> tuple[Codes1, Domain]:
    """A column as codes over its domain, in domain order; of the hierarchy, the part that speaks of its values."""
    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    check_kind(kind, how.name)
    as_number = is_ordered(kind) and tree is None
    codes, values = distinct(column)
    tree = None if tree is None else tree_over(values, tree, how.name)
    order = _domain_order(values, tree)
    missing = column.null_count > 0
    renumber = np.empty(len(values) + 1, dtype=smallest(len(values) + 1))
    renumber[order] = np.arange(len(order))
    renumber[-1] = len(order)
    values = values.take(pa.array(order))
    if isinstance(how.coarsening, Listed):
        _refuse_unlisted(values, how.coarsening, how.name)
    if isinstance(how.coarsening, Numeric):
        kept, merge = _coded(values, how.coarsening, how.name, as_number)
        renumber, values = np.append(merge, len(kept)).astype(renumber.dtype)[renumber], kept
    if how.role in ("quasi-identifying", "semi-sensitive") and as_number:
        _refuse_infinite(values, how.name)
    return renumber[codes], Domain(how.name, "number" if as_number else "category", values, missing, tree)


def check_kind(kind: pa.DataType, name: str) -> None:
    """Refuse what is not a single value that people can read."""
    if not (is_ordered(kind) or pa.types.is_string(kind) or pa.types.is_boolean(kind)):
        raise DataError(f"the column {name} holds {_said(kind)}: expected numbers, text, booleans, dates or times")


def _said(kind: pa.DataType) -> str:
    """A type in a word; those that are written with names of fields may be long."""
    return str(kind).partition("<")[0].partition("[")[0]


def _refuse_infinite(values: pa.Array, name: str) -> None:
    if pa.types.is_floating(values.type) and pc.any(pc.is_inf(values)).as_py():
        raise DataError(
            f"the column {name} holds infinite numbers, which are no end of a range: make them missing, or give the "
            "column a bottom and a top"
        )


def listed(how: Listed) -> pa.Array:
    """The values of a declared domain, in their order."""
    whole = all(isinstance(value, int) for value in how.values)
    return pa.array(how.values, pa.string() if how.is_text else pa.int64() if whole else pa.float64())


def _refuse_unlisted(values: pa.Array, how: Listed, name: str) -> None:
    known = listed(how)
    same = pa.types.is_string(values.type) == pa.types.is_string(known.type) and not pa.types.is_temporal(values.type)
    strange = len(values) - (int(pc.sum(pc.is_in(values, known)).as_py() or 0) if same else 0)
    if strange:
        raise DataError(
            f"{strange} different value(s) of the column {name} are not in the domain that the plan gives it: add "
            "them to it, or name them in [read] missing if they mean that nothing is known"
        )


def _domain_order(values: pa.Array, tree: Hierarchy | None) -> NDArray[np.int64]:
    """The order of a domain: that of the hierarchy's leaves, else that of the values."""
    if tree is None:
        return np.asarray(pc.array_sort_indices(values).to_numpy(), dtype=np.int64)
    place = pc.index_in(texts(values), pa.array(tree.leaves, pa.string()))
    return np.argsort(place.to_numpy(zero_copy_only=False), kind="stable")


def tree_over(column_values: pa.Array, hierarchy: Hierarchy, name: str) -> Hierarchy:
    """The part of a hierarchy that speaks of these values; each of them must be a leaf of it."""
    written = texts(column_values).to_pylist()
    strange = [value for value in written if value not in hierarchy.position]
    if strange:
        raise DataError(
            f"{len(strange)} value(s) of the column {name} are missing from its hierarchy: add them to it, or name "
            "them in [read] missing if they mean that nothing is known",
            details={"values": strange[:10]},
        )
    return hierarchy.keep(written)


def occurring(column: pa.ChunkedArray) -> Collection[pa.Scalar]:
    """The distinct known values of a column."""
    _, values = distinct(column)
    return values


def _coded(values: pa.Array, how: Numeric, name: str, as_number: bool) -> tuple[pa.Array, NDArray[np.int64]]:
    """Values beyond bottom and top become these; returns the domain that is left, and where each value went."""
    asked = [edge for edge, end in vars(how).items() if end is not None]
    if not as_number or (asked and not _is_number(values.type)):
        said = ", ".join(asked) or "numeric()"
        raise DataError(f"the plan says {said} of the column {name}, which holds {_said(values.type)}, not numbers")
    coded = _ended(values, how.top, pc.greater, f"the top of {name}")
    coded = _ended(coded, how.bottom, pc.less, f"the bottom of {name}")
    encoded = coded.dictionary_encode()
    return encoded.dictionary, encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64)


def _ended(values: pa.Array, end: float | None, beyond: Any, what: str) -> pa.Array:
    """Values beyond an end become the end, which must be a value of their type."""
    if end is None:
        return values
    try:
        past = beyond(values, pa.scalar(end))
        if not pc.any(past).as_py():
            return values
        return pc.if_else(past, _scalar(end, values.type), values)
    except (pa.ArrowException, OverflowError):
        raise DataError(f"{what} cannot be a value of the column, which holds {values.type}") from None


def _scalar(end: float, kind: pa.DataType) -> pa.Scalar:
    if pa.types.is_decimal(kind):
        return pa.scalar(Decimal(str(end)), kind)
    whole = pa.types.is_integer(kind) and float(end).is_integer()
    return pa.scalar(int(end), kind) if whole else pa.scalar(end).cast(kind)
