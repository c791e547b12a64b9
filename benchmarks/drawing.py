"""Drawing classes from blocks against Mondrian's cuts, on the same records and with the same requirement."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa

import shoal
from benchmarks.tables import people
from shoal.kernels.shuffle import permutation
from shoal.partition import group
from shoal.plan.methods import Method
from shoal.table.chance import Chance
from shoal.table.codes import Codes, encode

QUASI = ["age", "sex", "education-num", "marital-status", "race", "workclass", "relationship"]
METHODS: dict[str, Method] = {
    "mondrian": shoal.Mondrian(),
    "refining-partition": shoal.RefiningPartition(),
    "initial-partition": shoal.InitialPartition(),
    "anatomy": shoal.Anatomize(),
}


def report(records: int, data: Path | None, repeat: int) -> None:
    """Seconds that each method takes to group encoded records, and their ratio to Mondrian's; l = 5 in anatomy.

    On the clock and, for a machine that does other things too, of all cores.
    """
    table, secret = people(records), np.random.default_rng(7)
    share = 1 / np.arange(1, 15) ** 0.5
    table = table.append_column("illness", pa.array(secret.choice(14, records, p=share / share.sum())))
    _compare("people", table, "illness", repeat)
    if data is not None:
        frame = pd.read_csv(data / "adult" / "adult_train.csv.gz")
        frame = frame[(frame["workclass"] != "?") & (frame["occupation"] != "?")][[*QUASI, "occupation"]]
        _compare("Adult", pa.Table.from_pandas(frame, preserve_index=False), "occupation", 5 * repeat)


def _compare(name: str, table: pa.Table, secret: str, repeat: int) -> None:
    quasi = [column for column in table.column_names if column != secret]
    schema = shoal.Schema(quasi_identifying=quasi, sensitive=[secret])
    plans = {
        method: shoal.Plan(schema, [shoal.LDiversity(5)], made, shoal.Anatomy(), person="row")
        for method, made in METHODS.items()
    }
    codes = encode(table, plans["mondrian"], {}, permutation(Chance().words(table.num_rows)))
    taken = {method: _seconds(codes, plan, repeat) for method, plan in plans.items()}
    for method, (clock, cpu) in taken.items():
        ratio, of_cpu = clock / taken["mondrian"][0], cpu / taken["mondrian"][1]
        print(f"{name}, {table.num_rows:,} records, l = 5, grouping by {method}: ", end="")
        print(f"{clock:.3f} s, ratio {ratio:.2f}; {cpu:.3f} s of CPU, ratio {of_cpu:.2f}")


def _seconds(codes: Codes, plan: shoal.Plan, repeat: int) -> tuple[float, float]:
    """The best of some runs, by the clock and by the time of all cores."""
    group(codes, plan, Chance())  # compiles
    clocks, cpus = [], []
    for _ in range(repeat):
        started, used = time.perf_counter(), time.process_time()
        group(codes, plan, Chance())
        clocks.append(time.perf_counter() - started)
        cpus.append(time.process_time() - used)
    return min(clocks), min(cpus)
