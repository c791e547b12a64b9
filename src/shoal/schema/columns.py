"""What the steward says of each column: its role, and how its values may be made coarser."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, fields
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

from shoal.errors import DataError, PlanError, Problem, Unsupported
from shoal.schema.hierarchy import Hierarchy
from shoal.schema.masks import Mask, Masked, masked

__all__ = [
    "ROLES",
    "Categorical",
    "Coarsening",
    "Column",
    "Intervals",
    "Mask",
    "Masked",
    "Numeric",
    "Prefixes",
    "Role",
    "Schema",
    "categorical",
    "intervals",
    "masked",
    "numeric",
    "prefixes",
]

Role = Literal["identifying", "quasi-identifying", "sensitive", "semi-sensitive", "insensitive"]
ROLES: tuple[Role, ...] = ("identifying", "quasi-identifying", "sensitive", "semi-sensitive", "insensitive")

#: A domain of more values than this is no list that anybody compares distributions over.
_MOST_LISTED = 1_000_000


@dataclass(frozen=True)
class Numeric:
    """Numbers, published as the range of a class.

    Values below ``bottom`` and above ``top`` are published as these; endpoints are rounded outward to
    multiples of ``step``, so that no class shows the exact age of its oldest member.
    """

    bottom: float | None = None
    top: float | None = None
    step: float | None = None

    def __repr__(self) -> str:
        return f"numeric({_said(self)})"


@dataclass(frozen=True)
class Categorical:
    """Values with a hierarchy, published as the lowest node above a class; or without one, as a set."""

    hierarchy: Hierarchy | Path | None = None

    def __repr__(self) -> str:  # of a path the file's name: folders may tell whose table it is
        named = self.hierarchy.name if isinstance(self.hierarchy, Path) else self.hierarchy
        return f"categorical({'' if named is None else repr(named)})"

    def __reduce__(self) -> tuple[Any, ...]:
        """A pickle may travel, so it holds a file's name and no folder; and no values of a column."""
        if isinstance(self.hierarchy, Hierarchy):
            raise Unsupported(
                "a hierarchy that is held in memory is not pickled, since it consists of values: write it to a file "
                "and name that in the plan"
            )
        return Categorical, (self.hierarchy and Path(self.hierarchy.name),)

    def __deepcopy__(self, memo: dict[int, Any]) -> Categorical:
        return self


@dataclass(frozen=True)
class Prefixes:
    """Codes with a hierarchy of their beginnings, built from the table; see :func:`shoal.schema.building.prefixes`."""

    keep: int | None = None
    fill: str = "*"

    def __repr__(self) -> str:
        return f"prefixes({_said(self)})"


@dataclass(frozen=True)
class Intervals:
    """Numbers or dates with a hierarchy of round intervals, built from the table.

    See :func:`shoal.schema.building.intervals`; of dates ``width`` is a part of the calendar.
    """

    width: float | str | None = None
    factor: int | None = None
    levels: int | None = None

    def __repr__(self) -> str:
        return f"intervals({_said(self)})"


@dataclass(frozen=True)
class Listed:
    """Every value that a sensitive column may hold, in order: texts, or numbers that rise.

    A stream takes the ranks of values from it, since it never sees all that will come.
    """

    values: tuple[Any, ...]

    def __repr__(self) -> str:  # the values are those of a table, which a log must not show
        return f"domain({len(self.values)} values)"

    def __reduce__(self) -> tuple[Any, ...]:
        raise Unsupported("a domain is not pickled, since it consists of values: name the plan's file instead")

    def __deepcopy__(self, memo: dict[int, Any]) -> Listed:
        return self

    @property
    def is_text(self) -> bool:
        return all(isinstance(value, str) for value in self.values)


def _said(how: Numeric | Prefixes | Intervals) -> str:
    """What differs from the defaults."""
    return ", ".join(
        f"{option.name}={value!r}" for option in fields(how) if (value := getattr(how, option.name)) != option.default
    )


Coarsening = Numeric | Categorical | Prefixes | Intervals | Listed


