"""The bound of a retention, against every way in which a small group can be shown."""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Sequence
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.privacy.retention import MOST, belief, diversity, largest_retention, least_values, together

RETENTIONS = (0.0, 0.05, 0.2, 0.32, 0.5, 0.9)


def strongest(retention: float, values: int, hidden: int) -> float:
    """Bayes' rule over all ways of giving the hidden values to their records, for all that may be published."""
    other = (1 - retention) / values
    ways = list(itertools.permutations(range(hidden)))
    most = 0.0
    for shown in itertools.product(range(values), repeat=hidden):
        weight = [
            math.prod(other + retention * (true == told) for true, told in zip(way, shown, strict=True)) for way in ways
        ]
        whole = sum(weight)
        for record in range(hidden):
            held = [0.0] * hidden
            for way, likely in zip(ways, weight, strict=True):
                held[way[record]] += likely / whole
            most = max(most, *held)
    return most


def in_a_group(counts: Sequence[int], retention: float, values: int) -> float:
    """The same where a value is held more than once: every way to give the values to the records is alike likely.

    All records but the first stand in any order, so what they show is looked at in one.
    """
    ways = sorted(set(itertools.permutations(v for v, times in enumerate(counts) for _ in range(times))))
    ratio = 1 + retention * values / (1 - retention)
    most = 0.0
    for rest in itertools.combinations_with_replacement(range(values), sum(counts) - 1):
        for first in range(values):
            weight = [ratio ** sum(map(operator.eq, way, (first, *rest))) for way in ways]
            held = [sum(w for way, w in zip(ways, weight, strict=True) if way[0] == v) for v in range(len(counts))]
            most = max(most, max(held) / sum(weight))
    return most


def permanents(retention: float, values: int) -> float:
    """The formula as it is written, in the paper's manner."""
    b = (1 - retention) / values

    def per(j: int) -> float:
        return sum(math.comb(j, i) * retention**i * math.factorial(j - i) * b ** (j - i) for i in range(j + 1))

    return (retention + b) * per(values - 1) / per(values)


