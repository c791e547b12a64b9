"""What the steward decided, as one object."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any

from shoal.errors import PlanError
from shoal.plan.forms import FORMS, Form
from shoal.plan.methods import Method, Mondrian
from shoal.privacy.requirements import Requirement
from shoal.schema.columns import Column, Schema

#: How a column may be read, whatever its values look like.
TYPES = ("text", "integer", "number", "boolean", "date", "datetime")


@dataclass(frozen=True)
class Read:
    """How the file is to be read; what is not said is found out.

    ``missing`` are the texts that mean that nothing is known. ``types`` says of columns what they hold: one
    of ``text``, ``integer``, ``number``, ``boolean``, ``date``, ``datetime``.
    """

    delimiter: str | None = None
    encoding: str | None = None
    decimal: str | None = None
    missing: Sequence[str] = ("",)
    types: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _freeze(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return Read, (self.delimiter, self.encoding, self.decimal, self.missing, dict(self.types))


@dataclass(frozen=True, repr=False)
class Decisions:
    """The parts of a plan, whether or not they agree with each other."""

    schema: Schema
    require: Sequence[Requirement]
    method: Method = field(default_factory=Mondrian)
    form: Form = None  # type: ignore[assignment]  # the method's own, if it is not said
    suppress: float = 0.0
    person: str | None = None
    allow_unique: Sequence[str] = ()
    table: Path | None = None
    read_options: Read = field(default_factory=Read)

    def __post_init__(self) -> None:
        _freeze(self)
        said: object = self.form
        if said is None:
            object.__setattr__(self, "form", own_form(self.method))
        if isinstance(self.table, str | os.PathLike):
            object.__setattr__(self, "table", Path(self.table))

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        return self.schema.columns()

    def of_role(self, role: str) -> tuple[Column, ...]:
        return tuple(column for column in self.columns if column.role == role)

    @property
    def quasi_identifying(self) -> tuple[Column, ...]:
        return self.of_role("quasi-identifying")

    @property
    def sensitive(self) -> tuple[Column, ...]:
        return self.of_role("sensitive")

    @property
    def semi_sensitive(self) -> tuple[Column, ...]:
        return self.of_role("semi-sensitive")

    @property
    def insensitive(self) -> tuple[Column, ...]:
        return self.of_role("insensitive")

    @property
    def identifying(self) -> tuple[Column, ...]:
        return self.of_role("identifying")


@dataclass(frozen=True, repr=False)
class Plan(Decisions):
    """Roles, requirements, method and form: everything that a release depends on, beside the table.

    All mistakes are reported at once, as a :class:`~shoal.errors.PlanError`.

    ``suppress`` is the share of records that may be left out. ``person`` names the column that tells people apart, or
    is ``"row"`` where each row is a person of its own. ``allow_unique`` names insensitive columns that may be
    published although they are unique for most records.
    """

    def __post_init__(self) -> None:
        from shoal.plan.checks import problems_of

        super().__post_init__()
        if problems := problems_of(self):
            raise PlanError(problems)

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Plan:
        """The plan in a TOML file; paths in it are relative to the file."""
        from shoal.plan.toml import read

        if not isinstance(path, str | os.PathLike):
            raise PlanError(f"expected the path of a plan, not a {type(path).__name__}")
        return read(Path(path))

    def __repr__(self) -> str:
        told = {option.name: getattr(self, option.name) for option in fields(self)}
        told["table"] = self.table and self.table.name
        return f"Plan({', '.join(f'{name}={value!r}' for name, value in told.items())})"

    def __getstate__(self) -> dict[str, Any]:
        """A pickle may travel: of paths it holds the file's name."""
        return {**self.__dict__, "table": self.table and Path(self.table.name)}

    def __copy__(self) -> Plan:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Plan:
        return self


def own_form(method: object) -> Form:
    """The form in which a method's classes are shown if nobody says which."""
    card = getattr(method, "card", Mondrian.card)
    return FORMS[card.forms[0]]()


def _freeze(held: Any) -> None:
    """Lists and mappings that somebody may change later become what nobody can."""
    for option in fields(held):
        value = getattr(held, option.name)
        if isinstance(value, list):
            object.__setattr__(held, option.name, tuple(value))
        elif isinstance(value, dict):
            object.__setattr__(held, option.name, MappingProxyType(dict(value)))
