"""Hierarchies made from the values of a column: intervals of numbers and dates, and prefixes of codes.

What is made here is a :class:`~shoal.schema.hierarchy.Hierarchy` like any other: it can be written to a file, edited
there, and read again with the same meaning. Intervals are written as :mod:`shoal.release.notation` reads them:
``[20, 29]`` for whole numbers and dates, both ends within; ``[20, 30[`` for other numbers and for times, the second
end without.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from shoal.errors import DataError
from shoal.schema import calendar, rulers
from shoal.schema.hierarchy import ROOT, Hierarchy

__all__ = ["intervals", "prefixes"]

#: Of each value the number of its group, and the groups' labels.
Level: TypeAlias = tuple[NDArray[np.int64], list[str]]

#: Codes with more characters than this that are to be hidden are no codes.
_LONGEST = 64
_QUOTED = 10


def prefixes(values: pa.Array | Iterable[str | int], *, keep: int | None = None, fill: str = ROOT) -> Hierarchy:
    """Codes by their beginnings: ``8000*``, ``800**``, and so on up to ``*``.

    The i-th level hides the last i characters of the longest code. A shorter code stands for itself until a level is
    as short as it is: ``211`` lies in ``211*``, beside ``2111``. Whole numbers are filled up with zeros on the left,
    since they are codes that lost theirs.

    Args:
        values: the codes, as text or whole numbers.
        keep: how many characters are never hidden; above these stands the root.
        fill: the character that stands for a hidden one. No code may have it.
    """
    known = _distinct(values)
    leaves = known.cast(pa.string())
    codes = _codes(known, leaves, fill)
    length = pc.utf8_length(codes)
    longest = pc.max(length).as_py() or 0
    shortest = max(keep or 1, 1)
    if longest - shortest > _LONGEST:
        raise DataError(
            f"values of up to {longest:,} characters are not codes, and prefixes would have as many levels: name a "
            "file with a hierarchy, or keep more characters"
        )
    order = pc.array_sort_indices(codes)
    leaves, codes, length = (held.take(order) for held in (leaves, codes, length))
    levels = []
    for kept in range(longest - 1, shortest - 1, -1):
        beginning = pc.utf8_rpad(pc.utf8_slice_codeunits(codes, 0, kept), longest, padding=fill)
        encoded = pc.if_else(pc.less(length, kept), codes, beginning).dictionary_encode()
        levels.append((_numbers(encoded.indices), encoded.dictionary.to_pylist()))
    return Hierarchy.from_levels(leaves.to_pylist(), levels)


def intervals(
    values: pa.Array | Iterable[Any],
    *,
    width: float | str | None = None,
    factor: int | None = None,
    levels: int | None = None,
) -> Hierarchy:
    """Numbers and dates by intervals with round edges, each level's edges among those of the level below.

    Numbers by widths of 1, 2 and 5 times a power of ten; dates by weeks, or by months, quarters, years, decades and
    centuries. A level that would put nothing together is left out, and so is one that would put everything together:
    that is the root.

    Args:
        values: numbers, dates, or dates with times.
        width: of the finest intervals; of dates ``day``, ``week``, ``month``, ``quarter``, ``year``, ``decade`` or
            ``century``. Without it, it is chosen by how far apart most values are.
        factor: how many intervals of numbers make one of the next level; without it, the next round width.
        levels: of intervals, at most.
    """
    if (factor is not None and factor < 2) or (levels is not None and levels < 1):
        raise DataError("intervals need a factor of at least 2, and at least one level")
    known = _distinct(values)
    kind = known.type
    if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
        if factor is not None:
            raise DataError("intervals of dates follow the calendar: a factor belongs to numbers")
        known = known.take(pc.array_sort_indices(known))
        made = calendar.levels(known, width)
    elif pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        known = known.take(pc.array_sort_indices(known))
        made = rulers.levels(known, width, factor)
    else:
        raise DataError(f"intervals are made of numbers and dates, not of {kind}")
    return Hierarchy.from_levels(known.cast(pa.string()).to_pylist(), list(_telling(made, len(known), levels)))


def _telling(levels: Iterable[Level], values: int, most: int | None) -> Iterator[Level]:
    """The levels that put something together, and not everything."""
    groups, told = values, 0
    for group, labels in levels:
        if len(labels) < 2 or told == most:
            return
        if len(labels) < groups:
            yield group, labels
            groups, told = len(labels), told + 1


def _distinct(values: pa.Array | Iterable[Any]) -> pa.Array:
    """The known values, each once."""
    if not isinstance(values, pa.Array):
        try:
            values = pa.array(values if isinstance(values, np.ndarray) else list(values))
        except (pa.ArrowException, TypeError, ValueError, OverflowError):
            raise DataError("values of several types, or of a type that has no order: give each the same one") from None
    if pa.types.is_dictionary(values.type):
        values = values.cast(values.type.value_type)
    if pa.types.is_null(values.type):
        values = values.cast(pa.string())
    if pa.types.is_floating(values.type):
        values = values.filter(pc.invert(pc.is_nan(values)))
        values = pc.add(values, pa.scalar(0, values.type))  # minus zero is zero
    return values.drop_null().unique()


def _codes(known: pa.Array, leaves: pa.Array, fill: str) -> pa.Array:
    """The values as codes that can be compared from the left; or one error that counts what cannot be."""
    kind = known.type
    if pa.types.is_integer(kind):
        if len(known) and pc.min(known).as_py() < 0:
            raise DataError("prefixes are made of codes, and some of the numbers are below zero")
        return pc.utf8_lpad(leaves, pc.max(pc.utf8_length(leaves)).as_py() or 0, padding="0")
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)):
        raise DataError(f"prefixes are made of text or whole numbers, not of {kind}")
    filled = pc.or_(pc.match_substring(leaves, fill), pc.equal(leaves, ROOT))
    if pc.any(filled).as_py():
        strange = leaves.filter(filled)
        raise DataError(
            f"codes that have the sign for a hidden character in them: {len(strange):,} (choose another fill, or "
            "correct them)",
            details={"values": strange.slice(0, _QUOTED).to_pylist()},
        )
    if pc.any(pc.equal(leaves, "")).as_py():
        raise DataError('one of the codes is an empty text: name "" in [read] missing, or give it a code')
    return leaves


def _numbers(indices: pa.Array) -> NDArray[np.int64]:
    return np.asarray(indices.to_numpy(zero_copy_only=False), dtype=np.int64)
