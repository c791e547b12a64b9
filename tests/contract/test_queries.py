"""Every form that can be queried is: its answers bound the truth."""

from __future__ import annotations

import pytest

from shoal.measure.queries.forms import ANSWERED
from shoal.plan.forms import FORMS
from shoal.testing import check_queries


@pytest.mark.parametrize("name", [name for name in FORMS if name in ANSWERED])
def test_queries(name: str) -> None:
    check_queries(FORMS[name], examples=60)
