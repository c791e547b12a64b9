"""SABRE's buckets against the paper's functions, its examples, and linear programs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import islice, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from shoal.partition.bucketization import Buckets, refinements
from shoal.privacy.distances import Equal, GroundDistance, Hierarchical, Ordered
from shoal.schema.hierarchy import Hierarchy
from tests.partition import sabre_oracle as oracle
from tests.privacy.cases import trees

#: Fig. 1 of the paper, and the numbers of patients in its Example 4.
DISEASES = Hierarchical(
    Hierarchy.from_nested(
        {
            "respiratory and digestive": {
                "respiratory": ["SARS", "pneumonia", "bronchitis"],
                "digestive": ["gastric flu", "gastric ulcer", "intestinal cancer"],
            }
        }
    )
)
PATIENTS = np.array([5, 3, 2, 4, 2, 2])


def runs(buckets: Buckets, counts: Sequence[int] | NDArray[np.int64]) -> list[tuple[int, ...]]:
    """The codes of each bucket that occur."""
    number = buckets.of(np.arange(len(counts), dtype=np.uint8))
    return [tuple(i for i, held in enumerate(counts) if held and number[i] == b) for b in range(len(buckets))]


def apart(distance: GroundDistance, codes: int) -> Callable[[int, int], Fraction]:
    """How far two codes are from each other; missing values are the codes after the known ones."""

    def between(i: int, j: int) -> Fraction:
        match distance:
            case Ordered():
                return Fraction(abs(i - j), max(codes - 1, 1))
            case Equal():
                return Fraction(int(i != j))
            case Hierarchical(tree):
                if i == j:
                    return Fraction(0)
                if max(i, j) >= len(tree.leaf_node):
                    return Fraction(1)
                node = tree.lowest(np.array([min(i, j)]), np.array([max(i, j)]))[0]
                return Fraction(int(tree.height[node]), int(tree.height[0]))

    return between


@st.composite
def columns(draw: st.DrawFn) -> tuple[list[int], GroundDistance]:
    """Counts of up to eight values, some of which do not occur, and how far the values are apart."""
    known, gap = draw(st.integers(1, 7)), draw(st.booleans())
    amount = st.one_of(st.integers(0, 3), st.integers(0, 40))
    counts = draw(st.lists(amount, min_size=known + gap, max_size=known + gap).filter(any))
    return counts, draw(st.one_of(st.just(Ordered()), st.just(Equal()), trees(known).map(Hierarchical)))


limits = st.sampled_from([0.001, 0.05, 0.1, 0.2, 0.3, 0.45, 0.7, 1.0])


@given(columns(), limits)
def test_buckets_are_those_of_the_papers_functions(column: tuple[list[int], GroundDistance], t: float) -> None:
    counts, distance = column
    found = next(refinements(np.array(counts), distance, t))
    between = apart(distance, len(counts))
    match distance:
        case Ordered():
            expected = oracle.bucket_num(counts, t)
        case Equal():
            everything = tuple(range(len(counts)))
            expected = oracle.bucket_cat(
                counts, t, -1, lambda node: everything if node < 0 else (),
                lambda node: everything if node < 0 else (node,), between,
            )  # fmt: skip
        case Hierarchical(tree):
            expected = _by_tree(counts, t, tree, between)
    assert runs(found, counts) == sorted(expected)
    cost = oracle.upper if isinstance(distance, Ordered) else oracle.upper_of_categories
    assert found.upper == pytest.approx(float(sum(cost(bucket, counts, between) for bucket in expected)), abs=1e-15)
    assert found.upper < t


def _by_tree(counts: list[int], t: float, tree: Hierarchy, between: oracle.Apart) -> list[oracle.Bucket]:
    gap = len(tree.labels)  # a node for missing values, directly below the root

    def children(node: int) -> list[int]:
        below = np.flatnonzero(tree.parent == node).tolist() if node != gap else []
        return [*below, gap] if node == 0 and len(counts) > len(tree.leaf_node) else below

    def codes(node: int) -> oracle.Bucket:
        if node == gap:
            return (len(tree.leaf_node),)
        last = len(counts) if node == 0 else int(tree.last[node])
        return tuple(range(int(tree.first[node]), last))

    return oracle.bucket_cat(counts, t, 0, children, codes, between)


@given(columns())
def test_buckets_are_split_until_each_value_has_its_own(column: tuple[list[int], GroundDistance]) -> None:
    counts, distance = column
    steps = list(refinements(np.array(counts), distance, 2.0))
    assert len(steps[0]) == 1
    assert steps[-1].upper == 0
    assert len(steps[-1]) == np.count_nonzero(counts)
    assert all(finer.upper < coarser.upper for coarser, finer in pairwise(steps))
    assert all(len(finer) > len(coarser) for coarser, finer in pairwise(steps))


@settings(max_examples=50)
@given(columns(), st.integers(0, 4), st.data())
def test_buckets_are_as_far_apart_as_a_linear_program_finds(
    column: tuple[list[int], GroundDistance], step: int, data: st.DataObject
) -> None:
    counts, distance = column
    *_, buckets = islice(refinements(np.array(counts), distance, 2.0), step + 1)
    inside = runs(buckets, counts)
    held = [sum(counts[code] for code in bucket) for bucket in inside]
    taken = data.draw(st.tuples(*(st.integers(0, here) for here in held)).filter(any))
    expected = oracle.away(taken, held, inside, apart(distance, len(counts)))
    assert _away(buckets, taken, held) == pytest.approx(expected, abs=1e-7)


def _away(buckets: Buckets, taken: Sequence[int], held: Sequence[int]) -> float:
    surplus = np.append(0, np.cumsum(np.array(taken) / sum(taken) - np.array(held) / sum(held)))
    first, last, weight = buckets.flows
    return float((weight * np.abs(surplus[last] - surplus[first])).sum())


@given(columns(), st.integers(0, 4), st.data())
def test_no_class_is_farther_away_than_the_bound(
    column: tuple[list[int], GroundDistance], step: int, data: st.DataObject
) -> None:
    """Theorem 3 where classes have the buckets' proportions, Theorem 4 where not; both for the worst of classes."""
    counts, distance = column
    *_, buckets = islice(refinements(np.array(counts), distance, 2.0), step + 1)
    inside = runs(buckets, counts)
    held = np.array([sum(counts[code] for code in bucket) for bucket in inside])
    exact = data.draw(st.booleans())
    taken = held if exact else np.array([data.draw(st.integers(int(b == 0), int(h))) for b, h in enumerate(held)])
    a_class = np.zeros(len(counts))
    for bucket, amount in zip(inside, taken.tolist(), strict=True):
        if data.draw(st.booleans()):  # all of one value, as if it occurred so often
            a_class[data.draw(st.sampled_from(bucket))] += amount
        else:
            a_class[list(bucket)] += np.bincount(
                data.draw(st.lists(st.integers(0, len(bucket) - 1), min_size=amount, max_size=amount)),
                minlength=len(bucket),
            )
    reached = distance.between(a_class[None, :] / a_class.sum(), np.array(counts) / sum(counts))[0]
    assert reached <= buckets.upper + _away(buckets, taken.tolist(), held.tolist()) + 1e-12
    if exact:
        assert reached <= buckets.upper + 1e-12


