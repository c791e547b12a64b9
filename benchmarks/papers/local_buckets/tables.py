"""The tables of these figures: government employees who tick what they hold private, and people who are made up."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa

import shoal
from shoal.plan.methods import LocalBuckets
from shoal.plan.plan import Plan
from shoal.table import sources

QUASI = ("region", "marital", "race", "education", "hours")
SEMI = ("sex", "age", "occupation")
#: In the paper's table no occupation can be held by more than one in 20, or l = 20 were not possible.
_MOST_ALIKE = 25
_EDUCATION = {
    "less": [str(level) for level in range(1, 16)],
    "school": ["16", "17"],
    "college": ["18", "19", "20"],
    "degree": ["21", "22", "23", "24"],
}
_MARITAL = {"together": ["married"], "alone": ["divorced", "never married", "separated", "widowed"]}


def sample(data: Path, records: int) -> pa.Table:
    frame = pl.read_parquet(data / "census_acs2018_gov" / "gov_census.parquet").sample(
        fraction=1.0, shuffle=True, seed=7
    )
    frame = frame.filter(pl.int_range(pl.len()).over("occupation") < records // _MOST_ALIKE).head(records)
    chosen = {"economic_region": "region", "education_level": "education", "hours_worked": "hours"}
    kept = ["marital", "race", "sex", "age", "occupation", "salary"]
    return sources.read(frame.select(*(pl.col(old).alias(new) for old, new in chosen.items()), *kept)).table


def ticked(table: pa.Table, share: float) -> pa.Table:
    chance = np.random.default_rng(11)
    for name in SEMI:
        table = table.append_column(f"{name}_private", pa.array(chance.random(table.num_rows) < share))
    return table


def plan_of(k: int, l: int, method: LocalBuckets) -> Plan:
    schema = shoal.Schema(
        quasi_identifying={
            "region": None,
            "marital": shoal.categorical(_MARITAL),
            "race": None,
            "education": shoal.categorical(_EDUCATION),
            "hours": None,
        },
        semi_sensitive={
            "sex": "sex_private",
            "age": "age_private",
            "occupation": shoal.masked("occupation_private", shoal.prefixes()),
        },
        sensitive=["salary"],
    )
    diverse = [shoal.LDiversity(l, on=name) for name in ("age", "occupation", "salary")]
    require = [shoal.KAnonymity(k), *diverse, shoal.TCloseness(0.2, on="sex")]
    return Plan(schema, require, method, person="row")


def made_up(count: int) -> pa.Table:
    """As many people as one likes, with columns of the sizes of the paper's Table 2."""
    chance = np.random.default_rng(1)

    def skewed(values: int) -> Any:
        weights = 1 / np.arange(1, values + 1) ** 0.5
        return chance.choice(values, count, p=weights / weights.sum())

    sizes = {"region": 13, "marital": 6, "race": 9, "education": 11, "sex": 2}
    columns: dict[str, Any] = {name: [f"{name} {i}" for i in range(size)] for name, size in sizes.items()}
    held = {name: pa.DictionaryArray.from_arrays(skewed(len(v)).astype(np.int32), v) for name, v in columns.items()}
    numbers = {"hours": 93, "age": 73, "occupation": 257, "salary": 719}
    return pa.table({**held, **{name: pa.array(skewed(size)) for name, size in numbers.items()}})


def plan_of_made_up(method: LocalBuckets) -> Plan:
    plan = plan_of(10, 10, method)
    schema = shoal.Schema(
        quasi_identifying=list(QUASI), semi_sensitive={name: f"{name}_private" for name in SEMI}, sensitive=["salary"]
    )
    return replace(plan, schema=schema)


def mondrian() -> Plan:
    schema = shoal.Schema(quasi_identifying=[*QUASI, *SEMI, "salary"])
    return Plan(schema, [shoal.KAnonymity(10)], shoal.Mondrian(), person="row")
