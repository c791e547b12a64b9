"""Ten million records, file to file, against Polars reading, sorting and writing the same file; and the growth."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from pyarrow import parquet

from benchmarks.processes import Taken, best, run
from benchmarks.tables import people

PLAN = """
person = "row"
[columns]
age = "quasi-identifying"
education = "quasi-identifying"
hours = "quasi-identifying"
weeks = "quasi-identifying"
sex = "quasi-identifying"
marital = "quasi-identifying"
region = "quasi-identifying"
[require]
k = 5
[method]
name = "mondrian"
"""

POLARS = """
import sys
import polars
table = polars.read_parquet(sys.argv[1])
table.sort(table.columns).write_parquet(sys.argv[2])
"""


def report(folder: Path, records: int, repeat: int) -> None:
    """The ratios at full size, and the growth below it."""
    (folder / "plan.toml").write_text(PLAN)
    print(f"first call after installation, all kernels compiled: {first_call(folder):.1f} s of CPU")
    taken = {}
    for count in sorted({records // 100, records // 10, records}):
        path = folder / f"people-{count}.parquet"
        table = people(count)
        parquet.write_table(table, path)
        mine, polars = shoal(folder, path, repeat), sort(folder, path, repeat)
        taken[count] = mine
        print(f"{count:>12,} records: shoal {mine.seconds:6.2f} s ({mine.cpu:.2f} CPU), ", end="")
        print(
            f"Polars {polars.seconds:6.2f} s ({polars.cpu:.2f} CPU), ratio {mine.seconds / polars.seconds:.2f}; ",
            end="",
        )
        print(f"memory {mine.memory / table.nbytes:.1f} times the Arrow table")
        del table
    _growth(taken)
    _stages(folder, records)


def _growth(taken: dict[int, Taken]) -> None:
    start = min(taken)
    for count in sorted(taken)[1:]:
        print(f"{start:>12,} -> {count:,} records: {count // start} times the records, ", end="")
        print(f"{taken[count].seconds / taken[start].seconds:.1f} times the seconds")


def _stages(folder: Path, records: int) -> None:
    """What each stage takes of the largest table, in a process of its own whose kernels were compiled before."""
    files = folder / "plan.toml", folder / f"people-{records}.parquet", folder / "staged"
    command = [sys.executable, "-m", "benchmarks.stages", *map(str, files)]
    taken = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    whole = sum(taken.values())
    said = ", ".join(f"{stage} {seconds:.2f} s ({seconds / whole:.0%})" for stage, seconds in taken.items())
    print(f"{records:>12,} records, stage by stage: {said}")


def shoal(folder: Path, table: Path, repeat: int) -> Taken:
    """A new process: Parquet in, verified Parquet out."""
    command = [str(Path(sys.executable).with_name("shoal")), "anonymize", str(folder / "plan.toml"), str(table)]
    return best(repeat, [*command, "--out", str(folder / "release"), "--force"])


def sort(folder: Path, table: Path, repeat: int) -> Taken:
    """A new process: Polars reads, sorts by all columns and writes."""
    return best(repeat, [sys.executable, "-c", POLARS, str(table), str(folder / "sorted.parquet")])


def first_call(folder: Path) -> float:
    """CPU seconds of a first run with no compiled kernel at hand, less those of a second."""
    path = folder / "few.parquet"
    parquet.write_table(people(1000), path)
    command = [str(Path(sys.executable).with_name("shoal")), "anonymize", str(folder / "plan.toml"), str(path)]
    command += ["--out", str(folder / "first"), "--force"]
    fresh = {"NUMBA_CACHE_DIR": str(folder / "numba")}
    return run(command, fresh).cpu - run(command, fresh).cpu