@dataclass(frozen=True)
class Column:
    """One column of the table, as the steward sees it."""

    name: str
    role: Role
    coarsening: Coarsening | None = None  # None: decided by the type of the column
    mask: Mask | None = None  # semi-sensitive only: for whom

    @property
    def hierarchy(self) -> Hierarchy | Path | None:
        """The one that the plan names."""
        return self.coarsening.hierarchy if isinstance(self.coarsening, Categorical) else None

    @property
    def has_hierarchy(self) -> bool:
        """Whether its values have a hierarchy, named or to be built from the table."""
        return self.hierarchy is not None or isinstance(self.coarsening, Prefixes | Intervals)

    @property
    def stays_text(self) -> bool:
        """Whether its values are to stay as they are written: labels of a hierarchy, codes with leading zeros."""
        listed = isinstance(self.coarsening, Listed) and self.coarsening.is_text
        return self.hierarchy is not None or isinstance(self.coarsening, Prefixes) or listed

    @property
    def mask_columns(self) -> frozenset[str]:
        """The columns of the table that decide for whom it is sensitive."""
        return frozenset() if self.mask is None else self.mask.columns(self.name)


def numeric(*, bottom: float | None = None, top: float | None = None, step: float | None = None) -> Numeric:
    """Numbers as ranges; see :class:`Numeric`."""
    return Numeric(bottom, top, step)


def prefixes(*, keep: int | None = None, fill: str = "*") -> Prefixes:
    """Codes by their beginnings, ``8000*``, ``800**`` and so on; ``keep`` characters are never hidden."""
    return Prefixes(keep, fill)


def intervals(*, width: float | str | None = None, factor: int | None = None, levels: int | None = None) -> Intervals:
    """Numbers and dates by round intervals, ``[20, 24]``, ``[20, 29]`` and so on; see :class:`Intervals`."""
    return Intervals(width, factor, levels)


def domain(
    values: Iterable[Any] = (), *, bottom: float | None = None, top: float | None = None, step: float = 1
) -> Listed:
    """The values of a sensitive column in order: listed, or all numbers from bottom to top by the step.

    What is no list, or no run of numbers, becomes an empty domain, which the plan reports with its other mistakes.
    """
    if bottom is None or top is None:
        return Listed(() if isinstance(values, str) else tuple(values))
    if not all(isinstance(number, int | float) for number in (bottom, top, step)) or not step > 0:
        return Listed(())
    steps = (top - bottom) / step
    if not 0 < steps < _MOST_LISTED or abs(steps - round(steps)) > 1e-9:
        return Listed(())
    whole = float(bottom).is_integer() and float(step).is_integer()
    ends = (int(bottom), int(step)) if whole else (bottom, step)
    return Listed(tuple(ends[0] + place * ends[1] for place in range(round(steps) + 1)))


def categorical(hierarchy: Hierarchy | Mapping[str, Any] | str | os.PathLike[str] | None = None) -> Categorical:
    """Categories, with a hierarchy given as an ARX CSV file, a nested mapping or a :class:`Hierarchy`."""
    if hierarchy is None or isinstance(hierarchy, Hierarchy):
        return Categorical(hierarchy)
    if isinstance(hierarchy, str | os.PathLike):
        return Categorical(Path(hierarchy))
    if not isinstance(hierarchy, Mapping):
        raise PlanError([Problem("hierarchy", "expected the path of a hierarchy file, or a nested mapping")])
    try:
        return Categorical(Hierarchy.from_nested(hierarchy))
    except DataError as error:
        raise PlanError([Problem("hierarchy", error.message)]) from None
    except RecursionError:
        raise PlanError([Problem("hierarchy", "is nested too deeply")]) from None


