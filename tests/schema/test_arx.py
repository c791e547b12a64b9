"""Hierarchy files: what can be read, what comes back, and what the linter says of each fault."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import DataError
from shoal.schema import arx
from shoal.schema.arx import Fault
from shoal.schema.hierarchy import Hierarchy

SAMPLE = Path(arx.__file__).parent.parent / "sample" / "hierarchies"
DATA = os.environ.get("SHOAL_DATA")
REAL = sorted(Path(DATA).rglob("*hierarch*.csv")) if DATA else []
UNNAMED = pytest.mark.skip(reason="SHOAL_DATA names no folder with real hierarchy files")

WORK = [["Federal", "Government", "*"], ["State", "Government", "*"], ["Inc", "Private", "*"]]


def text_of(rows: list[list[str]], delimiter: str = ";", end: str = "\n") -> str:
    return "".join(delimiter.join(row) + end for row in rows)


def saved(folder: Path, content: str | bytes) -> Path:
    path = folder / "hierarchy.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("delimiter", [";", ",", "\t", "|"])
def test_delimiters_and_line_ends_are_found(tmp_path: Path, delimiter: str, end: str) -> None:
    assert arx.read(saved(tmp_path, text_of(WORK, delimiter, end))).rows() == WORK


@pytest.mark.parametrize("delimiter", [";", ","])
def test_other_delimiters_in_labels_do_not_mislead(tmp_path: Path, delimiter: str) -> None:
    other = {";": ",", ",": ";"}[delimiter]
    rows = [[f"{age}", f"[{age}{other} {age + 5}[", f"[0{other} 40[", "*"] for age in (20, 25, 30)]
    assert arx.read(saved(tmp_path, text_of(rows, delimiter))).rows() == rows


@pytest.mark.parametrize("root", ["any, all", "any,*", "any|*", "any;*"])
def test_other_delimiters_in_a_root_that_was_written_do_not_mislead(tmp_path: Path, root: str) -> None:
    tree = Hierarchy.from_nested({root: ["a", "b"]})
    arx.write(tree, tmp_path / "hierarchy.csv")
    assert arx.read(tmp_path / "hierarchy.csv").rows() == tree.rows()


def test_a_delimiter_that_is_given_is_not_sought(tmp_path: Path) -> None:
    path = saved(tmp_path, "Smith, J\nMiller, K\n")
    assert arx.read(path, delimiter=";").leaves == ("Smith, J", "Miller, K")


@pytest.mark.parametrize(
    "content",
    [
        pytest.param("é;Ö;*\n".encode(), id="UTF-8"),
        pytest.param(b"\xef\xbb\xbf" + "é;Ö;*\n".encode(), id="UTF-8 with a byte order mark"),
        pytest.param("é;Ö;*\n".encode("utf-16"), id="UTF-16 with a byte order mark"),
        pytest.param("é;Ö;*\n".encode("cp1252"), id="cp1252"),
    ],
)
def test_encodings_are_found(tmp_path: Path, content: bytes) -> None:
    assert arx.read(saved(tmp_path, content)).rows() == [["é", "Ö", "*"]]


def test_bytes_of_no_encoding_are_read_as_latin_1(tmp_path: Path) -> None:
    assert arx.read(saved(tmp_path, b"\xe9\x81;*\n")).leaves == ("é\x81",)


def test_an_encoding_that_is_given_is_used(tmp_path: Path) -> None:
    path = saved(tmp_path, "ł;*\n".encode("cp1250"))
    assert arx.read(path, encoding="cp1250").leaves == ("ł",)


def test_quotes_blank_lines_and_padding(tmp_path: Path) -> None:
    path = saved(tmp_path, '"a;1";"say ""X""";*;\n\n;;;\n"b\nc";*;;\n')
    assert arx.read(path).rows() == [["a;1", 'say "X"', "*"], ["b\nc", "*"]]


LABELS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=4)