@pytest.mark.parametrize("retention", RETENTIONS)
@pytest.mark.parametrize(("values", "hidden"), [(1, 1), (2, 2), (3, 3), (3, 2), (4, 4), (4, 3), (4, 1), (5, 4)])
def test_nothing_that_is_shown_is_believed_more(retention: float, values: int, hidden: int) -> None:
    assert belief(retention, values, hidden) == pytest.approx(strongest(retention, values, hidden), abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("retention", [0.2, 0.5])
def test_five_values(retention: float) -> None:
    assert belief(retention, 5) == pytest.approx(strongest(retention, 5, 5), abs=1e-12)


def groups(records: int) -> list[tuple[int, ...]]:
    """Every way in which so many records can hold values, by how often they hold each."""
    return [
        counts
        for values in range(1, records + 1)
        for counts in itertools.combinations_with_replacement(range(1, records + 1), values)
        if sum(counts) == records
    ]


@pytest.mark.parametrize("counts", [counts for records in range(1, 6) for counts in groups(records)], ids=str)
def test_nothing_is_believed_more_where_values_repeat(counts: tuple[int, ...]) -> None:
    """The bound holds, and is reached where each value is held once and where there are two."""
    for values, retention in itertools.product((len(counts), len(counts) + 1), (0.0, 0.1, 0.2, 0.4)):
        bound = belief(retention, values, sum(counts), max(counts))
        found = in_a_group(counts, retention, values)
        assert found <= bound + 1e-12
        if max(counts) == 1 or len(counts) <= 2:
            assert found == pytest.approx(bound, abs=1e-12)


def test_without_retention_it_is_the_share_of_the_commonest() -> None:
    for hidden, commonest in itertools.product(range(1, 40), repeat=2):
        if commonest <= hidden:
            assert diversity(0.0, 5, hidden, commonest) == pytest.approx(hidden / commonest, rel=1e-15)


def sums(retention: float, values: int, hidden: int, commonest: int) -> Fraction:
    """The l by the weights of each number of unmatched values, in exact fractions."""
    odds = Fraction(retention) * values / (1 - Fraction(retention))
    others = hidden - commonest
    weight = [Fraction(1)]
    for unmatched in range(others):
        weight.append(weight[-1] * (others - unmatched) / (odds * min(commonest, unmatched + 1)))
    left = sum(u * w for u, w in enumerate(weight)) / sum(weight)
    return 1 + left / (commonest * (1 + odds))


@given(st.floats(0.001, 0.4), st.integers(1, 60), st.integers(1, 150), st.integers(1, 30))
def test_the_sums_are_exact(retention: float, values: int, hidden: int, commonest: int) -> None:
    exact = float(sums(retention, values, max(hidden, commonest), commonest))
    assert diversity(retention, values, max(hidden, commonest), commonest) == pytest.approx(exact, rel=1e-13)


def test_large_groups_are_quick_and_do_not_overflow() -> None:
    """Of very many records, as many are unmatched as meet at the rate at which matches come loose."""
    for values in (3, 14, 1000):
        odds = 0.1 * values / 0.9
        found = diversity(0.1, values, values * 10**6, 10**6)
        assert found == pytest.approx(1 + (values - 1 - odds) / (1 + odds), rel=1e-3)


def two_columns(counts: Sequence[int], second: Sequence[int], ratios: tuple[float, float]) -> float:
    """The strongest belief in a value of the first column, if each record's value in the second goes with the first."""
    tokens = [(v, w) for v, (times, w) in enumerate(zip(counts, second, strict=True)) for _ in range(times)]
    ways = sorted(set(itertools.permutations(tokens)))
    shown = list(itertools.product(range(len(counts)), range(max(second) + 1)))
    most = 0.0
    for told in itertools.product(shown, repeat=len(tokens)):
        weight = [
            math.prod(
                ratio ** (held == seen)
                for one, other in zip(way, told, strict=True)
                for held, seen, ratio in zip(one, other, ratios, strict=True)
            )
            for way in ways
        ]
        for v in range(len(counts)):
            most = max(most, sum(w for way, w in zip(ways, weight, strict=True) if way[0][0] == v) / sum(weight))
    return most


@pytest.mark.parametrize(("counts", "second"), [((1, 1), (0, 1)), ((1, 1, 1), (0, 1, 1)), ((2, 1), (0, 1))])
def test_columns_that_go_together_leave_no_less_than_that(counts: Sequence[int], second: Sequence[int]) -> None:
    values = (len(counts), max(second) + 1)
    ratios = tuple(1 + 0.2 * m / 0.8 for m in values)
    strongest = two_columns(counts, second, (ratios[0], ratios[1]))
    assert 1 / strongest >= together(0.2, values, sum(counts), max(counts)) - 1e-12
    assert 1 / strongest < diversity(0.2, values[0], sum(counts), max(counts)), "so the other column matters"


@pytest.mark.parametrize("retention", RETENTIONS)
def test_the_formula_in_its_plain_form(retention: float) -> None:
    for values in range(1, 60):
        assert belief(retention, values) == pytest.approx(permanents(retention, values), rel=1e-12)


def test_the_bound_looks_at_the_group_and_not_at_one_record() -> None:
    assert belief(0.2, 4) == pytest.approx(0.492, abs=5e-4)
    assert belief(0.2, 4) > 0.2 + 0.8 / 4


def test_without_retention_every_value_is_as_likely() -> None:
    for values in range(1, 20):
        assert belief(0.0, values) == 1 / values
        assert least_values(values, 0.0, 50) == values


def test_belief_falls_with_values_and_rises_with_retention() -> None:
    steps = [step / 100 for step in range(100)]
    for retention in [step for step in steps if step <= MOST]:
        fallen = [belief(retention, values) for values in range(1, 200)]
        assert all(later <= before + 1e-15 for before, later in itertools.pairwise(fallen)), retention
    for values in (2, 3, 7, 50):
        risen = [belief(retention, values) for retention in steps]
        assert all(later > before for before, later in itertools.pairwise(risen))


@pytest.mark.parametrize("retention", [0.01, 0.1, 0.2, 0.3])
@pytest.mark.parametrize("l", [1.5, 2, 3, 5])
def test_the_least_group_is_the_least(l: float, retention: float) -> None:
    brute = next((values for values in range(1, 500) if diversity(retention, values) >= l), None)
    assert least_values(l, retention, 499) == brute
    assert brute is None or brute > l


def test_no_group_is_large_enough_for_too_much_retention() -> None:
    assert least_values(2, 1 / 3, 10**9) is None
    assert least_values(2, 0.33, 10**9) is not None
    assert least_values(2, 1.0, 10**9) is None
    assert least_values(2, 0.1, 0) is None
    assert least_values(1.2, 0.41, 10**9) is None, "above 0.4 a larger group may tell more"


@pytest.mark.parametrize(("l", "values"), [(2, 3), (2, 4), (3, 12), (5, 5), (5, 40)])
def test_the_largest_retention(l: float, values: int) -> None:
    most = largest_retention(l, values)
    assert most is not None
    assert diversity(most, values) >= l
    assert diversity(most + 2e-6, values) < l


def test_there_may_be_no_retention_at_all() -> None:
    assert largest_retention(3, 2) is None
    assert largest_retention(3, 3) == 0.0
    assert largest_retention(1.2, 10) == MOST
