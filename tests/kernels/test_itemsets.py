"""Frequent sets of items against another's search for them."""

from __future__ import annotations

import numpy as np
import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st
from mlxtend.frequent_patterns import fpgrowth
from numpy.typing import NDArray

from shoal.kernels import itemsets

tables = st.tuples(st.integers(0, 2**32 - 1), st.integers(1, 150), st.integers(1, 8), st.sampled_from([0.3, 0.6, 0.9]))


def table_of(seed: int, records: int, items: int, share: float) -> NDArray[np.bool_]:
    chance = np.random.default_rng(seed)
    flags = chance.random((items, records)) < share
    flags[0] |= flags[-1]  # some that go together
    return flags


@settings(max_examples=60)
@given(tables, st.integers(1, 40))
def test_frequent_sets_are_those_that_mlxtend_finds(drawn: tuple[int, int, int, float], least: int) -> None:
    flags = table_of(*drawn)
    flags = flags[flags.sum(axis=1) >= least]
    found = itemsets.frequent(itemsets.bits_of(flags), np.arange(len(flags)), least)
    ours = {
        frozenset(row): int(support)
        for level in found
        for row, support in zip(level.items.tolist(), level.support, strict=True)
    }
    expected = {}
    if len(flags):
        support = (least - 0.5) / flags.shape[1]
        theirs = fpgrowth(pd.DataFrame(flags.T), min_support=support)
        expected = {
            frozenset(row): round(share * flags.shape[1])
            for row, share in zip(theirs.itemsets, theirs.support, strict=True)
        }
    assert ours == expected


@given(tables, st.integers(1, 20), st.lists(st.integers(0, 2), min_size=8, max_size=8), st.integers(1, 4))
def test_no_set_has_two_items_of_one_column_or_more_items_than_allowed(
    drawn: tuple[int, int, int, float], least: int, columns: list[int], largest: int
) -> None:
    flags = table_of(*drawn)
    column = np.sort(np.array(columns[: len(flags)]))
    frequent = flags.sum(axis=1) >= least
    flags, column = flags[frequent], column[frequent]
    found = itemsets.frequent(itemsets.bits_of(flags), column, least, largest)
    every = itemsets.frequent(itemsets.bits_of(flags), np.arange(len(flags)), least, largest)
    assert len(found) <= largest
    for size, level in enumerate(every):
        apart = [row for row in level.items.tolist() if len({column[item] for item in row}) == size + 1]
        assert (found[size].items.tolist() if size < len(found) else []) == apart


@given(tables, st.integers(1, 20))
def test_sets_are_found_again_and_counted(drawn: tuple[int, int, int, float], least: int) -> None:
    flags = table_of(*drawn)
    flags = flags[flags.sum(axis=1) >= least]
    bits = itemsets.bits_of(flags)
    for level in (found := itemsets.frequent(bits, np.arange(len(flags)), least)):
        assert itemsets.places(found, level.items).tolist() == list(range(len(level.items)))
        expected = [int(flags[row].all(axis=0).sum()) for row in level.items]
        assert level.support.tolist() == expected == itemsets.counts(bits, level.items).tolist()


def test_of_too_many_sets_the_commonest_are_joined() -> None:
    flags = np.ones((6, 50), np.bool_)
    flags[0, 1:] = False
    flags[1, 2:] = False
    found = itemsets.frequent(itemsets.bits_of(flags), np.arange(6), 1, most=4)
    assert [len(level.items) for level in found] == [6, 6, 3, 1, 0]
    assert found[1].items.min() == 2
    assert itemsets.places(found, np.array([[2, 4, 5], [3, 4, 5], [2, 3, 4]])).tolist() == [2, -1, 0]
