"""The same table in every kind that people have it in: the release is of that kind, and says the same."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa

import shoal
from shoal.plan.forms import FORMS, Form
from shoal.plan.methods import METHODS, Method
from shoal.plan.plan import Plan
from shoal.privacy.requirements import KAnonymity, LDiversity, Requirement, Size
from shoal.release.release import Release
from shoal.schema.columns import Schema, masked

__all__ = ["check_kinds"]

_ROWS = 48

#: How a table becomes one of a kind, and one of that kind rows again.
Kind = tuple[str, Callable[[pa.Table], Any], Callable[[Any], list[dict[str, Any]]]]


def check_kinds(method: Method | None = None, form: Form | None = None) -> None:
    """What comes in as a frame of some library comes out as one, with the same in it as from an Arrow table."""
    table, plan = _table(), _plan(method, form)
    expected = _said(shoal.anonymize(table, plan, seed=1), lambda held: held.to_pylist())
    for name, given, rows in _kinds():
        held = given(table)
        release = shoal.anonymize(held, plan, seed=1)  # so that what falls by lot falls alike
        for published in release.tables.values():
            assert type(published) is type(held), f"{name} came in, and {type(published).__name__} out"
        assert _said(release, rows) == expected, f"a release made from {name} says something else than one from Arrow"


def _said(release: Release, rows: Callable[[Any], list[dict[str, Any]]]) -> dict[str, list[str]]:
    """The rows of all tables."""
    return {name: _sorted(rows(table)) for name, table in release.tables.items()}


def _table() -> pa.Table:
    """All types that all libraries have, with missing values in some of them."""
    row = range(_ROWS)
    gap = [i % 5 == 0 for i in row]
    columns = {
        "age": pa.array([17 + 7 * i % 60 for i in row]),
        "children": pa.array([None if gap[i] else i % 4 for i in row], pa.int64()),
        "weight": pa.array([math.nan if gap[i] else 50 + i / 4 for i in row]),
        "town": pa.array([["Ålesund", "a,b", "{c}", "*"][i % 4] for i in row]).dictionary_encode(),
        "job": pa.array([None if gap[i] else ["cook", " x ", "null"][i % 3] for i in row]),
        "married": pa.array([None if i % 7 == 0 else i % 2 == 0 for i in row]),
        "born": pa.array([date(1950 + i, 1 + i % 12, 3) for i in row]),
        "seen": pa.array([datetime(2020, 1, 1 + i % 3, 6 + i % 2) for i in row]),  # noqa: DTZ001 - as most tables have it
        "paid": pa.array([Decimal(i % 6) / 4 for i in row], pa.decimal128(9, 2)),
        "illness": pa.array([["flu", "cold", "gout"][i % 3] for i in row]),
    }
    return pa.table(columns)


def _plan(method: Method | None, form: Form | None) -> Plan:
    method = method or next(kind() for kind in METHODS.values() if form is None or form.name in kind.card.forms)
    form = form or FORMS[method.card.forms[0]]()
    quasi = ["age", "children", "weight", "town", "job", "married", "born"]
    personal = {"age": masked("children > 1")} if method.card.semi_sensitive else {}
    schema = Schema(
        quasi_identifying=[name for name in quasi if name not in personal],
        semi_sensitive=personal,
        sensitive=["illness", "paid"],
        insensitive=["seen"],
    )
    promises = method.card.promises & form.promises
    require: list[Requirement] = [KAnonymity(4) if "k" in promises else Size(4)]
    return Plan(schema, [*require, *([LDiversity(2)] if personal else [])], method, form)


def _kinds() -> Iterator[Kind]:
    yield "a record batch", lambda table: table.combine_chunks().to_batches()[0], lambda batch: batch.to_pylist()
    with contextlib.suppress(ImportError):
        import pandas as pd

        yield "pandas", lambda table: table.to_pandas(), lambda frame: pa.Table.from_pandas(frame).to_pylist()
        arrow = pd.ArrowDtype
        yield (
            "pandas with Arrow's types",
            lambda table: _decoded(table).to_pandas(types_mapper=arrow),
            lambda frame: pa.Table.from_pandas(frame).to_pylist(),
        )
    with contextlib.suppress(ImportError):
        import polars as pl

        yield "Polars", pl.from_arrow, lambda frame: frame.to_dicts()
    with contextlib.suppress(ImportError):
        import duckdb

        yield "DuckDB", lambda table: duckdb.from_arrow(_decoded(table)), _rows_of


def _decoded(table: pa.Table) -> pa.Table:
    return table.cast(
        pa.schema(
            pa.field(f.name, f.type.value_type if pa.types.is_dictionary(f.type) else f.type) for f in table.schema
        )
    )


def _rows_of(relation: Any) -> list[dict[str, Any]]:
    return [dict(zip(relation.columns, row, strict=True)) for row in relation.fetchall()]


def _sorted(rows: list[dict[str, Any]]) -> list[str]:
    """Rows as text, in an order of their own: 1 and 1.0 are the same, and so are all that is missing."""
    return sorted(repr({name: _plain(value) for name, value in row.items()}) for row in rows)


def _plain(value: Any) -> Any:
    if value is None or (isinstance(value, float) and math.isnan(value)) or str(value) in ("NaT", "<NA>"):
        return None
    if isinstance(value, int | float | Decimal) and not isinstance(value, bool):
        return float(value)
    if isinstance(value, datetime) and (value.hour, value.minute) == (0, 0):
        return value.date().isoformat()
    return value.isoformat() if isinstance(value, date) else value
