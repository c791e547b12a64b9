"""Whether a column that is to be published repeats one that names people, under another title."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.errors import DataError
from shoal.plan.plan import Plan
from shoal.table.domain import is_ordered
from shoal.table.texts import texts

#: As many records, spread over the table, tell whether two columns are the same.
_SAMPLE = 10_000


def check_nobody_named(table: pa.Table, plan: Plan) -> None:
    """Refuse a plan that drops a column as identifying and publishes most of its values in another."""
    names = [column.name for column in plan.identifying]
    shown = [column.name for column in (*plan.sensitive, *plan.semi_sensitive, *plan.insensitive)]
    if found := repeated(table, names, shown):
        repeats = [f"{name} repeats {who}" for name, who in found]
        raise DataError(
            f"columns would be published that repeat an identifying one for most records: {', '.join(repeats)}. Make "
            "them identifying too"
        )


def repeated(table: pa.Table, names: Sequence[str], shown: Sequence[str]) -> list[tuple[str, str]]:
    """Which of the columns ``shown`` hold most values of which of the columns ``names``."""
    rows = np.linspace(0, table.num_rows - 1, min(table.num_rows, _SAMPLE)).astype(np.int64)
    some = {name: _taken(table.column(name), rows) for name in {*names, *shown} if names and shown}
    return [(name, who) for who in names for name in shown if _repeats(some[name], some[who])]


def _taken(column: pa.ChunkedArray, rows: np.ndarray[tuple[int], np.dtype[np.int64]]) -> pa.Array:
    taken = column.take(pa.array(rows)).combine_chunks()
    taken = taken.combine_chunks() if isinstance(taken, pa.ChunkedArray) else taken
    return taken.dictionary_decode() if pa.types.is_dictionary(taken.type) else taken


def _repeats(shown: pa.Array, named: pa.Array) -> bool:
    """Whether most records have the same in both columns; a column with one value names nobody."""
    readable = _is_readable(shown.type) and _is_readable(named.type)
    if not readable or is_ordered(shown.type) != is_ordered(named.type):
        return False
    known = named.is_valid()
    if pc.count_distinct(named).as_py() < 2:
        return False
    same = pc.sum(pc.and_(pc.equal(*_alike(shown, named)).fill_null(False), known)).as_py() or 0
    return bool(2 * same > pc.sum(known).as_py())


def _alike(shown: pa.Array, named: pa.Array) -> tuple[pa.Array, pa.Array]:
    """Values that mean the same in one type: a day, its midnight, and midnight in some zone are one moment."""
    kinds = (shown.type, named.type)
    if kinds[0] == kinds[1]:
        return shown, named
    if all(pa.types.is_date(kind) or pa.types.is_timestamp(kind) for kind in kinds):
        return _moments(shown), _moments(named)
    for family, common in (
        (pa.types.is_time, pa.time64("ns")),
        (pa.types.is_duration, pa.duration("us")),
        (_is_number, pa.float64()),
    ):
        if all(map(family, kinds)) and not all(map(pa.types.is_integer, kinds)):
            return shown.cast(common, safe=False), named.cast(common, safe=False)
    return texts(shown), texts(named)


def _moments(values: pa.Array) -> pa.Array:
    zone = values.type.tz if pa.types.is_timestamp(values.type) else None
    return values.cast(pa.timestamp("us", zone), safe=False).cast(pa.timestamp("us"))


def _is_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind))


def _is_readable(kind: pa.DataType) -> bool:
    """Whether values of this type can be written as text; others are refused where they are encoded."""
    return not (pa.types.is_nested(kind) or pa.types.is_binary(kind) or pa.types.is_large_binary(kind))
