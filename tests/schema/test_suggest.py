"""Proposals for columns: the words that decide a role, and ends that are no exact extremes."""

from __future__ import annotations

import math
from collections import Counter

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.schema import suggest
from shoal.schema.columns import Numeric


def role(name: str, values: list[object] | None = None) -> str:
    held = pa.array(values if values is not None else ["a", "b"] * 20)
    [proposed] = suggest.propose(pa.table({name: held}), 5)
    return proposed.column.role


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Name", "identifying"),
        ("first_name", "identifying"),
        ("lastName", "identifying"),
        ("patientId", "identifying"),
        ("ID", "identifying"),
        ("SSN", "identifying"),
        ("work phone", "identifying"),
        ("email2", "identifying"),
        ("IP-address", "identifying"),
        ("AGE", "quasi-identifying"),
        ("age_at_death", "quasi-identifying"),
        ("Postcode", "quasi-identifying"),
        ("zip4", "quasi-identifying"),
        ("dateOfBirth", "quasi-identifying"),
        ("marital.status", "quasi-identifying"),
        ("native-country", "quasi-identifying"),
        ("primary_diagnosis", "sensitive"),
        ("diagnoses", "sensitive"),
        ("annual income", "sensitive"),
        ("disease_name", "sensitive"),
        ("drug_name", "sensitive"),
        ("image", "quasi-identifying"),
        ("page", "quasi-identifying"),
        ("wrapped", "quasi-identifying"),
        ("department_id", "quasi-identifying"),
    ],
)
def test_a_role_follows_from_the_words_of_a_name(name: str, expected: str) -> None:
    assert role(name) == expected


def test_what_is_unique_for_most_is_not_published() -> None:
    assert role("x", [f"v{i}" for i in range(40)]) == "identifying"
    assert role("x", [float(i) for i in range(40)]) == "identifying"
    assert role("x", [f"v{i // 2}" for i in range(40)]) == "quasi-identifying"
    assert role("department_id", [f"v{i}" for i in range(40)]) == "identifying"
    assert role("age", list(range(40))) == "quasi-identifying"
    assert role("seen", [__import__("datetime").date(2020, 1, 1 + i % 28) for i in range(40)]) == "quasi-identifying"


NUMBERS = st.one_of(
    st.lists(st.integers(-50, 120), min_size=1, max_size=60),
    st.lists(st.integers(0, 10**6), min_size=1, max_size=60),
    st.lists(st.floats(-1e6, 1e6, width=32), min_size=1, max_size=60),
)


@settings(max_examples=300)
@given(values=NUMBERS, k=st.integers(2, 6))
def test_ends_are_coded_where_few_reach_them_and_never_at_an_extreme(values: list[float], k: int) -> None:
    [proposed] = suggest.propose(pa.table({"age": values}), k)
    how = proposed.column.coarsening or Numeric()
    assert isinstance(how, Numeric)
    counts = Counter(values)
    for end, extreme, sign in ((how.top, max(values), 1), (how.bottom, min(values), -1)):
        if end is not None:
            assert counts[extreme] < k
            assert sign * end < sign * extreme
            assert sum(sign * value >= sign * end for value in values) >= k
    if how.top is not None and how.bottom is not None:
        assert how.bottom < how.top


@settings(max_examples=200)
@given(values=st.lists(st.integers(0, 10**6), min_size=20, max_size=60), k=st.integers(2, 6))
def test_ends_of_wide_ranges_are_round(values: list[int], k: int) -> None:
    [proposed] = suggest.propose(pa.table({"age": values}), k)
    how = proposed.column.coarsening or Numeric()
    assert isinstance(how, Numeric)
    if max(values) - min(values) >= 20:
        for end, sign in ((how.top, 1), (how.bottom, -1)):
            assert end is None or isinstance(end, int)
            rounder = None if end is None else sign * (sign * end // 5 * 5)
            assert rounder == end or sum(sign * value >= sign * rounder for value in values) > 2 * k
        if how.step is not None:
            assert math.log10(how.step) == int(math.log10(how.step))
            assert how.step <= (max(values) - min(values)) / 100


def test_the_oldest_are_coded_at_a_round_age() -> None:
    [proposed] = suggest.propose(pa.table({"age": [*range(20, 90), 101]}), 5)
    assert proposed.column.coarsening == Numeric(bottom=25, top=85)


def test_a_few_far_off_do_not_code_everybody() -> None:
    areas = [900, 1200, *[*range(20_000, 90_000, 100)] * 3, 700_000, 1_500_000]
    [proposed] = suggest.propose(pa.table({"garden": areas}), 5)
    how = proposed.column.coarsening
    assert isinstance(how, Numeric)
    assert how.top is not None
    assert how.bottom is not None
    assert sum(area >= how.top for area in areas) <= len(areas) / 100
    assert sum(area <= how.bottom for area in areas) <= len(areas) / 100


def test_reasons_hold_no_values() -> None:
    table = pa.table({"city": ["Atlantis"] * 30, "age": [*range(20, 49), 7654]})
    for proposed in suggest.propose(table, 5):
        assert "Atlantis" not in proposed.why
        assert "7654" not in proposed.why.replace(",", "")


def test_the_column_that_tells_people_apart_is_one_that_repeats() -> None:
    def chosen(**columns: list[str]) -> str | None:
        table = pa.table(columns)
        found = suggest.person(suggest.propose(table, 5), table.num_rows)
        return None if found is None else found.column.name

    unique, twice = [f"u{i}" for i in range(20)], [f"t{i // 2}" for i in range(20)]
    assert chosen(patient_id=twice, visit_id=unique) == "patient_id"
    assert chosen(name=twice, patient_id=unique) == "patient_id"  # namesakes
    assert chosen(name=twice, visit_id=unique) == "name"
    assert chosen(visit_id=unique) == "visit_id"
    assert chosen(age=twice) is None
    assert chosen(email=twice) == "email"
    assert chosen(first_name=twice, ssn=[f"s{i // 4}" for i in range(20)]) == "ssn"


def test_words_for_missing_are_those_that_stand_alone() -> None:
    table = pa.table({"a": ["?", "x?", "x"], "b": ["NA", "x", "?"], "c": [1, 2, 3], "d": ["Unknown", "-", "-1"]})
    assert suggest.missing_words(table) == {"?": 2, "NA": 1, "Unknown": 1, "-": 1}


def test_namibia_is_no_missing_value() -> None:
    assert suggest.missing_words(pa.table({"country": ["NA", "DE", "FR"]})) == {}
