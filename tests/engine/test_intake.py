"""What is taken and what is refused, whatever the kind of the input and however it is cut."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.engine.stream.flow import Flow, Refused
from shoal.engine.stream.intake import Refusal
from shoal.engine.stream.lines import Block, parser
from shoal.errors import DataError

PLAN = shoal.Plan(
    shoal.Schema(
        quasi_identifying={"age": shoal.numeric(top=90), "zip": None, "job": {"any": ["smith", "baker"]}},
        sensitive={"s": shoal.domain(bottom=1, top=5)},
    ),
    [shoal.KAnonymity(2)],
    person="row",
)
GOOD = [
    {"age": 31, "zip": "01067", "job": "smith", "s": 1},
    {"age": 44, "zip": "99084", "job": "baker", "s": 5},
    {"age": None, "zip": None, "job": None, "s": None},
]


def _lines(rows: list[Any], form: str) -> bytes:
    if form == "jsonl":
        return b"".join((row if isinstance(row, str) else json.dumps(row)).encode() + b"\n" for row in rows)
    written = [
        row if isinstance(row, str) else ",".join("" if v is None else str(v) for v in row.values()) for row in rows
    ]
    return b"".join(line.encode() + b"\n" for line in written)


def _fed(rows: list[Any], form: str, cuts: list[int], window: int = 6) -> tuple[list[dict[str, Any]], list[Refusal]]:
    """What windows of ``window`` records publish of these lines, fed so many at a time; and what was refused."""
    aside: list[Refusal] = []
    flow = Flow(PLAN, window, window, aside=aside.append, seed=1)
    reader = parser(form, PLAN)  # type: ignore[arg-type]
    if reader.has_header:
        reader.begin(b"age,zip,job,s")
    found, at, cut = [], 0, 0
    while at < len(rows):
        size = cuts[cut % len(cuts)]
        block = Block(_lines(rows[at : at + size], form), at + 1)
        found += list(flow.feed(reader.parse(block)))
        at, cut = at + size, cut + 1
    found += list(flow.finish())
    return [row for batch in found if batch.table is not None for row in batch.table.to_pylist()], aside


BAD = {
    "csv": [
        "x,y", "", "31,01067,smith", '31,01067,"smith,1', "31,01067,sailor,1", "old,01067,smith,1", "31,01067,smith,6",
    ],
    "jsonl": [
        "{", "[1]", '{"age": 31, "name": "x"}', '{"age": {"a": 1}}', '{"job": "sailor"}', '{"age": "old"}',
        '{"s": 2.5}',
    ],
}  # fmt: skip


@pytest.mark.parametrize("form", ["csv", "jsonl"])
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_the_size_of_blocks_changes_nothing(form: str, data: st.DataObject) -> None:
    rows = data.draw(st.lists(st.sampled_from([*range(3), *BAD[form]]), max_size=40))
    rows = [GOOD[row] if isinstance(row, int) else row for row in rows]
    cuts = data.draw(st.lists(st.integers(1, 15), min_size=1, max_size=4))
    whole, refused = _fed(rows, form, [max(len(rows), 1)])
    parts, also = _fed(rows, form, cuts)
    assert parts == whole
    assert [(one.place, one.why) for one in also] == [(one.place, one.why) for one in refused]
    assert len(refused) == sum(isinstance(row, str) and row != "" for row in rows)


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_why_a_line_is_refused(form: str) -> None:
    _, refused = _fed([GOOD[0], *BAD[form]], form, [100])
    said = {one.raw: one.why for one in refused}
    if form == "csv":
        assert said["31,01067,smith"] == "3 fields, expected 4"
        assert "quotes" in said['31,01067,"smith,1']
        assert said["31,01067,sailor,1"] == "job: not in its hierarchy"
        assert said["old,01067,smith,1"] == "age: expected number"
        assert said["31,01067,smith,6"] == "s: not in its domain"
    else:
        assert said["{"] == said["[1]"] == said['{"age": {"a": 1}}'] == "no object of plain values"
        assert "the plan does not know" in said['{"age": 31, "name": "x"}']
        assert said['{"s": 2.5}'] == "s: expected integer"


def test_codes_stay_as_they_are_written() -> None:
    """A leading zero makes text of a column, and so does JSON that says so."""
    for form in ("csv", "jsonl"):
        rows, _ = _fed(GOOD * 4, form, [12])
        assert {row["zip"] for row in rows} <= {None, "01067", "99084", "{01067, 99084}", "{01067, 99084, null}"}
    rows, _ = _fed([{**row, "zip": "11111"} for row in GOOD[:2]] * 6, "jsonl", [5])
    assert {row["zip"] for row in rows} == {"11111"}


def test_the_first_window_decides_on_types_for_good() -> None:
    rows = [{**GOOD[0], "zip": 7}] * 6 + [{**GOOD[0], "zip": "0815"}, {**GOOD[0], "zip": 8}, {**GOOD[0], "zip": 9}]
    found, refused = _fed(rows, "csv", [2])
    assert [one.why for one in refused] == ["zip: expected integer"]
    assert {row["zip_max"] for row in found} == {7, 9}


def test_a_table_of_other_types_is_refused_row_by_row() -> None:
    stream = shoal.Stream(PLAN, window=4, advance=4)
    first = pa.Table.from_pylist([{**GOOD[0], "zip": 1067}] * 4)
    assert len(stream.push(first)) == 1
    with pytest.raises(DataError, match=r"record 1 of this batch cannot be taken .zip: expected int64"):
        stream.push(pa.Table.from_pylist(GOOD))
    with pytest.raises(DataError, match="record 2 of"):
        stream.push(pa.Table.from_pylist([{**GOOD[0], "zip": 1.0}, {**GOOD[0], "zip": 1.5}]))
    assert stream.records == 5
    assert stream.push(pa.Table.from_pylist([{**GOOD[0], "zip": None}] * 2)) == []
    with pytest.raises(DataError, match="have no role"):
        stream.push(first.append_column("more", pa.array([1] * 4)))
    with pytest.raises(DataError, match="not in the table"):
        stream.push(first.drop_columns("age"))
    assert [batch.num_rows for batch in stream.close()] == [3]


def test_numbers_with_a_hierarchy_are_its_words() -> None:
    """In a table, as in lines, a value is looked up in a hierarchy as it is written."""
    schema = shoal.Schema(quasi_identifying={"x": {"low": [1, 2], "high": [3]}}, sensitive={"s": {"a": [1], "b": [2]}})
    plan = shoal.Plan(schema, [shoal.KAnonymity(2), shoal.TCloseness(0.9, "s", "hierarchical")], person="row")
    stream = shoal.Stream(plan, window=4, advance=4)
    (batch,) = stream.push(pa.table({"x": [1, 2, 3, None], "s": [1, 2, 1, 2]}))
    assert set(batch.column("s").to_pylist()) == {"1", "2"}
    with pytest.raises(DataError, match="x: not in its hierarchy"):
        stream.push(pa.table({"x": [4], "s": [1]}))


def test_nothing_that_is_held_shows_its_records() -> None:
    from shoal.engine.stream.stream import incoming

    flow = Flow(PLAN, 4, 4, aside=lambda refusal: None)
    came = incoming(pa.Table.from_pylist([{**GOOD[0], "zip": "a-secret"}] * 4))
    checked = flow.intake.check(came)
    (batch,) = list(flow.feed(came))
    refusal = Refusal(0, 1, "why", {"zip": "a-secret"})
    for held in (came, checked, batch, refusal, flow.windows.grouping, Block(b"a-secret\n", 1)):
        assert "secret" not in repr(held)


def test_what_was_due_before_a_bad_record_is_not_lost() -> None:
    stream = shoal.Stream(PLAN, window=4, advance=4)
    rows = [GOOD[0]] * 6 + [{**GOOD[0], "s": 9}] + [GOOD[1]] * 2
    with pytest.raises(DataError, match="record 7 of this batch") as caught:
        stream.push(pa.Table.from_pylist(rows))
    assert caught.value.details["record"]["s"] == 9
    assert "9" not in caught.value.message
    batches = stream.push(pa.Table.from_pylist(rows[7:]))
    assert [batch.num_rows for batch in batches] == [4, 4]


def test_dead_letters_are_their_owners_alone(tmp_path: Path) -> None:
    path = tmp_path / "dead.jsonl"
    path.touch(0o644)
    stream = shoal.Stream(PLAN, window=4, advance=4, dead_letters=path)
    stream.push(pa.Table.from_pylist([GOOD[0], {**GOOD[0], "s": 9}, {**GOOD[0], "job": "sailor"}]))
    assert stream.records == 1
    assert stream.refused == 2
    stream.close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    letters = [json.loads(line) for line in path.read_text().splitlines()]
    assert [letter["place"] for letter in letters] == [2, 3]
    assert [letter["why"] for letter in letters] == ["s: not in its domain", "job: not in its hierarchy"]
    assert letters[1]["record"]["job"] == "sailor"


# -- people ---------------------------------------------------------------------------------------------------------


def _visits(names: list[str | None], person: str | None) -> tuple[list[str | None], list[int]]:
    """Who is taken of these, and which records are refused, where a window of 6 advances by 2."""
    schema = shoal.Schema(identifying=["name", "ward"], quasi_identifying=["x"])
    plan = shoal.Plan(schema, [shoal.KAnonymity(2)], person=person)
    aside: list[Refusal] = []
    flow = Flow(plan, 6, 2, aside=aside.append)
    table = pa.table({"name": names, "ward": [f"ward {row}" for row in range(len(names))], "x": range(len(names))})
    from shoal.engine.stream.stream import incoming

    batches = [*flow.feed(incoming(table)), *flow.finish()]
    published = sum(batch.table.num_rows for batch in batches if batch.table is not None)
    assert published + flow.windows.suppressed == flow.intake.taken
    refused = [one.place - 1 for one in aside]
    return [name for row, name in enumerate(names) if row not in refused], refused


@pytest.mark.parametrize("person", ["name", None])
def test_a_person_has_one_record_in_a_window(person: str | None) -> None:
    """Rows are counted as people, so the second of a person is refused until the first has expired."""
    names: list[str | None] = ["a", "b", "a", "c", "d", "e", "f", "a", "g", "a", None, None]
    taken, refused = _visits(names, person)
    assert refused == [2, 9, 11]  # with "f" the first window advances, and its first two may come again; with "g"
    assert taken.count("a") == 2
    _, none = _visits(names, "row")
    assert none == []


@settings(max_examples=50, deadline=None)
@given(st.lists(st.sampled_from("abcdefgh"), max_size=30))
def test_no_window_has_two_records_of_a_person(names: list[str]) -> None:
    taken, refused = _visits(list(names), "name")
    for first in range(0, len(taken), 2):
        window = taken[first : first + 6]
        assert len(set(window)) == len(window)
    assert len(taken) + len(refused) == len(names)


def test_a_record_that_is_refused_stops_a_flow_without_a_place_for_it() -> None:
    flow = Flow(PLAN, 4, 4)
    from shoal.engine.stream.stream import incoming

    with pytest.raises(Refused):
        list(flow.feed(incoming(pa.Table.from_pylist([{**GOOD[0], "s": 9}]))))
    assert flow.intake.taken == 0
