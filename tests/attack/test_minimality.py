"""What a method gives away by what it does: nothing where it reads no sensitive values, certainty where it does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal._run import prepare
from shoal.attack import Beliefs, linked, minimal
from shoal.errors import ShoalError, Unsupported
from shoal.plan.plan import Plan
from shoal.privacy.requirements import KAnonymity, LDiversity, Size
from shoal.release.published import Published
from shoal.schema.columns import Schema

SCHEMA = Schema(quasi_identifying=["x", "y"], sensitive=["ill"])


def believed(table: pa.Table, plan: Plan) -> tuple[Beliefs, Beliefs]:
    """By whom knows the method, and by whom does not."""
    release = prepare(table, plan)
    people = table.drop_columns(["ill"])
    shown = Published(release.arrow, release.manifest.columns, release.manifest.form)
    return minimal(release.arrow, people, "ill", lambda world: prepare(world, plan).arrow), linked(
        shown, people, "ill", {}
    )


#: The classes are cut along x, {0, 1, 2} and {3, 3}. Mondrian puts the median, 2, to the upper side first; it did not,
#: so {0, 1} or {2, 3, 3} would not have been 2-diverse. The values of {0, 1, 2} are all different, {b, c, d}, so it was
#: the other: whoever has x = 2 shares a value with one of {3, 3}, who have {a, c}. So it is c.
CERTAIN = pa.table({"x": [3, 3, 0, 1, 2], "y": [0, 1, 1, 2, 2], "ill": ["c", "a", "b", "d", "c"]})


@pytest.mark.parametrize("form", [shoal.Generalized(), shoal.Anatomy()])
def test_a_cut_that_was_not_made_tells_a_value(form: Any) -> None:
    plan = Plan(SCHEMA, [LDiversity(2)], form=form, person="row")
    knowing, joining = believed(CERTAIN, plan)
    assert joining.highest.max() == 0.5
    assert knowing.highest.tolist() == [0.5, 0.5, 0.5, 0.5, 1.0]
    assert knowing.in_truth(CERTAIN).tolist() == [0.5, 0.5, 0.5, 0.5, 1.0]


@settings(max_examples=25)
@given(st.integers(0, 2**32 - 1), st.integers(2, 5), st.sampled_from([KAnonymity(2), Size(2)]))
def test_who_reads_no_sensitive_values_gives_nothing_away(seed: int, rows: int, requirement: Any) -> None:
    chance = np.random.default_rng(seed)
    table = pa.table(
        {
            "x": chance.permutation(rows),
            "y": chance.integers(0, 2, rows),
            "ill": chance.choice(["a", "b", "c"], rows),
        }
    )
    knowing, joining = believed(table, Plan(SCHEMA, [requirement], person="row"))
    assert sorted(knowing.values.to_pylist()) == sorted(joining.values.to_pylist())
    order = [joining.values.to_pylist().index(value) for value in knowing.values.to_pylist()]
    assert knowing.shares == pytest.approx(joining.shares[joining.of][:, order])


def test_the_truth_is_always_possible() -> None:
    """The original is one of the worlds, so nobody's value is ever excluded."""
    chance = np.random.default_rng(4)
    tried = 0
    for _ in range(15):
        table = pa.table(
            {"x": chance.integers(0, 3, 5), "y": chance.integers(0, 3, 5), "ill": chance.choice([*"aabc"], 5)}
        )
        try:
            knowing, _ = believed(table, Plan(SCHEMA, [LDiversity(1.5)], person="row"))
        except ShoalError:
            continue
        tried += 1
        assert (knowing.in_truth(table) > 0).all()
        assert knowing.shares.sum(axis=1) == pytest.approx(1)
    assert tried > 5


def test_what_is_too_much_to_think_of() -> None:
    table = pa.table({"x": range(20), "y": range(20), "ill": [*"abcd"] * 5})
    with pytest.raises(Unsupported, match="worlds"):
        believed(table, Plan(SCHEMA, [KAnonymity(2)], person="row"))
    release = prepare(table, Plan(SCHEMA, [KAnonymity(2)], person="row"))
    with pytest.raises(Unsupported, match="everybody is in the release"):
        minimal(release.arrow, table.select(["x", "y"]).slice(1), "ill", lambda world: {"release": world})


def test_nobody() -> None:
    table = pa.table({"x": pa.array([], pa.int64()), "ill": pa.array([], pa.string())})
    found = minimal({"release": table}, table.select(["x"]), "ill", lambda world: {"release": world})
    assert len(found.of) == 0
    assert found.highest.tolist() == []
