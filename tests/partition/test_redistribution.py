"""SABRE's class sizes against the paper's recursion, node by node."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.partition.bucketization import refinements
from shoal.partition.redistribution import Sizes, class_sizes
from shoal.privacy.definitions import TOLERANCE
from shoal.privacy.distances import GroundDistance, Ordered
from tests.partition import sabre_oracle as oracle
from tests.partition.test_bucketization import DISEASES, PATIENTS, columns


def taken(sizes: Sizes) -> list[tuple[int, ...]]:
    """What each class takes."""
    return [
        tuple(((sizes.held + number) >> depth).tolist())
        for depth, number in zip(sizes.depth.tolist(), sizes.number.tolist(), strict=True)
    ]


@given(columns(), st.sampled_from([0.02, 0.1, 0.2, 0.3, 0.5, 0.9]), st.integers(1, 6), st.integers(1, 50))
def test_sizes_are_the_leaves_of_the_papers_tree(
    column: tuple[list[int], GroundDistance], t: float, least: int, times: int
) -> None:
    counts = np.array(column[0]) * times
    buckets = next(refinements(counts, column[1], t))
    held = np.bincount(buckets.of(np.arange(len(counts), dtype=np.uint8)), weights=counts).astype(np.int64)
    first, last, weight = buckets.flows

    def may(some: tuple[int, ...]) -> bool:
        surplus = np.append(0, np.cumsum(np.array(some) / sum(some) - held / held.sum()))
        return bool((weight * np.abs(surplus[last] - surplus[first])).sum() + buckets.upper <= t + TOLERANCE)

    found = taken(class_sizes(held, buckets.flows, t + TOLERANCE - buckets.upper, least))
    assert Counter(found) == Counter(oracle.ec_sizes(tuple(held.tolist()), may, least))
    assert [sum(part) for part in zip(*found, strict=True)] == held.tolist()
    assert [sum(one) for one in found] == sorted((sum(one) for one in found), reverse=True)


def test_example_7_the_tree_of_sizes() -> None:
    """Fig. 6: [10, 8] in halves, of which each gives [3, 2], [1, 1] and [1, 1]."""
    buckets = next(refinements(PATIENTS, DISEASES, 0.45))
    slack = 0.45 - buckets.upper
    found = taken(class_sizes(np.array([10, 8]), buckets.flows, slack, 1))
    assert Counter(found) == {(3, 2): 2, (1, 1): 4}
    assert Counter(taken(class_sizes(np.array([10, 8]), buckets.flows, slack, 4))) == {(3, 2): 2, (2, 2): 2}


def test_example_2_three_classes_of_two() -> None:
    """Six patients with six diseases: two buckets of three, and three classes that take one of each."""
    six = np.ones(6, np.int64)
    buckets = next(refinements(six, DISEASES, 0.34))
    assert buckets.upper == pytest.approx(1 / 3)
    assert taken(class_sizes(np.array([3, 3]), buckets.flows, 0.34 - buckets.upper, 1)) == [(1, 1)] * 3


def test_many_records_have_few_different_classes() -> None:
    """Halving a million records of 60 values goes on to thousands of classes, looked at once for each kind."""
    counts = np.arange(1, 61) * 547
    buckets = next(refinements(counts, Ordered(), 0.1))
    held = np.bincount(buckets.of(np.arange(60, dtype=np.uint8)), weights=counts).astype(np.int64)
    sizes = class_sizes(held, buckets.flows, 0.1 - buckets.upper, 5)
    assert len(sizes) > 1000
    assert sum(map(sum, taken(sizes))) == counts.sum()
    for depth in set(sizes.depth.tolist()):
        kinds = {tuple(((held + number) >> depth).tolist()) for number in sizes.number[sizes.depth == depth].tolist()}
        assert len(kinds) <= len(held) + 1
