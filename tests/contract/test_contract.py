"""Every method, form and requirement passes the contract; a new one does by standing in its registry."""

from __future__ import annotations

import pytest

from shoal.plan.forms import FORMS
from shoal.plan.methods import METHODS
from shoal.privacy.requirements import (
    DISTANCES,
    DIVERSITY_KINDS,
    KAnonymity,
    LDiversity,
    Requirement,
    Size,
    TCloseness,
)
from shoal.testing import check_form, check_method, check_requirement

REQUIREMENTS: list[Requirement] = [
    KAnonymity(3),
    Size(3),
    *(LDiversity(2, "illness", kind, 2.0 if kind == "recursive" else None) for kind in DIVERSITY_KINDS),
    *(TCloseness(0.4, "illness", distance) for distance in (None, *DISTANCES)),
]


@pytest.mark.parametrize("name", METHODS)
def test_methods(name: str) -> None:
    check_method(METHODS[name], examples=300)


@pytest.mark.parametrize("name", FORMS)
def test_forms(name: str) -> None:
    check_form(FORMS[name], examples=100)


@pytest.mark.parametrize("requirement", REQUIREMENTS, ids=str)
def test_requirements(requirement: Requirement) -> None:
    check_requirement(requirement, examples=30)
