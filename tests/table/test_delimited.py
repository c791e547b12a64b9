"""Delimited text as people have it: no value is changed by being guessed at, and no line is lost in silence."""

from __future__ import annotations

import csv
import datetime as dt
import gzip
import io
import math
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from shoal.errors import DataError
from shoal.plan.plan import Read
from shoal.table import sources
from shoal.table.texts import texts
from shoal.table.written import typed

moment = dt.datetime.fromisoformat
SECRET = "cell-nobody-may-see"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path


def read(
    folder: Path, text: str | bytes, options: Read | None = None, name: str = "t.csv", **more: Any
) -> dict[str, list[Any]]:
    """What a file with this text says."""
    (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    table = sources.read(folder / name, options, **more).table
    return {column: table.column(column).to_pylist() for column in table.column_names}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a,b\n1,x\n2,y\n", {"a": [1, 2], "b": ["x", "y"]}),
        ("a,b\r\n1,x\r\n2,y", {"a": [1, 2], "b": ["x", "y"]}),
        ("a,b\r1,x\r2,y\r", {"a": [1, 2], "b": ["x", "y"]}),
        ("\ufeffa,b\n1,x\n", {"a": [1], "b": ["x"]}),
        ("\n\na,b\n\n1,x\n\n2,y\n\n", {"a": [1, 2], "b": ["x", "y"]}),
        ('a,b\n1,"x\ny"\n2,"p\r\nq"\n', {"a": [1, 2], "b": ["x\ny", "p\r\nq"]}),
        ('a,b\n1,"say ""x"""\n2,"a,b"\n', {"a": [1, 2], "b": ['say "x"', "a,b"]}),
        ('a,b\n1,5" pipe\n', {"a": [1], "b": ['5" pipe']}),
        ('"first\nname",b\n1,2\n', {"first\nname": [1], "b": [2]}),
        ('"a,b";"c ""d""";n\u00f6 name\n1;2;3\n', {"a,b": [1], 'c "d"': [2], "n\u00f6 name": [3]}),
        ("a;b\n1,5;x\n2,5;y\n", {"a": ["1,5", "2,5"], "b": ["x", "y"]}),
        ("a\tb\n1\tx\n", {"a": [1], "b": ["x"]}),
        ("a|b\n1|x\n", {"a": [1], "b": ["x"]}),
        ("a\n1\n\n3\n", {"a": [1, None, 3]}),
        ("a,b\n", {"a": [], "b": []}),
        ("a,b", {"a": [], "b": []}),
        ("a,b\n\n\n", {"a": [], "b": []}),
        ("a,b" + "\n" * 500 + "1,2", {"a": [1], "b": [2]}),
        ("a", {"a": []}),
        ("a\n\n", {"a": [None]}),
        ("a,b\n,\n", {"a": [None], "b": [None]}),
        ('a,b\n"",x\nNULL,y\n', {"a": [None, "NULL"], "b": ["x", "y"]}),
        ("a,b\nx\0y,1\n", {"a": ["x\0y"], "b": [1]}),
    ],
    ids=repr,
)
def test_files_as_people_have_them(text: str, expected: dict[str, list[Any]], folder: Path) -> None:
    if "\0" in text:
        with pytest.raises(DataError, match="encoding"):
            read(folder, text)
    else:
        assert read(folder, text) == expected


@pytest.mark.parametrize(
    "encoding", ["latin-1", "cp1252", "utf-16", "utf-16-le", "utf-8", "UTF_8", "utf-8-sig", "cp037"]
)
def test_encodings(encoding: str, folder: Path) -> None:
    text = "n\u00e4me;age\n\u00c9mile;5\nZo\u00eb;6\n"
    data, options = text.encode(encoding), Read(encoding=encoding)
    expected = {"n\u00e4me": ["\u00c9mile", "Zo\u00eb"], "age": [5, 6]}
    assert read(folder, data, options) == expected
    assert read(folder, gzip.compress(data), options, "t.csv.gz") == expected


@pytest.mark.parametrize(
    ("data", "options"),
    [
        ("n\u00e4me,b\nx,y\n".encode("latin-1"), Read()),
        (b"a,b\n" + b"x,y\n" * 300_000 + "\u00e4,y\n".encode("latin-1"), Read()),
        ("a,b\nx,y\n".encode("utf-16"), Read()),
        ("a,b\nx,y\n".encode("utf-16-le"), Read()),
        (b"a,b\n\x81,y\n", Read(encoding="cp1252")),
        ("a,b\n\u00e4,y\n".encode(), Read(encoding="ascii")),
    ],
    ids=["header", "late", "utf-16", "no mark", "cp1252", "ascii"],
)
def test_wrong_encodings(data: bytes, options: Read, folder: Path) -> None:
    with pytest.raises(DataError, match=r"t\.csv is not in the expected encoding: say which in \[read\] encoding"):
        read(folder, data, options)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "is empty"),
        ("\n\n", "is empty"),
        (f"a,b\n1,{SECRET}\n1\n2\n1,2,{SECRET}\n", r"3 line\(s\) of t.csv do not have the 2 fields"),
        (f"a,b\n1,{SECRET},\n", r"1 line\(s\)"),
        ("a,a\n1,2\n", "more than once in the table: a"),
        ("a,b,\n1,2,\n", r"1 column\(s\) of the table have no name, counted from the left: 3"),
        (",a\n0,2\n", r"no name, counted from the left: 1"),
        (f'a,b\n1,"{SECRET}\n' + "1,2\n" * 5, "quotes that are not closed"),
        (f'a,b\n1,"{SECRET}\n2,y\n3,"z"\n4,w\n', "quotes that are not closed"),
        (f'a,b\n1,"{SECRET}"x\n3,"z\ny"\n', "quotes that are not closed"),
        ('"a,b\n1,2\n', "the header of t.csv cannot be read"),
    ],
    ids=repr,
)
def test_files_that_are_refused(text: str, says: str, folder: Path) -> None:
    with pytest.raises(DataError, match=says) as caught:
        read(folder, text)
    assert SECRET not in caught.value.message


