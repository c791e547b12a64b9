"""The bound of a retention, against every way in which a small group can be shown."""

from __future__ import annotations

import itertools
import math

import pytest

from shoal.privacy.retention import MOST, belief, diversity, largest_retention, least_values

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
