"""A release is of the kind that its table was."""

from __future__ import annotations

import pytest

from shoal.plan.forms import FORMS
from shoal.testing import check_kinds


@pytest.mark.parametrize("form", FORMS)
def test_forms(form: str) -> None:
    check_kinds(form=FORMS[form]())