@given(rows=st.dictionaries(LABELS, st.lists(LABELS, max_size=3), min_size=1, max_size=6))
def test_what_is_written_is_read(tmp_path_factory: pytest.TempPathFactory, rows: dict[str, list[str]]) -> None:
    tree = Hierarchy.from_rows([[leaf, *path] for leaf, path in rows.items()])
    path = tmp_path_factory.mktemp("written") / "hierarchy.csv"
    arx.write(tree, path)
    assert arx.read(path).rows() == tree.rows()


def test_files_are_written_as_arx_writes_them(tmp_path: Path) -> None:
    path = tmp_path / "hierarchy.csv"
    arx.write(Hierarchy.from_rows([["a;b", "é", "*"], ["c", 'd"', "*"]]), path)
    assert path.read_bytes() == '"a;b";é;*\nc;"d""";*\n'.encode()


@pytest.mark.parametrize(
    ("content", "options", "says"),
    [
        (b"", {}, "there are no rows"),
        (b"secret;A;*\nsecret;B;*\n", {}, "values with rows that differ: 1"),
        (b"secret;;*\n", {}, "rows with an empty field between others: 1"),
        (b'a;*\n"secret;*\nb;*\n', {}, "is not CSV"),
        (b'a;*\n"secret"s;*\n', {}, "line 2 is not CSV"),
        (b"secret;*\n", {"delimiter": ";;"}, "the delimiter must be a single character"),
        (b"secret;*\n", {"encoding": "no such"}, "the encoding asked for is not known"),
        (b"secret\xff;*\n", {"encoding": "utf-8"}, "not in the encoding asked for"),
    ],
)
def test_what_cannot_be_read_is_one_error_without_values(
    tmp_path: Path, content: bytes, options: dict[str, str], says: str
) -> None:
    with pytest.raises(DataError) as caught:
        arx.read(saved(tmp_path, content), column="age", **options)
    assert str(caught.value).startswith("the hierarchy of age: ")
    assert says in str(caught.value)
    assert "secret" not in str(caught.value)
    assert caught.value.__suppress_context__


@pytest.mark.parametrize("call", [arx.read, arx.lint])
def test_a_file_that_is_not_there(tmp_path: Path, call: object) -> None:
    assert callable(call)
    with pytest.raises(DataError, match=r"the hierarchy gone\.csv: the file cannot be opened: No such file"):
        call(tmp_path / "gone.csv")


def found(rows: list[list[str]], values: list[str] | None = None) -> dict[str, Fault]:
    return {fault.kind: fault for fault in arx.lint(rows, values)}


def test_nothing_is_said_of_a_sound_hierarchy() -> None:
    assert arx.lint(WORK, ["Inc", "State", "Federal"]) == []


@pytest.mark.parametrize(
    ("rows", "kind", "count", "level", "shown"),
    [
        pytest.param([], "no rows", 1, "error", None, id="no rows"),
        pytest.param([*WORK, WORK[0], WORK[0]], "repeated rows", 2, "warning", ["Federal"], id="repeated"),
        pytest.param([*WORK, ["Inc", "*"]], "different paths", 1, "error", ["Inc"], id="two paths"),
        pytest.param([*WORK, ["Own", "", "*"]], "empty labels", 1, "error", ["Own"], id="a hole"),
        pytest.param([*WORK, ["", "Private", "*"]], "empty value", 1, "warning", None, id="no value"),
        pytest.param([*WORK, ["Own", "*"]], "uneven rows", 1, "warning", ["Own"], id="uneven"),
        pytest.param([*WORK, ["x", "x", "x"]], "several tops", 2, "warning", ["x", "*"], id="a stray top"),
        pytest.param([["a", "A"], ["b", "B"]], "several tops", 2, "warning", ["B", "A"], id="no root"),
        pytest.param([["a"], ["b"]], "no levels", 1, "warning", None, id="values only"),
        pytest.param([["a", "Any"], ["b", "Any"]], "root label", 1, "note", ["Any"], id="another root"),
        pytest.param(
            [["a", "Other", "X", "*"], ["b", "Other", "Y", "*"], ["c", "Y", "Y", "*"]],
            "two parents",
            1,
            "warning",
            ["Other"],
            id="not nested",
        ),
        pytest.param(
            [["a", "A", "X", "*"], ["b", "A", "X", "*"], ["c", "C", "Z", "*"], ["d", "C", "Z", "*"]],
            "idle levels",
            1,
            "warning",
            None,
            id="a level that generalizes nothing",
        ),
    ],
)
def test_each_fault_is_counted(
    rows: list[list[str]], kind: str, count: int, level: str, shown: list[str] | None
) -> None:
    fault = found(rows)[kind]
    assert (fault.count, fault.level) == (count, level)
    assert fault.details.get("values") == shown


