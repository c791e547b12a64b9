"""How classes may be shown: the options that a steward sets, and what each form can promise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from shoal.plan.methods.card import Promise


@dataclass(frozen=True)
class Generalized:
    """Each class is published with one coarser quasi-identifier, its other columns as they are.

    ``ranges``: ``bounds`` publishes numbers as two typed, inclusive columns, ``text`` as one column like ``[20, 32]``.
    """

    ranges: Literal["bounds", "text"] = "bounds"

    name: ClassVar[str] = "generalized"
    promises: ClassVar[frozenset[Promise]] = frozenset({"k", "l", "t", "size"})
    adds: ClassVar[tuple[str, ...]] = ()


@dataclass(frozen=True)
class Centres:
    """Each class is published with its centre: the mean of numbers, the commonest of categories (microaggregation)."""

    name: ClassVar[str] = "centres"
    promises: ClassVar[frozenset[Promise]] = frozenset({"k", "l", "t", "size"})
    adds: ClassVar[tuple[str, ...]] = ()


@dataclass(frozen=True)
class Anatomy:
    """Quasi-identifiers are published as they are, sensitive columns in tables of their own, class by class."""

    name: ClassVar[str] = "anatomy"
    promises: ClassVar[frozenset[Promise]] = frozenset({"l", "t", "size"})
    adds: ClassVar[tuple[str, ...]] = ("class", "count")  # columns that are none of the original's


Form = Generalized | Centres | Anatomy

FORMS: dict[str, type[Form]] = {kind.name: kind for kind in (Generalized, Centres, Anatomy)}
