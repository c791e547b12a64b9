"""A process that writes releases and is killed while it does: `python -m shoal.testing.victim FOLDER`.

For each line on its input it makes a child, which writes one of two releases into the same folder and kills itself at
a given step, or is killed at a random moment; then it says how the child ended.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

import shoal
from shoal.plan.forms import Anatomy
from shoal.plan.plan import Plan
from shoal.privacy.requirements import KAnonymity, Size
from shoal.release.files import Format
from shoal.release.release import Release
from shoal.schema.columns import Schema

#: Releases that differ in size and in the files that they consist of, so that a mixture is seen.
RECORDS: dict[Format, int] = {"parquet": 400, "csv": 300}

_STEPS = ("open", "os.", "shutil.", "fcntl.", "ctypes.", "tempfile.")
_PATIENCE = 20.0


def release(form: Format) -> Release:
    """One of the two releases."""
    chance = np.random.default_rng(RECORDS[form])
    table = pa.table(
        {"age": chance.integers(0, 99, RECORDS[form]), "illness": chance.choice(["flu", "cold"], RECORDS[form])}
    )
    schema = Schema(quasi_identifying=["age"], sensitive=["illness"])
    if form == "csv":  # of two tables
        return shoal.anonymize(table, Plan(schema, [Size(5)], form=Anatomy()))
    return shoal.anonymize(table, Plan(schema, [KAnonymity(5)]))


def stop_at(step: int, steps: tuple[str, ...]) -> None:
    """Kill this process at its n-th step of a kind: that concerns files, as a rule."""
    left = step

    def count(event: str, arguments: tuple[Any, ...]) -> None:
        nonlocal left
        if event.startswith(steps):
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(count)


def _write(held: Release, form: Format, target: Path, step: int) -> None:
    """In a child: write, and end without tidying up."""
    status = 1
    try:
        if step:
            stop_at(step, _STEPS)
        held.write(target, format=form, force=True)
        status = 0
    finally:
        os._exit(status)


def ended(child: int, moment: float | None, patience: float) -> int:
    """How the child ended; 9 if it was killed, by itself or now. After too long it is killed too, and that is 99."""
    deadline = time.monotonic() + (patience if moment is None else moment)
    while time.monotonic() < deadline:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return abs(os.waitstatus_to_exitcode(status))
        time.sleep(0.0002)
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    return abs(os.waitstatus_to_exitcode(status)) if moment is not None else 99


def main(folder: Path) -> None:
    """Each line: the format, and the step at which to stop; 0 for none, -1 for a random moment."""
    held: dict[str, tuple[Format, Release]] = {form: (form, release(form)) for form in RECORDS}
    for line in sys.stdin:
        name, step = line.split()
        form, made = held[name]
        child = os.fork()
        if child == 0:
            _write(made, form, folder, max(int(step), 0))
        moment = random.uniform(0, 0.04) if int(step) < 0 else None
        sys.stdout.write(f"{ended(child, moment, _PATIENCE)}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
