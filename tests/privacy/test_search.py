"""What a search tests is what the definitions judge: never looser, and stricter by a hair only."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from shoal.kernels.cutting import _keeps_by_few, keeps
from shoal.privacy import definitions
from shoal.privacy.distances import Equal, GroundDistance, Hierarchical, Ordered
from shoal.privacy.requirements import KAnonymity, LDiversity, RandomizedDiversity, Requirement, Size, TCloseness
from shoal.privacy.search import SensitiveColumn, numbers
from shoal.schema.hierarchy import Hierarchy
from tests.privacy.cases import FEW, classes, distances, diversities, randomized

Counts = NDArray[np.int64]
NEAR = 1e-9


class Case(NamedTuple):
    """Classes by the counts of each sensitive column, and what is asked of them."""

    classes: dict[str, Counts]
    columns: dict[str, SensitiveColumn]
    requirements: list[Requirement]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    names = ["a", "b", "c"][: draw(st.integers(1, 3))]
    held, columns, asked = {}, {}, []
    rows = draw(st.integers(1, 3))
    for name in names:
        known, gap = draw(st.integers(1, 5)), draw(st.booleans())
        are_randomized = draw(st.integers(0, 3)) == 0
        counts = draw(classes(known + gap, 1, FEW) if are_randomized else classes(known + gap, least=1))
        held[name] = np.resize(counts, (rows, known + gap))
        published = held[name].sum(axis=0)
        left_out = draw(st.lists(classes(known + gap).map(lambda c: c[0]), max_size=1))
        wholes = [published, *(published + counts for counts in left_out)]
        requirements = draw(st.lists(randomized(name) if are_randomized else diversities(name), max_size=2))
        closeness = {
            TCloseness(draw(st.floats(0.05, 1)), name): draw(distances(known)) for _ in range(draw(st.integers(0, 2)))
        }
        columns[name] = SensitiveColumn(known, wholes, closeness)
        asked += [*requirements, *closeness]
    return Case(held, columns, draw(st.permutations(asked)))


def _margins(case: Case, row: int) -> list[float]:
    """How much better than asked a class is by each requirement; below 0 where it is worse."""
    found = []
    for requirement in case.requirements:
        assert isinstance(requirement, LDiversity | TCloseness)
        name = str(requirement.on)
        counts, column = case.classes[name][row : row + 1], case.columns[name]
        if isinstance(requirement, LDiversity):
            reached = definitions.diversity(requirement, counts, column.known)[0]
            found.append((reached - requirement.l) / requirement.l)
        else:
            distance = column.distances[requirement]
            found += [requirement.t - _closeness(counts, whole, distance) for whole in column.wholes]
    return found


def _closeness(counts: Counts, whole: Counts, distance: GroundDistance) -> float:
    """By the definition, in which a table has no values that do not occur in it; a hierarchy has them all the same."""
    occurring = np.arange(len(whole)) if isinstance(distance, Hierarchical) else np.flatnonzero(whole)
    return float(definitions.closeness(counts[:, occurring], whole[occurring], distance)[0])


def _search_says(case: Case, row: int) -> bool:
    held = numbers(case.requirements, case.columns)
    counts = np.concatenate([case.classes[name][row] for name in case.columns])
    return bool(keeps(counts, held, np.zeros(len(counts) + 1), np.zeros(len(counts), np.int64)))


@given(cases())
def test_a_search_keeps_what_the_definitions_keep(case: Case) -> None:
    for row in range(len(next(iter(case.classes.values())))):
        margins = _margins(case, row)
        says = _search_says(case, row)
        if min(margins, default=1.0) > NEAR:
            assert says
        if min(margins, default=1.0) < -definitions.TOLERANCE:
            assert not says


@given(cases())
def test_a_class_can_be_judged_by_the_values_that_it_holds(case: Case) -> None:
    asked = [
        one
        for one in case.requirements
        if isinstance(one, LDiversity) or not isinstance(case.columns[str(one.on)].distances[one], Hierarchical)  # type: ignore[union-attr,index]
    ]
    held = numbers(asked, case.columns)
    starts = np.cumsum([0, *(len(column.wholes[0]) for column in case.columns.values())])
    for row in range(len(next(iter(case.classes.values())))):
        by_few = []
        for start, classes_of in zip(starts.tolist(), case.classes.values(), strict=False):
            counts = classes_of[row]
            values = np.flatnonzero(counts)
            rest = np.zeros(len(values), np.int64)
            by_few.append(_keeps_by_few(values, counts[values], len(values), int(counts.sum()), held, start, rest))
        margins = _margins(case._replace(requirements=asked), row)
        if min(map(abs, margins), default=1.0) > NEAR:
            assert all(by_few) == (min(margins, default=1.0) > 0)


def test_a_class_of_very_many_is_judged_by_the_values_that_it_holds() -> None:
    chance = np.random.default_rng(5)
    whole = chance.integers(0, 3, 300_000)
    counts = chance.binomial(whole, 0.001)
    values = np.flatnonzero(counts)
    for distance in (Equal(), Ordered()):
        reached = _closeness(counts[None, :], whole, distance)
        for t, holds in ((reached * (1 + 1e-9), True), (reached * (1 - 1e-9), False)):
            requirement = TCloseness(t, "x")
            held = numbers([requirement], {"x": SensitiveColumn(len(whole), [whole], {requirement: distance})})
            rest = np.zeros(len(values), np.int64)
            assert holds == _keeps_by_few(values, counts[values], len(values), counts.sum(), held, 0, rest)


def test_many_equal_terms_do_not_add_up_to_an_error() -> None:
    values, once = np.arange(0, 4_000_000, 32), np.ones(125_000, np.int64)
    requirement, whole = TCloseness(1 - 1 / 32, "x", "equal"), np.ones(4_000_000, np.int64)
    for t, holds in ((requirement.t, True), (requirement.t - 1.1e-12, False)):
        asked = TCloseness(t, "x", "equal")
        held = numbers([asked], {"x": SensitiveColumn(len(whole), [whole], {asked: Equal()})})
        assert holds == _keeps_by_few(values, once, len(values), len(values), held, 0, np.zeros(0, np.int64))


@given(cases())
def test_the_least_class_size_is_never_too_much(case: Case) -> None:
    """A class that keeps all requirements is at least as large as the search takes for granted."""
    least = numbers(case.requirements, case.columns).least
    for row in range(len(next(iter(case.classes.values())))):
        sizes = {int(counts[row].sum()) for counts in case.classes.values()}
        if len(sizes) == 1 and min(_margins(case, row), default=-1.0) >= 0:  # a class has one size, whatever is counted
            assert min(sizes) >= least


def test_the_largest_k_or_size_is_the_least_class() -> None:
    asked = [KAnonymity(3), Size(7), KAnonymity(5)]
    assert numbers(asked, {}).least == 7
    assert keeps(np.zeros(0, np.int64), numbers(asked, {}), np.zeros(1), np.zeros(0, np.int64))


def test_counts_beyond_32_bits_do_not_wrap() -> None:
    """By an overflow of 32 bits, classes that are 0.33 away have passed for t = 0.2."""
    tree = Hierarchy.from_nested({"a": ["x", "y"], "b": ["z"]})
    many = 3 * 2**31
    whole, alike, apart = np.array([many, many, many]), np.array([many, many, many]), np.array([many, 1, 1])
    for distance in (Equal(), Ordered(), Hierarchical(tree)):
        requirement = TCloseness(0.2, "x")
        held = numbers([requirement], {"x": SensitiveColumn(3, [whole], {requirement: distance})})
        assert keeps(alike, held, np.zeros(4), np.zeros(3, np.int64))
        assert not keeps(apart, held, np.zeros(4), np.zeros(3, np.int64))
    for diversity in (
        LDiversity(2, "x"),
        LDiversity(2, "x", "entropy"),
        LDiversity(2, "x", "recursive", 1.0),
        RandomizedDiversity(2, "x", retention=0.1),
    ):
        held = numbers([diversity], {"x": SensitiveColumn(3, [whole], {})})
        assert keeps(alike, held, np.zeros(4), np.zeros(3, np.int64))
        assert not keeps(apart, held, np.zeros(4), np.zeros(3, np.int64))


def test_values_that_are_published_no_more_have_no_rank() -> None:
    """Each record that is left out may take a value with it, and those that stay are neighbours then."""
    requirement = TCloseness(0.3, "x", "ordered")
    published, original, apart = np.array([5, 5, 0, 0, 0]), np.array([5, 5, 1, 1, 1]), np.array([5, 0, 0, 0, 0])
    for wholes, close in (([original], True), ([published, original], False)):
        held = numbers([requirement], {"x": SensitiveColumn(5, wholes, {requirement: Ordered()})})
        assert keeps(apart, held, np.zeros(6), np.zeros(5, np.int64)) == close
