"""How records may be grouped, and groups shown: the options that a steward sets, and what each can promise."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, ClassVar, Literal, get_args, get_type_hints

Promise = Literal["k", "l", "t", "size"]


@dataclass(frozen=True)
class Card:
    """What a steward should know of a method before choosing it."""

    name: str
    idea: str
    paper: str
    promises: frozenset[Promise]
    forms: tuple[str, ...]
    reads_sensitive: str  # whether the grouping depends on sensitive values, and when
    cost: str


@dataclass(frozen=True)
class Mondrian:
    """Median cuts along the widest axis, as long as both sides keep every requirement.

    ``ties``: ``strict`` keeps equal values together, ``relaxed`` may put them on both sides of a cut.
    """

    ties: Literal["strict", "relaxed"] = "strict"

    card: ClassVar[Card] = Card(
        name="mondrian",
        idea="cut the table at the median of its widest column, again and again, while both sides keep every promise",
        paper="LeFevre, DeWitt and Ramakrishnan, Mondrian Multidimensional K-Anonymity, ICDE 2006; with t it is the "
        "tMondrian of Li, Li and Venkatasubramanian, Closeness: A New Privacy Measure for Data Publishing, TKDE 2010",
        promises=frozenset({"k", "l", "t", "size"}),
        forms=("generalized", "centres"),
        reads_sensitive="only where l or t is required: a cut is refused when a side would break them",
        cost="n log n",
    )


@dataclass(frozen=True)
class Generalized:
    """Each class is published with one coarser quasi-identifier, its other columns as they are.

    ``ranges``: ``bounds`` publishes numbers as two typed, inclusive columns, ``text`` as one column like ``[20, 32]``.
    """

    ranges: Literal["bounds", "text"] = "bounds"

    name: ClassVar[str] = "generalized"
    promises: ClassVar[frozenset[Promise]] = frozenset({"k", "l", "t", "size"})


@dataclass(frozen=True)
class Centres:
    """Each class is published with its centre: the mean of numbers, the commonest of categories (microaggregation)."""

    name: ClassVar[str] = "centres"
    promises: ClassVar[frozenset[Promise]] = frozenset({"k", "l", "t", "size"})


Method = Mondrian
Form = Generalized | Centres

METHODS: dict[str, type[Method]] = {"mondrian": Mondrian}
FORMS: dict[str, type[Form]] = {"generalized": Generalized, "centres": Centres}


def choices(kind: type[Any]) -> dict[str, tuple[Any, ...]]:
    """The options of a method or form with the values that each may take."""
    hints = get_type_hints(kind)
    return {option.name: get_args(hints[option.name]) for option in fields(kind)}
