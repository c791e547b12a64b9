"""What a table's columns may be, by their names and by how their values repeat.

A proposal is a start for somebody who knows the table. It leans towards protecting: what is unique for most
records is not published, what a neighbour may know is quasi-identifying. Reasons speak of counts and shares,
never of values.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from shoal.schema import vocabulary
from shoal.schema.columns import Coarsening, Column, Numeric, Prefixes, Role

__all__ = ["Proposed", "missing_words", "person", "propose"]


#: At most this share of the records is coded with an extreme that fewer than k hold, where round numbers allow it; and
#: so many powers of ten finer than the range's width are tried.
_FEW, _FINER = 0.01, 6

#: Whom the values of a column name: namesakes are somebody, the number of a patient is one person.
Names = Literal["nobody", "somebody", "one person"]


@dataclass(frozen=True)
class Proposed:
    """One column with the role that it may have, and why."""

    column: Column
    why: str
    distinct: int  # different known values
    names: Names = "nobody"


@dataclass(frozen=True, eq=False)
class _Facts:
    """What is known of a column: its type, and how often each of its values occurs."""

    name: str
    words: tuple[str, ...]
    kind: pa.DataType
    records: int
    values: pa.Array
    counts: NDArray[np.int64]

    @property
    def alone(self) -> int:
        """How many records hold a value that no other holds."""
        return int((self.counts == 1).sum())

    @property
    def unique(self) -> bool:
        """Whether most records can be told apart by this column alone."""
        return self.alone * 2 > self.records

    @property
    def infinite(self) -> bool:
        return bool(pa.types.is_floating(self.kind) and pc.any(pc.is_inf(self.values)).as_py())

    def says(self, known: frozenset[str]) -> bool:
        """Whether the name has one of these words."""
        long = tuple(word for word in known if len(word) >= vocabulary.LONG)
        return "".join(self.words) in known or any(word in known or word.startswith(long) for word in self.words)


def propose(table: pa.Table, k: int) -> list[Proposed]:
    """A role for every column, in the table's order; extremes of fewer than ``k`` records are coded."""
    return [_proposed(_facts(name, table.column(name)), k) for name in table.column_names]


def person(proposed: Sequence[Proposed], records: int) -> Proposed | None:
    """The identifying column that tells people apart best: a number of theirs, what repeats, or what never does."""
    identifying = [p for p in proposed if p.column.role == "identifying" and p.distinct]
    numbers = [p for p in identifying if p.names == "one person"]
    repeating = [p for p in identifying if p.names == "somebody" and p.distinct < records]
    unique = [p for p in identifying if p.distinct == records]
    for candidates in (numbers, repeating, unique, identifying):
        if candidates:
            return max(candidates, key=lambda p: p.distinct)
    return None


def missing_words(table: pa.Table) -> dict[str, int]:
    """The texts that look like "nothing is known", and in how many columns each occurs."""
    found: dict[str, int] = {}
    for column in table.columns:
        kind = _plain(column.type)
        if not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
            continue
        values = column.cast(kind).unique().drop_null().to_pylist()
        codes = sum(len(value) == 2 and value.isupper() for value in values) > len(values) // 2
        for value in values:
            # among two-letter codes NA is one of them: Namibia
            if value.strip().casefold() in vocabulary.NOTHING and not (codes and value.isalpha()):
                found[value] = found.get(value, 0) + 1
    return found


def _holds_more(kind: pa.DataType) -> bool:
    """Whether cells are lists, records or files, which cannot be published."""
    return bool(pa.types.is_nested(kind) or pa.types.is_binary(kind) or pa.types.is_large_binary(kind))


