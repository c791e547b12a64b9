"""A stream from end to end: lines in, batches out, and a slow reader who slows the writer."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa
import pytest

import shoal
from shoal.engine.stream import rendering
from shoal.engine.stream.ends import Folder, Lines, StandardOutput
from shoal.engine.stream.lines import Format, parser
from shoal.engine.stream.service import Service, where
from shoal.errors import DataError, PlanError, Violation
from tests.engine.stream_oracle import Asked, faults, ordered
from tests.engine.victim import plan

ASKED = Asked(60, 20, 3, 0.3, ordered(range(1, 6)))


def _records(count: int) -> list[dict[str, Any]]:
    chance = np.random.default_rng(11)
    return [
        {"row": row, "x": int(chance.integers(0, 50)), "y": str(chance.choice(["a", "b"])), "s": 1 + row % 5}
        for row in range(count)
    ]


def _written(records: Sequence[dict[str, Any]], form: Format) -> bytes:
    if form == "jsonl":
        return b"".join(msgspec.json.encode(record) + b"\n" for record in records)
    lines = ["row,x,y,s", *(",".join(map(str, record.values())) for record in records)]
    return ("\n".join(lines) + "\n").encode()


def _read(data: bytes, form: Format) -> list[dict[str, Any]]:
    if form == "jsonl":
        return [json.loads(line) for line in data.splitlines()]
    return [
        {name: value if name in ("y", "x_missing") else int(value) for name, value in row.items()}
        for row in csv.DictReader(io.StringIO(data.decode()))
    ]


def _service(form: Format = "csv", **options: Any) -> Service:
    return Service(plan(), window=ASKED.window, advance=ASKED.advance, form=form, **options)


def _emitted(source: Path, form: Format, tmp_path: Path, service: Service, after: int = 0) -> bytes:
    out = tmp_path / "out"
    file = os.open(out, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    try:
        service.run(Lines.of(source, parser(form, plan())), StandardOutput(file), after=after)
    finally:
        os.close(file)
    return out.read_bytes()


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_lines_in_lines_out(form: Format, tmp_path: Path) -> None:
    records = _records(250)
    source = tmp_path / f"in.{form}"
    source.write_bytes(_written(records, form))
    rows = _read(_emitted(source, form, tmp_path, _service(form)), form)
    assert len(rows) == 250
    assert not faults(rows, records, ASKED)
    verdict = shoal.verify(
        pa.Table.from_pylist(rows), plan(), pa.Table.from_pylist(records), window=ASKED.window, advance=ASKED.advance
    )
    assert verdict.holds, verdict.as_dict()


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_a_folder_has_a_file_for_each_batch(form: Format, tmp_path: Path) -> None:
    records = _records(250)
    source = tmp_path / f"in.{form}"
    source.write_bytes(_written(records, form))
    summary = _service(form).run(Lines.of(source, parser(form, plan())), Folder(tmp_path / "out", form))
    assert (summary.records, summary.published, summary.suppressed, summary.refused) == (250, 250, 0, 0)
    rows = [row for path in sorted((tmp_path / "out").iterdir()) for row in _read(path.read_bytes(), form)]
    assert not faults(rows, records, ASKED)
    original = tmp_path / "in.csv"
    original.write_bytes(_written(records, "csv"))
    assert shoal.verify(tmp_path / "out", plan(), original, window=60, advance=20).holds
    assert shoal.verify(tmp_path / "out", plan(), window=60, advance=20).holds


def test_a_stream_that_has_ended_says_so_again(tmp_path: Path) -> None:
    source, state = tmp_path / "in.csv", tmp_path / "state"
    source.write_bytes(_written(_records(250), "csv"))
    first = _emitted(source, "csv", tmp_path, _service(state=state))
    assert where(state) == 251
    again = _emitted(source, "csv", tmp_path, _service(state=state))
    assert again == first
    some = _emitted(source, "csv", tmp_path, _service(state=state), after=7)
    assert some
    assert first.endswith(some)
    assert min(row["batch"] for row in _read(first.splitlines(keepends=True)[0] + some, "csv")) > 7


def test_what_is_left_when_all_has_left_holds_no_records(tmp_path: Path) -> None:
    source, state = tmp_path / "in.csv", tmp_path / "state"
    records = [{**record, "y": f"planted-{record['y']}"} for record in _records(130)]
    source.write_bytes(_written(records, "csv"))
    _emitted(source, "csv", tmp_path, _service(state=state))
    assert b"planted" not in (state / "window").read_bytes()


def test_a_state_belongs_to_one_plan_and_one_process(tmp_path: Path) -> None:
    source, state = tmp_path / "in.csv", tmp_path / "state"
    source.write_bytes(_written(_records(130), "csv"))
    held = _service(state=state)
    with pytest.raises(PlanError, match="in use by another process"):
        _service(state=state)
    _emitted(source, "csv", tmp_path, held)
    other = Service(plan(), window=80, advance=20, state=state)
    with pytest.raises(PlanError, match="of another plan, window"):
        _emitted(source, "csv", tmp_path, other)
    (state / "window").write_bytes(b"nothing")
    with pytest.raises(DataError, match="damaged"):
        _emitted(source, "csv", tmp_path, _service(state=state))


def test_a_bad_line_ends_a_stream_in_order(tmp_path: Path) -> None:
    """What came before is published; with a state it waits for the line to be corrected."""
    records = _records(250)
    lines = _written(records, "csv").splitlines(keepends=True)
    lines[151] = lines[151].replace(b"\n", b"7\n")
    source = tmp_path / "in.csv"
    source.write_bytes(b"".join(lines))
    with pytest.raises(DataError, match=r"the record at 152 of the input cannot be taken .s: not in its domain"):
        _emitted(source, "csv", tmp_path, _service())
    assert len(_read((tmp_path / "out").read_bytes(), "csv")) == 150
    with pytest.raises(DataError, match="correct it, and start again"):
        _emitted(source, "csv", tmp_path, _service(state=tmp_path / "state"))
    before = (tmp_path / "out").read_bytes()
    source.write_bytes(_written(records, "csv"))
    rows = _read(before, "csv")
    last = max(row["batch"] for row in rows)
    header = before.splitlines(keepends=True)[0]
    rows += _read(header + _emitted(source, "csv", tmp_path, _service(state=tmp_path / "state"), last), "csv")
    assert len(rows) == 250
    assert not faults(rows, records, ASKED)


def test_a_line_without_an_end_is_put_aside(tmp_path: Path) -> None:
    records = _records(130)
    lines = _written(records, "csv").splitlines(keepends=True)
    source = tmp_path / "in.csv"
    source.write_bytes(b"".join([*lines[:50], b"7" * 3_000_000 + b"\n", *lines[50:], b"9,9"]))
    service = _service(dead_letters=tmp_path / "dead")
    rows = _read(_emitted(source, "csv", tmp_path, service), "csv")
    assert not faults(rows, records, ASKED)
    letters = [json.loads(line) for line in (tmp_path / "dead").read_text().splitlines()]
    assert [letter["place"] for letter in letters] == [51, 133]
    assert "1,048,576" in letters[0]["why"]


def test_what_is_read_back_must_be_what_was_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    kinds = {"i": [1, None], "f": [0.1, 1e300], "s": ['a"b,', None], "b": [True, None]}
    moments = {"d": pa.array([1, None], pa.date32()), "t": pa.array([1, 2], pa.timestamp("us"))}
    table = pa.table({**kinds, **moments})
    assert json.loads(rendering.render(table, "jsonl", header=False).splitlines()[0])["s"] == 'a"b,'
    assert rendering.render(table, "csv", header=True).startswith(b'"i","f"')
    monkeypatch.setattr(rendering, "_csv", lambda table, header: b"1,0.5,\n")
    with pytest.raises(Violation, match="once it is written"):
        rendering.render(table.select(["i", "f", "s"]).slice(0, 1), "csv", header=False)


def test_a_slow_reader_slows_the_writer(tmp_path: Path) -> None:
    """While nobody reads what comes out, no more goes in than the windows and the pipes hold."""
    toml = tmp_path / "plan.toml"
    toml.write_text('person = "row"\n[columns]\nx = "quasi-identifying"\ny = "insensitive"\n[require]\nk = 5\n')
    command = [sys.executable, "-m", "shoal", "stream", str(toml), "--window", "2000", "--advance", "500"]
    block = b"".join(b"%d,%s\n" % (number % 1000, b"always the same " * 3) for number in range(10_000))
    passed = [0]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        into = process.stdin

        def feed() -> None:
            into.write(b"x,y\n")
            for _ in range(30):
                into.write(block)
                passed[0] += 10_000
            into.close()

        thread = threading.Thread(target=feed)
        thread.start()
        before, since = -1, time.monotonic()
        while before != passed[0] or time.monotonic() - since < 6:  # until nothing more goes in
            before = passed[0]
            time.sleep(1.5)
        assert passed[0] < 100_000, "records went in though nobody took what came out"
        rows = sum(1 for _ in process.stdout) - 1
        thread.join()
        assert process.wait() == 0
    assert rows == passed[0] == 300_000
