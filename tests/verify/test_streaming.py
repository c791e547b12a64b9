"""The judges see what is wrong with a stream, batch by batch and as a whole."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import shoal
from shoal.engine.stream import publishing
from shoal.errors import Violation
from shoal.privacy.verdict import Verdict
from shoal.verify import streaming
from shoal.verify.recorded import Windows

WINDOW, ADVANCE, COUNT = 40, 20, 150
PLAN = shoal.Plan(
    shoal.Schema(
        quasi_identifying={"x": shoal.numeric(), "y": None},
        sensitive={"s": shoal.domain(bottom=1, top=4)},
        insensitive=["z"],
    ),
    [shoal.KAnonymity(3), shoal.TCloseness(0.4, "s")],
    person="row",
)
CHANCE = np.random.default_rng(1)
CAME = pa.table(
    {
        "x": CHANCE.integers(0, 60, COUNT),
        "y": CHANCE.choice(["a", "b"], COUNT),
        "s": CHANCE.integers(1, 5, COUNT),
        "z": np.arange(COUNT) // 10,  # tells rows apart by when they came
    }
)


def _recorded() -> pa.Table:
    stream = shoal.Stream(PLAN, window=WINDOW, advance=ADVANCE, seed=1)
    return pa.concat_tables([*stream.push(CAME), *stream.close()])


RECORDED = _recorded()


def _judged(rows: pa.Table, original: pa.Table | None = CAME) -> Verdict:
    return shoal.verify(rows, PLAN, original, window=WINDOW, advance=ADVANCE)


def _failed(verdict: Verdict) -> set[str]:
    return {finding.what for finding in verdict.findings if not finding.holds}


def _with(name: str, change: Callable[[Any], Any], rows: pa.Table = RECORDED) -> pa.Table:
    values = change(rows.column(name).to_numpy().copy())
    return rows.set_column(rows.column_names.index(name), name, pa.array(values))


def _at(place: int | slice, value: Any) -> Callable[[Any], Any]:
    def change(values: Any) -> Any:
        values[place] = value
        return values

    return change


def test_a_true_stream_holds() -> None:
    for rows in (RECORDED, RECORDED.to_pandas()):
        assert not _failed(_judged(rows))
    verdict = _judged(RECORDED, None)
    assert verdict.holds
    assert [note.about for note in verdict.notes] == ["t"]


EARLIEST, LATEST = "no record left before it came", "every record left before it expired"
COVERED = "every record is covered by rows that have its other values"
#: What somebody may have done to a recorded stream, and what a judge must find of it at least.
TAMPERED: dict[str, tuple[Callable[[], pa.Table], str]] = {
    "rows are missing": (lambda: RECORDED.slice(5), "records are left out at the end only"),
    "rows are there twice": (
        lambda: pa.concat_tables([RECORDED, RECORDED.slice(0, 9)]), "records are left out at the end only",
    ),
    "a sensitive value is another": (lambda: _with("s", _at(3, (RECORDED["s"][3].as_py() % 4) + 1)), COVERED),
    "a cell does not cover its record": (lambda: _with("x_min", lambda v: v + 1), COVERED),
    "all left later": (lambda: _with("batch", lambda v: np.minimum(v + 2, v.max())), LATEST),
    "all left earlier": (lambda: _with("batch", lambda v: np.maximum(v - 2, 1)), EARLIEST),
    "a window that there never was": (
        lambda: _with("window", _at(slice(0, 30), 99)), "every row names windows that there were",
    ),
    "rows in another order": (
        lambda: RECORDED.take(pa.array(np.random.default_rng(2).permutation(COUNT))),
        "the rows of each batch stand in the order of what they show",
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", TAMPERED)
def test_what_was_done_to_a_stream_is_seen(what: str) -> None:
    make, found = TAMPERED[what]
    assert found in _failed(_judged(make()))


def test_the_last_records_may_be_left_out_but_no_others() -> None:
    last = pa.array(RECORDED["batch"].to_numpy() < RECORDED["batch"].to_numpy().max())
    assert "records are left out at the end only" not in _failed(_judged(RECORDED.filter(last)))
    first = pa.array(RECORDED["batch"].to_numpy() > 2)
    assert "records are left out at the end only" in _failed(_judged(RECORDED.filter(first)))


def test_a_class_is_told_apart_by_batch_and_window() -> None:
    """Rows that look alike and left in different batches are not one class."""
    rows = pa.table({
        "batch": [1, 1, 2, 2], "window": [1, 1, 1, 2], "x_min": [1] * 4, "x_max": [9] * 4, "y": ["a"] * 4,
        "s": [1] * 4, "z": [1] * 4,
    })  # fmt: skip
    (finding,) = [finding for finding in _judged(rows, None).findings if finding.what == "k = 3"]
    assert (finding.reached, finding.below) == (1, 3)


def test_a_class_is_compared_with_the_window_that_it_names() -> None:
    """The same rows hold in windows like them, and not beside others."""
    x, y, z = [1] * 40, ["a"] * 40, [1] * 40
    came = pa.table({"x": x, "y": y, "s": [1] * 20 + [4] * 20, "z": z})
    rows = {"x_min": x, "x_max": x, "y": y, "s": [1] * 20 + [4] * 20, "z": z}
    apart = pa.table({"batch": [1] * 20 + [2] * 20, "window": [1] * 20 + [2] * 20, **rows})
    assert shoal.verify(apart, PLAN, came, window=20, advance=20).holds
    together = pa.table({"batch": [1] * 20 + [2] * 20, "window": [1] * 40, **rows})
    verdict = shoal.verify(together, PLAN, came, window=40, advance=20)
    assert _failed(verdict) == {"t = 0.4 (ordered) on s (against a window)"}
    (finding,) = [finding for finding in verdict.findings if not finding.holds]
    assert finding.reached == pytest.approx(0.5)  # half of the earth, over the whole domain


@pytest.mark.parametrize(("records", "last"), [(0, 0), (1, 1), (39, 1), (40, 2), (41, 2), (60, 3), (150, 7)])
def test_windows_are_numbered(records: int, last: int) -> None:
    windows = Windows(WINDOW, ADVANCE, records)
    assert windows.last == last
    if last:
        assert windows.span(last).stop == records


# -- before a batch leaves ------------------------------------------------------------------------------------------


def _spoiled(monkeypatch: pytest.MonkeyPatch, change: Callable[[streaming.Leaving], streaming.Leaving]) -> str:
    """What is said of a stream whose batches are spoiled before they are judged."""

    def judge(leaving: streaming.Leaving, *others: Any) -> Verdict:
        return streaming.judge(change(leaving), *others)

    class Judges:
        Leaving = streaming.Leaving

    Judges.judge = staticmethod(judge)  # type: ignore[attr-defined]
    monkeypatch.setattr(publishing, "streaming", Judges)
    with pytest.raises(Violation) as caught:
        _recorded()
    return str(caught.value)


def _changed(leaving: streaming.Leaving, name: str, change: Callable[[Any], Any]) -> streaming.Leaving:
    return replace(leaving, table=_with(name, change, leaving.table))


SPOILED: dict[str, tuple[Callable[[streaming.Leaving], streaming.Leaving], str]] = {
    "a record leaves twice": (
        lambda leaving: replace(leaving, link=np.append(leaving.link[:1], leaving.link[:-1])), "repeat a record",
    ),
    "a value is another": (lambda leaving: _changed(leaving, "s", lambda v: v % 4 + 1), "s in"),
    "a cell is too narrow": (lambda leaving: _changed(leaving, "x_max", lambda v: v - 1), "x in"),
    "a class is torn": (
        lambda leaving: _changed(leaving, "x_min", lambda v: v - np.arange(len(v))), "outsider: k = 3",
    ),
    "a window is another": (
        lambda leaving: replace(leaving, window=pa.table({"s": [4] * WINDOW})),
        "t = 0.4 (ordered) on s (against a window)",
    ),
    "rows stand as they came": (
        lambda leaving: replace(
            leaving, table=leaving.table.take(pa.array(np.argsort(leaving.link))), link=np.sort(leaving.link)
        ),
        "the order of the original is not kept",
    ),
    "a name is published": (
        lambda leaving: replace(leaving, table=leaving.table.append_column("name", leaving.table.column("y"))),
        "every published column has a role",
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", SPOILED)
def test_a_batch_that_is_not_right_never_leaves(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    change, said = SPOILED[what]
    assert said in _spoiled(monkeypatch, change)
