"""SABRE: records near their class's seed, promises by the definitions, and the bound that makes them true."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from typing import Literal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import shoal
from shoal.errors import PlanError, Unachievable, Unsupported
from shoal.kernels.shuffle import permutation
from shoal.partition import sabre, taking
from shoal.partition.bucketization import refinements
from shoal.partition.division import Aim
from shoal.partition.eligible import asked, distance_of, eligible
from shoal.plan.methods import Sabre
from shoal.plan.plan import Plan
from shoal.privacy import definitions
from shoal.privacy.distances import Ordered
from shoal.privacy.requirements import KAnonymity, LDiversity, Requirement, Size, TCloseness
from shoal.schema.columns import Categorical, Schema
from shoal.schema.hierarchy import Hierarchy
from shoal.table.chance import Chance
from shoal.table.classes import Classes
from shoal.table.codes import Codes, encode

#: Uneven on purpose: a leaf below the root itself, a node with one child, one with none that may occur.
TREE = Hierarchy.from_rows(
    [["0", "low", "*"], ["1", "low", "*"], ["2", "odd", "high", "*"], ["3", "even", "high", "*"], ["4", "*"]]
)
Row = tuple[int | None, ...]

number = st.one_of(st.none(), st.integers(0, 60), st.integers(0, 3))
leaf = st.one_of(st.none(), st.integers(0, 4))
rows = st.lists(st.tuples(number, leaf, st.integers(0, 2), leaf, number), min_size=1, max_size=80)
methods = st.builds(
    Sabre,
    st.sampled_from(["nearest", "hilbert"]),
    st.sampled_from(["random", "sweep"]),
    st.sampled_from(["best", "paper"]),
)
closeness = st.one_of(
    st.builds(TCloseness, st.sampled_from([0.1, 0.25, 0.5]), st.just("s"), st.sampled_from(["hierarchical", "equal"])),
    st.builds(TCloseness, st.sampled_from([0.03, 0.1, 0.25, 0.5]), st.just("u"), st.sampled_from(["ordered", "equal"])),
)
sizes = st.one_of(st.builds(KAnonymity, st.integers(2, 6)), st.builds(Size, st.integers(2, 4)))


def plan_of(*require: Requirement, method: Sabre | None = None) -> Plan:
    schema = Schema(
        quasi_identifying={"a": None, "b": Categorical(TREE), "c": None},
        sensitive={"s": Categorical(TREE), "u": None},
    )
    return Plan(schema, list(require), method or Sabre(), person="row")


def coded(held: Sequence[Row], plan: Plan) -> Codes:
    a, b, c, s, u = (list(column) for column in zip(*held, strict=True))
    leaves = [pa.array([None if v is None else str(v) for v in column], pa.string()) for column in (b, s)]
    table = pa.table(
        {"a": pa.array(a, pa.int64()), "b": leaves[0], "c": [f"word {v}" for v in c], "s": leaves[1],
         "u": pa.array(u, pa.int64())}
    )  # fmt: skip
    return encode(table, plan, {"b": TREE, "s": TREE}, permutation(Chance.seeded(1).words(len(held))))


def eligible_from(require: Sequence[Requirement]) -> int:
    """How many records there must be."""
    return max(r.k if isinstance(r, KAnonymity) else r.size if isinstance(r, Size) else 1 for r in require)


def reached(codes: Codes, plan: Plan, classes: Classes) -> list[tuple[Requirement, NDArray[np.float64]]]:
    """What each class reaches of each requirement, by the definitions."""
    found = []
    for requirement in asked(plan, codes.sensitive_domains):
        if not isinstance(requirement, TCloseness):
            found.append((requirement, classes.sizes.astype(np.float64)))
            continue
        place = codes.place(requirement.on)
        domain, column = codes.domains[place], codes.matrix[:, place]
        whole = np.bincount(column, minlength=len(domain)) if codes.whole is None else codes.whole[place - codes.quasi]
        parts = np.split(classes.order, classes.starts[1:-1])
        counts = np.array([np.bincount(column[part], minlength=len(domain)) for part in parts])
        found.append((requirement, definitions.closeness(counts, whole, distance_of(requirement, domain))))
    return found


@settings(max_examples=200)
@given(rows, methods, st.lists(st.one_of(closeness, closeness, sizes), min_size=1, max_size=4))
def test_every_class_keeps_every_requirement(held: list[Row], method: Sabre, require: list[Requirement]) -> None:
    plan = plan_of(*require, method=method)
    codes = coded(held, plan)
    if len(held) < eligible_from(require):
        with pytest.raises(Unachievable, match="classes of"):
            sabre.group(codes, plan, Chance())
        return
    classes = sabre.group(codes, plan, Chance())
    assert sorted(classes.order.tolist()) == list(range(len(held)))
    for requirement, figures in reached(codes, plan, classes):
        assert definitions.keeps(requirement, figures).all()


@given(rows, st.sampled_from(["nearest", "hilbert"]), closeness, sizes)
def test_the_bound_alone_keeps_one_t(
    held: list[Row], search: Literal["nearest", "hilbert"], t: TCloseness, size: Requirement
) -> None:
    """By the paper's rule nothing is tested and mended afterwards: what the theorems say of the classes must do."""
    plan = plan_of(t, size, method=Sabre(search, slack="paper"))
    codes = coded(held, plan)
    if len(held) < eligible_from([size]):
        return
    with pytest.MonkeyPatch.context() as patched:
        patched.delattr(sabre, "mended")
        classes = sabre.group(codes, plan, Chance())
    for requirement, figures in reached(codes, plan, classes):
        assert definitions.keeps(requirement, figures).all()


