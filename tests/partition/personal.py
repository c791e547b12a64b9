"""Tables of people who tick what they hold private, and plans for them: small ones, in which everything happens."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from hypothesis import strategies as st

import shoal
from shoal.plan.plan import Plan
from shoal.privacy.requirements import KAnonymity, LDiversity, Requirement, TCloseness
from shoal.schema.columns import Schema, masked, numeric
from shoal.schema.hierarchy import Hierarchy

TREE = Hierarchy.from_rows([[z, z[:2], z[:1], "*"] for z in ("111", "112", "121", "122", "211", "212", "221", "222")])
SEMI = ("age", "zip", "sex")


@st.composite
def tables(draw: st.DrawFn, *, max_rows: int = 60) -> pa.Table:
    """Few values, so that they repeat; each person ticks any of three columns, with a chance of its own for each."""
    rows = draw(st.integers(0, max_rows))
    chance = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    wide = draw(st.sampled_from([2, 4, 9, 40]))
    gaps = draw(st.sampled_from([0.0, 0.0, 0.2]))

    def some(values: list[Any], skew: float = 0.0) -> list[Any]:
        weights = np.arange(1, len(values) + 1) ** -skew
        places = chance.choice(len(values), rows, p=weights / weights.sum())
        return [None if chance.random() < gaps else values[place] for place in places]

    columns: dict[str, pa.Array] = {
        "age": pa.array(some(list(range(20, 20 + wide))), pa.int64()),
        "zip": pa.array(some(list(TREE.leaves)), pa.string()),
        "sex": pa.array(some(["f", "m"]), pa.string()),
        "town": pa.array(some(["a", "b", "c"]), pa.string()),
        "pay": pa.array(some(list(range(wide)), 0.5), pa.int64()),
        "ill": pa.array(some(["w", "x", "y", "z"]), pa.string()),
    }
    for name in SEMI:
        share = draw(st.sampled_from([0.0, 0.05, 0.3, 0.7, 0.95, 1.0]))
        columns[f"{name}_private"] = pa.array(chance.random(rows) < share)
    return pa.table(columns)


@st.composite
def requirements(draw: st.DrawFn, name: str) -> list[Requirement]:
    """What is asked of one column: l, t, or both."""
    numbers = name in ("age", "pay")
    distance = draw(st.sampled_from([None, "equal", "hierarchical" if name == "zip" else None]))
    l = LDiversity(draw(st.sampled_from([1.2, 1.5, 2, 2, 2.5, 3])), name, missing_is_sensitive=draw(st.booleans()))
    t = TCloseness(draw(st.sampled_from([0.1, 0.25, 0.5])), name, "ordered" if numbers and not distance else distance)
    return draw(st.sampled_from([[l], [l], [l], [t], [l, t]]))


@st.composite
def plans(draw: st.DrawFn, *, covers: tuple[float, ...] = (0.0, 0.0, 0.4, 1.0)) -> Plan:
    """Plans for these tables; some columns are sensitive for some, for all, or for nobody."""
    how = {"age": numeric(top=draw(st.sampled_from([None, 24])), step=draw(st.sampled_from([None, 5]))), "zip": TREE}
    semi = [name for name in SEMI if draw(st.integers(0, 3))]
    sensitive = draw(st.sampled_from([[], ["ill"], ["ill", "pay"]]))
    require: list[Requirement] = [KAnonymity(k)] if (k := draw(st.sampled_from([0, 2, 2, 3, 5]))) else []
    for name in (*semi, *sensitive):
        require += draw(requirements(name))
    if not require:
        require = [KAnonymity(2)]
    schema = Schema(
        quasi_identifying={name: how.get(name) for name in ("town", *(n for n in SEMI if n not in semi))},
        semi_sensitive={
            name: masked(f"{name}_private", how.get(name), cover=draw(st.sampled_from(covers))) for name in semi
        },
        sensitive=sensitive,
        insensitive=[f"{name}_private" for name in SEMI if name not in semi]
        + [n for n in ("ill", "pay") if n not in sensitive],
    )
    method = shoal.LocalBuckets(
        draw(st.sampled_from(["mdp", "ncp"])),  # type: ignore[arg-type]
        draw(st.sampled_from(["move", "stop"])),  # type: ignore[arg-type]
    )
    allow = [column.name for column in schema.columns() if column.role == "insensitive"]
    return Plan(
        schema, require, method, suppress=draw(st.sampled_from([0.0, 0.0, 0.2, 1.0])), person="row", allow_unique=allow
    )
