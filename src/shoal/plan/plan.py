"""What the steward decided, as one object."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from shoal.errors import PlanError
from shoal.plan.methods import Form, Generalized, Method, Mondrian
from shoal.privacy.requirements import Requirement
from shoal.schema.columns import Column, Schema

#: How a column may be read, whatever its values look like.
TYPES = ("text", "integer", "number", "boolean", "date", "datetime")


@dataclass(frozen=True)
class Read:
    """How the file is to be read; what is not said is found out."""

    delimiter: str | None = None
    encoding: str | None = None
    decimal: str | None = None
    missing: tuple[str, ...] = ("",)
    types: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Plan:
    """Roles, requirements, method and form: everything that a release depends on, beside the table.

    All mistakes are reported at once, as a :class:`~shoal.errors.PlanError`.

    ``suppress`` is the share of records that may be left out. ``person`` names the column that tells people apart, or is
    ``"row"`` where each row is a person of its own. ``allow_unique`` names insensitive columns that may be published
    although they are unique for most records.
    """

    schema: Schema
    require: Sequence[Requirement]
    method: Method = field(default_factory=Mondrian)
    form: Form = field(default_factory=Generalized)
    suppress: float = 0.0
    person: str | None = None
    allow_unique: Sequence[str] = ()
    table: Path | None = None
    read_options: Read = field(default_factory=Read)

    def __post_init__(self) -> None:
        from shoal.plan.checks import problems_of

        if problems := problems_of(self):
            raise PlanError(problems)

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Plan:
        """The plan in a TOML file; paths in it are relative to the file."""
        from shoal.plan.toml import read

        return read(Path(path))

    @property
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
    def insensitive(self) -> tuple[Column, ...]:
        return self.of_role("insensitive")

    @property
    def identifying(self) -> tuple[Column, ...]:
        return self.of_role("identifying")
