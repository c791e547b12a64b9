"""A stream, whatever comes, however it is cut into batches: every record once, in time, in classes that keep all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import shoal
from shoal.errors import DataError, PlanError, Unsupported
from shoal.plan.methods import METHODS, Method
from shoal.privacy.requirements import Requirement
from tests.engine.stream_oracle import ROW, Asked, equal, faults, ordered, two_levels

DOMAIN = (1, 2, 3, 5, 8)
GROUPS = {"flu": "lungs", "cold": "lungs", "ulcer": "belly", "gout": "rest"}
SCHEMA = pa.schema([(ROW, pa.int64()), ("x", pa.int64()), ("y", pa.string()), ("s", pa.int64())])

#: The sensitive column in three ways: how the plan speaks of it, how it is measured, and what it may hold.
WAYS: dict[str, tuple[Any, str | None, Any, tuple[Any, ...]]] = {
    "ordered": (shoal.domain(DOMAIN), None, ordered(DOMAIN), DOMAIN),
    "equal": (None, "equal", equal, tuple(GROUPS)),
    "hierarchical": (
        {"lungs": ["flu", "cold"], "belly": ["ulcer"], "rest": ["gout"]},
        "hierarchical",
        two_levels(GROUPS),
        tuple(GROUPS),
    ),
    "a list": (shoal.domain(list(GROUPS)), "ordered", None, tuple(GROUPS)),
}


def _plan(way: str, k: int, t: float | None, method: Method | None = None) -> shoal.Plan:
    how, distance, _, _ = WAYS[way]
    require: list[Requirement] = [shoal.KAnonymity(k)]
    if t is not None:
        require.append(shoal.TCloseness(t, "s", distance))  # type: ignore[arg-type]
    schema = shoal.Schema(quasi_identifying=["x", "y"], sensitive={"s": how}, insensitive=[ROW])
    return shoal.Plan(schema, require, method or shoal.Mondrian(), person="row", allow_unique=[ROW])


def _able() -> list[type[Method]]:
    return [kind for kind in METHODS.values() if {"k", "t"} <= kind.card.promises and "generalized" in kind.card.forms]


def _asked(way: str, window: int, advance: int, k: int, t: float) -> Asked:
    distance = WAYS[way][2] or ordered(WAYS[way][3])
    return Asked(window, advance, k, t, distance)


@st.composite
def records(draw: st.DrawFn, values: Sequence[Any]) -> list[dict[str, Any]]:
    """Records whose sensitive value may drift from one end of its domain to the other, and back."""
    count, seed = draw(st.integers(0, 120)), draw(st.integers(0, 2**32 - 1))
    drift, missing = draw(st.booleans()), draw(st.booleans())
    chance = np.random.default_rng(seed)
    found = []
    for row in range(count):
        middle = abs(2 * ((2 * row / count) % 1) - 1) * len(values) if drift else len(values) / 2
        place = int(np.clip(chance.normal(middle, 1.0 if drift else len(values)), 0, len(values) - 1))
        gone = missing and chance.random() < 0.1
        x = None if missing and chance.random() < 0.1 else int(chance.integers(0, 30))
        found.append({ROW: row, "x": x, "y": str(chance.choice(["a", "b", "c"])), "s": None if gone else values[place]})
    return found


def _table(rows: list[dict[str, Any]]) -> pa.Table:
    kind = pa.int64() if any(isinstance(row["s"], int) for row in rows) else pa.string()
    return pa.Table.from_pylist(rows, schema=SCHEMA.set(3, pa.field("s", kind)))


def _published(stream: shoal.Stream, table: pa.Table, sizes: Iterator[int]) -> list[dict[str, Any]]:
    rows, at = [], 0
    while at < table.num_rows:
        size = next(sizes)
        rows += [row for batch in stream.push(table.slice(at, size)) for row in batch.to_pylist()]
        at += size
    return rows + [row for batch in stream.close() for row in batch.to_pylist()]


@pytest.mark.parametrize("method", _able(), ids=lambda kind: kind.card.name)
def test_every_record_leaves_once_in_time_and_protected(method: type[Method]) -> None:
    @settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.data())
    def holds(data: st.DataObject) -> None:
        way = data.draw(st.sampled_from(list(WAYS)))
        rows = data.draw(records(WAYS[way][3]))
        advance = data.draw(st.integers(1, 15))
        k, t = data.draw(st.integers(2, 5)), data.draw(st.sampled_from([0.1, 0.2, 0.4]))
        window = advance * data.draw(st.integers(-(-k // advance), 8))
        seed, sizes = data.draw(st.integers(0, 99)), data.draw(st.lists(st.integers(1, 60), min_size=1, max_size=5))
        found = []
        for cut in ([len(rows) or 1], [1], sizes):
            stream = shoal.Stream(_plan(way, k, t, method()), window=window, advance=advance, seed=seed)
            found.append(_published(stream, _table(rows), iter(cut * (len(rows) + 1))))
            assert stream.records == len(rows)
            assert stream.published == len(found[-1])
            assert stream.published + stream.suppressed == len(rows)
        assert found[0] == found[1] == found[2], "the size of the batches shows"
        wrong = faults(found[0], rows, _asked(way, window, advance, k, t))
        assert not wrong, wrong

    holds()


def _drifting(seed: int, count: int) -> list[dict[str, Any]]:
    """The sensitive value climbs, three times over, so that what is left of a window may be unlike it."""
    chance = np.random.default_rng(seed)
    found = []
    for row in range(count):
        x, place = int(chance.integers(0, 20)), int(np.clip(chance.normal(5 * (row * 3 / count % 1), 1), 0, 4))
        found.append({ROW: row, "x": x, "y": "a", "s": DOMAIN[place]})
    return found


@pytest.mark.parametrize(("seed", "advance", "window", "k", "t"), [(7, 5, 20, 3, 0.1), (46, 4, 20, 2, 0.1)])
def test_what_is_left_of_the_last_grouping_leaves_where_a_window_has_changed(
    seed: int, advance: int, window: int, k: int, t: float
) -> None:
    found = []
    for further in range(20):
        rows = _drifting(seed + further, 6 * window)
        stream = shoal.Stream(_plan("ordered", k, t), window=window, advance=advance, seed=1)
        found += (rows := _published(stream, _table(came := rows), iter([6 * window])))
        assert not faults(rows, came, _asked("ordered", window, advance, k, t))
        assert stream.suppressed == 6 * window - len(rows)
    assert any(row["window"] < row["batch"] for row in found), "INDIRECT was not needed"


def test_few_who_are_left_wait_for_no_more_than_their_class() -> None:
    """Fewer than k unpublished records are never grouped by themselves."""
    rows = [{ROW: row, "x": row % 7, "y": "a", "s": DOMAIN[row % 5]} for row in range(200)]
    for advance in (1, 2, 3):
        stream = shoal.Stream(_plan("ordered", 5, None), window=6 * advance, advance=advance, seed=3)
        found = _published(stream, _table(rows), iter([7] * 200))
        assert not faults(found, rows, _asked("ordered", 6 * advance, advance, 5, 1.0))


def test_a_window_is_decided_when_it_is_full() -> None:
    rows = _table([{ROW: row, "x": row, "y": "a", "s": DOMAIN[row % 5]} for row in range(40)])
    stream = shoal.Stream(_plan("ordered", 2, None), window=20, advance=5)
    assert stream.push(rows.slice(0, 19)) == []
    (first,) = stream.push(rows.slice(19, 1))
    assert set(range(5)) <= set(first.column(ROW).to_pylist())
    assert set(first.column("batch").to_pylist()) == {1}
    assert stream.push(rows.slice(20, 4)) == []


def test_windows_that_do_not_overlap_publish_all_of_each() -> None:
    rows = _table([{ROW: row, "x": row, "y": "a", "s": DOMAIN[row % 5]} for row in range(40)])
    batches = shoal.Stream(_plan("ordered", 2, 0.4), window=20, advance=20).push(rows)
    assert [batch.num_rows for batch in batches] == [20, 20]


@pytest.mark.parametrize("count", [0, 1, 2, 19, 20, 21])
def test_the_end_of_short_streams(count: int) -> None:
    rows = [{ROW: row, "x": row, "y": "a", "s": DOMAIN[row % 5]} for row in range(count)]
    stream = shoal.Stream(_plan("ordered", 3, 0.4), window=20, advance=5)
    found = _published(stream, _table(rows), iter([20] * 3))
    assert not faults(found, rows, _asked("ordered", 20, 5, 3, 0.4))
    assert stream.suppressed == (count if count < 3 else 0)
    assert stream.close() == []
    with pytest.raises(Unsupported, match="closed"):
        stream.push(_table(rows))


def test_rows_stand_in_the_order_of_what_they_show() -> None:
    rows = _table([{ROW: (row * 37) % 100, "x": row, "y": "a", "s": DOMAIN[row % 5]} for row in range(100)])
    for batch in shoal.Stream(_plan("ordered", 4, 0.5), window=50, advance=10).push(rows):
        shown = [tuple(row[name] for name in ("x_min", "x_max", "y", ROW, "s")) for row in batch.to_pylist()]
        assert shown == sorted(shown)


def test_batches_have_the_same_columns_and_the_kind_that_came_in() -> None:
    pandas = pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    rows = [{ROW: row, "x": row * 1000 ** (row // 60), "y": "a", "s": DOMAIN[row % 5]} for row in range(120)]
    stream = shoal.Stream(_plan("ordered", 2, None), window=20, advance=20)
    schemas = {batch.schema for batch in stream.push(_table(rows))}
    assert len(schemas) == 1
    for library, kind in ((pandas, pandas.DataFrame), (polars, polars.DataFrame)):
        stream = shoal.Stream(_plan("ordered", 2, None), window=20, advance=20)
        frame = polars.from_arrow(_table(rows)) if library is polars else _table(rows).to_pandas()
        assert all(isinstance(batch, kind) for batch in [*stream.push(frame), *stream.close()])


# -- what a stream cannot promise -----------------------------------------------------------------------------------


def test_mistakes_are_told_together() -> None:
    schema = shoal.Schema(
        quasi_identifying={"x": shoal.intervals(), "window": None}, sensitive=["s", "z"], insensitive=[ROW]
    )
    plan = shoal.Plan(schema, [shoal.LDiversity(2, "z"), shoal.TCloseness(0.2, "s")], form=shoal.Anatomy())
    with pytest.raises(PlanError) as caught:
        shoal.Stream(plan, window=7, advance=2)
    keys = [problem.key for problem in caught.value.problems]
    assert keys == ["window", "columns.x", "columns.window", "require.l", "columns.s", "publish.form"]


@pytest.mark.parametrize(("window", "advance"), [(0, 1), (4, 0), (3, 2), (True, 1), (2.0, 1), (4, "1"), (4, 4)])
def test_windows_that_cannot_be(window: Any, advance: Any) -> None:
    with pytest.raises(PlanError):
        shoal.Stream(_plan("ordered", 5, None), window=window, advance=advance)


def test_what_can_only_be_seen_in_many_records() -> None:
    schema = shoal.Schema(identifying=["n"], quasi_identifying=["x"], insensitive=["m"])
    plan = shoal.Plan(schema, [shoal.KAnonymity(2)], person="row")
    names = [f"name {row}" for row in range(30)]
    with pytest.raises(DataError, match="repeat an identifying one"):
        shoal.Stream(plan, window=20, advance=5).push(pa.table({"n": names, "x": range(30), "m": names}))
    other = [f"other {row}" for row in range(30)]
    with pytest.raises(DataError, match="is unique for"):
        shoal.Stream(plan, window=20, advance=5).push(pa.table({"n": names, "x": range(30), "m": other}))
