"""Public, for tests: random tables and hierarchies, and the contract that all that is new must pass."""

from __future__ import annotations

from shoal.errors import MissingDependency

try:
    import hypothesis  # noqa: F401 - to say what is missing before anything else does
except ImportError:
    raise MissingDependency(
        'shoal.testing draws its random tables with Hypothesis: pip install "shoal[testing]"'
    ) from None

from shoal.testing.contract import check_form, check_method, check_release, check_requirement
from shoal.testing.kills import check_kills
from shoal.testing.kinds import check_kinds
from shoal.testing.plans import plans, requirements
from shoal.testing.queries import check_queries
from shoal.testing.secrets import check_no_secrets
from shoal.testing.tables import records_for, tables
from shoal.testing.trees import hierarchies

__all__ = [
    "check_form",
    "check_kills",
    "check_kinds",
    "check_method",
    "check_no_secrets",
    "check_queries",
    "check_release",
    "check_requirement",
    "hierarchies",
    "plans",
    "records_for",
    "requirements",
    "tables",
]
