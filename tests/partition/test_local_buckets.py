"""Local buckets: the paper's figures, its algorithms against slow ones, and its promise against all who check it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from math import ceil
from typing import Any
from unittest import mock

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import csv

import shoal
import shoal.sample
from shoal.errors import PlanError, Unachievable, Unsupported
from shoal.kernels.shuffle import permutation
from shoal.partition import local_buckets
from shoal.partition.buckets import Wanted, bucketed, of_classes
from shoal.partition.patterns import BUCKETIZED, groups_of
from shoal.plan.plan import Plan
from shoal.privacy import definitions
from shoal.privacy.distances import Equal, Hierarchical, Ordered
from shoal.privacy.requirements import KAnonymity, LDiversity, Requirement, TCloseness
from shoal.schema.columns import Categorical, Schema, masked
from shoal.schema.hierarchy import Hierarchy
from shoal.table.chance import Chance
from shoal.table.classes import GENERALIZED, SUPPRESSED
from shoal.table.codes import Codes, encode
from shoal.table.domain import Domain
from shoal.testing import check_release
from tests.partition import local_buckets_oracle, mondrian_oracle
from tests.partition.personal import TREE, plans, tables

Flags = np.ndarray[Any, np.dtype[np.bool_]]

# -- the paper's example (Figures 1 to 4) -------------------------------------------------------------------------

FIGURE = {
    "name": ["", "Daphne", "Dean", "Mark", "", "Neil", "", ""],
    "age": [28, 25, 16, 24, 31, 22, 29, 34],
    "age_flag": [False, False, False, True, True, False, True, True],
    "gender": ["Male", "Female", "Male", "Male", "Female", "Male", "Female", "Male"],
    "zip": ["21357", "21344", "21352", "21336", "21328", "21358", "21328", "21340"],
    "zip_flag": [True, True, False, False, False, False, False, False],
    "disease": ["Bronchitis", "Gastritis", "Dyspepsia", "Pneumonia", "Hepatitis", "Flu", "Pneumonia", "Bronchitis"],
}


def figure_plan(partition: Any) -> Plan:
    schema = Schema(
        identifying=["name"],
        quasi_identifying=["gender"],
        semi_sensitive={"age": "age_flag", "zip": masked("zip_flag", shoal.prefixes())},
        sensitive=["disease"],
    )
    return Plan(schema, [KAnonymity(2), LDiversity(2)], shoal.LocalBuckets(partition), person="row")


@pytest.mark.parametrize("partition", ["mdp", "ncp"])
def test_the_table_of_figure_1_has_the_properties_of_figures_2_to_4(partition: str) -> None:
    release = shoal.anonymize(pa.table(FIGURE), figure_plan(partition))
    rows = release.table.to_pylist()
    classes = defaultdict(list)
    for row in rows:
        classes[row["class"]].append(row)
    # Figure 3: three subsets by what is public; the one of four in two parts; each group shows one face.
    hidden = Counter((row["age_bucket"] is None, row["zip_bucket"] is None) for row in rows)
    assert hidden == {(True, False): 2, (True, True): 2, (False, True): 4}
    assert [len(held) for held in classes.values()] == [2, 2, 2, 2]
    faces = {(r["class"], r["age_min"], r["age_max"], r["gender"], r["zip_general"]) for r in rows}
    assert len(faces) == 4
    shown = {face[1:] for face in faces}
    assert {(25, 28, "{Female, Male}", None), (16, 22, "Male", "2135*")} < shown
    assert {(None, None, "Male", "213**"), (None, None, "Female", "21328")} < shown
    # Figure 4: local buckets of two or more, each value once, within their own column.
    for name, values in (("age", [24, 31, 29, 34]), ("zip", ["21357", "21344"]), ("disease", FIGURE["disease"])):
        buckets = defaultdict(list)
        for row in rows:
            if row[f"{name}_bucket"] is not None:
                buckets[row[f"{name}_bucket"]].append(row[name])
        assert sorted(value for held in buckets.values() for value in held) == sorted(values)  # type: ignore[type-var]
        assert all(len(held) == len(set(held)) >= 2 for held in buckets.values())
    # The ages that are private lie in two buckets that are as narrow as can be.
    assert {frozenset(held) for held in _buckets(rows, "age")} == {frozenset({24, 29}), frozenset({31, 34})}


def _buckets(rows: Sequence[dict[str, Any]], name: str) -> list[list[Any]]:
    found = defaultdict(list)
    for row in rows:
        if row[f"{name}_bucket"] is not None:
            found[row[f"{name}_bucket"]].append(row[name])
    return list(found.values())


def test_what_an_adversary_learns_of_mark() -> None:
    """Figure 1 (a): a man of 21336 whose age is not known; he is in two rows, with several ages and diseases."""
    rows = shoal.anonymize(pa.table(FIGURE), figure_plan("mdp")).table.to_pylist()
    mine = [row for row in rows if row["gender"] == "Male" and row["zip_general"] == "213**" and row["age_min"] is None]
    assert len(mine) == 2
    ages = {age for row in mine for age in _values(rows, "age", row["age_bucket"])}
    diseases = {ill for row in mine for ill in _values(rows, "disease", row["disease_bucket"])}
    assert 24 in ages
    assert len(ages) >= 2
    assert "Pneumonia" in diseases
    assert len(diseases) >= 2


def _values(rows: Sequence[dict[str, Any]], name: str, bucket: int) -> list[Any]:
    return [row[name] for row in rows if row[f"{name}_bucket"] == bucket]


# -- local bucketization ------------------------------------------------------------------------------------------


def domain_of(count: int, *, missing: bool = False, tree: Hierarchy | None = None) -> Domain:
    values = pa.array(np.arange(count)) if tree is None else pa.array(tree.leaves)
    return Domain("x", "number" if tree is None else "category", values, missing, tree)


def members(bucket: Any, codes: Any) -> list[list[int]]:
    found = defaultdict(list)
    for number, code in zip(bucket.tolist(), codes.tolist(), strict=True):
        found[number].append(code)
    return list(found.values())


values = st.lists(st.integers(0, 15), min_size=1, max_size=60)


@settings(max_examples=300)
@given(values, st.integers(1, 5), st.integers(0, 3), st.integers(0, 2**32 - 1))
def test_buckets_are_those_of_algorithm_2(held: list[int], l: int, gaps: int, seed: int) -> None:
    if not local_buckets_oracle.eligible(held, l):
        return
    codes = np.array([*held, *[16] * gaps], np.uint8)
    wanted = Wanted(
        domain_of(16, missing=gaps > 0), [LDiversity(max(l, 1.01), "x")] if l > 1 else [LDiversity(1.0, "x")]
    )
    bucket = bucketed(codes, wanted, Chance.seeded(seed))
    found = [[code for code in one if code < 16] for one in members(bucket, codes)]
    assert all(len(set(one)) == len(one) >= l for one in found)
    parts = local_buckets_oracle.ranges(held, l)
    expected = sorted(size for part in parts for size in local_buckets_oracle.sizes(part, l))
    assert sorted(map(len, found)) == expected
    for one in found:  # each lies within one of the ranges
        assert sum(set(one) <= set(part) for part in parts) == 1
    spread = [sum(code == 16 for code in one) for one in members(bucket, codes)]
    assert max(spread) - min(spread) <= 1


@settings(max_examples=200)
@given(
    st.lists(st.integers(0, 7), min_size=1, max_size=120),
    st.sampled_from([0.05, 0.15, 0.3]),
    st.sampled_from(["ordered", "equal", "hierarchical"]),
    st.sampled_from([None, 1.2, 1.7]),
)
def test_buckets_by_t_are_like_the_whole(held: list[int], t: float, distance: Any, l: float | None) -> None:
    tree = TREE if distance == "hierarchical" else None
    domain = domain_of(8, tree=tree)
    codes = np.array(held, np.uint8)
    whole = np.bincount(codes, minlength=8)
    asked: list[Requirement] = [TCloseness(t, "x", distance), *([LDiversity(l, "x")] if l else [])]
    if l and len(held) / whole.max() < l:
        return
    bucket = bucketed(codes, Wanted(domain, asked, [whole]), Chance.seeded(1))  # type: ignore[arg-type]
    counts = np.array([np.bincount(one, minlength=8) for one in members(bucket, codes)])
    occurs = whole > 0
    ground = {"ordered": Ordered(), "equal": Equal(), "hierarchical": None}[distance]
    if ground is None:
        reached = definitions.closeness(counts, whole, Hierarchical(TREE))
    else:
        reached = definitions.closeness(counts[:, occurs], whole[occurs], ground)
    assert reached.max() <= t + definitions.TOLERANCE
    assert not l or definitions.frequency(counts).min() >= l


def test_buckets_by_t_are_small() -> None:
    codes = np.repeat(np.arange(100, dtype=np.uint8), 50)
    wanted = Wanted(domain_of(100), [TCloseness(0.1, "x", "ordered")], [np.bincount(codes)])
    sizes = np.bincount(bucketed(codes, wanted, Chance.seeded(1)))
    assert sizes.max() <= 8  # one value of each tenth would do
    sexes = np.repeat(np.array([0, 1], np.uint8), [520, 480])
    wanted = Wanted(domain_of(2), [TCloseness(0.2, "x", "equal")], [np.bincount(sexes)])
    assert np.bincount(bucketed(sexes, wanted, Chance.seeded(1))).max() <= 4


@settings(max_examples=200)
@given(st.lists(st.tuples(st.integers(0, 5), st.booleans(), st.integers(0, 9)), min_size=1, max_size=60))
def test_buckets_of_whole_classes(held: list[tuple[int, bool, int]]) -> None:
    """No class is divided, and what is left of a bucket keeps l, whatever values of those who cover are struck out."""
    codes, holds, classes = (np.array(column) for column in zip(*held, strict=True))
    l, mine = 1.5, Counter(codes[holds].tolist())
    for value, times in Counter(codes.tolist()).items():
        if times * l > mine.total() + times - mine[value]:
            return
    wanted = Wanted(domain_of(6), [LDiversity(l, "x")])
    bucket = of_classes(codes.astype(np.uint8), holds, classes, wanted, Wanted(domain_of(6), []))
    assert len(set(zip(classes.tolist(), bucket.tolist(), strict=True))) == len(set(classes.tolist()))
    for number in set(bucket.tolist()):
        inside = bucket == number
        own, every = Counter(codes[inside & holds].tolist()), Counter(codes[inside].tolist())
        assert all(times * l <= own.total() + times - own[value] for value, times in every.items())


# -- patterns -----------------------------------------------------------------------------------------------------

hidden = st.integers(0, 40).flatmap(
    lambda rows: st.tuples(st.lists(st.tuples(*[st.booleans()] * 3), min_size=rows, max_size=rows), st.integers(1, 6))
)


@settings(max_examples=300)
@given(hidden)
def test_groups_are_alike_and_large(drawn: tuple[list[tuple[bool, ...]], int]) -> None:
    rows, least = drawn
    if len(rows) < least:
        return
    bits = np.array(rows, np.bool_).reshape(-1, 3)
    groups = groups_of(bits, least, np.uint8)
    assert sorted(groups.order.tolist()) == list(range(len(rows)))
    assert groups.starts[0] == 0
    assert groups.starts[-1] == len(rows)
    times = Counter(rows)
    lost = 0
    for g, state in enumerate(groups.state.tolist()):
        inside = groups.order[groups.starts[g] : groups.starts[g + 1]]
        assert len(inside) >= least
        for j, shown in enumerate(state):
            said = {rows[i][j] for i in inside}
            assert shown == (SUPPRESSED if len(said) > 1 else BUCKETIZED if said == {True} else GENERALIZED)
            lost += len(inside) * (shown == SUPPRESSED)
    if all(count >= least for count in times.values()):
        assert lost == 0
        assert len(groups.state) == len(times)
    rare = sum(count for count in times.values() if count < least)
    assert lost <= 3 * max(rare, 0 if not rare else 3 * least)  # common patterns lend no more than a pool needs


def test_many_columns_that_are_hidden_at_random() -> None:
    draw = np.random.default_rng(1)
    bits = draw.random((3000, 70)) < 0.5
    groups = groups_of(bits, 5, np.uint16)
    assert np.diff(groups.starts).min() >= 5
    assert len(groups.state) > 100


# -- local generalization -----------------------------------------------------------------------------------------

row = st.tuples(st.integers(0, 8), st.integers(0, 7), st.sampled_from([None, "a", "b"]), st.booleans())
#: All values of each column, so that a random table has them all: eighths and halves, of a tree sevenths.
EVERY = [(i % 9, i % 8, (None, "a", "b")[i % 3], i % 2 == 0) for i in range(18)]


def plan_of(partition: Any, k: int, small: Any = "move") -> Plan:
    schema = Schema(quasi_identifying={"b": Categorical(TREE), "c": None}, semi_sensitive={"a": masked("p", None)})
    return Plan(schema, [KAnonymity(k), LDiversity(1.0001, "a")], shoal.LocalBuckets(partition, small), person="row")


def coded(rows: Sequence[tuple[object, ...]], plan: Plan) -> Codes:
    a, b, c, p = zip(*rows, strict=True)
    leaves = [TREE.leaves[place] for place in b]  # type: ignore[index]
    table = pa.table({"a": a, "b": leaves, "c": pa.array(c, pa.string()), "p": p})
    return encode(table, plan, {"b": TREE}, permutation(Chance.seeded(1).words(len(rows))))


def grouped(codes: Codes, plan: Plan) -> set[frozenset[int]]:
    classes = local_buckets.group(codes, plan, Chance.seeded(1))
    return {frozenset(part.tolist()) for part in np.split(classes.order, classes.starts[1:-1])}


@settings(max_examples=80, deadline=None)
@given(st.lists(row, max_size=40), st.integers(2, 5))
def test_cuts_are_those_of_mondrian_in_each_pattern(more: list[tuple[object, ...]], k: int) -> None:
    plan = plan_of("mdp", k)
    codes = coded([*EVERY, *more], plan)
    assert codes.masks is not None
    positions = [codes.domains[place].position() for place in range(3)]
    expected: set[frozenset[int]] = set()
    for private in (False, True):
        inside = np.flatnonzero(codes.masks[:, 0] == private)
        records = [tuple(int(code) for code in codes.matrix[i, : 2 if private else 3]) for i in inside]
        assert len(records) >= k
        found = mondrian_oracle.classes(records, positions[: 2 if private else 3], lambda side: len(side) >= k)
        expected |= {frozenset(inside[list(one)].tolist()) for one in found}
    assert grouped(codes, plan) == expected


def loss(records: Sequence[tuple[int, ...]]) -> float:
    """What a class loses by NCP, from its codes: of leaves, of words, and of numbers if they are public."""
    leaves, words, *numbers = (sorted(set(column)) for column in zip(*records, strict=True))
    node = TREE.lowest(np.array([leaves[0]]), np.array([leaves[-1]]))[0]
    found = (int(TREE.last[node] - TREE.first[node]) - 1) / 7 + (len(words) - 1) / 2
    return found + sum((held[-1] - held[0]) / 8 for held in numbers)


@settings(max_examples=80, deadline=None)
@given(st.lists(row, max_size=30), st.integers(2, 5), st.sampled_from(["move", "stop"]))
def test_divisions_are_those_of_algorithm_4_in_each_pattern(more: list[tuple[object, ...]], k: int, small: str) -> None:
    plan = plan_of("ncp", k, small)
    codes = coded([*EVERY, *more], plan)
    assert codes.masks is not None
    expected: set[frozenset[int]] = set()
    for private in (False, True):
        inside = np.flatnonzero(codes.masks[:, 0] == private)
        records = [tuple(int(code) for code in codes.matrix[i, : 2 if private else 3]) for i in inside]
        found = local_buckets_oracle.around_seeds(records, k, loss, stop=small == "stop")
        expected |= {frozenset(inside[one].tolist()) for one in found}
    assert grouped(codes, plan) == expected


def test_records_that_are_all_alike_are_divided_evenly() -> None:
    plan = plan_of("ncp", 3)
    codes = coded([*EVERY, *[(0, 0, "a", False)] * 400], plan)
    assert max(len(one) for one in grouped(codes, plan)) <= 5


@settings(max_examples=80, deadline=None)
@given(st.lists(row, max_size=60), st.integers(2, 4), st.integers(1, 6))
def test_seeds_are_sought_among_neighbours_only(more: list[tuple[object, ...]], k: int, near: int) -> None:
    """Each class is of one part of fewer than twice so many neighbours, of which medians are cut out."""
    plan = plan_of("ncp", k)
    codes = coded([*EVERY, *more], plan)
    with mock.patch.object(local_buckets, "_NEAR", near):
        found = grouped(codes, plan)
    assert codes.masks is not None
    assert all(k <= len(one) < max(2 * near, 4 * k) for one in found)
    assert all(len(set(codes.masks[list(one), 0].tolist())) == 1 for one in found)
    assert sorted(place for one in found for place in one) == list(range(len(EVERY) + len(more)))


def test_seeds_lose_less_than_medians() -> None:
    """A tenth at least, in classes of equal least size."""
    adult = csv.read_csv(shoal.sample.folder() / "adult.csv")
    columns = ["age", "education-num", "marital-status", "hours-per-week", "workclass"]
    schema = Schema(quasi_identifying=columns[:4], sensitive=["workclass"])
    lost = {}
    for partition in ("mdp", "ncp"):
        plan = Plan(schema, [KAnonymity(5), LDiversity(1.2, "workclass")], shoal.LocalBuckets(partition), person="row")
        table = adult.select(columns)
        lost[partition] = shoal.measure(shoal.anonymize(table, plan, seed=3), table, plan=plan).loss.whole.ncp
    assert lost["ncp"] < 0.9 * lost["mdp"]


# -- the whole ----------------------------------------------------------------------------------------------------


@settings(max_examples=250, deadline=None)
@given(tables(), plans(), st.integers(0, 2**32 - 1))
def test_any_plan_is_kept(table: pa.Table, plan: Plan, seed: int) -> None:
    check_release(table, plan, seed=seed)


def test_a_column_that_is_exactly_t_away_without_those_left_out_is_published() -> None:
    """Of 12 people 9 have a 1, and of the 10 that stay 7: exactly 0.05 apart, whatever the last bits say."""
    table = pa.table({"town": ["a"] * 12, "ill": list("xxxwxxxwxwww"), "pay": [1, 1, 0, 1, 1, 1, 1, 1, 0, 0, 1, 1]})
    schema = Schema(quasi_identifying=["town"], sensitive=["ill", "pay"])
    require = [LDiversity(2, "ill"), TCloseness(0.05, "pay", "equal")]
    for partition in ("mdp", "ncp"):
        plan = Plan(schema, require, shoal.LocalBuckets(partition), suppress=0.5, person="row")  # type: ignore[arg-type]
        assert shoal.anonymize(table, plan, seed=0).verdict.holds


def personal(ages: Sequence[int | None], ticks: Sequence[bool | None], **more: Any) -> pa.Table:
    return pa.table({"age": pa.array(ages, pa.int64()), "p": pa.array(ticks, pa.bool_()), **more})


def plan_for(*require: Requirement, cover: float = 0.0, **roles: Any) -> Plan:
    schema = Schema(semi_sensitive={"age": masked("p", cover=cover)}, **roles)
    return Plan(schema, require, shoal.LocalBuckets(), person="row", suppress=0.0)


def test_too_few_who_hide_a_value_are_refused_with_what_is_possible() -> None:
    table = personal([1, 1, 1, 2, 3, 4, 5, 6], [True] * 4 + [False] * 4)
    with pytest.raises(
        Unachievable, match=r"of the column age.* 75.0% of those who hold it sensitive.*t-closeness"
    ) as caught:
        shoal.anonymize(table, plan_for(KAnonymity(2), LDiversity(2)))
    assert "The largest l that the table allows is 1" in caught.value.message
    assert caught.value.details == {"value": 1}


def test_people_with_several_rows_are_refused() -> None:
    table = pa.table({"who": [1, 1, 2, 3], "age": [1, 2, 3, 4]})
    schema = Schema(identifying=["who"], quasi_identifying=["age"])
    with pytest.raises(Unsupported, match="one row each"):
        shoal.anonymize(table, Plan(schema, [KAnonymity(2)], shoal.LocalBuckets(), person="who"))


def test_a_missing_tick_is_a_tick() -> None:
    table = personal([1, 2, 3, 4], [None, None, False, False])
    rows = shoal.anonymize(table, plan_for(KAnonymity(2), LDiversity(2))).table.to_pylist()
    assert sorted(row["age"] for row in rows if row["age_bucket"] is not None) == [1, 2]


def test_nobody_or_everybody_hides_a_column() -> None:
    ages = list(range(8))
    for ticks, hidden_by in ((False, 0), (True, 8)):
        release = shoal.anonymize(personal(ages, [ticks] * 8), plan_for(KAnonymity(2), LDiversity(2)))
        assert release.verdict is not None
        assert 8 - release.table.column("age_bucket").null_count == hidden_by
        assert release.table.schema.field("age").type == pa.int64()


def test_no_records_and_one() -> None:
    empty = shoal.anonymize(personal([], []), plan_for(KAnonymity(2), LDiversity(2)))
    assert empty.table.num_rows == 0
    assert empty.table.column_names == ["class", "age_min", "age_max", "age", "age_bucket"]
    with pytest.raises(Unachievable, match="the largest k that it allows is 1"):
        shoal.anonymize(personal([5], [False]), plan_for(KAnonymity(2), LDiversity(2)))


def test_some_others_are_hidden_to_cover() -> None:
    """About as many as asked, and never more of them alike than those who hide theirs can bear."""
    draw = np.random.default_rng(5)
    ages, ticks = draw.integers(0, 60, 2000).tolist(), (draw.random(2000) < 0.3).tolist()
    plan = plan_for(KAnonymity(5), LDiversity(3), cover=0.2)
    table = personal(ages, ticks)
    release = shoal.anonymize(table, plan)
    assert release.verdict is not None
    note = next(note for note in release.verdict.notes if "to cover" in note.says)
    assert 0.15 < note.figures["share"] < 0.25
    findings = {finding.what: finding for finding in release.verdict.findings}
    assert findings["k = 5 (of those who cover for others)"].holds
    assert findings["l = 3 on age (of those who hide it)"].holds


def test_classes_do_not_depend_on_what_is_hidden() -> None:
    """The same people in the same order, with other values of theirs sensitive: the same classes."""
    draw = np.random.default_rng(2)
    town, ticks = draw.integers(0, 40, 300).tolist(), (draw.random(300) < 0.5).tolist()
    plan = plan_for(KAnonymity(3), LDiversity(2), quasi_identifying=["town"], insensitive=["row"])
    plan = Plan(plan.schema, plan.require, plan.method, person="row", allow_unique=["row"])
    found = []
    for seed in (1, 2):
        ages = np.random.default_rng(seed).permutation(300)
        shown = np.where(ticks, ages, 7)  # public ages stay as they are
        table = personal(shown.tolist(), ticks, town=town, row=list(range(300)))
        rows = shoal.anonymize(table, plan, seed=9).table.to_pylist()
        classes = defaultdict(set)
        for one in rows:
            classes[one["class"]].add(one["row"])
        found.append({frozenset(members) for members in classes.values()})
    assert found[0] == found[1]


def test_which_value_a_record_shows_falls_by_lot() -> None:
    """Of two values in a bucket each stands beside a record as often: none of the two is kept away from its own."""
    table = personal([20, 50], [True, True], row=[0, 1])
    schema = Schema(semi_sensitive={"age": "p"}, insensitive=["row"])
    plan = Plan(schema, [KAnonymity(2), LDiversity(2)], shoal.LocalBuckets(), person="row", allow_unique=["row"])
    times = Counter(
        next(one["age"] for one in shoal.anonymize(table, plan, seed=seed).table.to_pylist() if one["row"] == 0)
        for seed in range(200)
    )
    assert set(times) == {20, 50}
    assert 60 < times[20] < 140


def test_semi_sensitive_columns_need_this_method() -> None:
    with pytest.raises(PlanError, match="local-buckets"):
        Plan(Schema(semi_sensitive={"age": "p"}), [KAnonymity(2), LDiversity(2)], shoal.Mondrian())


def test_the_size_of_buckets_is_whole() -> None:
    """An l between whole numbers needs buckets of the next one, unless values may occur twice."""
    table = personal([1, 1, 2, 2, 3], [True] * 5)
    release = shoal.anonymize(table, plan_for(KAnonymity(2), LDiversity(2.5)))
    assert release.table.column("age_bucket").to_pylist() == [1] * 5
    release = shoal.anonymize(personal([1, 2, 3, 4, 5, 6], [True] * 6), plan_for(KAnonymity(2), LDiversity(2.5)))
    assert Counter(release.table.column("age_bucket").to_pylist()) == {1: ceil(2.5), 2: ceil(2.5)}