@dataclass(frozen=True, repr=False)
class Schema:
    """The roles of all columns.

    Each role takes a list of names; quasi-identifying and sensitive also a mapping from names to how the column may be
    made coarser: ``quasi_identifying={"age": shoal.numeric(top=90), "job": shoal.categorical("job.csv")}``;
    semi-sensitive a mapping from names to whose values are sensitive: ``semi_sensitive={"age": "age_private"}``, or
    ``{"age": shoal.masked("age_private", shoal.numeric(top=90), cover=0.2)}``.
    What cannot be understood is kept in ``problems``, for the plan to report with all its other mistakes.
    """

    identifying: Iterable[str] = ()
    quasi_identifying: Iterable[str] | Mapping[str, Any] = ()
    sensitive: Iterable[str] | Mapping[str, Any] = ()
    insensitive: Iterable[str] = ()
    semi_sensitive: Mapping[str, Any] | Iterable[str] = ()
    problems: tuple[Problem, ...] = field(default=(), init=False, compare=False)

    def __post_init__(self) -> None:
        problems: list[Problem] = []
        times: Counter[str] = Counter()
        for role in ROLES:
            told = list(_told(role, getattr(self, _argument(role)), problems))
            times.update(name for name, _ in told)
            held = tuple(name for name, _ in told) if role in _NAMES_ONLY else MappingProxyType(dict(told))
            object.__setattr__(self, _argument(role), held)
        problems += [
            Problem(f"columns.{name}", f"is named {count} times; name it once, with one role")
            for name, count in times.items()
            if count > 1
        ]
        object.__setattr__(self, "problems", tuple(problems))

    @classmethod
    def of(cls, columns: Sequence[Column]) -> Schema:
        """The schema that holds exactly these columns."""
        told: dict[str, Any] = {}
        for role in ROLES:
            held = {c.name: _told_of(c) for c in columns if c.role == role}
            told[_argument(role)] = list(held) if role in _NAMES_ONLY else held
        return cls(**told)

    def __repr__(self) -> str:
        said = []
        for role in ROLES:
            held = getattr(self, _argument(role))
            if held:
                said.append(f"{_argument(role)}={dict(held) if isinstance(held, Mapping) else list(held)!r}")
        return f"Schema({', '.join(said)})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Schema.of, (self.columns(),)

    def columns(self) -> tuple[Column, ...]:
        """Every column with its role, role by role, in the order in which they were named."""
        return tuple(column for role in ROLES for column in self._of_role(role))

    def _of_role(self, role: Role) -> Iterator[Column]:
        held = getattr(self, _argument(role))
        for name in held:
            if role in _NAMES_ONLY:
                yield Column(name, role)
            elif role == "semi-sensitive":
                how = held[name]
                yield Column(name, role) if how is None else Column(name, role, how.coarsening, how.mask)
            else:
                yield Column(name, role, held[name])


#: Roles whose columns are dropped, or published as they are: there is nothing more to say of them.
_NAMES_ONLY: tuple[Role, ...] = ("identifying", "insensitive")


def _argument(role: Role) -> str:
    """What a schema calls the columns of this role."""
    return role.replace("-", "_")


def _told_of(column: Column) -> Coarsening | Masked | None:
    """What a schema is told of a column."""
    return Masked(column.mask, column.coarsening) if column.role == "semi-sensitive" else column.coarsening


def _told(role: Role, given: object, problems: list[Problem]) -> Iterator[tuple[str, Any]]:
    """The columns of a role with what is said of them, as far as it can be understood."""
    said = "a list of names" if role in _NAMES_ONLY else "a list of names, or a mapping from names"
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        problems.append(Problem(_argument(role), f"expected {said}"))
        return
    if isinstance(given, Mapping) and role in _NAMES_ONLY and any(how is not None for how in given.values()):
        problems.append(Problem(_argument(role), f"expected {said}: these columns are not made coarser"))
    for name in given:
        if not isinstance(name, str) or not name:
            problems.append(Problem(_argument(role), "expected names of columns, each a text that is not empty"))
        elif not isinstance(given, Mapping) or role in _NAMES_ONLY:
            yield name, None
        elif role == "semi-sensitive":
            yield name, _masked(name, given[name], problems)
        else:
            yield name, _coarsening(name, given[name], problems)


def _coarsening(name: str, how: object, problems: list[Problem]) -> Coarsening | None:
    """Mappings and paths are taken for hierarchies."""
    if how is None or isinstance(how, Coarsening):
        return how
    try:
        return categorical(how)  # type: ignore[arg-type]
    except PlanError as error:
        problems += [Problem(f"columns.{name}.{problem.key}", problem.says) for problem in error.problems]
        return None


def _masked(name: str, how: object, problems: list[Problem]) -> Masked | None:
    """Texts are taken for names of columns or rules, lists for the values that are sensitive."""
    if how is None or isinstance(how, Masked):
        return how and Masked(how.mask, _coarsening(name, how.coarsening, problems))
    if isinstance(how, str | list | tuple | AbstractSet):
        return masked(how)
    problems.append(Problem(f"columns.{name}.mask", "expected the name of a column, a rule, or a list of values"))
    return None