def test_a_quote_that_swallows_a_large_file(folder: Path) -> None:
    with pytest.raises(DataError, match="quote"):
        read(folder, 'a,b\n1,"x\n' + "1,2\n" * 6_000_000)


def test_what_is_said_goes_before_what_is_found(folder: Path) -> None:
    assert read(folder, "a;b,c\n1;2,3\n", Read(delimiter=",")) == {"a;b": ["1;2"], "c": [3]}
    assert read(folder, "a b\n1 2\n", Read(delimiter=" ")) == {"a": [1], "b": [2]}
    assert read(folder, "a,b;c\n1,5;2\n", Read(decimal=","), "t.tsv") == {"a,b;c": ["1,5;2"]}
    assert read(folder, "a,b;c\n1,5;2\n", Read(decimal=",")) == {"a,b": [1.5], "c": [2]}
    assert read(folder, "a;b\n1,5;x\n-2;y\n", Read(decimal=",")) == {"a": [1.5, -2.0], "b": ["x", "y"]}
    assert read(folder, "a;b\n1.234;x\n2.5;y\n", Read(decimal=",")) == {"a": ["1.234", "2.5"], "b": ["x", "y"]}
    assert read(folder, "a,b\n?,1\nNA,2\n,3\n5,4\n", Read(missing=("", "?", "NA")))["a"] == [None, None, None, 5]
    assert read(folder, "a,b\n1,2\n", as_text=["a"]) == {"a": ["1"], "b": [2]}


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["1", "-2", "0"], [1, -2, 0]),
        (["01234", "5"], None),
        (["+5", "6"], None),
        (["-0", "1"], [0.0, 1.0]),
        (["1e5", "2e5"], None),
        (["12E4"], None),
        (["1e-05", "2.5E+10"], [1e-05, 2.5e10]),
        (["1e+400"], None),
        (["1e+309"], None),
        (["1e-330"], None),
        (["9007199254740993.0"], None),
        (["1234567890.12345"], [1234567890.12345]),
        (["1.50", "2"], [1.5, 2.0]),
        ([".5", "1."], [0.5, 1.0]),
        (["1.5", "1,5"], None),
        (["1 000"], None),
        ([" 1"], None),
        (["999999999999999999"], [10**18 - 1]),
        (["1234567890123456789"], None),
        (["12345678901234567890123"], None),
        (["0.1234567890123456789", "1.5"], None),
        (["0.000000000000000123456"], [1.23456e-16]),
        (["nan"], None),
        (["inf", "1"], None),
        (["0x1f"], None),
        (["1_000"], None),
        (["\u0661"], None),
        (["true", "false"], [True, False]),
        (["True", "False"], None),
        (["TRUE"], None),
        (["2020-02-29", "1999-01-01"], [dt.date(2020, 2, 29), dt.date(1999, 1, 1)]),
        (["2020-02-30"], None),
        (["0000-00-00"], None),
        (["31.12.2020"], None),
        (
            ["2020-01-02T03:04", "2020-01-02 03:04:05.5"],
            [moment("2020-01-02 03:04:00"), moment("2020-01-02 03:04:05.500000")],
        ),
        (["2020-01-02 25:00"], None),
        (["2020-01-02T03:04:05Z"], None),
        (["12:30"], None),
        (["x"], None),
    ],
    ids=str,
)
def test_how_values_are_written_says_what_they_are(words: list[str], expected: list[Any] | None, folder: Path) -> None:
    text = "a;b\n" + "".join(f"{word};x\n" for word in [*words, ""])
    found = read(folder, text, Read(delimiter=";"))["a"]
    assert found == [*(words if expected is None else expected), None]
    assert [type(value) for value in found[:-1]] == [type(value) for value in (expected or words)]


WORDS = (
    st.integers().map(str)
    | st.integers(-99, 99).map(str)
    | st.decimals(-1000, 1000, places=2).map(str)
    | st.floats().map(str)
    | st.from_regex(r"[-+]?[0-9]{0,20}(\.[0-9]{0,20})?([eE][-+]?[0-9]{1,3})?", fullmatch=True)
    | st.sampled_from(["true", "false", "True", "TRUE", "", "?", "NaN", "null", "0", "1", "-0", "00"])
    | st.dates().map(str)
    | st.datetimes().map(str)
    | st.text(max_size=4)
)