def test_example_3_costs_of_two_buckets() -> None:
    """U = 2/9 + 1/6, which a class of bronchitis and gastric ulcer reaches."""
    buckets = next(refinements(PATIENTS, DISEASES, 0.45))
    assert buckets.upper == pytest.approx(2 / 9 + 1 / 6)
    worst = np.array([[0, 0, 10, 0, 8, 0]]) / 18
    assert DISEASES.between(worst, PATIENTS / 18)[0] == pytest.approx(7 / 18)


def test_example_4_the_tree_of_diseases() -> None:
    root, two, final, _ = refinements(PATIENTS, DISEASES, 1.0)
    assert root.upper == pytest.approx(16 / 18)
    assert runs(two, PATIENTS) == [(0, 1, 2), (3, 4, 5)]  # Fig. 3
    assert two.upper == pytest.approx(2 / 9 + 1 / 6)
    assert runs(final, PATIENTS) == [(0,), (1,), (2,), (3, 4, 5)]  # Fig. 4
    assert final.upper == pytest.approx(1 / 6)
    assert runs(next(refinements(PATIENTS, DISEASES, 0.2)), PATIENTS) == runs(final, PATIENTS)


def test_example_5_the_tree_of_salaries() -> None:
    """Between 2k and 3k both sides cost 0.1; after 1k they would cost 0 and 0.3 (Fig. 5a), after 3k 0.3 and 0."""
    counts = [2, 3, 3, 2]
    root, halves = islice(refinements(np.array(counts), Ordered(), 1.0), 2)
    assert root.upper == pytest.approx(0.5)
    assert runs(halves, counts) == [(0, 1), (2, 3)]
    assert halves.upper == pytest.approx(0.2)
    assert runs(next(refinements(np.array(counts), Ordered(), 0.25)), counts) == [(0, 1), (2, 3)]
    between = apart(Ordered(), 4)
    assert [oracle.upper(b, counts, between) for b in ((0,), (1, 2, 3))] == [0, Fraction(3, 10)]


def test_example_6_a_class_out_of_proportion() -> None:
    buckets = next(refinements(PATIENTS, DISEASES, 0.45))
    assert _away(buckets, [3, 2], [10, 8]) == pytest.approx(2 / 45)
