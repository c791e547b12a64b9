"""What can go wrong, as a tree of exceptions.

    ShoalError
    ├── PlanError           the plan contradicts itself, or asks a form or method for what it cannot promise
    ├── DataError           the table or a hierarchy is not what the plan says
    ├── Unachievable        the table cannot keep the requirement; says the strongest value that it can
    ├── Violation           a release does not keep its promise, so it was not written
    ├── Unsupported         a sound wish that this part of Shoal does not grant; says which part does
    └── MissingDependency   an optional package is needed; says how to install it

Messages name columns, counts and what to do. They never contain a value of the table: those that help are in
``error.details``, which is neither printed, logged nor pickled.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = [
    "DataError",
    "MissingDependency",
    "PlanError",
    "Problem",
    "ShoalError",
    "Unachievable",
    "Unsupported",
    "Violation",
]


class ShoalError(Exception):
    """The root of every error that Shoal raises on purpose."""

    exit_status = 2

    def __init__(self, message: str, *, details: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.details: dict[str, Any] = dict(details or {})

    @property
    def message(self) -> str:
        return str(self.args[0])

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.message,)  # without details: they may quote the table, and a pickle may travel


@dataclass(frozen=True)
class Problem:
    """One mistake in a plan: the key where it stands, and what was expected there."""

    key: str
    says: str

    def __str__(self) -> str:
        return f"{self.key}: {self.says}" if self.key else self.says


class PlanError(ShoalError):
    """All mistakes of a plan at once."""

    def __init__(self, problems: Sequence[Problem] | str) -> None:
        found = (Problem("", problems),) if isinstance(problems, str) else tuple(problems)
        self.problems = found
        if len(found) == 1:
            message = str(found[0])
        else:
            lines = "\n".join(f"  - {problem}" for problem in found)
            message = f"the plan has {len(found)} mistakes:\n{lines}"
        super().__init__(message)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.problems,)


class DataError(ShoalError):
    """The table, or a hierarchy, is not what the plan says it is."""


class Unachievable(ShoalError):
    """No grouping of this table keeps the requirement."""

    exit_status = 3


class Violation(ShoalError):
    """A release that does not keep its promise: nothing was written."""

    exit_status = 1


class Unsupported(ShoalError):
    """A sound wish that is granted elsewhere, or not yet."""


class MissingDependency(ShoalError, ImportError):
    """An optional package is not installed."""
