"""Anatomy's grouping against a referee; what it shares with the refining partition is in test_drawing.py."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from scipy.stats import chisquare

import shoal
from shoal.errors import PlanError
from shoal.partition import anatomy
from shoal.partition.drawing import Drawn
from shoal.plan.methods import Anatomize
from shoal.privacy.requirements import LDiversity
from shoal.table.chance import Chance
from tests.partition import anatomy_oracle
from tests.partition.eligible_tables import Case, case_of, cases


def drawn(case: Case, seed: int | None = None) -> tuple[list[int], Drawn]:
    """The class of each record before the residue is given out, and after."""
    search, chance = case.search, Chance.seeded(seed)
    blocks = anatomy.one_block(search)
    found = anatomy.draw(blocks, search.shares, chance)
    before = found.home.tolist()
    anatomy.residue(blocks, search.shares, found, chance)
    return before, found


@settings(max_examples=150)
@given(cases(Anatomize()))
def test_each_step_is_one_of_the_papers(case: Case) -> None:
    before, found = drawn(case)
    classes = [np.flatnonzero(np.array(before) == number).tolist() for number in range(int(found.made[0]))]
    left = [(i, int(found.home[i])) for i, number in enumerate(before) if number < 0]
    anatomy_oracle.check(classes, left, case.secret, case.l)


def test_the_residue_goes_to_any_class_that_lacks_its_value_as_often() -> None:
    """Nine records of three values and one of a fourth, l = 3: the record that is left over may join any class but
    those that hold its value."""
    case = case_of({"a": [0] * 10, "s": [0, 0, 0, 1, 1, 1, 2, 2, 2, 3]}, Anatomize(), LDiversity(3))
    joined: Counter[int] = Counter()
    for seed in range(3000):
        before, found = drawn(case, seed)
        (i,) = [i for i, number in enumerate(before) if number < 0]
        if case.secret[i] == 3:
            joined[int(found.home[i])] += 1
    assert set(joined) == {0, 1, 2}
    assert chisquare(list(joined.values())).pvalue > 1e-4


def test_it_is_not_shown_generalized() -> None:
    schema = shoal.Schema(quasi_identifying=["a"], sensitive=["s"])
    with pytest.raises(PlanError, match=r"anatomy can be shown as anatomy.*, not as generalized"):
        shoal.Plan(schema, [LDiversity(2)], Anatomize(), shoal.Generalized())
