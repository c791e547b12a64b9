"""Distances against outside oracles: SciPy's, a linear program, and the example of a paper."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import wasserstein_distance

from shoal.privacy.distances import Equal, Flows, Hierarchical, Ordered
from shoal.schema.hierarchy import Hierarchy
from tests.privacy import oracle
from tests.privacy.cases import FEW, classes, distances, trees

Shares = NDArray[np.float64]


def _as_shares(counts: NDArray[np.int64]) -> Shares:
    return counts / counts.sum(axis=1, keepdims=True)


@st.composite
def distributions(draw: st.DrawFn, values: int | None = None) -> tuple[Shares, Shares]:
    """A few classes and a table, as shares; not of huge counts, since a program's own precision is 1e-7."""
    shares = _as_shares(draw(classes(values, least=1, counts=FEW)))
    return shares, _as_shares(draw(classes(shares.shape[1], least=1, counts=FEW)))[0]


@st.composite
def on_a_tree(draw: st.DrawFn) -> tuple[Shares, Shares, Hierarchy]:
    """The same over the leaves of a tree, with missing values or without."""
    known, gap = draw(st.integers(1, 5)), draw(st.booleans())
    return (*draw(distributions(known + gap)), draw(trees(known)))


@given(distributions())
def test_ordered_is_wassersteins_distance_of_ranks(case: tuple[Shares, Shares]) -> None:
    classes_, whole = case
    ranks = np.arange(len(whole))
    expected = [wasserstein_distance(ranks, ranks, row, whole) / max(len(whole) - 1, 1) for row in classes_]
    np.testing.assert_allclose(Ordered().between(classes_, whole), expected, atol=1e-12)


@given(distributions())
def test_equal_is_total_variation(case: tuple[Shares, Shares]) -> None:
    classes_, whole = case
    expected = [sum(abs(a - b) for a, b in zip(row, whole, strict=True)) / 2 for row in classes_]
    np.testing.assert_allclose(Equal().between(classes_, whole), expected, atol=1e-12)


@given(on_a_tree())
def test_hierarchical_is_the_best_transport_on_the_tree(case: tuple[Shares, Shares, Hierarchy]) -> None:
    classes_, whole, tree = case
    expected = [oracle.emd(row.tolist(), whole.tolist(), oracle.in_tree(tree)) for row in classes_]
    np.testing.assert_allclose(Hierarchical(tree).between(classes_, whole), expected, atol=1e-7)


@st.composite
def with_any_distance(draw: st.DrawFn) -> tuple[Shares, Shares, Any]:
    known, gap = draw(st.integers(1, 6)), draw(st.booleans())
    return (*draw(distributions(known + gap)), draw(distances(known)))


def _summed(flows: Flows, classes_: Shares, whole: Shares) -> Shares:
    """Flows as a search sums them: prefix sums of the surplus, and their differences."""
    surplus = np.cumsum(np.pad(classes_ - whole, ((0, 0), (1, 0))), axis=1)
    carried = np.abs(surplus[:, flows.last] - surplus[:, flows.first])
    return np.asarray((carried * flows.weight).sum(axis=1))


@given(with_any_distance())
def test_flows_are_the_same_distance(case: tuple[Shares, Shares, Any]) -> None:
    classes_, whole, distance = case
    flows = distance.flows(len(whole))
    np.testing.assert_allclose(
        _summed(flows, classes_, whole), distance.between(classes_, whole), atol=1e-12, rtol=1e-12
    )


@given(with_any_distance())
def test_a_distance_is_between_0_and_1_and_0_of_itself(case: tuple[Shares, Shares, Any]) -> None:
    classes_, whole, distance = case
    away = distance.between(classes_, whole)
    assert (away >= 0).all()
    assert (away <= 1 + 1e-12).all()
    assert distance.between(whole[None, :], whole)[0] == 0


@given(on_a_tree())
def test_a_tree_of_one_level_has_the_equal_distance(case: tuple[Shares, Shares, Hierarchy]) -> None:
    classes_, whole, tree = case
    flat = Hierarchical(Hierarchy.from_rows([[leaf, "*"] for leaf in tree.leaves]))
    np.testing.assert_allclose(flat.between(classes_, whole), Equal().between(classes_, whole), atol=1e-12)


@given(on_a_tree())
def test_the_tree_never_exceeds_the_equal_distance(case: tuple[Shares, Shares, Hierarchy]) -> None:
    classes_, whole, tree = case
    near = Hierarchical(tree).between(classes_, whole)
    assert (near <= Equal().between(classes_, whole) + 1e-12).all()


ILLNESSES = Hierarchy.from_nested(
    {
        "respiratory and digestive": {
            "respiratory": ["SARS", "pneumonia", "bronchitis"],
            "digestive": ["hepatitis", "gastric ulcer", "intestinal cancer"],
        }
    }
)


def test_the_example_of_the_sabre_paper() -> None:
    """Cao, Karras, Kalnis and Tan, SABRE, Example 1: only respiratory illnesses in a class are 0.5 away."""
    table, first_class = np.full(6, 1 / 6), np.array([[1 / 3] * 3 + [0] * 3])
    assert Hierarchical(ILLNESSES).between(first_class, table)[0] == pytest.approx(0.5, abs=1e-15)
    flows = Hierarchical(ILLNESSES).flows(6)
    assert _summed(flows, first_class, table)[0] == pytest.approx(0.5, abs=1e-15)


def test_a_missing_value_is_as_far_as_the_root_and_last_in_rank() -> None:
    known, gone = np.array([[0, 1, 0, 0, 0, 0, 0.0]]), np.array([0, 0, 0, 0, 0, 0, 1.0])
    assert Hierarchical(ILLNESSES).between(known, gone)[0] == 1
    assert Equal().between(known, gone)[0] == 1
    assert Ordered().between(known, gone)[0] == pytest.approx(5 / 6)


def test_heights_count_the_levels_of_the_whole_file() -> None:
    """Leaves that do not occur leave the distances of the others as they are."""
    kept = ILLNESSES.keep(["SARS", "hepatitis", "pneumonia"])
    table, a_class = np.array([1 / 3, 1 / 3, 1 / 3]), np.array([[1.0, 0, 0]])
    # One third goes to pneumonia over half the height, one third to hepatitis over all of it.
    assert Hierarchical(kept).between(a_class, table)[0] == pytest.approx(1 / 6 + 1 / 3)