def test_values_are_compared_with_the_table() -> None:
    faults = found(WORK, ["Federal", "state", " Inc", "Never", "Never"])
    assert set(faults) == {"missing values", "other spelling", "unused values"}
    assert faults["missing values"].count == 3
    assert faults["missing values"].level == "error"
    assert faults["missing values"].details == {"values": ["state", " Inc", "Never"]}
    assert faults["other spelling"].count == 2
    assert "2; 1 differ by blanks only" in faults["other spelling"].says
    assert faults["other spelling"].details == {"meant": {"state": "State", " Inc": "Inc"}}
    assert (faults["unused values"].count, faults["unused values"].level) == (2, "note")


def test_errors_come_first_and_everything_is_found_at_once(tmp_path: Path) -> None:
    path = saved(tmp_path, "a;A;*\r\na;B;*\r\nb;;*\r\nb;;*\r\nc;*\r\nd;D;All\r\n")
    faults = arx.lint(path, ["c", "z"])
    assert [(fault.level, fault.kind) for fault in faults] == [
        ("error", "different paths"),
        ("error", "empty labels"),
        ("error", "missing values"),
        ("warning", "repeated rows"),
        ("warning", "uneven rows"),
        ("warning", "several tops"),
        ("note", "unused values"),
    ]


def test_faults_say_no_values_and_show_ten() -> None:
    rows = [[f"secret{i}", "", "secret*"] for i in range(40)] + [["secret1", "secret", "*"]] * 2
    faults = arx.lint(rows, [f"Secret{i}" for i in range(50)])
    assert len(faults) >= 6
    for fault in faults:
        assert "secret" not in (fault.says + repr(fault)).casefold()
        assert all(len(values) <= 10 for values in fault.details.values())


@given(st.lists(st.lists(st.sampled_from(["", "a", "b", "c", "*"]), max_size=4), max_size=8))
def test_what_has_no_error_loads_and_what_has_one_does_not(rows: list[list[str]]) -> None:
    errors = {fault.kind for fault in arx.lint(rows) if fault.level == "error"}
    if errors:
        with pytest.raises(DataError):
            Hierarchy.from_rows(rows)
    else:
        Hierarchy.from_rows(rows)


@pytest.mark.parametrize("path", sorted(SAMPLE.glob("*.csv")), ids=lambda path: path.stem)
def test_the_sample_is_sound(path: Path) -> None:
    assert [fault for fault in arx.lint(path) if fault.level != "note"] == []


@pytest.mark.parametrize("path", REAL or [pytest.param(Path("none"), marks=UNNAMED)], ids=lambda path: path.stem)
def test_real_files_load_and_come_back(path: Path, tmp_path: Path) -> None:
    tree = arx.read(path)
    lines = {line for line in path.read_text().splitlines() if line}
    assert set(tree.leaves) == {line.split(";")[0] for line in lines}
    assert len(tree.leaves) == len(lines)
    assert not [fault for fault in arx.lint(path, tree.leaves) if fault.level == "error"]
    arx.write(tree, tmp_path / path.name)
    if len({line.split(";")[-1] for line in lines}) == 1:
        assert set((tmp_path / path.name).read_text().splitlines()) == lines
    assert arx.read(tmp_path / path.name).rows() == tree.rows()


@pytest.mark.slow
def test_a_million_values_are_read(tmp_path: Path) -> None:
    rows = [[f"{code:06}", f"{code // 10:05}*", f"{code // 1000:03}***", "*"] for code in range(1_000_000)]
    tree = arx.read(saved(tmp_path, text_of(rows)))
    assert len(tree.leaves) == 1_000_000
    assert tree.height[0] == 3
