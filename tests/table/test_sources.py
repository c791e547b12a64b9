"""Any kind of table says the same, and gives the same kind back; what cannot be said is an error without cells."""

from __future__ import annotations

import datetime as dt
import gzip
import sys
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import csv, feather, parquet

from shoal.errors import DataError, ShoalError, Unsupported
from shoal.plan.plan import Read
from shoal.table import sources
from shoal.table.plain import plain

moment = dt.datetime.fromisoformat
SECRET = "cell-nobody-may-see"
ROWS = {
    "name": ["ä, b", 'c "d"', "e\nf", None],
    "age": [31, 7, None, 64],
    "pay": [1.5, None, -2.25, 1e9],
    "born": [dt.date(1990, 1, 2), None, dt.date(2001, 12, 31), dt.date(1970, 1, 1)],
    "seen": [moment("2020-01-02 03:04:05"), moment("2021-01-01"), None, moment("1999-09-09")],
    "ok": [True, None, False, True],
}
TABLE = pa.table(ROWS)


def said(source: sources.Source) -> dict[str, list[Any]]:
    return {name: source.table.column(name).to_pylist() for name in source.table.column_names}


class Streamed:
    """A table of a library that nobody has heard of."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return TABLE.__arrow_c_stream__(requested_schema)


KINDS: dict[str, tuple[Callable[[], Any], type]] = {
    "table": (lambda: TABLE, pa.Table),
    "no chunks": (
        lambda: pa.table({n: pa.chunked_array([], t.type) for n, t in zip(ROWS, TABLE.schema, strict=True)}),
        pa.Table,
    ),
    "batch": (lambda: TABLE.to_batches()[0], pa.RecordBatch),
    "reader": (TABLE.to_reader, pa.RecordBatchReader),
    "pandas": (lambda: pd.DataFrame(ROWS), pd.DataFrame),
    "pandas arrow": (lambda: TABLE.to_pandas(types_mapper=pd.ArrowDtype), pd.DataFrame),
    "pandas nullable": (lambda: pd.DataFrame(ROWS).convert_dtypes(), pd.DataFrame),
    "polars": (lambda: pl.DataFrame(ROWS), pl.DataFrame),
    "polars lazy": (lambda: pl.LazyFrame(ROWS), pl.DataFrame),
    "duckdb": (lambda: duckdb.from_arrow(TABLE), duckdb.DuckDBPyRelation),
    "stream": (Streamed, pa.Table),
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_says_the_same(kind: str) -> None:
    make, _ = KINDS[kind]
    expected = {name: [] for name in ROWS} if kind == "no chunks" else ROWS
    assert said(sources.read(make())) == expected


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rows", [0, 1, 4])
def test_the_same_kind_comes_back(kind: str, rows: int) -> None:
    make, expected = KINDS[kind]
    back = sources.read(make()).give_back(TABLE.slice(0, rows))
    assert isinstance(back, expected)
    assert said(sources.read(back)) == {name: values[:rows] for name, values in ROWS.items()}


def _write_stream(path: Path) -> None:
    with pa.ipc.new_stream(path, TABLE.schema) as sink:
        sink.write_table(TABLE)


WRITERS: dict[str, Callable[[Path], object]] = {
    "t.parquet": lambda path: parquet.write_table(TABLE, path, row_group_size=2),
    "T.PARQUET": lambda path: parquet.write_table(TABLE, path),
    "t.arrow": lambda path: feather.write_feather(TABLE, path, compression="uncompressed"),
    "t.feather": lambda path: feather.write_feather(TABLE, path, compression="zstd"),
    "t.ipc": _write_stream,
    "t.csv": lambda path: csv.write_csv(TABLE, path),
    "t.tsv": lambda path: csv.write_csv(TABLE, path, csv.WriteOptions(delimiter="\t")),
    "t.csv.gz": lambda path: path.write_bytes(gzip.compress(_csv())),
    "T.CSV.GZ": lambda path: path.write_bytes(gzip.compress(_csv())),
}


def _csv() -> bytes:
    sink = pa.BufferOutputStream()
    csv.write_csv(TABLE, sink)
    return bytes(sink.getvalue().to_pybytes())


@pytest.mark.parametrize("name", WRITERS)
def test_every_file_says_the_same(name: str, tmp_path: Path) -> None:
    WRITERS[name](tmp_path / name)
    expected: dict[str, list[Any]] = dict(ROWS)
    if "csv" in name.lower() or "tsv" in name:
        expected["ok"] = [True, None, False, True]
    assert said(sources.read(str(tmp_path / name))) == expected
    assert said(sources.read(tmp_path / name)) == expected


@pytest.mark.parametrize("name", ["t.parquet", "t.arrow", "t.csv.gz"])
def test_damaged_files(name: str, tmp_path: Path) -> None:
    WRITERS[name](tmp_path / name)
    whole = (tmp_path / name).read_bytes()
    (tmp_path / name).write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DataError, match=name):
        sources.read(tmp_path / name)
    (tmp_path / name).write_bytes(SECRET.encode())
    with pytest.raises(DataError, match=name) as caught:
        sources.read(tmp_path / name)
    assert SECRET not in caught.value.message


def test_what_is_no_table(tmp_path: Path) -> None:
    for given_, error, says in [
        (tmp_path / "none.csv", DataError, "there is no file none.csv"),
        ("a\0.csv", DataError, "there is no file"),
        (tmp_path, DataError, "is a folder"),
        (5, Unsupported, "type int"),
        (None, Unsupported, "type NoneType"),
        ([ROWS], Unsupported, "type list"),
        (pd.Series([SECRET]), Unsupported, "type Series"),
        (pl.Series([SECRET]), Unsupported, "type Series"),
        (np.array([SECRET]), Unsupported, "type ndarray"),
    ]:
        with pytest.raises(error, match=says) as caught:
            sources.read(given_)
        assert SECRET not in caught.value.message
    (tmp_path / "t.xlsx").write_bytes(b"x")
    with pytest.raises(Unsupported, match="must end in one of"):
        sources.read(tmp_path / "t.xlsx")


def test_names_that_cannot_be_spoken_of() -> None:
    twice = pa.table([pa.array([1]), pa.array([2]), pa.array([3])], names=["a", "a", ""])
    with pytest.raises(
        DataError, match=r"1 column name\(s\) stand more than once in the table: a; 1 column\(s\) .*: 3"
    ):
        sources.read(twice)
    frame = pd.DataFrame([[1, 2]], columns=["a", "a"])
    with pytest.raises(DataError, match="more than once"):
        sources.read(frame)
    with pytest.raises(DataError, match="more than once"):
        sources.read(pd.DataFrame([[1, 2]], columns=[1, "1"]))
    for odd in (pd.MultiIndex.from_tuples([("a", "b")]), [dt.date(2020, 1, 1)], [None]):
        with pytest.raises(DataError, match="no text"):
            sources.read(pd.DataFrame([[1]], columns=odd))  # type: ignore[arg-type]
    assert sources.read(pd.DataFrame([[1, 2]])).table.column_names == ["0", "1"]


# -- pandas -----------------------------------------------------------------------------------------------------


def test_the_index_and_what_is_attached_stay_behind() -> None:
    frame = pd.DataFrame({"a": [1, 2]}, index=pd.Index([SECRET, "b"], name="who"))
    frame.attrs["note"] = SECRET
    table = sources.read(frame).table
    assert table.column_names == ["a"]
    assert table.schema.metadata is None
    assert all(field.metadata is None for field in table.schema)
    assert frame.attrs["note"] == SECRET


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (pd.Categorical(["a", None, "a"], categories=[SECRET, "a"]), ["a", None, "a"]),
        (pd.Categorical([None, None]), [None, None]),
        (pd.Categorical([3, 1, 3], ordered=True), [3, 1, 3]),
        (pd.array([1, None, 3], dtype="Int8"), [1, None, 3]),
        (pd.array(["x", pd.NA]), ["x", None]),
        (pd.Series([1.0, float("nan"), 3.0]), [1.0, None, 3.0]),
        (pd.Series([pd.Timestamp("2020-01-01"), pd.NaT]), [moment("2020-01-01"), None]),
        (pd.Series(["x", float("nan"), None, pd.NA], dtype=object), ["x", None, None, None]),
        (pd.Series([Decimal("1.50"), None], dtype=object), [Decimal("1.50"), None]),
        (pd.Series([dt.date(2020, 1, 1), None], dtype=object), [dt.date(2020, 1, 1), None]),
        (pd.Series([True, None], dtype=object), [True, None]),
        (pd.Series([1, 2.5], dtype=object), [1.0, 2.5]),
        (pd.Series([(1 << 64) - 1], dtype="uint64"), [(1 << 64) - 1]),
        (pd.Series([pd.Timedelta("1h")]), [dt.timedelta(hours=1)]),
    ],
    ids=lambda value: getattr(getattr(value, "dtype", None), "name", None),
)
def test_columns_of_pandas(values: Any, expected: list[Any]) -> None:
    column = sources.read(pd.DataFrame({"a": values})).table.column("a")
    assert column.to_pylist() == expected


@pytest.mark.parametrize(
    "values",
    [[1, SECRET], [1.5, SECRET], [True, SECRET], [object()], [[1], SECRET], [1 << 70], [1j]],
    ids=lambda values: type(values[0]).__name__,
)
def test_mixed_columns_are_named_and_not_told(values: list[Any]) -> None:
    frame = pd.DataFrame(
        {"fine": [1] * len(values), "odd": pd.Series(values, dtype=object), "also odd": pd.Series(values, dtype=object)}
    )
    with pytest.raises(DataError, match="cannot be read: odd, also odd") as caught:
        sources.read(frame)
    assert SECRET not in caught.value.message
    assert caught.value.__suppress_context__


def test_whole_numbers_with_gaps_stay_whole() -> None:
    large = (1 << 62) + 1
    for kind in ("uint64", "int8", "int64"):
        value = 7 if kind == "int8" else large
        frame = sources.read(pd.DataFrame({"a": [1]})).give_back(pa.table({"a": pa.array([value, None], kind)}))
        assert frame["a"].tolist() == [value, pd.NA]
        assert list(frame.columns) == ["a"]


# -- Polars and DuckDB ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (pl.Series(["b", None, "a"], dtype=pl.Categorical), ["b", None, "a"]),
        (pl.Series(["b", None, "a"], dtype=pl.Enum(["a", "b", SECRET])), ["b", None, "a"]),
        (pl.Series([Decimal("1.5")], dtype=pl.Decimal(5, 2)), [Decimal("1.50")]),
        (pl.Series([None, None]), [None, None]),
        (pl.Series([dt.time(1, 2)]), [dt.time(1, 2)]),
        (pl.Series([float("nan"), 1.0]), [None, 1.0]),
    ],
    ids=lambda value: str(getattr(value, "dtype", "")),
)
def test_columns_of_polars(values: pl.Series, expected: list[Any]) -> None:
    assert sources.read(pl.DataFrame({"a": values})).table.column("a").to_pylist() == expected


def test_columns_that_polars_cannot_give() -> None:
    wide = pl.DataFrame({"fine": [1], "wide": pl.Series([1 << 100], dtype=pl.Int128)})
    with pytest.raises(DataError, match="cannot be read: wide"):
        sources.read(wide)
    lazy = pl.LazyFrame({"a": [SECRET]}).select(pl.col("a").cast(pl.Int64))
    with pytest.raises(DataError, match="Polars could not compute") as caught:
        sources.read(lazy)
    assert SECRET not in caught.value.message


def test_relations_of_duckdb() -> None:
    relation = duckdb.sql("select 1::hugeint a, 'x'::enum('x','y') b, uuid() c, 1.50::decimal(4,2) d, time '10:00' e")
    held = said(sources.read(relation))
    assert (held["a"], held["b"], held["d"]) == ([Decimal(1)], ["x"], [Decimal("1.50")])
    own = duckdb.connect()
    source = sources.read(own.sql("select 1 a"))
    assert source.give_back(source.table).fetchall() == [(1,)]
    with pytest.raises(DataError, match="DuckDB could not compute") as caught:
        sources.read(duckdb.sql(f"select cast('{SECRET}' || range as integer) from range(3)"))
    assert SECRET not in caught.value.message


def test_libraries_are_not_imported_for_others(monkeypatch: pytest.MonkeyPatch) -> None:
    for library in ("pandas", "polars", "duckdb"):
        monkeypatch.delitem(sys.modules, library)
    assert sources.read(TABLE).table.num_rows == 4
    assert not {"pandas", "polars", "duckdb"} & set(sys.modules)


# -- what is missing, and what is one value ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "words", "expected"),
    [
        (pa.array(["", "?", "NA", "x", None]), ("", "?"), [None, None, "NA", "x", None]),
        (pa.array(["", "x"]), (), ["", "x"]),
        (pa.array(["", "x"], pa.large_string()), ("",), [None, "x"]),
        (pa.array(["", "x"], pa.string_view()), ("",), [None, "x"]),
        (pa.array(["?", "x", "?", None]).dictionary_encode(), ("?",), [None, "x", None, None]),
        (pa.array([99, 98, None], pa.int8()), ("99", "-99", "", "999", "?"), [None, 98, None]),
        (pa.array([-99.0, 1.5]), ("-99", "NA"), [None, 1.5]),
        (pa.array([Decimal("9.00"), Decimal("1.25")]), ("9", "x"), [None, Decimal("1.25")]),
        (pa.array([dt.date(1900, 1, 1), dt.date(2000, 1, 1)]), ("1900-01-01",), [None, dt.date(2000, 1, 1)]),
        (pa.array([True, False]), ("0", "1"), [True, False]),
        (pa.array([float("nan"), -0.0, 0.0, None]), (), [None, 0.0, 0.0, None]),
        (pa.array([float("nan"), 1.0], pa.float32()).dictionary_encode(), (), [None, 1.0]),
        (pa.nulls(2), (), [None, None]),
    ],
    ids=lambda value: str(value.type) if isinstance(value, pa.Array) else "",
)
def test_what_means_missing_is_missing(values: pa.Array, words: tuple[str, ...], expected: list[Any]) -> None:
    column = sources.read(pa.table({"a": values}), Read(missing=words)).table.column("a")
    assert column.to_pylist() == expected
    assert not any(str(value).startswith("-") for value in column.to_pylist())  # minus zero is zero
    assert column.null_count == expected.count(None)


@given(
    st.lists(st.lists(st.none() | st.sampled_from(["", "?", "a", "b"]), max_size=5), max_size=4),
    st.sampled_from([pa.string(), pa.large_string(), pa.dictionary(pa.int8(), pa.string())]),
    st.sets(st.sampled_from(["", "?", "b"])),
)
def test_texts_are_dictionaries_of_known_values(
    chunks: list[list[str | None]], kind: pa.DataType, words: set[str]
) -> None:
    column = plain(pa.chunked_array([pa.array(chunk, kind) for chunk in chunks], kind), words)
    assert column.to_pylist() == [None if value in words else value for chunk in chunks for value in chunk]
    assert column.type == pa.dictionary(pa.int32(), pa.string())
    assert all(not set(chunk.dictionary.to_pylist()) & {None, *words} for chunk in column.chunks)


def test_a_dictionary_larger_than_its_index() -> None:
    chunks = [
        pa.array([f"{part}-{i}" for i in range(100)]).dictionary_encode().cast(pa.dictionary(pa.int8(), pa.string()))
        for part in "abc"
    ]
    column = pa.chunked_array(chunks)
    assert sources.read(pa.table({"a": column})).table.column("a").to_pylist() == column.to_pylist()


def test_a_dropped_column_may_hold_anything() -> None:
    odd = {
        "lists": pa.array([[1], None]),
        "structs": pa.array([{"a": SECRET}, None]),
        "bytes": pa.array([b"x", None]),
        "ids": pa.array([b"x" * 16, None], pa.uuid()),
        "spans": pa.array([(1, 2, 3), None], pa.month_day_nano_interval()),
        "views": pa.array([b"x", None], pa.binary_view()),
    }
    table = sources.read(pa.table(odd)).table
    assert table.column_names == list(odd)
    assert table.num_rows == 2


def test_reprs_hold_no_cells() -> None:
    assert repr(sources.read(pa.table({"a": [SECRET]}))) == "<Source: 1 records, 1 columns>"


@pytest.mark.parametrize("wrong", [pd.DataFrame({"a": [1j]}), object(), "none.csv"], ids=lambda w: type(w).__name__)
def test_what_a_library_said_is_not_told(wrong: Any) -> None:
    with pytest.raises(ShoalError) as caught:
        sources.read(wrong)
    assert caught.value.__suppress_context__ or caught.value.__context__ is None