def _plain(kind: pa.DataType) -> pa.DataType:
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def _facts(name: str, column: pa.ChunkedArray) -> _Facts:
    kind = _plain(column.type)
    words = tuple(re.findall(r"[a-z]+|\d+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).casefold()))
    values, counts = pa.array([], kind), np.empty(0, np.int64)
    if not (_holds_more(kind) or pa.types.is_null(kind)):
        held = column.cast(kind).drop_null().value_counts()
        values, counts = held.field("values"), held.field("counts").to_numpy()
    return _Facts(name, words, kind, len(column), values, counts)


def _proposed(facts: _Facts, k: int) -> Proposed:
    role, why, names = _role(facts)
    coarsening: Coarsening | None = None
    if role == "quasi-identifying" and facts.infinite:
        role, why = "identifying", "it holds infinite numbers, which are no end of a range: dropped"
    if role == "quasi-identifying" and _is_code(facts):
        coarsening, more = Prefixes(), "; its beginnings are larger places"
        why += more
    elif role == "quasi-identifying" and (pa.types.is_integer(facts.kind) or pa.types.is_floating(facts.kind)):
        coarsening, more = _extremes(facts, k)
        why += more
    return Proposed(Column(facts.name, role, coarsening), why, len(facts.counts), names)


def _role(facts: _Facts) -> tuple[Role, str, Names]:
    """The role, the reason for it, and whom the values name."""
    repeats = f"{len(facts.counts):,} different in {facts.records:,} rows"
    most = f"unique for {facts.alone:,} of {facts.records:,} records"
    if _holds_more(facts.kind):
        return "identifying", "its cells hold more than one value, which cannot be published: dropped", "nobody"
    if _names_somebody(facts):
        return "identifying", f"by its name ({repeats})", _named_by(facts)
    if facts.says(vocabulary.SENSITIVE):
        return "sensitive", f"by its name ({repeats})", "nobody"
    if facts.says(vocabulary.QUASI):
        return "quasi-identifying", f"by its name ({repeats})", "nobody"
    if pa.types.is_date(facts.kind) or pa.types.is_timestamp(facts.kind):
        return "quasi-identifying", f"a date, and when something happened is often known ({repeats})", "nobody"
    if facts.unique:
        return "identifying", f"{most}: dropped, unless it must stay", "nobody"
    alone = f", {facts.alone:,} of them held by one record only" if facts.alone else ""
    why = f"not recognized, so taken for something that others may know ({repeats}{alone})"
    return "quasi-identifying", why, "nobody"


def _named_by(facts: _Facts) -> Names:
    words = set(facts.words)
    if facts.says(vocabulary.EVENTS | vocabulary.FREE_TEXT):
        return "nobody"
    number = words & vocabulary.PEOPLE and words & vocabulary.NUMBERS
    return "one person" if number or words & vocabulary.REGISTERED else "somebody"


def _names_somebody(facts: _Facts) -> bool:
    words = set(facts.words)
    if facts.says(vocabulary.REACHES) or (words <= vocabulary.FREE_TEXT and words):
        return True
    if words & vocabulary.FREE_TEXT and facts.unique:
        return True
    named = "name" in words or bool(words & vocabulary.NUMBERS)
    return named and (
        words <= vocabulary.NUMBERS | {"name"} or bool(words & (vocabulary.PEOPLE | vocabulary.EVENTS)) or facts.unique
    )


def _is_code(facts: _Facts) -> bool:
    """Whether values are codes of places, all as long as each other."""
    if not facts.says(vocabulary.CODES) or not (pa.types.is_integer(facts.kind) or pa.types.is_string(facts.kind)):
        return False
    lengths = set(pc.utf8_length(facts.values.cast(pa.string())).to_pylist())
    return len(lengths) == 1 and max(lengths) > 2


def _extremes(facts: _Facts, k: int) -> tuple[Numeric | None, str]:
    """Codes for the ends of a range that fewer than k records reach, and steps for a wide one; all round."""
    values = np.asarray(pc.cast(facts.values, pa.float64(), safe=False).to_numpy(zero_copy_only=False), np.float64)
    finite = np.isfinite(values)
    values, place = np.unique(values[finite], return_inverse=True)  # minus zero is zero, for one
    counts = np.bincount(place, facts.counts[finite], len(values)).astype(np.int64)
    if len(values) < 2 or counts.sum() < 2 * k:
        return None, ""
    whole = pa.types.is_integer(facts.kind)
    top = _end(values, counts, k, whole=whole)
    bottom = _end(-values, counts, k, whole=whole)
    bottom = None if bottom is None or (top is not None and -bottom >= top) else 0.0 - bottom
    step = _step(float(np.ptp(values)), whole)
    if (bottom, top, step) == (None, None, None):
        return None, ""
    ends = [which for which, end in (("largest", top), ("smallest", bottom)) if end is not None]
    said = [f"fewer than {k} records hold its {' or '.join(ends)} value"] if ends else []
    if step is not None:
        said.append("ends of ranges are rounded, since its values are fine")
    how = Numeric(*(_number(end, whole) for end in (bottom, top, step)))
    return how, "; " + "; ".join(said)


def _grids(span: float, whole: bool) -> Iterator[float]:
    """How far apart round numbers are at which a range of this width may be cut off, ever finer: 5 first for ages."""
    power = math.floor(math.log10(span)) - (1 if not whole or span >= 20 else 0)
    for exponent in range(power, power - _FINER, -1):
        for units in (5, 2, 1):
            if not whole or units * 10.0**exponent >= 1:
                yield units * 10.0**exponent


def _end(values: NDArray[np.float64], counts: NDArray[np.int64], k: int, *, whole: bool) -> float | None:
    """The roundest number that k records reach and not many more; none if k of them reach the largest value."""
    order = np.argsort(-values)
    reach = np.cumsum(counts[order])
    if reach[0] >= k:
        return None
    last = int(np.searchsorted(reach, k))
    reached, end = values[order][last], None
    for grid in _grids(float(np.ptp(values)), whole):
        end = float(np.floor(reached / grid) * grid)
        if counts[values >= end].sum() <= max(2 * reach[last], _FEW * reach[-1]):
            break
    return end if end is not None and end > values.min() else None


def _step(span: float, whole: bool) -> float | None:
    """A hundredth of the width or less, as a power of ten; none where values are coarse already."""
    step = 10.0 ** (math.floor(math.log10(span)) - 2)
    return None if whole and step <= 1 else step


def _number(end: float | None, whole: bool) -> Any:
    if end is None:
        return None
    return int(end) if whole or end == int(end) else float(f"{end:.12g}")
