"""A stream that is killed at any moment goes on: the same bytes under the same numbers, every record exactly once."""

from __future__ import annotations

import csv
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.engine.stream_oracle import Asked, faults, ordered
from tests.engine.victim import ADVANCE, WINDOW

RECORDS = 1_500
ROOT = Path(__file__).parents[2]


@contextmanager
def _victims(folder: Path) -> Iterator[Callable[[str, int, int], int]]:
    command = [sys.executable, "-m", "tests.engine.victim", str(folder)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        lines, answers = process.stdin, process.stdout

        def run(out: str, after: int, step: int) -> int:
            lines.write(f"{out} {after} {step}\n")
            lines.flush()
            return int(answers.readline())

        yield run
        lines.close()


class Sink:
    """Remembers batches: one is whole when the next has begun, or the stream has ended."""

    def __init__(self) -> None:
        self.batches: dict[int, bytes] = {}
        self.last = 0

    def take(self, data: bytes, *, ended: bool) -> None:
        """What one run has emitted, of which the last line may be torn."""
        lines = data.splitlines(keepends=True)
        if lines and not lines[-1].endswith(b"\n"):
            lines.pop()
        found: dict[int, list[bytes]] = {}
        for line in lines:
            number = 1 if line.startswith(b'"batch"') else int(line.split(b",")[0])
            found.setdefault(number, []).append(line)
        for number, rows in found.items():
            whole = b"".join(rows)
            known = self.batches.get(number, b"")
            assert known.startswith(whole) or whole.startswith(known), f"batch {number} came again, and differs"
            if len(whole) > len(known):
                self.batches[number] = whole
        self.last = max([*found, self.last] if ended else [*(sorted(found)[:-1]), self.last])

    def rows(self) -> list[dict[str, object]]:
        text = b"".join(self.batches[number] for number in sorted(self.batches)).decode()
        return [
            {name: value if name in ("y", "x_missing") else int(value) for name, value in row.items()}
            for row in csv.DictReader(text.splitlines())
        ]


def _came(folder: Path) -> list[dict[str, object]]:
    chance = random.Random(5)
    rows: list[dict[str, object]] = [
        {"row": row, "x": chance.randrange(60), "y": chance.choice("abc"), "s": chance.choice((1, 1, 2, 3, 4, 5))}
        for row in range(RECORDS)
    ]
    lines = ["row,x,y,s", *(f"{r['row']},{r['x']},{r['y']},{r['s']}" for r in rows)]
    (folder / "in.csv").write_text("\n".join(lines) + "\n")
    return rows


def _check(folder: Path, kills: Iterator[int]) -> int:
    """Kill a stream at these steps, run after run, until it has ended; how often it was killed."""
    came, sink, killed, ended = _came(folder), Sink(), 0, 9
    with _victims(folder) as run:
        while ended:
            after = sink.last if killed % 2 else 0
            ended = run(f"out-{killed}.csv", after, next(kills, 0))
            assert ended in (0, 9), f"the stream ended with {ended}"
            written = folder / f"out-{killed}.csv"
            sink.take(written.read_bytes() if written.exists() else b"", ended=ended == 0)
            killed += ended == 9
            assert not any(path.stat().st_mode & 0o077 for path in folder.glob("state*/*"))
    wrong = faults(sink.rows(), came, Asked(WINDOW, ADVANCE, 3, 0.3, ordered(range(1, 6))))
    assert not wrong, wrong
    assert len(sink.rows()) == RECORDS
    return killed


def test_killed_at_random_moments(tmp_path: Path) -> None:
    assert _check(tmp_path, iter([-1] * 100)) > 15


def test_killed_at_every_step(tmp_path: Path) -> None:
    """Each run gets one step further in what it does with files, until it ends."""
    assert _check(tmp_path, iter(range(1, 1000))) > 30
