"""A plan as a TOML file: read leniently, so that all mistakes are reported together, with their keys."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from shoal.errors import PlanError, Problem
from shoal.plan.methods import FORMS, METHODS, Form, Generalized, Method, Mondrian
from shoal.plan.plan import TYPES, Plan, Read
from shoal.privacy.requirements import KAnonymity, LDiversity, Requirement, Size, TCloseness
from shoal.schema.columns import ROLES, Categorical, Coarsening, Column, Numeric, Schema
from shoal.schema.hierarchy import Hierarchy

_TOP = ("table", "person", "allow_unique", "read", "columns", "require", "method", "publish")
_COLUMN = ("role", "hierarchy", "bottom", "top", "step", "mask")
_READ = ("delimiter", "encoding", "decimal", "missing", "types")
_REQUIRE = ("k", "l", "t", "size", "suppress")
_DIVERSITY = ("min", "kind", "c", "missing_is_sensitive")
_CLOSENESS = ("max", "distance")


def read(path: Path) -> Plan:
    """The plan in a file; every mistake in it is named in one error."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise PlanError(f"cannot read the plan {path.name}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise PlanError(f"the plan {path.name} is not UTF-8 text") from None
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise PlanError(f"the plan {path.name} is not TOML: {error}") from None
    return _Reading(path.parent).plan(document)


