"""Killing a writer at every step, and at random moments: what stands in the folder is the old release or the new."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import shoal
from shoal.release.place import MANIFEST
from shoal.release.release import Release
from shoal.testing.victim import RECORDS

__all__ = ["check_kills"]

_KILLED = 9
_TABLES = {"parquet": {"release.parquet"}, "csv": {"qit.csv", "sat_illness.csv"}}
_FILES = {count: {*_TABLES[form], MANIFEST, "README.txt"} for form, count in RECORDS.items()}
_FORMS = tuple(RECORDS)


def check_kills(folder: Path, *, moments: int = 20) -> int:
    """Kill a writer at each of its steps, then at random moments; returns how many were killed.

    ``folder`` is an empty one, to work in.
    """
    target = folder / "release"
    killed = 0
    with _victim(target) as write:
        assert write(_FORMS[0], 0) == 0
        check_place(target)
        step, ended = 0, _KILLED
        while ended == _KILLED:  # until the child needs fewer steps than that
            step += 1
            ended = write(_FORMS[step % 2], step)
            assert ended in (0, _KILLED), f"the writer did not end as it should: {ended}"
            check_place(target)
            killed += ended == _KILLED
        for moment in range(moments):
            killed += write(_FORMS[moment % 2], -1) == _KILLED
            check_place(target)
        assert write(_FORMS[0], 0) == 0
        assert [path.name for path in folder.iterdir()] == [target.name], "what a kill left over is still there"
    return killed


@contextlib.contextmanager
def _victim(target: Path) -> Iterator[Callable[[str, int], int]]:
    """A function that has a release written into the target, in a process of its own."""
    command = [sys.executable, "-m", "shoal.testing.victim", str(target)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        lines, answers = process.stdin, process.stdout

        def write(form: str, step: int) -> int:
            lines.write(f"{form} {step}\n")
            lines.flush()
            return int(answers.readline())

        yield write
        lines.close()


def check_place(target: Path) -> None:
    """One whole release stands there, and what stands beside it is nobody else's to read."""
    release = Release.read(target)
    assert release.manifest.records in _FILES, "neither the old release nor the new"
    assert {path.name for path in target.iterdir()} == _FILES[release.manifest.records], "a mixture of two releases"
    published = next(iter(release.arrow.values()))
    assert published.num_rows == release.manifest.records
    assert shoal.verify(target).holds
    for path in target.parent.iterdir():
        if path != target:
            _check_left_over(path)


def _check_left_over(path: Path) -> None:
    """Staged files are their owner's alone, until they are a release that was judged: the new one, or the old."""
    if path.stat().st_mode & 0o077:
        names = {entry.name for entry in path.iterdir()}
        assert any(names <= whole for whole in _FILES.values()), f"others can read what is staged: {sorted(names)}"