def of(words: list[str], kind: str | None = None, options: Read | None = None) -> pa.ChunkedArray:
    column = pa.chunked_array([pa.array(words, pa.string()).dictionary_encode()])
    return typed(column, "a", kind, options or Read(missing=()))


@given(st.lists(WORDS, min_size=1, max_size=4))
def test_no_value_is_changed_by_being_guessed_at(words: list[str]) -> None:
    """Text, type, and text again: the same text, or for numbers the same number, for moments the same moment."""
    column = of(words)
    kind = column.type
    if pa.types.is_dictionary(kind):
        assert column.to_pylist() == words
    elif pa.types.is_floating(kind):
        for word, value in zip(words, column.to_pylist(), strict=True):
            assert Decimal(word) == Decimal(repr(value))
    elif pa.types.is_timestamp(kind):
        assert column.to_pylist() == [dt.datetime.fromisoformat(word) for word in words]
    else:
        assert texts(column.combine_chunks()).to_pylist() == words


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=3))
def test_numbers_that_programs_write_are_read_as_they_were_or_stay_text(values: list[float]) -> None:
    column = of([repr(value) for value in values])
    assert [float(value) for value in column.to_pylist()] == values


@pytest.mark.parametrize(
    ("kind", "words", "expected"),
    [
        ("text", ["1", "02"], ["1", "02"]),
        ("integer", ["+5", "007", "-0"], [5, 7, 0]),
        ("number", ["1e5", "+.5", "007.5", "12345678901234567890"], [1e5, 0.5, 7.5, 12345678901234567890.0]),
        ("boolean", ["True", "false", "0"], [True, False, False]),
        ("date", ["2020-02-29"], [dt.date(2020, 2, 29)]),
        ("datetime", ["2020-02-29T10:00"], [moment("2020-02-29 10:00:00")]),
        ("integer", [], []),
    ],
)
def test_types_that_are_asked_for(kind: str, words: list[str], expected: list[Any]) -> None:
    assert of([*words, "?"], kind, Read(missing=("?",))).to_pylist() == [*expected, "?" if kind == "text" else None]


@pytest.mark.parametrize("kind", ["integer", "number", "boolean", "date", "datetime"])
def test_types_that_cannot_be(kind: str, folder: Path) -> None:
    options = Read(types={"a": kind, "nowhere": "text"})
    with pytest.raises(DataError, match=rf"^2 different value\(s\) of the column a cannot be read as {kind}") as caught:
        read(folder, f"a,b\n{SECRET},1\n{SECRET},1\nx,1\n,1\n", options)
    assert SECRET not in caught.value.message
    assert caught.value.__context__ is None


@pytest.mark.parametrize(
    ("kind", "word"), [("integer", "9" * 30), ("date", "2020-02-30"), ("datetime", "2020-02-30 10:00")]
)
def test_types_that_nearly_fit(kind: str, word: str) -> None:
    with pytest.raises(DataError, match=f"values of the column a cannot be read as {kind}"):
        of([word], kind)


@given(
    st.lists(
        st.lists(
            st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=4),
            min_size=2,
            max_size=2,
        ),
        max_size=5,
    ),
    st.sampled_from([",", ";", "\t", "|"]),
    st.sampled_from(["\n", "\r\n"]),
)
def test_whatever_stands_in_quotes(
    tmp_path_factory: pytest.TempPathFactory, rows: list[list[str]], delimiter: str, end: str
) -> None:
    """As the csv module of Python writes it, every field in quotes."""
    file = io.StringIO()
    csv.writer(file, delimiter=delimiter, lineterminator=end, quoting=csv.QUOTE_ALL).writerows([["a", "b"], *rows])
    path = tmp_path_factory.mktemp("t") / "t.csv"
    path.write_bytes(file.getvalue().encode())
    table = sources.read(path, Read(missing=(), types={"a": "text", "b": "text"})).table
    assert [list(row.values()) for row in table.to_pylist()] == rows


@given(
    st.lists(st.tuples(st.integers(), st.sampled_from(["x", "yy", "z z"])), min_size=1, max_size=9),
    st.sampled_from(",;\t|"),
)
def test_the_delimiter_is_found(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[int, str]], delimiter: str
) -> None:
    assume(all(abs(number) < 1 << 40 for number, _ in rows))
    path = tmp_path_factory.mktemp("t") / "t.csv"
    path.write_text("".join(f"{a}{delimiter}{b}\n" for a, b in [("number", "name"), *rows]))
    assert [tuple(row.values()) for row in sources.read(path).table.to_pylist()] == rows


def test_many_blocks_are_one_column(folder: Path) -> None:
    rows = [(f"{i % 7_001:05}", i % 100) for i in range(1_000_000)]
    text = "code,number\n" + "".join(f"{code},{number}\n" for code, number in rows)
    found = read(folder, text * 1)
    assert found == {"code": [code for code, _ in rows], "number": [number for _, number in rows]}
    assert not math.isnan(sum(found["number"]))
