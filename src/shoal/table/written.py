"""The type of a column by how its values are written: only a type from which the same values come back."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from shoal.errors import DataError
from shoal.plan.plan import Read

#: Numbers with more digits than this are not told apart by a float, and longer whole numbers overflow.
_DIGITS = 15

_TARGETS = {
    "integer": pa.int64(),
    "number": pa.float64(),
    "boolean": pa.bool_(),
    "date": pa.date32(),
    "datetime": pa.timestamp("us"),
}

#: How values are written that are taken for more than text without being asked. A leading zero or plus makes a code; so
#: does a bare exponent (12E4), since programs that write numbers give it a sign.
_SHAPES = {
    "integer": r"^(0|-?[1-9][0-9]{0,17})$",
    "number": r"^-?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][-+][0-9]{1,3})?$",
    "boolean": r"^(true|false)$",
    "date": r"^[1-9][0-9]{3}-[0-9]{2}-[0-9]{2}$",
    "datetime": r"^[1-9][0-9]{3}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6})?)?$",
}

#: How they may be written where the plan says the type.
_ASKED = {**_SHAPES, "integer": r"^[-+]?[0-9]+$", "number": r"^[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?$"}
_ASKED |= {"boolean": r"^([Tt]rue|[Ff]alse|TRUE|FALSE|0|1)$"}


def typed(column: pa.ChunkedArray, name: str, wanted: str | None, options: Read) -> pa.ChunkedArray:
    """A column of text in its type, which is found, and converted to, on the distinct values."""
    encoded = _one_chunk(column)
    spelled = encoded.dictionary
    unknown = pc.is_in(spelled, pa.array(sorted(options.missing), pa.string()))
    words = pc.if_else(unknown, pa.scalar(None, pa.string()), spelled)
    found = _found(words, options.decimal) if wanted is None else _asked(words, wanted, name, options.decimal)
    return pa.chunked_array([encoded if found is None else found.take(encoded.indices)])


def _one_chunk(column: pa.ChunkedArray) -> pa.DictionaryArray:
    if not column.num_chunks:
        return pa.DictionaryArray.from_arrays(pa.array([], pa.int32()), pa.array([], pa.string()))
    held = column.unify_dictionaries().combine_chunks()
    return held.chunk(0) if isinstance(held, pa.ChunkedArray) else held


def kind_of(words: pa.Array, decimal: str | None) -> str:
    """The narrowest kind that keeps all these words, by how they are written."""
    if len(words) == words.null_count:
        return "text"
    for kind, shape in _SHAPES.items():
        plain = _plain(words, kind, decimal)
        if _all(plain, shape) and (kind != "number" or _all_true(_told_apart(plain))):
            return "text" if _converted(plain, kind) is None else kind
    return "text"


def read_as(words: pa.Array, kind: str, decimal: str | None, *, asked: bool) -> tuple[pa.Array, pa.Array]:
    """Words in a kind that was asked for, or was found among others; and which of them can be read so.

    What was found is held to how the others were written: after 4711 has made a column of numbers, 0815 is a code.
    """
    if kind == "text":
        return words, words.is_valid()
    plain = _plain(words, kind, decimal)
    fits = pc.match_substring_regex(plain, (_ASKED if asked else _SHAPES)[kind])
    if kind == "number" and not asked:
        fits = pc.and_(fits, _told_apart(plain))
    kept = pc.utf8_ltrim(pc.if_else(fits, plain, pa.scalar(None, pa.string())), "+")
    values = _converted(kept, kind)
    if values is None:
        values = pa.concat_arrays([pa.nulls(0, _TARGETS[kind]), *(_alone(kept, i, kind) for i in range(len(kept)))])
    return values, pc.and_(fits.fill_null(False), values.is_valid())


def type_of(kind: str) -> pa.DataType:
    """The type in which words of a kind are held."""
    return _TARGETS.get(kind, pa.string())


def _alone(words: pa.Array, place: int, kind: str) -> pa.Array:
    """One word by itself; none if it is no value of the kind after all."""
    found = _converted(words[place : place + 1], kind)
    return pa.nulls(1, _TARGETS[kind]) if found is None else found


def _found(words: pa.Array, decimal: str | None) -> pa.Array | None:
    """The distinct values in the narrowest type that keeps them; None where they stay text."""
    kind = kind_of(words, decimal)
    return None if kind == "text" else _converted(_plain(words, kind, decimal), kind)


def _told_apart(words: pa.Array) -> pa.Array:
    """Which numbers have few enough digits to come back from a float as they were."""
    digits = pc.replace_substring_regex(words, r"[eE].*$", "")
    digits = pc.utf8_ltrim(pc.replace_substring_regex(digits, r"[-.]", ""), "0")
    exponent = pc.match_substring_regex(words, r"[eE][-+]?[3-9][0-9]{2}$")
    return pc.and_(pc.less_equal(pc.utf8_length(digits), _DIGITS), pc.invert(exponent))


def _asked(words: pa.Array, wanted: str, name: str, decimal: str | None) -> pa.Array | None:
    """The distinct values in the type that the plan says; None where that is text."""
    if wanted == "text":
        return None
    plain = _plain(words, wanted, decimal)
    fits = pc.match_substring_regex(plain, _ASKED[wanted])
    found = _converted(pc.utf8_ltrim(plain, "+"), wanted) if pc.all(fits).as_py() is not False else None
    if found is None:
        strange = int(pc.sum(pc.invert(fits)).as_py() or 0)
        count = f"{strange} different value(s) of the column {name}" if strange else f"values of the column {name}"
        raise DataError(
            f"{count} cannot be read as {wanted}: correct them, name them in [read] missing, or change [read] types"
        )
    return found


def _plain(words: pa.Array, kind: str, decimal: str | None) -> pa.Array:
    """Numbers with a point; where the comma is the sign for it, a point means something else."""
    if kind != "number" or decimal in (None, "."):
        return words
    return pc.replace_substring(pc.replace_substring(words, ".", "?"), decimal, ".")


def _all(words: pa.Array, shape: str) -> bool:
    return _all_true(pc.match_substring_regex(words, shape))


def _all_true(flags: pa.Array) -> bool:
    """Whether all of these are so, as far as known."""
    return bool(pc.all(flags).as_py())


def _converted(words: pa.Array, kind: str) -> pa.Array | None:
    """The values in this type; None where one of them is no such value, as the 30th of February is no date."""
    try:
        return pc.cast(words, _TARGETS[kind])
    except pa.ArrowInvalid:
        return None
