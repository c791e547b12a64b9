"""For whom the values of a semi-sensitive column are sensitive: those who ticked it, or whom a rule finds."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from shoal.errors import Unsupported
from shoal.schema.rules import Holds, Listed, Rule, RuleError, Value, columns_of, parse

if TYPE_CHECKING:
    from shoal.schema.columns import Coarsening

__all__ = ["Mask", "Masked", "masked"]


@dataclass(frozen=True)
class Mask:
    """Whose values of a column are sensitive.

    ``who`` is the name of a column of true and false, a rule, or the values that are sensitive whoever has them.
    ``cover`` is the share of the others whose values are hidden too, so that nobody's tick can be told by it.
    ``disclose_rule`` says that a rule about the value itself may be learnt from the release.
    """

    who: str | tuple[Value, ...]
    cover: float = 0.0
    disclose_rule: bool = False

    def rule(self, column: str) -> Rule:
        """Who it is, for the column of which it is said; :class:`RuleError` where that cannot be read."""
        who: object = self.who
        if isinstance(who, str):
            return parse(who)
        if not isinstance(who, tuple) or not who or not all(isinstance(value, Value) for value in who):
            raise RuleError("expected the name of a column, a rule such as 'age < 18', or a list of values")
        return Listed(column, who)

    def columns(self, column: str) -> frozenset[str]:
        """The columns that decide who it is, as far as they are understood."""
        try:
            return columns_of(self.rule(column))
        except RuleError:
            return frozenset()

    @property
    def ticked(self) -> str | None:
        """The column of ticks, where it is one."""
        try:
            rule = parse(self.who) if isinstance(self.who, str) else None
        except RuleError:
            return None
        return rule.column if isinstance(rule, Holds) else None

    def __repr__(self) -> str:  # rules and lists hold values, which a log must not show
        who = repr(self.ticked) if self.ticked else "<a rule>" if isinstance(self.who, str) else "<a list of values>"
        said = [f"{o.name}={v!r}" for o in fields(self)[1:] if (v := getattr(self, o.name)) != o.default]
        return ", ".join([who, *said])

    def __reduce__(self) -> tuple[Any, ...]:
        """A pickle may travel, so it holds no values."""
        if self.ticked is None:
            raise Unsupported(
                "a mask that is a rule or a list of values is not pickled: make it a column of true and false"
            )
        return Mask, (self.who, self.cover, self.disclose_rule)

    def __deepcopy__(self, memo: dict[int, Any]) -> Mask:
        return self


@dataclass(frozen=True)
class Masked:
    """What is said of a semi-sensitive column: for whom it is sensitive, and how it is made coarser for the others."""

    mask: Mask | None  # None: it was forgotten
    coarsening: Coarsening | None = None

    def __repr__(self) -> str:
        return f"masked({self.mask!r}{'' if self.coarsening is None else f', how={self.coarsening!r}'})"


def masked(
    mask: str | list[Value] | tuple[Value, ...] | AbstractSet[Value],
    how: Any = None,
    *,
    cover: float = 0.0,
    disclose_rule: bool = False,
) -> Masked:
    """A semi-sensitive column; see :class:`Mask`. ``how`` is as for quasi-identifying columns."""
    if isinstance(mask, AbstractSet):
        mask = sorted(mask, key=repr)
    who = tuple(mask) if isinstance(mask, list | tuple) else mask
    return Masked(Mask(who, cover, disclose_rule), how)
