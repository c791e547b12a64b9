"""A process that streams and is killed while it does: `python -m tests.engine.victim FOLDER`.

For each line on its input it makes a child, which goes on with the stream whose state is in the folder and writes what
it emits to a file of its own; the child kills itself at a given step, or is killed at a random moment.
"""

from __future__ import annotations

import os
import random
import sys
import time
from pathlib import Path

import shoal
from shoal.engine.stream.ends import Lines, StandardOutput
from shoal.engine.stream.lines import parser
from shoal.engine.stream.service import Service
from shoal.testing.victim import ended, stop_at

WINDOW, ADVANCE = 120, 30
_PATIENCE = 60.0
_STEPS = ("open", "os.", "fcntl.", "glob.")


def plan() -> shoal.Plan:
    """Streams of a number, a word, what is sensitive, and what tells the record."""
    schema = shoal.Schema(
        quasi_identifying={"x": shoal.numeric(), "y": None},
        sensitive={"s": shoal.domain(bottom=1, top=5)},
        insensitive=["row"],
    )
    require = [shoal.KAnonymity(3), shoal.TCloseness(0.3, "s")]
    by_lot = shoal.Mondrian(ties="relaxed")  # a batch that is decided twice would differ
    return shoal.Plan(schema, require, by_lot, person="row", allow_unique=["row"])


def stream(folder: Path, out: Path, after: int) -> None:
    """Go on with the stream to its end."""
    file = os.open(out, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    service = Service(plan(), window=WINDOW, advance=ADVANCE, state=folder / "state")
    source = Lines.of(folder / "in.csv", parser("csv", plan()))
    service.run(source, StandardOutput(file), after=after)


def _run(folder: Path, out: Path, after: int, step: int) -> None:
    """In a child: stream, and end without tidying up."""
    status = 1
    try:
        if step:
            stop_at(step, _STEPS)
        stream(folder, out, after)
        status = 0
    finally:
        os._exit(status)


def main(folder: Path) -> None:
    """Each line: the file to write, the last batch that is known, and the step to stop at; -1 for a random moment."""
    whole = 0.0
    for name in ("first", "second"):  # the first compiles kernels, the second says how long it takes
        warm = folder / name
        warm.mkdir()
        (warm / "in.csv").write_bytes((folder / "in.csv").read_bytes())
        started = time.monotonic()
        stream(warm, warm / "out.csv", 0)
        whole = time.monotonic() - started
    for line in sys.stdin:
        out, after, step = line.split()
        child = os.fork()
        if child == 0:
            _run(folder, folder / out, int(after), max(int(step), 0))
        moment = random.uniform(0, whole / 20) if int(step) < 0 else None
        sys.stdout.write(f"{ended(child, moment, _PATIENCE)}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
