"""Association rules that are found again, against mlxtend's and against plain counting."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mlxtend.frequent_patterns import association_rules, fpgrowth

import shoal
from shoal.errors import DataError
from shoal.measure.rules import Rules, rules_kept
from shoal.release.manifest import PublishedColumn

NAMES = ("age", "sex", "job")
SCHEMA = shoal.Schema(quasi_identifying=["age", "sex"], sensitive=["job"])

records = st.lists(
    st.tuples(
        st.none() | st.integers(0, 9), st.sampled_from([None, "f", "m"]), st.sampled_from(["cook", "smith", "clerk"])
    ),
    min_size=1,
    max_size=30,
)
thresholds = st.tuples(st.sampled_from([0.05, 0.2, 0.5]), st.sampled_from([0.0, 0.4, 0.8, 1.0]))

Record = Sequence[Any]
Item = tuple[str, object]


def table_of(rows: Sequence[Record]) -> pa.Table:
    columns = list(zip(*rows, strict=True))
    kinds = (pa.int64(), pa.string(), pa.string())
    return pa.table({n: pa.array(c, k) for n, c, k in zip(NAMES, columns, kinds, strict=True)})


def measured(published: Any, original: pa.Table, asked: tuple[float, float]) -> Rules:
    plan = shoal.Plan(SCHEMA, [shoal.Size(2)], form=shoal.Slices(), person="row")
    found: Rules | None = shoal.measure(published, original, plan=plan, rules=asked).rules
    assert found is not None
    return found


# -- plain counting -----------------------------------------------------------------------------------------


def parts(ages: Sequence[int | None]) -> dict[int | None, object]:
    """A quarter of the known values each, an age that lies on both sides of a border where its middle lies."""
    known = sorted(age for age in ages if age is not None)
    middles = {age: known.index(age) + known.count(age) / 2 for age in known}
    return {None: "missing"} | {age: int(middle * 4 // len(known)) for age, middle in middles.items()}


def items(row: Record, part: Mapping[int | None, object]) -> set[Item]:
    return {("age", part.get(row[0], "?")), ("sex", row[1]), ("job", row[2])}


def rules(held: Sequence[set[Item]], asked: tuple[float, float]) -> set[tuple[frozenset[Item], frozenset[Item]]]:
    found = set()
    sets = {frozenset(c) for row in held for size in (2, 3) for c in itertools.combinations(sorted(row, key=str), size)}
    for both in sets:
        times = sum(both <= row for row in held)
        for size in range(1, len(both)):
            for first in map(frozenset, itertools.combinations(both, size)):
                given_first = sum(first <= row for row in held)
                if times >= asked[0] * len(held) - 1e-9 and times >= asked[1] * given_first - 1e-9:
                    found.add((first, both - first))
    return found


@settings(max_examples=60, deadline=None)
@given(records, st.data(), thresholds)
def test_rules_are_counted_as_by_hand(rows: list[Record], data: st.DataObject, asked: tuple[float, float]) -> None:
    """The release is any table of the same columns, its values those of the original but in other company."""
    again = [data.draw(st.permutations(column)) for column in zip(*rows, strict=True)]
    shuffled = list(zip(*again, strict=True))[: data.draw(st.integers(1, len(rows)))]
    part = parts([row[0] for row in rows])
    ours, theirs = (rules([items(row, part) for row in held], asked) for held in (rows, shuffled))
    found = measured(table_of(shuffled), table_of(rows), asked)
    assert (found.original, found.kept) == (len(ours), len(ours & theirs))


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32 - 1), thresholds)
def test_the_original_has_the_rules_that_mlxtend_finds(seed: int, asked: tuple[float, float]) -> None:
    chance = np.random.default_rng(seed)
    base = chance.integers(0, 3, 200)
    columns = {
        f"c{i}": pa.array([f"v{v}" for v in np.where(chance.random(200) < 0.6, base, chance.integers(0, 4, 200))])
        for i in range(4)
    }
    table = pa.table(columns)
    plan = shoal.Plan(shoal.Schema(quasi_identifying=list(columns)), [shoal.KAnonymity(2)], person="row")
    found = shoal.measure(table, table, plan=plan, rules=asked).rules
    flags = pd.get_dummies(table.to_pandas()).astype(bool)
    frequent = fpgrowth(flags, min_support=asked[0])
    near = asked[1] - 1e-9
    expected = len(association_rules(frequent, metric="confidence", min_threshold=near)) if len(frequent) else 0
    assert found.original == found.kept == expected
    assert found.retention == (1 if expected else None)


# -- cells --------------------------------------------------------------------------------------------------


def test_a_generalized_cell_is_an_item_if_all_that_it_may_stand_for_is() -> None:
    original = pa.table({"age": [10, 10, 20, 20, 30, 30, 40, 40], "sex": list("fmfmfmfm"), "job": list("abababab")})
    whole = measured(original, original, (0.1, 1))
    assert whole.original == whole.kept == 20  # sex and job tell each other, with any age and with none
    ages = pa.array(["[10, 20]", "[10, 20]", "20", "20", "[30, 30]", "30", "*", "*"])
    columns = [
        PublishedColumn("age", "quasi-identifying", "interval", ("age",)),
        PublishedColumn("sex", "quasi-identifying", "set", ("sex",)),
        PublishedColumn("job", "sensitive", "value", ("job",)),
    ]
    sexes = pa.array(["f", "m", "f", "m", "{f, m}", "{f, m}", "f", "m"])
    published = original.set_column(0, "age", ages).set_column(1, "sex", sexes)
    found = rules_kept(published, columns, original, {}, (), 0.1, 1)
    assert found == Rules(0.1, 1, 20, 6)  # the job of either sex; at 20 each of sex and job by the other


@pytest.mark.parametrize("asked", [(0, 0.5), (1.5, 0.5), (0.5, -1), (0.5, 2)])
def test_thresholds_are_shares(asked: tuple[float, float]) -> None:
    table = table_of([(1, "f", "cook")])
    with pytest.raises(DataError, match="support"):
        measured(table, table, asked)


def test_rules_need_the_original() -> None:
    plan = shoal.Plan(SCHEMA, [shoal.Size(2)], form=shoal.Slices(), person="row")
    with pytest.raises(DataError, match="original"):
        shoal.measure(table_of([(1, "f", "cook")]), plan=plan, rules=(0.5, 0.5))
