"""What must hold of every class, as the steward asks for it.

These objects carry numbers and names, no computation: :mod:`shoal.privacy.definitions` says what each one means,
:mod:`shoal.privacy.search` says it again in a form that a search can evaluate quickly.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

DiversityKind = Literal["frequency", "distinct", "entropy", "recursive"]
DIVERSITY_KINDS: tuple[DiversityKind, ...] = ("frequency", "distinct", "entropy", "recursive")
Distance = Literal["ordered", "hierarchical", "equal"]
DISTANCES: tuple[Distance, ...] = ("ordered", "hierarchical", "equal")


@dataclass(frozen=True)
class KAnonymity:
    """Each class holds at least ``k`` people."""

    k: int

    def __str__(self) -> str:
        return f"k = {self.k}"


@dataclass(frozen=True)
class Size:
    """Each class holds at least ``size`` people: what forms promise that publish exact quasi-identifiers."""

    size: int

    def __str__(self) -> str:
        return f"size = {self.size}"


@dataclass(frozen=True)
class LDiversity:
    """The sensitive values of each class are diverse.

    - ``frequency``: no known value is held by more than 1/l of the records whose value is known;
    - ``distinct``: at least l different known values;
    - ``entropy``: the entropy of the known values is at least log l;
    - ``recursive``: with counts r1 >= r2 >= ..., r1 < c (r_l + r_{l+1} + ...).

    ``on`` names a sensitive column; without it every sensitive column is meant. A missing value counts as a sensitive
    value like any other only if ``missing_is_sensitive``.
    """

    l: float
    on: str | None = None
    kind: DiversityKind = "frequency"
    c: float | None = None
    missing_is_sensitive: bool = False

    def __str__(self) -> str:
        where = f" on {self.on}" if self.on else ""
        kind = {"frequency": "", "recursive": f" (recursive, c = {self.c:g})" if self.c else " (recursive)"}.get(
            self.kind, f" ({self.kind})"
        )
        return f"l = {self.l:g}{kind}{where}"


@dataclass(frozen=True)
class RandomizedDiversity(LDiversity):
    """The same of classes whose sensitive values are shown randomized: nobody's is believed with more than 1/l.

    A plan asks for :class:`LDiversity`, by frequency; this is what it comes to where the form is ``randomized`` and
    each record keeps its value with the probability ``retention``. See :mod:`shoal.privacy.retention`.
    """

    retention: float = 0.0


@dataclass(frozen=True)
class TCloseness:
    """The sensitive values of each class are distributed as in the whole table, up to an earth mover's distance t.

    ``distance``: ``ordered`` by rank (the default for numbers and dates), ``hierarchical`` by the column's
    hierarchy, ``equal`` when any two values are 1 apart (the default for categories).
    """

    t: float
    on: str
    distance: Distance | None = None

    def __str__(self) -> str:
        kind = f" ({self.distance})" if self.distance else ""
        return f"t = {self.t:g}{kind} on {self.on}"


Requirement = KAnonymity | Size | LDiversity | TCloseness


def randomized(requirements: Sequence[Requirement], retention: float) -> list[Requirement]:
    """The requirements as they are to be understood where records keep their sensitive values with this probability."""
    return [
        RandomizedDiversity(r.l, r.on, r.kind, r.c, r.missing_is_sensitive, retention)
        if isinstance(r, LDiversity)
        else r
        for r in requirements
    ]


def spelled_out(requirements: Sequence[Requirement], ordered: Mapping[str, bool]) -> list[Requirement]:
    """The requirements, every default filled in; ``ordered`` tells which sensitive columns hold numbers or dates."""
    found: list[Requirement] = []
    for requirement in requirements:
        match requirement:
            case LDiversity(on=None):
                found += [replace(requirement, on=name) for name in ordered]
            case TCloseness(distance=None, on=on):
                found.append(replace(requirement, distance="ordered" if ordered[on] else "equal"))
            case _:
                found.append(requirement)
    return found
