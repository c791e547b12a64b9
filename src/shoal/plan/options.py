"""The options of a method or form: what each may be, read off the types of its fields."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Annotated, Any, Literal, Protocol, get_args, get_origin, get_type_hints

from shoal.plan.values import is_number, is_whole


class Option(Protocol):
    """What an option may be."""

    @property
    def expected(self) -> str:
        """What may be said, in words."""

    @property
    def words(self) -> tuple[str, ...]:
        """The words among what may be said."""

    @property
    def tried(self) -> tuple[Any, ...]:
        """Values that stand for all of them in tests."""

    def allows(self, value: object) -> bool:
        """Whether this may be said."""


@dataclass(frozen=True)
class OneOf:
    """One of a few values."""

    tried: tuple[Any, ...]

    @property
    def expected(self) -> str:
        return f"one of {', '.join(map(_written, self.tried))}"

    @property
    def words(self) -> tuple[str, ...]:
        return tuple(value for value in self.tried if isinstance(value, str))

    def allows(self, value: object) -> bool:
        return any(value is known or (isinstance(known, str) and value == known) for known in self.tried)


@dataclass(frozen=True)
class Number:
    """A number between two ends, the upper included and the lower unless ``above``; or one of a few ``words``."""

    least: float
    most: float = math.inf
    above: bool = False
    whole: bool = False
    words: tuple[str, ...] = ()
    tried: tuple[Any, ...] = ()

    @property
    def expected(self) -> str:
        kind = "a whole number" if self.whole else "a number"
        low = f"above {self.least:g}" if self.above else f"of at least {self.least:g}"
        high = f" and at most {self.most:g}" if math.isfinite(self.most) else ""
        return " or ".join([f"{kind} {low}{high}", *map(_written, self.words)])

    def allows(self, value: object) -> bool:
        if isinstance(value, str):
            return value in self.words
        if not (is_whole(value) if self.whole else is_number(value)):
            return False
        number = float(value)  # type: ignore[arg-type]
        return (number > self.least if self.above else number >= self.least) and number <= self.most


def options_of(kind: type[Any]) -> dict[str, Option]:
    """The options of a method or form by name: fields that are literals or truth values, or annotated as numbers."""
    hints = get_type_hints(kind, include_extras=True)
    return {option.name: _option(hints[option.name]) for option in fields(kind)}


def _option(hint: Any) -> Option:
    if hint is bool:
        return OneOf((False, True))
    if get_origin(hint) is Literal:
        return OneOf(get_args(hint))
    if get_origin(hint) is Annotated:
        return next(note for note in get_args(hint) if isinstance(note, Number))
    raise TypeError(f"an option cannot be {hint}")


def _written(value: object) -> str:
    """As a plan writes it."""
    return str(value).lower() if isinstance(value, bool) else str(value)
