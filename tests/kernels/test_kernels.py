"""The compiled loops against the plainest Python."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from shoal.kernels import arrange, cutting, extents
from shoal.kernels.shuffle import permutation, permutation_within
from shoal.table.chance import Chance


def test_a_shuffle_is_uniform_over_all_permutations() -> None:
    """24 permutations of four things, fixed points and all, equally often."""
    times = np.zeros((4,) * 4)
    for seed in range(12_000):
        times[tuple(permutation(Chance.seeded(seed).words(4)))] += 1
    found = times[times > 0]
    assert len(found) == 24
    assert chisquare(found).pvalue > 1e-4


@given(st.integers(0, 200))
def test_a_shuffle_keeps_everybody(count: int) -> None:
    assert sorted(permutation(Chance().words(count)).tolist()) == list(range(count))


@given(st.lists(st.integers(0, 9), max_size=20))
def test_a_shuffle_within_runs_keeps_everybody_in_theirs(sizes: list[int]) -> None:
    starts = np.cumsum([0, *sizes])
    found = permutation_within(starts, Chance().words(int(starts[-1])))
    for first, last in pairwise(starts.tolist()):
        assert sorted(found[first:last].tolist()) == list(range(first, last))


def test_a_shuffle_within_runs_is_uniform_in_each() -> None:
    starts = np.arange(0, 4 * 12_000 + 1, 4)
    found = permutation_within(starts, Chance().words(int(starts[-1]))).reshape(-1, 4) - starts[:-1, None]
    times = np.unique(found, axis=0, return_counts=True)[1]
    assert len(times) == 24
    assert chisquare(times).pvalue > 1e-9


def test_the_system_draws_anew_each_time() -> None:
    assert permutation(Chance().words(100)).tolist() != permutation(Chance().words(100)).tolist()
    assert not Chance().is_seeded


classes = st.lists(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 5)), min_size=1, max_size=40), max_size=8)


@given(classes)
def test_records_are_sorted_within_their_class(held: list[list[tuple[int, int]]]) -> None:
    codes = np.array([record for one in held for record in one], np.uint8).reshape(-1, 2)
    starts = np.cumsum([0, *(len(one) for one in held)])
    arranged = np.arange(len(codes), dtype=np.uint32)
    arrange.sort_within(codes, arranged, starts, 2)
    found = [tuple(row) for row in codes[arranged].tolist()]
    assert found == [record for one in held for record in sorted(one)]


@given(classes, st.randoms())
def test_classes_are_laid_out_in_the_order_given(held: list[list[tuple[int, int]]], draw: object) -> None:
    starts = np.cumsum([0, *(len(one) for one in held)])
    order = np.arange(starts[-1], dtype=np.uint32)[::-1].copy()
    chosen = list(range(len(held)))
    draw.shuffle(chosen)  # type: ignore[attr-defined]
    arranged = np.empty(len(order), np.uint32)
    arrange.in_class_order(order, starts, np.array(chosen, np.int64), arranged)
    assert arranged.tolist() == [r for c in chosen for r in order[starts[c] : starts[c + 1]].tolist()]


@given(classes)
def test_what_classes_hold(held: list[list[tuple[int, int]]]) -> None:
    codes = np.array([record for one in held for record in one], np.uint8).reshape(-1, 2)
    starts = np.cumsum([0, *(len(one) for one in held)])
    masks = np.empty(len(held), np.uint64)
    extents.masks(codes, starts, 1, masks)
    assert masks.tolist() == [sum(1 << v for v in {record[1] for record in one}) for one in held]
    ends, found = np.zeros(len(held) + 1, np.int64), np.empty(len(codes), np.int64)
    count = extents.members(codes, starts, 1, np.full(6, -1), ends, found)
    runs = [found[a:b].tolist() for a, b in pairwise(ends.tolist())]
    assert runs == [sorted({record[1] for record in one}) for one in held]
    assert count == ends[-1]


@given(st.lists(st.integers(0, 50), min_size=1, max_size=60), st.data())
def test_the_nth_smallest(values: list[int], data: st.DataObject) -> None:
    n = data.draw(st.integers(0, len(values) - 1))
    assert cutting._nth(np.array(values), len(values), n) == sorted(values)[n]


@given(st.lists(st.integers(0, 9), min_size=1, max_size=12), st.integers(1, 14))
def test_the_tail_without_the_largest(counts: list[int], l: int) -> None:
    rest = np.zeros(len(counts), np.int64)
    expected = sum(sorted(counts, reverse=True)[l - 1 :])
    assert cutting._tail(np.array(counts), 0, len(counts), l, rest) == expected
