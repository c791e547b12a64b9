"""What classes leave of how columns go together: GLP, RE and phi² against plain definitions, and of releases."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.measure import correspondence
from shoal.measure.kept import BINS
from shoal.table.correlation import intervals, phi_squared
from tests.measure import correspondence_oracle as oracle
from tests.partition import initial_partition_oracle

records = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=24)
few = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(0, 3)), min_size=1, max_size=8)


def columns(rows: list[tuple[int, int, int]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    alike, of, secret = (np.array(column) for column in zip(*rows, strict=True))
    return alike, np.unique(of, return_inverse=True)[1], secret


@given(records)
def test_penalties_and_errors_are_those_of_the_definitions(rows: list[tuple[int, int, int]]) -> None:
    alike, of, secret = columns(rows)
    told = correspondence.told(of, secret, 4)
    known = correspondence.known(alike, secret)
    expected = oracle.penalties(alike.tolist(), of.tolist(), secret.tolist())
    assert correspondence.penalties(alike, told, known).tolist() == pytest.approx([float(p) for p in expected])
    assert correspondence.glp(alike, told, known) == pytest.approx(float(sum(expected)) / len(expected))
    error = oracle.reconstruction_error(of.tolist(), secret.tolist())
    assert correspondence.reconstruction_error(told) == pytest.approx(float(error))


@given(few)
def test_phi_squared_is_of_expected_co_occurrence(rows: list[tuple[int, int, int]]) -> None:
    codes, of, secret = columns(rows)
    found = correspondence.phi_squared_told(codes, correspondence.told(of, secret, 4))
    expected = oracle.phi_squared_told(codes.tolist(), of.tolist(), secret.tolist())
    assert found == pytest.approx(float(expected), abs=1e-9)


@given(records, st.booleans())
def test_phi_squared_is_that_of_the_formula(rows: list[tuple[int, int, int]], wide: bool) -> None:
    one, _, other = columns(rows)
    values = 1 << 21 if wide else 5  # too many cells for a table: pairs are sorted instead
    expected = initial_partition_oracle.phi_squared(list(zip(one.tolist(), other.tolist(), strict=True)))
    assert phi_squared(one, other, values, 4) == pytest.approx(float(expected), abs=1e-12)


def test_phi_squared_runs_from_nothing_to_everything() -> None:
    same, halves = np.arange(12) % 4, np.arange(12) % 2
    assert phi_squared(same, same, 4, 4) == pytest.approx(1)
    assert phi_squared(np.repeat([0, 1], 6), halves, 2, 2) == 0
    assert phi_squared(np.zeros(12, np.int64), same, 1, 4) == 0


@given(st.lists(st.integers(0, 50), min_size=1, max_size=200), st.integers(2, 20), st.booleans())
def test_intervals_are_runs_of_about_the_same_frequency(counts: list[int], bins: int, gap: bool) -> None:
    groups = intervals(np.array(counts), bins, gap=gap).tolist()
    known = groups[: len(counts) - gap]
    assert known == sorted(known)
    assert gap == (groups[-1] not in known) or len(known) == 0
    if len(known) > bins:
        assert max(known) < bins
        total, most = sum(counts[: len(known)]), max(counts[: len(known)])
        held = np.bincount(known, counts[: len(known)], minlength=bins)
        assert held.max(initial=0) <= total / bins + most


# -- releases -----------------------------------------------------------------------------------------------

TABLE = pa.table(
    {
        "age": [31, 31, 34, 52, 95, 91],
        "city": ["Ulm", "Ulm", None, "Bonn", "Bonn", "Bonn"],
        "disease": ["flu", "gout", "flu", "gout", "flu", "gout"],
        "ward": ["a", "b", "a", "b", "a", None],
    }
)


def plan_of(form: object) -> shoal.Plan:
    schema = shoal.Schema(quasi_identifying={"age": shoal.numeric(top=90), "city": None}, sensitive=["disease", "ward"])
    return shoal.Plan(schema, [shoal.LDiversity(2, on="disease")], shoal.Mondrian(), form, person="row")  # type: ignore[arg-type]


def test_a_release_is_compared_with_its_original() -> None:
    """Both ages above 90 are published as 90, so those two records are alike."""
    plan = plan_of(shoal.Anatomy())
    release = shoal.anonymize(TABLE, plan)
    kept = shoal.measure(release, TABLE, plan=plan).correspondence
    qit = release.tables["qit"]
    by_quasi = {(31, "Ulm"): 0, (34, None): 1, (52, "Bonn"): 2, (90, "Bonn"): 3}
    of = {key: number - 1 for number, *key in zip(*qit.to_pydict().values(), strict=True) for key in [tuple(key)]}
    alike = [
        by_quasi[min(age, 90), city]
        for age, city in zip(*TABLE.select(["age", "city"]).to_pydict().values(), strict=True)
    ]
    number = [of[min(row["age"], 90), row["city"]] for row in TABLE.to_pylist()]
    for name, secret in (("disease", [0, 1, 0, 1, 0, 1]), ("ward", [0, 1, 0, 1, 0, 2])):
        found = kept.columns[name]
        assert found.glp == pytest.approx(float(sum(oracle.penalties(alike, number, secret))) / 6)
        assert found.reconstruction == pytest.approx(float(oracle.reconstruction_error(number, secret)) / 6)
        ages = [0, 0, 1, 2, 3, 3]  # fewer than there may be intervals
        assert len(set(ages)) < BINS
        exact = initial_partition_oracle.phi_squared(list(zip(ages, secret, strict=True)))
        assert found.phi["age"].before == pytest.approx(float(exact))
        assert found.phi["age"].after == pytest.approx(float(oracle.phi_squared_told(ages, number, secret)))


def test_slices_tell_what_anatomy_does() -> None:
    """The same classes, and the same figures; Mondrian's classes do not depend on chance here."""
    found = [
        shoal.measure(shoal.anonymize(TABLE, plan := plan_of(form)), TABLE, plan=plan).correspondence.columns
        for form in (shoal.Anatomy(), shoal.Slices())
    ]
    assert found[0]["disease"].reconstruction > 0.4
    assert found[0] == found[1]


def test_it_is_said_why_it_is_not_known() -> None:
    plan = plan_of(shoal.Anatomy())
    release = shoal.anonymize(TABLE, plan)
    assert "was not given" in str(shoal.measure(release).correspondence.reason)
    for form in (shoal.Generalized(), shoal.Randomized(retention=0.0)):
        plan = plan_of(form)
        kept = shoal.measure(shoal.anonymize(TABLE, plan), TABLE, plan=plan).correspondence
        assert not kept.columns
        assert "as they are" in str(kept.reason)
