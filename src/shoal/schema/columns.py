"""What the steward says of each column: its role, and how its values may be made coarser."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from shoal.schema.hierarchy import Hierarchy

Role = Literal["identifying", "quasi-identifying", "sensitive", "semi-sensitive", "insensitive"]
ROLES: tuple[Role, ...] = ("identifying", "quasi-identifying", "sensitive", "semi-sensitive", "insensitive")


@dataclass(frozen=True)
class Numeric:
    """Numbers, published as the range of a class.

    Values below ``bottom`` and above ``top`` are published as these; endpoints are rounded outward to
    multiples of ``step``, so that no class shows the exact age of its oldest member.
    """

    bottom: float | None = None
    top: float | None = None
    step: float | None = None


@dataclass(frozen=True)
class Categorical:
    """Values with a hierarchy, published as the lowest node above a class; or without one, as a set."""

    hierarchy: Hierarchy | Path | None = None


Coarsening = Numeric | Categorical


@dataclass(frozen=True)
class Column:
    """One column of the table, as the steward sees it."""

    name: str
    role: Role
    coarsening: Coarsening | None = None  # None: decided by the type of the column
    mask: str | None = None  # semi-sensitive only: the column that says for whom

    @property
    def hierarchy(self) -> Hierarchy | Path | None:
        return self.coarsening.hierarchy if isinstance(self.coarsening, Categorical) else None


def numeric(*, bottom: float | None = None, top: float | None = None, step: float | None = None) -> Numeric:
    """Numbers as ranges; see :class:`Numeric`."""
    return Numeric(bottom, top, step)


def categorical(hierarchy: Hierarchy | Mapping[str, Any] | str | os.PathLike[str] | None = None) -> Categorical:
    """Categories, with a hierarchy given as an ARX CSV file, a nested mapping or a :class:`Hierarchy`."""
    if hierarchy is None or isinstance(hierarchy, Hierarchy):
        return Categorical(hierarchy)
    if isinstance(hierarchy, Mapping):
        return Categorical(Hierarchy.from_nested(hierarchy))
    return Categorical(Path(hierarchy))


@dataclass(frozen=True)
class Schema:
    """The roles of all columns.

    Each role takes a list of names, or a mapping from names to how the column may be made coarser:
    ``quasi_identifying={"age": shoal.numeric(top=90), "job": shoal.categorical("job.csv"), "sex": None}``.
    """

    identifying: Sequence[str] = ()
    quasi_identifying: Sequence[str] | Mapping[str, Any] = ()
    sensitive: Sequence[str] | Mapping[str, Any] = ()
    insensitive: Sequence[str] = ()
    semi_sensitive: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, columns: Sequence[Column]) -> Schema:
        """The schema that holds exactly these columns."""

        def named(role: Role) -> list[str]:
            return [column.name for column in columns if column.role == role]

        def spelled(role: Role) -> dict[str, Coarsening | None]:
            return {column.name: column.coarsening for column in columns if column.role == role}

        masks = {column.name: column.mask for column in columns if column.role == "semi-sensitive"}
        return cls(
            named("identifying"), spelled("quasi-identifying"), spelled("sensitive"), named("insensitive"), masks
        )

    def columns(self) -> tuple[Column, ...]:
        """Every column with its role, in the order in which they were named."""
        found = [Column(name, "identifying") for name in self.identifying]
        found += [Column(name, "quasi-identifying", how) for name, how in _spelled(self.quasi_identifying)]
        found += [Column(name, "sensitive", how) for name, how in _spelled(self.sensitive)]
        found += [Column(name, "semi-sensitive", None, mask) for name, mask in self.semi_sensitive.items()]
        found += [Column(name, "insensitive") for name in self.insensitive]
        return tuple(found)


def _spelled(columns: Sequence[str] | Mapping[str, Any]) -> list[tuple[str, Coarsening | None]]:
    """Names with their coarsening: mappings and paths are taken for hierarchies."""
    if not isinstance(columns, Mapping):
        return [(name, None) for name in columns]
    return [
        (name, how if how is None or isinstance(how, Numeric | Categorical) else categorical(how))
        for name, how in columns.items()
    ]
