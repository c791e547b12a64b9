"""Adult: Mondrian against anonypy's, a warm command from start to end, and ten thousand counts from a release."""

from __future__ import annotations

import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa

import shoal
from benchmarks.processes import best
from shoal.kernels.shuffle import permutation
from shoal.partition import group
from shoal.table.chance import Chance
from shoal.table.codes import encode

QUASI = ["age", "education-num", "marital-status", "race", "sex", "workclass", "native-country"]


def report(folder: Path, data: Path, repeat: int) -> None:
    """The ratios on the 30,162 complete records."""
    frame = pd.read_csv(data / "adult" / "adult_train.csv.gz")
    frame = frame[(frame != "?").all(axis=1)].reset_index(drop=True)
    mine, peer = _grouping(frame, repeat), _anonypy(frame)
    print(
        f"Adult, {len(frame):,} records, k = 5: Mondrian's grouping {mine * 1e3:.1f} ms, anonypy {peer:.1f} s, ", end=""
    )
    print(f"ratio 1 : {peer / mine:,.0f}")
    print(f"Adult, a warm shoal anonymize, CSV to verified Parquet: {_command(folder, frame, repeat):.2f} s in all")
    answered, filtered = _counts(frame)
    print(
        f"Adult, 10,000 random counts: from a release, with bounds, {answered:.1f} s, from the original by pandas, "
        f"{filtered:.1f} s, ratio 1 : {filtered / answered:.1f}"
    )


def _plan() -> shoal.Plan:
    schema = shoal.Schema(quasi_identifying=QUASI, sensitive=["occupation"])
    return shoal.Plan(schema, [shoal.KAnonymity(5)], person="row")


def _grouping(frame: pd.DataFrame, repeat: int) -> float:
    """Seconds that the grouping of encoded records takes."""
    plan = _plan()
    table = pa.Table.from_pandas(frame[[*QUASI, "occupation"]], preserve_index=False)
    chance = Chance()
    codes = encode(table, plan, {}, permutation(chance.words(len(frame))))
    group(codes, plan, chance)
    taken = []
    for _ in range(3 * repeat):
        started = time.perf_counter()
        group(codes, plan, chance)
        taken.append(time.perf_counter() - started)
    return float(np.min(taken))


def _anonypy(frame: pd.DataFrame) -> float:
    """Seconds that anonypy's grouping of the same records takes."""
    import anonypy

    held = frame[[*QUASI, "occupation"]].copy()
    for name in held.columns:
        if held[name].dtype == object:
            held[name] = held[name].astype("category")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        preserver = anonypy.Preserver(held, QUASI, "occupation")
        started = time.perf_counter()
        preserver.modrian.partition(5)
        return time.perf_counter() - started


def _counts(frame: pd.DataFrame) -> tuple[float, float]:
    """Seconds that the answers to counts of random ranges take, by a release and by the original."""
    chance = np.random.default_rng(1)
    jobs = np.array(sorted(set(frame["occupation"])))
    asked = [
        {
            "age": tuple(sorted(chance.integers(17, 91, 2).tolist())),
            "education-num": tuple(sorted(chance.integers(1, 17, 2).tolist())),
            "occupation": chance.permutation(jobs)[:7].tolist(),
        }
        for _ in range(10_000)
    ]
    where = [{n: shoal.between(*v) if isinstance(v, tuple) else v for n, v in one.items()} for one in asked]
    release = shoal.anonymize(frame[[*QUASI, "occupation"]], _plan())
    shoal.query(release, "COUNT(*)", where[:1])
    started = time.perf_counter()
    shoal.query(release, "COUNT(*)", where)
    answered = time.perf_counter() - started
    started = time.perf_counter()
    for one in asked[:1000]:
        inside = frame["age"].between(*one["age"]) & frame["education-num"].between(*one["education-num"])
        (inside & frame["occupation"].isin(one["occupation"])).sum()
    return answered, (time.perf_counter() - started) * 10


def _command(folder: Path, frame: pd.DataFrame, repeat: int) -> float:
    frame[[*QUASI, "occupation"]].to_csv(folder / "adult.csv", index=False)
    roles = "\n".join(f'{name} = "quasi-identifying"' for name in QUASI)
    plan = f'table = "adult.csv"\nperson = "row"\n[columns]\n{roles}\noccupation = "sensitive"\n[require]\nk = 5\n'
    (folder / "adult.toml").write_text(plan)
    command = [str(Path(sys.executable).with_name("shoal")), "anonymize", str(folder / "adult.toml")]
    return best(repeat, [*command, "--out", str(folder / "adult"), "--force"]).seconds
