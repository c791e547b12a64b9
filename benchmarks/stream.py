"""An endless table on one core: ``python -m benchmarks.stream [--records N]``.

The command reads CSV from a pipe and writes to another, pinned to one core; the seconds are what that core spent, so
that neighbours on the machine count less, and the memory is looked at all along.
"""

from __future__ import annotations

import argparse
import io
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import pyarrow as pa
from pyarrow import csv

import shoal
from benchmarks.tables import people

WINDOW, ADVANCE = 20_000, 5_000
BLOCK = 200_000
PLAN = """
person = "row"
[columns]
age = "quasi-identifying"
education = "quasi-identifying"
hours = "quasi-identifying"
sex = "quasi-identifying"
marital = "quasi-identifying"
region = "quasi-identifying"
weeks = { role = "sensitive", domain = { bottom = 0, top = 52 } }
[require]
k = 6
t = { weeks = 0.35 }
[method]
name = "mondrian"
"""

#: The command on one core.
PINNED = """
import os, sys
os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
from shoal.cli import main
sys.exit(main(sys.argv[1:]))
"""


def main() -> None:
    """Print rows a second, as a library and as a command, and the memory."""
    parser = argparse.ArgumentParser(prog="benchmarks.stream")
    parser.add_argument("--records", type=int, default=10_000_000, help="rows that go through the command")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="shoal-bench-") as folder:
        plan = Path(folder) / "plan.toml"
        plan.write_text(PLAN)
        _library(shoal.Plan.read(plan))
        _command(plan, chosen.records)


def _library(plan: shoal.Plan) -> None:
    table = people(BLOCK)
    best = 0.0
    for _ in range(4):  # the first compiles kernels
        stream = shoal.Stream(plan, window=WINDOW, advance=ADVANCE)
        started = time.process_time()
        for first in range(0, BLOCK, ADVANCE):
            stream.push(table.slice(first, ADVANCE))
        stream.close()
        best = max(best, BLOCK / (time.process_time() - started))
    print(f"shoal.Stream, Arrow in and out: {best:,.0f} rows a second of one core (best of 4, {BLOCK:,} rows each)")


def _command(plan: Path, records: int) -> None:
    block = _csv(people(BLOCK))
    words = ["stream", str(plan), "--window", str(WINDOW), "--advance", str(ADVANCE)]
    started = time.perf_counter()
    command = [sys.executable, "-c", PINNED, *words]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        into, out = process.stdin, process.stdout
        read = [0]

        def take() -> None:
            while data := out.read(1 << 20):
                read[0] += data.count(b"\n")

        taker = threading.Thread(target=take)
        taker.start()
        into.write(b",".join(name.encode() for name in people(1).column_names) + b"\n")
        memory = []
        for fed in range(0, records, BLOCK):
            into.write(block)
            if (fed // BLOCK) % max(records // BLOCK // 10, 1) == 0:
                memory.append(_resident(process.pid))
        into.close()
        taker.join()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    seconds, cpu = time.perf_counter() - started, usage.ru_utime + usage.ru_stime
    rows = read[0] - 1
    print(f"shoal stream, CSV in and out: {rows:,} rows, {rows / cpu:,.0f} a second of one core, its start included")
    print(f"  on the clock {rows / seconds:,.0f} a second; memory along the way, in MB: {', '.join(map(str, memory))}")


def _csv(table: pa.Table) -> bytes:
    sink = io.BytesIO()
    csv.write_csv(table, sink, csv.WriteOptions(include_header=False, quoting_style="none"))
    return sink.getvalue()


def _resident(process: int) -> int:
    """Megabytes that a process holds now."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmRSS")).split()[1]) // 1024


if __name__ == "__main__":
    main()
