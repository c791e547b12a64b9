"""How classes may be shown: the options that a steward sets, and what each form can promise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from shoal.plan.methods.card import Promise
from shoal.plan.options import Number
from shoal.privacy.retention import MOST


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


@dataclass(frozen=True)
class Slices:
    """The columns of each class, here a bucket, are divided into slices, each of them shuffled by itself."""

    name: ClassVar[str] = "slices"
    promises: ClassVar[frozenset[Promise]] = frozenset({"l", "size"})
    adds: ClassVar[tuple[str, ...]] = ("bucket",)


@dataclass(frozen=True)
class Randomized:
    """As anatomy, and beside each record a sensitive value that may be its own: it is with the chance ``retention``.

    Else it is drawn from the values of the class, all of them alike likely, its own among them.
    """

    retention: Annotated[float, Number(0, MOST, tried=(0.2, 0.05))] = 0.1

    name: ClassVar[str] = "randomized"
    promises: ClassVar[frozenset[Promise]] = frozenset({"l", "size"})
    adds: ClassVar[tuple[str, ...]] = ("class", "count")


@dataclass(frozen=True)
class Buckets:
    """Each cell is either generalized as its class is, or sensitive and shuffled within a bucket of its column."""

    name: ClassVar[str] = "buckets"
    promises: ClassVar[frozenset[Promise]] = frozenset({"k", "l", "t"})
    adds: ClassVar[tuple[str, ...]] = ("class",)


Form = Generalized | Centres | Anatomy | Slices | Randomized | Buckets

FORMS: dict[str, type[Form]] = {
    kind.name: kind for kind in (Generalized, Centres, Anatomy, Slices, Randomized, Buckets)
}
