"""Who knows all quasi-identifiers believes no more than was promised, of any release; and who knows more, more."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.attack import Beliefs, linked
from shoal.errors import DataError, ShoalError, Unsupported
from shoal.plan.forms import FORMS
from shoal.plan.plan import Plan
from shoal.privacy.requirements import LDiversity, TCloseness
from shoal.release.manifest import PublishedColumn
from shoal.release.published import Published
from shoal.release.release import Release
from shoal.schema.columns import Schema
from shoal.testing import plans, tables
from shoal.testing.oracle import trees_of
from tests.attack.worlds import Class, beliefs

NEAR = 1e-9
#: The forms whose classes this adversary has been taught to read.
TAUGHT = [name for name in FORMS if name in ("generalized", "centres", "anatomy")]

people = st.lists(st.tuples(st.integers(0, 3), st.sampled_from(["flu", "gout", "cold", None])), min_size=1, max_size=6)


def published(release: Release) -> Published:
    manifest = release.manifest
    return Published(release.arrow, tuple(manifest.columns), manifest.form, manifest.options)


def released(held: list[tuple[int, str | None]], form: Any, require: list[Any]) -> tuple[Release, pa.Table] | None:
    ages, ills = zip(*held, strict=True)
    table = pa.table({"age": pa.array(ages, pa.int64()), "ill": pa.array(ills, pa.string())})
    plan = Plan(Schema(quasi_identifying=["age"], sensitive=["ill"]), require, form=form, person="row")
    try:
        return shoal.anonymize(table, plan), table
    except ShoalError:
        return None


def believed(found: Beliefs, person: int) -> dict[Any, float]:
    shares = found.shares[found.of[person]]
    return {value: share for value, share in zip(found.values.to_pylist(), shares, strict=True) if share > 0}


@settings(max_examples=150)
@given(people, st.sampled_from([shoal.Generalized(), shoal.Anatomy()]), st.sampled_from([[2.0], [1.5], []]))
def test_beliefs_are_those_of_all_worlds(held: list[tuple[int, str | None]], form: Any, l: list[float]) -> None:
    """Exactly, where classes do not overlap; and no more than 1/l in any case."""
    made = released(held, form, [*map(LDiversity, l), shoal.Size(2)])
    if made is None:
        return
    release, table = made
    classes, disjoint = _classes(release)
    found = linked(published(release), table.select(["age"]), "ill", {})
    exact = beliefs(classes, [age for age, _ in held])
    for person, told in enumerate(exact):
        known = [float(share) for value, share in told.items() if value is not None]
        if l:
            assert max(known, default=0) <= 1 / l[0] + NEAR
            assert found.highest[person] <= 1 / l[0] + NEAR
        if disjoint or form == shoal.Anatomy():
            assert believed(found, person) == pytest.approx({value: float(share) for value, share in told.items()})


def _classes(release: Release) -> tuple[list[Class], bool]:
    """The published classes, and whether nobody fits two of them."""
    if release.manifest.form == "anatomy":
        rows, counts = (release.arrow[name].to_pylist() for name in ("qit", "sat_ill"))
        numbers = sorted({row["class"] for row in rows})
        return [
            Class(
                tuple(frozenset({row["age"]}) for row in rows if row["class"] == number),
                tuple(row["ill"] for row in counts if row["class"] == number for _ in range(row["count"])),
            )
            for number in numbers
        ], False
    held: dict[tuple[int, int], list[Any]] = {}
    for row in release.arrow["release"].to_pylist():
        held.setdefault((row["age_min"], row["age_max"]), []).append(row["ill"])
    classes = [Class((frozenset(range(low, high + 1)),) * len(ills), tuple(ills)) for (low, high), ills in held.items()]
    return classes, sum(len(one.rows[0]) for one in classes) == len(
        frozenset().union(*(one.rows[0] for one in classes))
    )


@pytest.mark.parametrize("name", TAUGHT)
@settings(max_examples=60)
@given(st.data())
def test_no_release_gives_more_than_was_promised(name: str, data: st.DataObject) -> None:
    """Whatever table, plan and method: at most 1/l for a known value, and at most t from the share in the table."""
    table = data.draw(tables(max_rows=60))
    plan = data.draw(plans(table, form=FORMS[name]()))
    asked = [r for r in plan.require if isinstance(r, LDiversity | TCloseness)]
    try:
        release = shoal.anonymize(table, plan)
    except ShoalError:
        return
    for requirement in asked:
        columns = [c.name for c in plan.sensitive if requirement.on in (None, c.name)]
        for on in columns:
            found = linked(published(release), table, on, trees_of(plan), missing=plan.read_options.missing)
            if isinstance(requirement, LDiversity) and requirement.kind == "frequency":
                assert found.highest.max(initial=0) <= 1 / requirement.l + NEAR
            if isinstance(requirement, TCloseness) and requirement.distance == "equal":
                _check_gain(found, requirement.t, table.num_rows == release.manifest.records)


def _check_gain(found: Beliefs, t: float, everybody: bool) -> None:
    if not everybody or not len(found.of):  # else the whole, from which classes are t away, is not that of the people
        return
    seen = found.shares[found.of]
    whole = np.bincount(found.of, minlength=len(found.shares)) @ found.shares / max(len(seen), 1)
    if found.found.all() and np.isclose(whole.sum(), 1):
        assert len(whole) == len(found.values)
        apart = np.abs(seen[:, None, :] - seen[None, :, :]).sum(axis=2).max() / 2
        assert apart <= 2 * t + NEAR  # each is t away from the whole


def test_the_mean_belief_in_the_truth() -> None:
    """Zhu, Tian, Du and Xie, Property 1: over a block, the sum of the squared shares of its values."""
    table = pa.table({"age": [1, 1, 1, 1, 5, 5], "ill": ["flu", "flu", "gout", "cold", "flu", "cold"]})
    plan = Plan(
        Schema(quasi_identifying=["age"], sensitive=["ill"]), [LDiversity(2)], form=shoal.Anatomy(), person="row"
    )
    found = linked(published(shoal.anonymize(table, plan)), table, "ill", {})
    truth = found.in_truth(table)
    assert truth.tolist() == [0.5, 0.5, 0.25, 0.25, 0.5, 0.5]
    assert truth[:4].mean() == pytest.approx((2 / 4) ** 2 + (1 / 4) ** 2 + (1 / 4) ** 2)
    assert found.highest.max() == 0.5


def test_who_knows_an_insensitive_column_believes_more() -> None:
    table = pa.table({"age": [1, 2, 3, 4], "year": [7, 7, 8, 8], "ill": ["flu", "gout", "flu", "gout"]})
    schema = Schema(quasi_identifying=["age"], sensitive=["ill"], insensitive=["year"])
    plan = Plan(schema, [shoal.KAnonymity(4), LDiversity(2)], person="row", allow_unique=["year"])
    release = published(shoal.anonymize(table, plan))
    assert linked(release, table, "ill", {}).highest.tolist() == [0.5] * 4
    assert linked(release, table, "ill", {}, besides=["year"]).highest.tolist() == [0.5] * 4
    table = table.set_column(1, "year", pa.array([5, 6, 7, 8]))
    release = published(shoal.anonymize(table, plan))
    assert linked(release, table, "ill", {}).highest.tolist() == [0.5] * 4
    assert linked(release, table, "ill", {}, besides=["year"]).in_truth(table).tolist() == [1.0] * 4


def test_who_is_not_in_the_release() -> None:
    table = pa.table({"age": [1, 2, 3, 4], "ill": ["flu", "gout", None, "gout"]})
    plan = Plan(Schema(quasi_identifying=["age"], sensitive=["ill"]), [shoal.KAnonymity(2)], person="row")
    release = published(shoal.anonymize(table, plan))
    others = pa.table({"age": [2, 90, None]})
    found = linked(release, others, "ill", {})
    assert found.found.tolist() == [True, False, False]
    assert found.highest.tolist() == [0.5, 0, 0]
    assert found.in_truth(others.append_column("ill", pa.array(["lumbago", "flu", None]))).tolist() == [0, 0, 0]
    assert "flu" not in repr(found)


def test_what_this_adversary_cannot_read() -> None:
    table = pa.table({"age": [1, 2], "ill": ["flu", "gout"]})
    columns = [
        PublishedColumn("age", "quasi-identifying", "value", ("age",)),
        PublishedColumn("ill", "sensitive", "value", ("ill",)),
    ]
    with pytest.raises(DataError, match="no sensitive column age"):
        linked(Published({"release": table}, columns), table, "age", {})
    with pytest.raises(Unsupported, match="the form mosaic"):
        linked(Published({"release": table}, columns, "mosaic"), table, "ill", {})
