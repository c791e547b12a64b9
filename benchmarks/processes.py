"""Running a command in a process of its own, and what it took."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Taken:
    """What a process took: seconds on the clock, seconds of all cores, and its largest memory in bytes."""

    seconds: float
    cpu: float
    memory: int


def run(command: Sequence[str], environment: Mapping[str, str] | None = None) -> Taken:
    """Run a command to its end; it must succeed."""
    started = time.perf_counter()
    process = subprocess.Popen(
        command, env={**os.environ, **(environment or {})}, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    assert process.stderr is not None
    said = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - started
    if status:
        raise RuntimeError(f"{command[0]} failed: {said.decode(errors='replace')}")
    factor = 1 if sys.platform == "darwin" else 1024
    return Taken(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * factor)


def best(times: int, command: Sequence[str], environment: Mapping[str, str] | None = None) -> Taken:
    """The quickest of several runs: the one that others on the machine disturbed least."""
    return min((run(command, environment) for _ in range(times)), key=lambda taken: taken.seconds)