class _Reading:
    """One pass over a document, collecting mistakes instead of stopping at the first."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.problems: list[Problem] = []

    def plan(self, document: Mapping[str, Any]) -> Plan:
        self._known(document, _TOP, "")
        columns = self._columns(self._table(document, "columns"))
        require, suppress = self._require(self._table(document, "require"), columns)
        decided: dict[str, Any] = {
            "schema": Schema.of(columns),
            "require": require,
            "suppress": suppress,
            "method": self._method(self._table(document, "method")),
            "form": self._form(self._table(document, "publish")),
            "person": self._typed(document, "person", str, "the name of a column, or \"row\""),
            "allow_unique": tuple(self._names(document, "allow_unique")),
            "table": self._path(document),
            "read_options": self._read(self._table(document, "read")),
        }
        if not columns and not self.problems:
            self._say("columns", "expected a role for every column of the table")
        plan = None
        try:
            plan = Plan(**decided)
        except PlanError as error:  # what could be read is checked too, so that nothing is found only later
            seen = {problem.key for problem in self.problems}
            self.problems += [problem for problem in error.problems if problem.key not in seen]
        if plan is None or self.problems:
            raise PlanError(self.problems)
        return plan

    def _say(self, key: str, says: str) -> None:
        self.problems.append(Problem(key, says))

    def _known(self, given: Mapping[str, Any], known: Sequence[str], where: str) -> None:
        for key in given:
            if key not in known:
                near = difflib.get_close_matches(key, known, 1)
                hint = f"did you mean {near[0]}?" if near else f"expected one of {', '.join(known)}"
                self._say(f"{where}{key}", f"is not a key of a plan; {hint}")

    def _table(self, given: Mapping[str, Any], key: str) -> Mapping[str, Any]:
        value = given.get(key, {})
        if isinstance(value, Mapping):
            return value
        self._say(key, f"expected a table [{key}]")
        return {}

    def _typed(self, given: Mapping[str, Any], key: str, kind: type | tuple[type, ...], expected: str,
               where: str = "") -> Any:
        value = given.get(key)
        if value is None or (isinstance(value, kind) and not (isinstance(value, bool) and kind is not bool)):
            return value
        self._say(f"{where}{key}", f"expected {expected}")
        return None

    def _names(self, given: Mapping[str, Any], key: str, where: str = "") -> list[str]:
        value = given.get(key, [])
        if isinstance(value, list) and all(isinstance(name, str) for name in value):
            return value
        self._say(f"{where}{key}", "expected a list of texts")
        return []

    def _path(self, document: Mapping[str, Any]) -> Path | None:
        name = self._typed(document, "table", str, "the path of a file")
        return None if name is None else self.folder / name

    # -- columns --------------------------------------------------------------------------------------------------

    def _columns(self, given: Mapping[str, Any]) -> list[Column]:
        found = (self._column(name, how) for name, how in given.items())
        return [column for column in found if column is not None]

    def _column(self, name: str, how: Any) -> Column | None:
        key = f"columns.{name}"
        if isinstance(how, str):
            how = {"role": how}
        if not isinstance(how, Mapping):
            self._say(key, 'expected a role, or a table such as { role = "sensitive" }')
            return None
        self._known(how, _COLUMN, f"{key}.")
        role = how.get("role")
        if role not in ROLES:
            near = difflib.get_close_matches(str(role), ROLES, 1)
            hint = f"; did you mean {near[0]}?" if near else ""
            self._say(key, f"expected a role, one of {', '.join(ROLES)}{hint}")
            return None
        if "mask" in how and role != "semi-sensitive":
            self._say(f"{key}.mask", "belongs to semi-sensitive columns only")
        return Column(name, role, self._coarsening(key, how), how.get("mask"))

    def _coarsening(self, key: str, how: Mapping[str, Any]) -> Coarsening | None:
        bounds = {
            edge: self._typed(how, edge, (int, float), "a number", f"{key}.")
            for edge in ("bottom", "top", "step")
            if edge in how
        }
        if "hierarchy" not in how:
            return Numeric(**bounds) if bounds else None
        if bounds:
            self._say(key, "has a hierarchy, so bottom, top and step do not apply")
        given = how["hierarchy"]
        if isinstance(given, str):
            return Categorical(self.folder / given)
        if isinstance(given, Mapping):
            return Categorical(self._nested(key, given))
        self._say(f"{key}.hierarchy", "expected the path of a hierarchy file, or a nested table")
        return None

    def _nested(self, key: str, given: Mapping[str, Any]) -> Hierarchy | None:
        try:
            return Hierarchy.from_nested(given)
        except Exception as error:  # a nested table has many ways to be wrong; each says its own
            self._say(f"{key}.hierarchy", str(error))
            return None

    # -- the rest -------------------------------------------------------------------------------------------------

    def _read(self, given: Mapping[str, Any]) -> Read:
        self._known(given, _READ, "read.")
        types = given.get("types", {})
        if not isinstance(types, Mapping):
            self._say("read.types", 'expected a table such as { zip = "text" }')
            types = {}
        for name, kind in types.items():
            if kind not in TYPES:
                self._say(f"read.types.{name}", f"expected one of {', '.join(TYPES)}")
        return Read(
            delimiter=self._typed(given, "delimiter", str, "one character", "read."),
            encoding=self._typed(given, "encoding", str, 'the name of an encoding, such as "latin-1"', "read."),
            decimal=self._typed(given, "decimal", str, 'one character, "." or ","', "read."),
            missing=tuple(self._names(given, "missing", "read.")) if "missing" in given else ("",),
            types=dict(types),
        )

    def _require(self, given: Mapping[str, Any], columns: list[Column]) -> tuple[list[Requirement], float]:
        self._known(given, _REQUIRE, "require.")
        found: list[Requirement] = []
        if "k" in given:
            found.append(KAnonymity(given["k"]))
        found += self._each(given, "l", "min", _DIVERSITY, self._diversity)
        if "t" in given and not isinstance(given["t"], Mapping):
            sensitive = [column.name for column in columns if column.role == "sensitive"]
            found += [TCloseness(given["t"], name) for name in sensitive]
            if not sensitive:
                self._say("require.t", "speaks of sensitive columns, and the plan has none")
        else:
            found += self._each(given, "t", "max", _CLOSENESS, self._closeness)
        if "size" in given:
            found.append(Size(given["size"]))
        return found, given.get("suppress", 0.0)

    def _each(self, given: Mapping[str, Any], letter: str, figure: str, keys: Sequence[str],
              make: Callable[[str | None, Mapping[str, Any]], Requirement]) -> list[Requirement]:
        """``l = 4``, ``l = { job = 4 }`` and ``l = { job = { min = 4, kind = "entropy" } }``, and the same for t."""
        value = given.get(letter)
        if value is None:
            return []
        if not isinstance(value, Mapping):
            return [make(None, {figure: value})]
        found = []
        for name, how in value.items():
            if isinstance(how, Mapping):
                self._known(how, keys, f"require.{letter}.{name}.")
                if figure not in how:
                    self._say(f"require.{letter}.{name}.{figure}", "is missing")
                    continue
            found.append(make(name, how if isinstance(how, Mapping) else {figure: how}))
        return found

    @staticmethod
    def _diversity(on: str | None, how: Mapping[str, Any]) -> Requirement:
        return LDiversity(
            how["min"],
            on,
            how.get("kind", "frequency"),
            how.get("c"),
            missing_is_sensitive=bool(how.get("missing_is_sensitive", False)),
        )

    @staticmethod
    def _closeness(on: str | None, how: Mapping[str, Any]) -> Requirement:
        return TCloseness(how["max"], on or "", how.get("distance"))

    def _method(self, given: Mapping[str, Any]) -> Method:
        name = given.get("name", "mondrian")
        if name not in METHODS:
            self._say("method.name", f"expected one of {', '.join(METHODS)}")
            return Mondrian()
        return self._options(METHODS[name], given, "name", "method.") or Mondrian()

    def _form(self, given: Mapping[str, Any]) -> Form:
        name = given.get("form", "generalized")
        if name not in FORMS:
            self._say("publish.form", f"expected one of {', '.join(FORMS)}")
            return Generalized()
        return self._options(FORMS[name], given, "form", "publish.") or Generalized()

    def _options(self, kind: type[Any], given: Mapping[str, Any], naming: str, where: str) -> Any:
        """An object of options, each option checked against the values that its type allows."""
        allowed = choices(kind)
        self._known(given, (naming, *allowed), where)
        taken = {}
        for key, values in allowed.items():
            if key not in given:
                continue
            if given[key] in values:
                taken[key] = given[key]
            else:
                self._say(f"{where}{key}", f"expected one of {', '.join(map(str, values))}")
        return kind(**taken)


def choices(kind: type[Any]) -> dict[str, tuple[Any, ...]]:
    """The options of a method or form with the values that each may take."""
    from typing import get_args, get_type_hints

    hints = get_type_hints(kind)
    return {option.name: get_args(hints[option.name]) for option in fields(kind)}

