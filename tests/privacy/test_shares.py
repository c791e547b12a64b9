"""Diversity as shares: enough values, each once, keep every kind of it; the bound is what the table allows."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.privacy import definitions
from shoal.privacy.requirements import LDiversity, RandomizedDiversity
from shoal.privacy.shares import Asked, shares, values_needed

diversities = st.one_of(
    st.builds(LDiversity, st.floats(1.01, 9), st.just("s"), st.sampled_from(["frequency", "entropy"])),
    st.builds(LDiversity, st.integers(2, 9), st.just("s"), st.just("distinct")),
    st.builds(LDiversity, st.integers(2, 6), st.just("s"), st.just("recursive"), st.floats(0.2, 4)),
)


def reaches(requirement: LDiversity, counts: list[int]) -> bool:
    reached = definitions.diversity(requirement, np.array([counts]), len(counts))
    return bool(definitions.keeps(requirement, reached)[0])


@given(diversities, st.integers(1, 4))
def test_so_many_values_are_needed_and_no_fewer(requirement: LDiversity, times: int) -> None:
    values = values_needed(requirement, 99)
    assert reaches(requirement, [times] * values)
    stricter = requirement if requirement.c is None else replace(requirement, c=requirement.c * (1 - 1e-9))
    assert values == 1 or not reaches(stricter, [times] * (values - 1))


@given(diversities, st.integers(1, 3), st.lists(st.integers(0, 3), min_size=1, max_size=30))
def test_a_class_with_capped_values_is_diverse(requirement: LDiversity, cap: int, held: list[int]) -> None:
    """A class of so many times the records that are needed, no value oftener than that, holds enough of each kind."""
    size = cap * values_needed(requirement, 99)
    counts = [min(times, cap) for times in held]
    if sum(counts) >= size:
        assert reaches(requirement, counts)


def test_the_most_demanding_column_comes_first() -> None:
    little = Asked(3, [LDiversity(2, "a")], np.array([5, 5, 5]), 3)
    much = Asked(4, [LDiversity(3.5, "b"), LDiversity(4, "b", "distinct")], np.array([3, 3, 3, 3, 3, 9]), 5)
    found = shares([little, much], least=2)
    assert found.column.tolist() == [4, 3]
    assert found.start.tolist() == [0, 5, 8]
    assert found.of.tolist() == [0] * 5 + [1] * 3
    assert found.bound.tolist() == [4, 2]
    assert (found.size, found.cap.tolist()) == (4, [1, 2])


def test_more_values_may_be_wanted_than_are_needed() -> None:
    assert shares([Asked(0, [LDiversity(2, "a")], np.array([5, 5, 5]), 3)], 1, values=3)[-3:] == (
        pytest.approx([1]),
        3,
        1,
    )


def test_the_bound_is_what_the_table_itself_reaches() -> None:
    """Nine in ten share a value: two distinct values can be asked, one in two cannot."""
    asked = Asked(0, [LDiversity(2, "a", "distinct")], np.array([9, 1]), 2)
    assert asked.bound == pytest.approx(10 / 9)
    assert not asked.is_exact
    assert Asked(0, [LDiversity(2, "a")], np.array([5, 5]), 2).is_exact


def test_missing_counts_only_if_all_say_so() -> None:
    counts = np.array([4, 4, 8])
    sensitive, plain = LDiversity(2, "a", missing_is_sensitive=True), LDiversity(2, "a")
    assert Asked(0, [sensitive], counts, 2).judged == 3
    assert Asked(0, [sensitive, plain], counts, 2).judged == 2
    assert not Asked(0, [sensitive, plain], counts, 2).is_exact


@given(st.floats(1.1, 6), st.floats(0, 0.2), st.integers(1, 60), st.booleans())
def test_randomized_classes_need_more_values(l: float, keeps: float, most: int, gap: bool) -> None:
    requirement = RandomizedDiversity(l, "s", retention=keeps)
    values = values_needed(requirement, most, gap=gap)
    enough = [m for m in range(1, most + 1) if _randomized(requirement, m, gap)]
    assert values == (enough[0] if enough else math.ceil(l))
    assert enough == list(range(values, most + 1)) or not enough


def _randomized(requirement: RandomizedDiversity, values: int, gap: bool) -> bool:
    """Whether a class that holds so many values once each, and perhaps a missing one, keeps it."""
    counts = np.array([[1] * values + [1] * gap])
    return bool(definitions.keeps(requirement, definitions.diversity(requirement, counts, values))[0])
