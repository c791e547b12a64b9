"""What a steward should know of a method before choosing it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Promise = Literal["k", "l", "t", "size"]


@dataclass(frozen=True)
class Card:
    """What a method can promise, in which forms, from whom it comes and what it costs."""

    name: str
    idea: str
    paper: str
    promises: frozenset[Promise]
    forms: tuple[str, ...]  # the first is the method's own
    reads_sensitive: str  # whether the grouping depends on sensitive values, and when
    cost: str
    by_lot: bool = False  # whether the same records may be grouped in another way the next time
    semi_sensitive: bool = False  # whether columns may be sensitive for some of the people