@given(rows, rows, methods, closeness)
def test_a_part_is_as_close_to_its_whole(part: list[Row], rest: list[Row], method: Sabre, t: TCloseness) -> None:
    """What is left of a window is grouped so that its classes are t-close to the whole window."""
    plan = plan_of(t, method=method)
    everybody = coded([*part, *rest], plan)
    whole = tuple(
        np.bincount(everybody.matrix[:, everybody.quasi + s], minlength=len(domain)).astype(np.int64)
        for s, domain in enumerate(everybody.sensitive_domains)
    )
    mine = np.flatnonzero(everybody.rows < len(part))
    codes = replace(everybody, matrix=everybody.matrix[mine], rows=everybody.rows[mine], whole=whole)
    everything = Classes(np.arange(len(part), dtype=np.uint32), np.array([0, len(part)]))
    ((requirement, figures),) = reached(codes, plan, everything)
    if not definitions.keeps(requirement, figures).all():
        with pytest.raises(Unachievable, match="away from the original"):
            sabre.group(codes, plan, Chance())
        return
    classes = sabre.group(codes, plan, Chance())
    assert sorted(classes.order.tolist()) == list(range(len(part)))
    ((requirement, figures),) = reached(codes, plan, classes)
    assert definitions.keeps(requirement, figures).all()


# -- who is taken -------------------------------------------------------------------------------------------


@settings(max_examples=60)
@given(rows, st.sampled_from(["nearest", "hilbert"]), st.booleans(), closeness)
def test_classes_take_those_that_are_nearest(
    held: list[Row], search: Literal["nearest", "hilbert"], sweep: bool, t: TCloseness
) -> None:
    plan = plan_of(t)
    codes = coded(held * 3, plan)
    space = taking.Space(codes.matrix[:, : codes.quasi], codes.domains[: codes.quasi])
    way = next(Aim.of(codes, plan, eligible(codes, plan)).divisions(bounded=True))
    take = taking.nearest if search == "nearest" else taking.along_curve
    taken = take(space, way.bucket, way.sizes, Chance(), sweep=sweep)
    points, left = space.points(np.arange(len(codes))), np.ones(len(codes), np.bool_)
    for c, seed in enumerate(taken.seeds.tolist()):
        members = taken.order[taken.starts[c] : taken.starts[c + 1]]
        if search == "nearest":
            away = ((points - points[seed]) ** 2).sum(axis=1)
        else:
            away = np.abs(space.keys.astype(object) - int(space.keys[seed])).astype(np.float64)
        assert left[seed]
        if sweep:
            assert space.keys[seed] == space.keys[left].min()
        for b, many in enumerate(((way.sizes.held + way.sizes.number[c]) >> way.sizes.depth[c]).tolist()):
            inside = members[way.bucket[members] == b]
            assert len(inside) == many
            nearest = np.sort(away[left & (way.bucket == b)])[:many]
            np.testing.assert_array_equal(np.sort(away[inside]), nearest)
        left[members] = False
    assert not left.any()


