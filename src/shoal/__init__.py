"""Shoal publishes tables about people so that no person stands out.

    plan = shoal.Plan.read("plan.toml")
    release = shoal.anonymize("patients.csv", plan)
    release.verdict.holds
    release.write("out")

Importing the package loads neither Numba nor a table library: each name is fetched when it is first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

# Rooms that share their name with a verb: once they are loaded, they cannot take the verb's place.
import shoal.measure
import shoal.verify  # noqa: F401
from shoal._version import __version__
from shoal.errors import (
    DataError,
    MissingDependency,
    PlanError,
    ShoalError,
    Unachievable,
    Unsupported,
    Violation,
)

if TYPE_CHECKING:
    from shoal._run import anonymize
    from shoal._verbs import query
    from shoal.engine.stream.stream import Stream
    from shoal.measure.queries.question import between
    from shoal.plan.forms import Anatomy, Buckets, Centres, Generalized, Randomized, Slices
    from shoal.plan.methods import (
        Anatomize,
        GreedyClusters,
        Incognito,
        InitialPartition,
        LocalBuckets,
        LocalSlicing,
        Mondrian,
        ProjectionTree,
        RefiningPartition,
        Sabre,
        Slicing,
    )
    from shoal.plan.plan import Plan, Read
    from shoal.privacy.requirements import KAnonymity, LDiversity, Size, TCloseness
    from shoal.privacy.verdict import Verdict
    from shoal.release.release import Release
    from shoal.schema.columns import Schema, categorical, domain, intervals, masked, numeric, prefixes
    from shoal.schema.hierarchy import Hierarchy

_HOMES = {
    "Anatomize": "shoal.plan.methods",
    "Anatomy": "shoal.plan.forms",
    "Buckets": "shoal.plan.forms",
    "Centres": "shoal.plan.forms",
    "Generalized": "shoal.plan.forms",
    "GreedyClusters": "shoal.plan.methods",
    "Hierarchy": "shoal.schema.hierarchy",
    "Incognito": "shoal.plan.methods",
    "InitialPartition": "shoal.plan.methods",
    "KAnonymity": "shoal.privacy.requirements",
    "LDiversity": "shoal.privacy.requirements",
    "LocalBuckets": "shoal.plan.methods",
    "LocalSlicing": "shoal.plan.methods",
    "Mondrian": "shoal.plan.methods",
    "Plan": "shoal.plan.plan",
    "ProjectionTree": "shoal.plan.methods",
    "Randomized": "shoal.plan.forms",
    "Read": "shoal.plan.plan",
    "RefiningPartition": "shoal.plan.methods",
    "Release": "shoal.release.release",
    "Sabre": "shoal.plan.methods",
    "Schema": "shoal.schema.columns",
    "Size": "shoal.privacy.requirements",
    "Slices": "shoal.plan.forms",
    "Slicing": "shoal.plan.methods",
    "Stream": "shoal.engine.stream.stream",
    "TCloseness": "shoal.privacy.requirements",
    "Verdict": "shoal.privacy.verdict",
    "anonymize": "shoal._run",
    "between": "shoal.measure.queries.question",
    "categorical": "shoal.schema.columns",
    "domain": "shoal.schema.columns",
    "intervals": "shoal.schema.columns",
    "masked": "shoal.schema.columns",
    "numeric": "shoal.schema.columns",
    "prefixes": "shoal.schema.columns",
    "query": "shoal._verbs",
}

__all__ = [
    "Anatomize",
    "Anatomy",
    "Buckets",
    "Centres",
    "DataError",
    "Generalized",
    "GreedyClusters",
    "Hierarchy",
    "Incognito",
    "InitialPartition",
    "KAnonymity",
    "LDiversity",
    "LocalBuckets",
    "LocalSlicing",
    "MissingDependency",
    "Mondrian",
    "Plan",
    "PlanError",
    "ProjectionTree",
    "Randomized",
    "Read",
    "RefiningPartition",
    "Release",
    "Sabre",
    "Schema",
    "ShoalError",
    "Size",
    "Slices",
    "Slicing",
    "Stream",
    "TCloseness",
    "Unachievable",
    "Unsupported",
    "Verdict",
    "Violation",
    "__version__",
    "anonymize",
    "between",
    "categorical",
    "domain",
    "intervals",
    "masked",
    "measure",
    "numeric",
    "prefixes",
    "query",
    "verify",
]


def verify(
    published: Any,
    plan: Plan | None = None,
    original: Any = None,
    *,
    also: Any = None,
    window: int | None = None,
    advance: int | None = None,
) -> Verdict:
    """What the judges find of anybody's release; see :func:`shoal._verbs.verify`.

    With ``window`` and ``advance``, of a recorded stream; see :func:`shoal.engine.stream.recorded.verify`.
    """
    if window is not None or advance is not None:
        from shoal.engine.stream import recorded

        return recorded.verify(published, plan, original, window=window, advance=advance)
    from shoal import _verbs

    return _verbs.verify(published, plan, original, also=also)


def measure(
    published: Any,
    original: Any = None,
    *,
    plan: Plan | None = None,
    population: Any = None,
    queries: Any = None,
    rules: tuple[float, float] | None = None,
) -> Any:
    """What a release cost and what risk is left; see :func:`shoal._verbs.measure`."""
    from shoal import _verbs

    return _verbs.measure(published, original, plan=plan, population=population, queries=queries, rules=rules)


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'shoal' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
