"""What can be wrong with what must hold."""

from __future__ import annotations

from collections.abc import Iterator

from shoal.errors import Problem
from shoal.plan.checks.known import Known
from shoal.plan.spelling import also, did_you_mean
from shoal.plan.values import is_closeness, is_number, is_share, is_whole
from shoal.privacy.requirements import (
    DISTANCES,
    DIVERSITY_KINDS,
    KAnonymity,
    LDiversity,
    Size,
    TCloseness,
)

CLOSENESS = "expected a number above 0 and at most 1"
NO_SENSITIVE = "speaks of sensitive columns, and the plan has none"


def of_requirements(require: object, known: Known) -> Iterator[Problem]:
    if not isinstance(require, tuple):
        yield Problem("require", "expected a list of requirements, such as [shoal.KAnonymity(5)]")
        return
    if not require and not known.is_wrong("require"):
        yield Problem("require", "expected at least one of k, l, t, size")
    for requirement in require:
        match requirement:
            case KAnonymity(k):
                yield from _of_size("require.k", k)
            case Size(size):
                yield from _of_size("require.size", size)
            case LDiversity():
                yield from _of_diversity(requirement, known)
            case TCloseness():
                yield from _of_closeness(requirement, known)
            case _:
                yield Problem("require", "expected KAnonymity, LDiversity, TCloseness or Size, with figures")


def _of_size(key: str, value: object) -> Iterator[Problem]:
    if not is_whole(value) or value < 2:
        yield Problem(key, "expected a whole number of at least 2: a class of one protects nobody")


def _of_diversity(requirement: LDiversity, known: Known) -> Iterator[Problem]:
    key = "require.l" if requirement.on is None else f"require.l.{requirement.on}"
    yield from _on_sensitive(key, requirement.on, known)
    if requirement.kind not in DIVERSITY_KINDS:
        hint = did_you_mean(requirement.kind, DIVERSITY_KINDS)
        yield Problem(f"{key}.kind", f"expected one of {', '.join(DIVERSITY_KINDS)}{also(hint)}")
    if not is_number(requirement.l) or not requirement.l > 1:
        yield Problem(key, "expected a number above 1: with l = 1 a class may tell everybody's value")
    elif requirement.kind in ("distinct", "recursive") and int(requirement.l) != requirement.l:
        yield Problem(key, f"expected a whole number of at least 2 for {requirement.kind} diversity")
    if requirement.kind == "recursive":
        if not is_number(requirement.c) or not requirement.c > 0:
            yield Problem(f"{key}.c", "expected a number above 0: recursive diversity is (c, l)-diversity")
    elif requirement.c is not None and requirement.kind in DIVERSITY_KINDS:
        yield Problem(f"{key}.c", "belongs to recursive diversity only")
    yield from _of_truth(f"{key}.missing_is_sensitive", requirement.missing_is_sensitive)


def _of_truth(key: str, value: object) -> Iterator[Problem]:
    if not isinstance(value, bool):
        yield Problem(key, "expected true or false")


def _of_closeness(requirement: TCloseness, known: Known) -> Iterator[Problem]:
    on: object = requirement.on
    key = "require.t" if on is None else f"require.t.{on}"
    yield from _on_sensitive(key, "" if on is None else on, known)
    if not is_closeness(requirement.t):
        yield Problem(key, CLOSENESS)
    if requirement.distance not in (None, *DISTANCES):
        hint = did_you_mean(requirement.distance, DISTANCES)
        yield Problem(f"{key}.distance", f"expected one of {', '.join(DISTANCES)}{also(hint)}")
    column = next((column for name, column in known.sensitive.items() if name == on), None)
    if requirement.distance == "hierarchical" and column is not None and not column.has_hierarchy:
        needed = f"columns.{column.name}.hierarchy"
        if not known.doubts(column.name) and needed not in known.wrong:
            yield Problem(needed, "is needed, since t is asked with the hierarchical distance")


def _on_sensitive(key: str, on: object, known: Known) -> Iterator[Problem]:
    sensitive = known.sensitive
    if on is None and not sensitive and not known.unsure:
        yield Problem(key, NO_SENSITIVE)
    elif on is not None and on not in list(sensitive) and not known.doubts(on):
        hint = also(did_you_mean(on, sensitive))
        among = f"expected a sensitive column, one of {', '.join(sensitive)}{hint}"
        yield Problem(key, among if sensitive else "expected a sensitive column" if known.unsure else NO_SENSITIVE)


def of_suppress(value: object) -> Iterator[Problem]:
    if not is_share(value):
        yield Problem("require.suppress", "expected a share from 0 to 1, such as 0.05 for 5 %")