def test_seeds_fall_by_lot() -> None:
    """Fifty different seeds come first in two hundred runs over fifty records, if chance decides."""
    codes = coded([(i, i % 5, 0, 0, i) for i in range(50)], plan_of(KAnonymity(2)))
    plan = plan_of(KAnonymity(2))
    firsts = set()
    for _ in range(200):
        shuffled = replace(codes, matrix=codes.matrix[np.random.default_rng().permutation(50)])
        space = taking.Space(shuffled.matrix[:, :3], shuffled.domains[:3])
        way = next(Aim.of(shuffled, plan, eligible(shuffled, plan)).divisions(bounded=True))
        taken = taking.nearest(space, way.bucket, way.sizes, Chance(), sweep=False)
        firsts.add(int(shuffled.matrix[taken.seeds[0], 0]))
    assert len(firsts) > 40


def test_tested_classes_are_smaller_than_bounded_ones() -> None:
    """Where U is just below t, hardly any D is left for small classes; and no class is as far away as U allows."""
    chance = np.random.default_rng(1)
    held = [(*chance.integers(0, 60, 1).tolist(), i % 5, i % 3, 0, int(chance.geometric(0.2))) for i in range(3000)]
    codes = coded(held, plan_of(KAnonymity(5)))
    counts = np.bincount(codes.matrix[:, codes.place("u")])
    two = next(buckets for buckets in refinements(counts, Ordered(), 1.0) if len(buckets) == 2)
    made = {}
    for slack in ("paper", "best"):
        plan = plan_of(KAnonymity(5), TCloseness(two.upper + 1e-4, "u"), method=Sabre("hilbert", "random", slack))
        made[slack] = len(sabre.group(codes, plan, Chance()))
    assert made["best"] > 2 * made["paper"]


def test_buckets_are_split_as_long_as_less_is_lost() -> None:
    """Salaries that the quasi-identifier tells: of one bucket most classes would have to be put together."""
    held = [(i % 60, 0, 0, 0, i % 60) for i in range(3000)]
    plan = plan_of(KAnonymity(5), TCloseness(0.1, "u"))
    codes = coded(held, plan)
    aim = Aim.of(codes, plan, eligible(codes, plan))
    tried = [len(way.sizes.held) for way in islice(aim.divisions(bounded=False), 12)]
    assert tried == [1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 13, 15]  # U of the first is 0.5
    search = sabre._Search(codes, aim, Sabre(), eligible(codes, plan), Chance())
    one, *_ = aim.divisions(bounded=False)
    found = search._promising(aim.divisions(bounded=False))
    assert 1 <= len(found) <= 2
    assert all(1 < len(way.sizes.held) < 15 for way in found)
    assert search.space.loss(search.run()) < search.space.loss(search.classes(one, taking.nearest))


def test_nearly_as_many_values_as_records_make_small_classes_too() -> None:
    plan = plan_of(KAnonymity(5), TCloseness(0.2, "u"))
    codes = coded([(i % 60, i % 5, 0, 0, i) for i in range(6000)], plan)
    classes = sabre.group(codes, plan, Chance())
    assert len(classes) > 500
    for requirement, figures in reached(codes, plan, classes):
        assert definitions.keeps(requirement, figures).all()


# -- what is refused, and what is odd -----------------------------------------------------------------------


def test_diversity_is_refused_with_the_methods_that_promise_it() -> None:
    with pytest.raises(PlanError, match=r"sabre cannot promise l; these can: .*mondrian"):
        plan_of(LDiversity(2, "s"))


def test_people_with_several_rows_are_refused() -> None:
    table = pa.table({"who": [1, 1, 2, 3], "a": [1, 2, 3, 4]})
    plan = Plan(Schema(identifying=["who"], quasi_identifying=["a"]), [KAnonymity(2)], Sabre(), person="who")
    with pytest.raises(Unsupported, match="one row each"):
        shoal.anonymize(table, plan)


def test_no_quasi_identifier_leaves_one_point() -> None:
    table = pa.table({"s": [1, 2, 3, 4] * 5})
    for search in ("nearest", "hilbert"):
        plan = Plan(Schema(sensitive=["s"]), [TCloseness(0.3, "s")], Sabre(search), person="row")  # type: ignore[arg-type]
        assert shoal.anonymize(table, plan).manifest.records == 20
