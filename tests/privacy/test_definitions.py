"""The definitions, which judge all classes at once, against the same said of one class in fractions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from shoal.privacy import definitions
from shoal.privacy.distances import Equal, Held, Hierarchical, Ordered
from shoal.privacy.requirements import KAnonymity, LDiversity, RandomizedDiversity, Requirement, Size, TCloseness
from shoal.privacy.retention import diversity
from shoal.schema.hierarchy import Hierarchy
from tests.privacy import oracle
from tests.privacy.cases import FEW, classes, distances, diversities, randomized

Counts = NDArray[np.int64]


@given(classes())
def test_size_counts_records(counts: Counts) -> None:
    assert definitions.size(counts).tolist() == [sum(row) for row in counts.tolist()]


@given(classes())
def test_frequency_is_one_over_the_commonest_share(counts: Counts) -> None:
    assert definitions.frequency(counts).tolist() == [float(oracle.frequency(row)) for row in counts.tolist()]


@given(classes())
def test_distinct_counts_values(counts: Counts) -> None:
    assert definitions.distinct(counts).tolist() == [oracle.distinct(row) for row in counts.tolist()]


@given(classes())
def test_entropy_is_a_number_of_values(counts: Counts) -> None:
    expected = [oracle.entropy(row) for row in counts.tolist()]
    np.testing.assert_allclose(definitions.entropy(counts), expected, rtol=1e-12, atol=1e-12)


@given(classes(), st.sampled_from([0.25, 0.5, 1.0, 1.5, 3.0]))  # exact in binary, so that a tie is a tie for both
def test_recursive_is_the_largest_l(counts: Counts, c: float) -> None:
    assert definitions.recursive(counts, c).tolist() == [oracle.recursive(row, c) for row in counts.tolist()]


@given(classes(), diversities(), st.booleans())
def test_a_missing_value_makes_no_class_diverse(counts: Counts, asked: LDiversity, has_missing: bool) -> None:
    known = counts.shape[1] - has_missing
    reached = definitions.diversity(asked, counts, known)
    judged = counts if asked.missing_is_sensitive else counts[:, :known]
    assert reached.tolist() == definitions.diversity(asked, judged, judged.shape[1]).tolist()
    assert (reached[judged.sum(axis=1) == 0] == 0).all()


@given(classes(counts=FEW), randomized(), st.booleans())
def test_randomized_classes_draw_from_all_that_they_hold(
    counts: Counts, asked: RandomizedDiversity, has_missing: bool
) -> None:
    known = counts.shape[1] - has_missing
    judged = counts if asked.missing_is_sensitive else counts[:, :known]
    expected = [
        diversity(asked.retention, sum(n > 0 for n in row), sum(some), max(some)) if sum(some) else 0.0
        for row, some in zip(counts.tolist(), judged.tolist(), strict=True)
    ]
    assert definitions.diversity(asked, counts, known).tolist() == expected


def test_an_entropy_of_log_l_is_enough() -> None:
    """Equal counts of l values are entropy l-diverse, whatever the last bit of a logarithm says."""
    for l in range(2, 60):
        counts = np.full((1, l), 7)
        asked = LDiversity(l, "illness", "entropy")
        assert definitions.keeps(asked, definitions.diversity(asked, counts, l))[0]


@pytest.mark.parametrize(
    ("requirement", "enough", "too_little"),
    [
        (KAnonymity(3), 3, 2),
        (Size(3), 3, 2),
        (LDiversity(2.5, "illness"), 2.5, 2.4999999999),
        (LDiversity(3, "illness", "distinct"), 3, 2),
        (LDiversity(3, "illness", "entropy"), 3, 2.999999999),
        (LDiversity(3, "illness", "recursive", 1.0), 3, 2),
        (TCloseness(0.2, "illness"), 0.2, 0.200000001),
    ],
)
def test_a_requirement_is_kept_at_its_bound(requirement: Requirement, enough: float, too_little: float) -> None:
    assert definitions.keeps(requirement, np.array([enough, too_little])).tolist() == [True, False]


@st.composite
def judged_by_closeness(draw: st.DrawFn) -> tuple[Counts, Any]:
    known, gap = draw(st.integers(1, 5)), draw(st.booleans())
    counts = draw(classes(known + gap, least=1, counts=FEW))  # the program's own precision is 1e-7
    return counts, draw(distances(known))


@given(judged_by_closeness())
def test_closeness_is_an_earth_movers_distance(case: tuple[Counts, Any]) -> None:
    counts, distance = case
    whole = counts.sum(axis=0)
    apart = {
        Equal: lambda i, j: float(i != j),
        Ordered: lambda i, j: abs(i - j) / max(counts.shape[1] - 1, 1),
    }.get(type(distance)) or oracle.in_tree(distance.tree)
    expected = [oracle.emd(oracle.shares(row), oracle.shares(whole.tolist()), apart) for row in counts.tolist()]
    np.testing.assert_allclose(definitions.closeness(counts, whole, distance), expected, atol=1e-7)


@st.composite
def classes_and_others(draw: st.DrawFn) -> tuple[Counts, Counts, Any]:
    counts, distance = draw(judged_by_closeness())
    others = draw(st.lists(st.integers(0, 3), min_size=counts.shape[1], max_size=counts.shape[1]))
    return counts, np.array(others, np.int64), distance


@given(classes_and_others())
def test_classes_are_as_close_by_the_values_that_they_hold(case: tuple[Counts, Counts, Any]) -> None:
    counts, others, distance = case
    whole = counts.sum(axis=0) + others
    by, value = np.nonzero(counts)
    found = distance.reached(Held(by, value, counts[by, value]), whole)
    np.testing.assert_allclose(found, definitions.closeness(counts, whole, distance), atol=1e-14)


def test_a_class_of_very_many_is_as_close_by_the_values_that_it_holds() -> None:
    chance = np.random.default_rng(5)
    whole = chance.integers(0, 3, 300_000)
    counts = chance.binomial(whole, [[0.5], [0.001]])
    by, value = np.nonzero(counts)
    for distance in (Ordered(), Equal()):
        found = distance.reached(Held(by, value, counts[by, value]), whole)
        np.testing.assert_allclose(found, definitions.closeness(counts, whole, distance), atol=1e-13)


def test_many_equal_terms_do_not_add_up_to_an_error() -> None:
    classes, size = 5, 120_000
    by, value = np.repeat(np.arange(classes), size), np.arange(classes * size)
    once = np.ones(classes * size, np.int64)
    np.testing.assert_allclose(Equal().reached(Held(by, value, once), once), 0.8, rtol=0, atol=1e-14)


@st.composite
def two_classes_and_a_whole(draw: st.DrawFn) -> tuple[Counts, int, list[Any], Any]:
    known, gap = draw(st.integers(1, 5)), draw(st.booleans())
    counts = draw(classes(known + gap, least=1))
    return counts, known, [draw(diversities("x")) for _ in range(3)], draw(distances(known))


@given(two_classes_and_a_whole(), st.floats(0.01, 1))
def test_classes_that_keep_a_requirement_keep_it_together(
    case: tuple[Counts, int, list[LDiversity], Any], t: float
) -> None:
    """Mondrian stands on this: what is published alike may be judged as one class."""
    counts, known, asked, distance = case
    together = counts.sum(axis=0, keepdims=True)
    for requirement in asked:
        if definitions.keeps(requirement, definitions.diversity(requirement, counts, known)).all():
            merged = definitions.diversity(requirement, together, known)
            assert definitions.keeps(requirement, merged * (1 + 1e-12)).all()
    whole = together[0] + np.arange(1, counts.shape[1] + 1)  # a table that holds other classes too
    apart = definitions.closeness(counts, whole, distance)
    assert definitions.closeness(together, whole, distance)[0] <= apart.max() + 1e-12
    if definitions.keeps(TCloseness(t, "x"), apart).all():
        assert definitions.keeps(TCloseness(t + 1e-12, "x"), definitions.closeness(together, whole, distance)).all()


def test_a_class_like_the_table_is_0_away_however_many_records_there_are() -> None:
    counts = np.array([[2**33, 2**34, 2**35]])
    tree = Hierarchy.from_nested({"a": ["x", "y"], "b": ["z"]})
    for distance in (Equal(), Ordered(), Hierarchical(tree)):
        assert definitions.closeness(counts, 3 * counts[0], distance)[0] == pytest.approx(0, abs=1e-15)


def test_counts_beyond_32_bits_do_not_wrap() -> None:
    """A product or a sum in 32 bits would turn these into something harmless."""
    many = 3 * 2**31
    counts = np.array([[many, 1, 1], [many, many, many]])
    assert definitions.size(counts).tolist() == [many + 2, 3 * many]
    assert definitions.frequency(counts).tolist() == [(many + 2) / many, 3]
    assert definitions.recursive(counts, 1.0).tolist() == [1, 2]
    tree = Hierarchy.from_nested({"a": ["x", "y"], "b": ["z"]})
    away = definitions.closeness(counts, np.array([many, many, many]), Hierarchical(tree))
    assert away[0] == pytest.approx(0.5 * 1 / 3 + 1 / 3, rel=1e-6)
    assert away[1] == 0
