"""What each stage of one release takes, in a process of its own: ``python -m benchmarks.stages PLAN TABLE OUT``."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa


def main(plan: Path, table: Path, out: Path) -> None:
    """Print the seconds of each stage as one JSON object."""
    from shoal import _run
    from shoal.plan.plan import Plan

    taken: dict[str, float] = {}
    stage, since = "", 0.0

    def begin(name: str, place: int, stages: int) -> None:
        nonlocal stage, since
        end()
        stage, since = name, time.perf_counter()

    def end() -> None:
        if stage:
            taken[stage] = time.perf_counter() - since

    release = _run.prepare(table, Plan.read(plan), progress=begin)
    end()
    judge, started = release.judge, time.perf_counter()

    def judging(tables: Mapping[str, pa.Table]) -> Any:
        taken["writing and reading back"] = time.perf_counter() - started
        verdict = judge(tables)
        taken["judging"] = time.perf_counter() - started - taken["writing and reading back"]
        return verdict

    release.judge = judging
    release.write(out, force=True)
    print(json.dumps(taken))


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
