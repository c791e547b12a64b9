"""A plan as a TOML file: read leniently, so that all mistakes are reported together, with their keys.

What is decided here is what a key means; whether values are sound is decided in :mod:`shoal.plan.checks`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from shoal.errors import PlanError, Problem
from shoal.plan.checks import problems_of
from shoal.plan.checks.requirements import CLOSENESS, NO_SENSITIVE
from shoal.plan.forms import FORMS, Form
from shoal.plan.methods import COMPARATORS, METHODS, Method, Mondrian
from shoal.plan.options import options_of
from shoal.plan.plan import Decisions, Plan, Read, own_form
from shoal.plan.spelling import did_you_mean
from shoal.plan.values import is_closeness, is_number
from shoal.privacy.requirements import KAnonymity, LDiversity, Requirement, Size, TCloseness
from shoal.schema.columns import (
    ROLES,
    Coarsening,
    Column,
    Intervals,
    Mask,
    Numeric,
    Prefixes,
    Schema,
    categorical,
    domain,
)

__all__ = ["Parts", "read", "read_parts"]

_TOP = ("table", "person", "allow_unique", "read", "columns", "require", "method", "publish")
_BOUNDS = ("bottom", "top", "step")
_BUILT: Mapping[str, type[Prefixes] | type[Intervals]] = {"prefixes": Prefixes, "intervals": Intervals}
_MASK = ("mask", "cover", "disclose_rule")
_COLUMN = ("role", "hierarchy", *_BUILT, "domain", *_BOUNDS, *_MASK)
_READ = ("delimiter", "encoding", "decimal", "missing", "types")
_REQUIRE = ("k", "l", "t", "size", "suppress")
_DIVERSITY = ("min", "kind", "c", "missing_is_sensitive")
_CLOSENESS = ("max", "distance")


def read(path: Path) -> Plan:
    """The plan in a file; every mistake in it is named in one error."""
    return _Reading(path.parent).plan(_document(path))


@dataclass(frozen=True)
class Parts:
    """What a plan says of its table, as far as it can be understood; for plans that have mistakes elsewhere."""

    columns: tuple[Column, ...]
    named: tuple[str, ...]  # columns that the plan speaks of, understood or not
    read_options: Read
    table: Path | None


def read_parts(path: Path) -> Parts:
    """The parts of a plan that can be understood, however much else is wrong with it."""
    document = _document(path)
    reading = _Reading(path.parent)
    decided = reading.decisions(document)
    columns = reading.table(document, "columns")
    wrong = [problem.key for problem in problems_of(decided)]
    options = Read() if any(key.startswith("read") for key in wrong) else decided.read_options
    return Parts(decided.schema.columns(), tuple(columns), options, None if "table" in wrong else decided.table)


def _document(path: Path) -> dict[str, Any]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise PlanError(f"the plan {path.name} is not UTF-8 text") from None
    except (OSError, ValueError) as error:
        why = (isinstance(error, OSError) and error.strerror) or "that is no path"
        raise PlanError(f"cannot read the plan {path.name}: {why}") from None
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # a number too long to be read is a ValueError too
        why = f": {error}" if isinstance(error, tomllib.TOMLDecodeError) else ""
        raise PlanError(f"the plan {path.name} is not TOML{why}") from None


class _Reading:
    """One pass over a document, collecting mistakes instead of stopping at the first."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.problems: list[Problem] = []

    def plan(self, document: Mapping[str, Any]) -> Plan:
        decided = self.decisions(document)
        self.problems += problems_of(decided, self.problems)
        if self.problems:
            raise PlanError(self.problems)
        return Plan(**{option.name: getattr(decided, option.name) for option in fields(decided)})

    def decisions(self, document: Mapping[str, Any]) -> Decisions:
        """Every part of the document as what it means, sound or not."""
        self._known(document, _TOP, "")
        columns = self.columns(self.table(document, "columns"))
        require = self.table(document, "require")
        method = self._method(self.table(document, "method"))
        return Decisions(
            schema=Schema.of(columns),
            require=self._require(require, columns),
            method=method,
            form=self._form(self.table(document, "publish"), own_form(method)),
            suppress=require.get("suppress", 0.0),
            person=document.get("person"),
            allow_unique=document.get("allow_unique", ()),
            table=self._path(document),
            read_options=self._read(self.table(document, "read")),
        )

    def _say(self, key: str, says: str) -> None:
        self.problems.append(Problem(key, says))

    def _known(self, given: Mapping[str, Any], known: Sequence[str], where: str) -> None:
        for key in given:
            if key not in known:
                hint = did_you_mean(key, known) or f"expected one of {', '.join(known)}"
                self._say(f"{where}{key}", f"is not a key of a plan; {hint}")

    def table(self, given: Mapping[str, Any], key: str) -> Mapping[str, Any]:
        """A section; none is an empty one."""
        value = given.get(key, {})
        if isinstance(value, Mapping):
            return value
        self._say(key, f"expected a table [{key}]")
        return {}

    def _path(self, document: Mapping[str, Any]) -> Any:
        name = document.get("table")
        return self.folder / name if isinstance(name, str) else name

    # -- columns --------------------------------------------------------------------------------------------------

    def columns(self, given: Mapping[str, Any]) -> list[Column]:
        """The columns whose roles are understood."""
        found = (self._column(name, how) for name, how in given.items())
        return [column for column in found if column is not None]

    def _column(self, name: str, how: Any) -> Column | None:
        key = f"columns.{name}"
        if isinstance(how, str):
            how = {"role": how}
        if not isinstance(how, Mapping):
            self._say(key, 'expected a role, or a table such as { role = "sensitive" }')
            return None
        role = how.get("role")
        if role not in ROLES:
            dotted = bool(how) and not any(known in how for known in _COLUMN)
            hint = "a name with a dot in it needs quotes" if dotted else did_you_mean(role, ROLES)
            self._say(key, f"expected a role, one of {', '.join(ROLES)}{f'; {hint}' if hint else ''}")
            return None
        self._known(how, _COLUMN, f"{key}.")
        if role != "semi-sensitive":
            for option in (option for option in _MASK if option in how):
                self._say(f"{key}.{option}", "belongs to semi-sensitive columns only")
        if role in ("identifying", "insensitive"):
            for option in (option for option in how if option in ("hierarchy", *_BUILT, "domain", *_BOUNDS)):
                self._say(f"{key}.{option}", f"{role} columns are not made coarser")
            return Column(name, role)
        return Column(name, role, self._coarsening(key, how), _mask(how) if role == "semi-sensitive" else None)

    def _coarsening(self, key: str, how: Mapping[str, Any]) -> Coarsening | None:
        bounds = {edge: how[edge] for edge in _BOUNDS if edge in how}
        ways = [
            way
            for way in ("hierarchy", *_BUILT, "domain")
            if way in how and (how[way] is not False or way not in _BUILT)
        ]
        if len(ways) > 1:
            self._say(key, f"expected one of {' and '.join(ways)}: a column has one hierarchy, or a domain")
        if not ways:
            return Numeric(**bounds) if bounds else None
        for edge in bounds:
            word = f"a {ways[0]}" if ways[0] in ("hierarchy", "domain") else ways[0]
            self._say(f"{key}.{edge}", f"does not apply to a column with {word}")
        if ways[0] in _BUILT:
            return self._built(f"{key}.{ways[0]}", how[ways[0]], _BUILT[ways[0]])
        if ways[0] == "domain":
            return self._listed(f"{key}.domain", how["domain"])
        given = how["hierarchy"]
        try:
            return categorical(self.folder / given if isinstance(given, str) else given)
        except PlanError as error:
            for problem in error.problems:
                self._say(f"{key}.{problem.key}", problem.says)
            return None

    def _listed(self, key: str, given: Any) -> Coarsening:
        """A list of values, or a table with the two ends of a run of numbers."""
        if not isinstance(given, Mapping):
            return domain(given if isinstance(given, list) else ())
        self._known(given, _BOUNDS, f"{key}.")
        bottom, top, step = (given[edge] if is_number(given.get(edge)) else None for edge in _BOUNDS)
        return domain(bottom=bottom, top=top, step=step if "step" in given else 1)  # type: ignore[arg-type]

    def _built(self, key: str, given: Any, kind: type[Prefixes] | type[Intervals]) -> Coarsening:
        """A hierarchy that is to be built: ``true``, or a table with its options."""
        options = [option.name for option in fields(kind)]
        if not isinstance(given, Mapping):
            if given is not True:
                self._say(key, f"expected true, or a table with {', '.join(options)}")
            return kind()
        self._known(given, options, f"{key}.")
        return kind(**{option: given[option] for option in options if option in given})

    # -- the rest -------------------------------------------------------------------------------------------------

    def _read(self, given: Mapping[str, Any]) -> Read:
        self._known(given, _READ, "read.")
        return Read(**{key: given[key] for key in _READ if key in given})

    def _require(self, given: Mapping[str, Any], columns: Sequence[Column]) -> list[Requirement]:
        self._known(given, _REQUIRE, "require.")
        found: list[Requirement] = []
        if "k" in given:
            found.append(KAnonymity(given["k"]))
        if "l" in given:
            found += self._diversity(given["l"])
        if "t" in given:
            found += self._closeness(given["t"], columns)
        if "size" in given:
            found.append(Size(given["size"]))
        return found

    def _diversity(self, given: Any) -> list[Requirement]:
        """``l = 4``, ``l = { job = 4 }`` and ``l = { job = { min = 4, kind = "entropy" } }``."""
        if not isinstance(given, Mapping):
            return [LDiversity(given)]
        return [
            LDiversity(how.pop("min"), name, **how)
            for name, how in self._by_column(given, "l", "min", _DIVERSITY).items()
        ]

    def _closeness(self, given: Any, columns: Sequence[Column]) -> list[Requirement]:
        """``t = 0.2``, ``t = { job = 0.2 }`` and ``t = { job = { max = 0.2, distance = "hierarchical" } }``."""
        if isinstance(given, Mapping):
            told = self._by_column(given, "t", "max", _CLOSENESS)
            return [TCloseness(how.pop("max"), name, **how) for name, how in told.items()]
        sensitive = [column.name for column in columns if column.role in ("sensitive", "semi-sensitive")]
        if not is_closeness(given):
            self._say("require.t", CLOSENESS)
            return []
        if not sensitive and not any(problem.key.startswith("columns") for problem in self.problems):
            self._say("require.t", NO_SENSITIVE)
        return [TCloseness(given, name) for name in sensitive]

    def _by_column(
        self, given: Mapping[str, Any], letter: str, figure: str, keys: Sequence[str]
    ) -> dict[str, dict[str, Any]]:
        """What is asked of each column, as a table with the figure and its options."""
        if not given:
            self._say(f"require.{letter}", "expected a number, or a number for each of some sensitive columns")
        found = {}
        for name, how in given.items():
            where = f"require.{letter}.{name}"
            told = dict(how) if isinstance(how, Mapping) else {figure: how}
            self._known(told, keys, f"{where}.")
            if figure in told:
                found[name] = {key: value for key, value in told.items() if key in keys}
            elif not any(key not in keys for key in told):  # else the figure was misspelt, which is said
                self._say(f"{where}.{figure}", "is missing")
        return found

    def _method(self, given: Mapping[str, Any]) -> Method:
        name = given.get("name", Mondrian.card.name)
        kind = METHODS.get(name) if isinstance(name, str) else None
        if kind is None:
            why = f"{COMPARATORS[name]}; " if isinstance(name, str) and name in COMPARATORS else ""
            self._say("method.name", why + _one_of(METHODS, name))
            return Mondrian()
        return kind(**self._options(kind, given, "name", "method."))

    def _form(self, given: Mapping[str, Any], own: Form) -> Form:
        name = given.get("form", own.name)
        kind = FORMS.get(name) if isinstance(name, str) else None
        if kind is None:
            self._say("publish.form", _one_of(FORMS, name))
            return own
        return kind(**self._options(kind, given, "form", "publish."))

    def _options(self, kind: type[Any], given: Mapping[str, Any], naming: str, where: str) -> dict[str, Any]:
        known = options_of(kind)
        self._known(given, (naming, *known), where)
        return {key: given[key] for key in known if key in given}


def _mask(how: Mapping[str, Any]) -> Mask | None:
    """For whom a column is sensitive, if that is said."""
    if "mask" not in how:
        return None
    who = how["mask"]
    return Mask(tuple(who) if isinstance(who, list) else who, how.get("cover", 0.0), how.get("disclose_rule", False))


def _one_of(known: Mapping[str, object], given: object) -> str:
    hint = did_you_mean(given, known)
    return f"expected one of {', '.join(known)}{f'; {hint}' if hint else ''}"
