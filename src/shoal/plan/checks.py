"""Every way in which a plan can contradict itself, found in one go.

Values are checked here and nowhere else, so that a plan in a file and one in Python get the same answers. A mistake is
said once: what only follows from it, such as a requirement on a column whose role is not known, is left unsaid.
"""

from __future__ import annotations

import codecs
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal.errors import Problem
from shoal.plan.building import of_building
from shoal.plan.forms import FORMS, Anatomy, Form
from shoal.plan.methods import METHODS, Method, Promise
from shoal.plan.options import options_of
from shoal.plan.plan import TYPES, Decisions, Read
from shoal.plan.spelling import did_you_mean
from shoal.plan.values import are_texts, is_closeness, is_number, is_share, is_whole
from shoal.privacy.requirements import (
    DISTANCES,
    DIVERSITY_KINDS,
    KAnonymity,
    LDiversity,
    Requirement,
    Size,
    TCloseness,
)
from shoal.schema.columns import ROLES, Categorical, Column, Intervals, Numeric, Prefixes, Schema

CLOSENESS = "expected a number above 0 and at most 1"
NO_SENSITIVE = "speaks of sensitive columns, and the plan has none"


def problems_of(plan: Decisions, found: Sequence[Problem] = ()) -> list[Problem]:
    """All mistakes beside those that were found already, in the order in which a reader of the plan meets them."""
    columns = _columns(plan.schema)
    problems = list(_of_schema(plan.schema, columns, found))
    known = _Known(columns, frozenset(problem.key for problem in (*found, *problems)))
    return [
        *problems,
        *_of_person(plan.person, known),
        *_of_requirements(plan.require, known),
        *_of_suppress(plan.suppress),
        *_of_allow_unique(plan.allow_unique, known),
        *_of_method_and_form(plan, known),
        *_of_published_names(plan, known),
        *_of_table(plan.table),
        *_of_reading(plan.read_options, known),
    ]


@dataclass(frozen=True)
class _Known:
    """The columns as far as they are understood, and the keys of the mistakes found so far."""

    columns: tuple[Column, ...]
    wrong: frozenset[str]

    @property
    def roles(self) -> dict[str, str]:
        return {column.name: column.role for column in self.columns}

    @property
    def sensitive(self) -> dict[str, Column]:
        return {column.name: column for column in self.columns if column.role == "sensitive"}

    @property
    def unsure(self) -> bool:
        """Whether some column's role could not be understood, or nobody knows which columns there are."""
        if self._sections_wrong:
            return True
        roles = self.roles
        return any(name in roles or not any(name.startswith(f"{known}.") for known in roles) for name in self._named)

    def doubts(self, name: object) -> bool:
        """Whether a mistake about the role of this column was found, from which others would follow."""
        if not isinstance(name, str):
            return False
        dotted = any(name.startswith(f"{part}.") for part in self._named)  # a dot without quotes cuts a name in two
        return name in self._named or (name not in self.roles and (dotted or self._sections_wrong))

    @property
    def _named(self) -> list[str]:
        """What stands after ``columns.`` in the keys of the mistakes."""
        return [key.removeprefix("columns.") for key in self.wrong if key.startswith("columns.")]

    @property
    def _sections_wrong(self) -> bool:
        """Whether the columns as a whole could not be understood."""
        return bool(self.wrong & {"columns", *(role.replace("-", "_") for role in ROLES)})

    def is_wrong(self, section: str) -> bool:
        """Whether a mistake was found in this section."""
        return any(key == section or key.startswith(f"{section}.") for key in self.wrong)


# -- columns ----------------------------------------------------------------------------------------------------


def _columns(schema: object) -> tuple[Column, ...]:
    return schema.columns() if isinstance(schema, Schema) else ()


def _of_schema(schema: object, columns: Sequence[Column], found: Sequence[Problem]) -> Iterator[Problem]:
    if not isinstance(schema, Schema):
        yield Problem("columns", "expected a shoal.Schema with a role for every column")
        return
    yield from schema.problems
    if not columns and not schema.problems and not any(problem.key.startswith("columns") for problem in found):
        yield Problem("columns", "expected a role for every column of the table")
    if columns and not schema.problems and not found and all(column.role == "identifying" for column in columns):
        yield Problem("columns", "all are identifying, so nothing would be published: give at least one another role")
    for column in columns:
        yield from _of_column(column)


def _of_column(column: Column) -> Iterator[Problem]:
    key = f"columns.{column.name}"
    if column.role == "semi-sensitive":
        yield Problem(
            key,
            "semi-sensitive columns are taken by the method local-buckets, which this version does not have yet; "
            "make the column sensitive, or quasi-identifying",
        )
    elif isinstance(column.coarsening, Numeric):
        yield from _of_numeric(key, column.coarsening, column.role)
    elif isinstance(column.coarsening, Prefixes | Intervals):
        yield from of_building(key, column.coarsening)
    elif isinstance(column.hierarchy, Path) and not column.hierarchy.is_file():
        yield Problem(f"{key}.hierarchy", f"there is no file {column.hierarchy.name} where the plan points to")


def _of_numeric(key: str, how: Numeric, role: str) -> Iterator[Problem]:
    said = {edge: value for edge, value in vars(how).items() if value is not None}
    if said and role != "quasi-identifying":
        yield Problem(
            f"{key}.{next(iter(said))}", "belongs to quasi-identifying columns: others are published as they are"
        )
        return
    wrong = [edge for edge, value in said.items() if not is_number(value)]
    yield from (Problem(f"{key}.{edge}", "expected a number") for edge in wrong)
    if wrong:
        return
    if how.bottom is not None and how.top is not None and how.bottom >= how.top:
        yield Problem(f"{key}.bottom", "expected bottom below top")
    if how.step is not None and not how.step > 0:
        yield Problem(f"{key}.step", "expected a number above 0")


def _of_person(person: object, known: _Known) -> Iterator[Problem]:
    if person is None or person == "row" or known.doubts(person):
        return
    identifying = [name for name, role in known.roles.items() if role == "identifying"]
    if not isinstance(person, str) or person not in known.roles:
        hint = did_you_mean(person, ["row", *identifying])
        yield Problem("person", 'expected "row", or the name of an identifying column' + _also(hint))
    elif person not in identifying:
        yield Problem("person", f"the column {person} tells people apart, so its role must be identifying")


def _of_allow_unique(names: object, known: _Known) -> Iterator[Problem]:
    if not are_texts(names):
        yield Problem("allow_unique", "expected a list of names of insensitive columns")
        return
    insensitive = [name for name, role in known.roles.items() if role == "insensitive"]
    for name in names:
        if name not in insensitive and not known.doubts(name):
            says = f"{name} is not an insensitive column of the plan"
            yield Problem("allow_unique", says + _also(did_you_mean(name, insensitive)))


def _of_published_names(plan: Decisions, known: _Known) -> Iterator[Problem]:
    """Ranges, and what a form adds, are published in columns of their own, whose names must be free."""
    published = {name for name, role in known.roles.items() if role != "identifying"}
    for name in getattr(plan.form, "adds", ()):
        if name in published:
            says = f"its name is needed for a column that the form {plan.form.name} adds; rename it in the table"
            yield Problem(f"columns.{name}", says)
    types = _types(plan.read_options)
    for column in known.columns:
        is_category = (
            column.has_hierarchy
            or isinstance(column.coarsening, Categorical)
            or types.get(column.name) in ("text", "boolean")
        )
        if column.role != "quasi-identifying" or is_category or not _has_bounds(plan.form, column):
            continue
        for name in (f"{column.name}{suffix}" for suffix in ("_min", "_max", "_missing")):
            if name in published:
                yield Problem(f"columns.{name}", f"its name is needed to publish {column.name}; rename it in the table")


def _has_bounds(form: object, column: Column) -> bool:
    """Whether numbers of this column would be published by two ends."""
    if isinstance(form, Anatomy):  # a step has ends where a value has none
        return isinstance(column.coarsening, Numeric) and column.coarsening.step is not None
    return getattr(form, "ranges", None) == "bounds"


def _types(read: object) -> Mapping[Any, Any]:
    types: object = read.types if isinstance(read, Read) else None
    return types if isinstance(types, Mapping) else {}


# -- requirements -----------------------------------------------------------------------------------------------


def _of_requirements(require: object, known: _Known) -> Iterator[Problem]:
    if not isinstance(require, tuple):
        yield Problem("require", "expected a list of requirements, such as [shoal.KAnonymity(5)]")
        return
    if not require and not known.is_wrong("require"):
        yield Problem("require", "expected at least one of k, l, t, size")
    for requirement in require:
        match requirement:
            case KAnonymity(k):
                yield from _of_size("require.k", k)
            case Size(size):
                yield from _of_size("require.size", size)
            case LDiversity():
                yield from _of_diversity(requirement, known)
            case TCloseness():
                yield from _of_closeness(requirement, known)
            case _:
                yield Problem("require", "expected KAnonymity, LDiversity, TCloseness or Size, with figures")


def _of_size(key: str, value: object) -> Iterator[Problem]:
    if not is_whole(value) or value < 2:
        yield Problem(key, "expected a whole number of at least 2: a class of one protects nobody")


def _of_diversity(requirement: LDiversity, known: _Known) -> Iterator[Problem]:
    key = "require.l" if requirement.on is None else f"require.l.{requirement.on}"
    yield from _on_sensitive(key, requirement.on, known)
    if requirement.kind not in DIVERSITY_KINDS:
        hint = did_you_mean(requirement.kind, DIVERSITY_KINDS)
        yield Problem(f"{key}.kind", f"expected one of {', '.join(DIVERSITY_KINDS)}{_also(hint)}")
    if not is_number(requirement.l) or not requirement.l > 1:
        yield Problem(key, "expected a number above 1: with l = 1 a class may tell everybody's value")
    elif requirement.kind in ("distinct", "recursive") and int(requirement.l) != requirement.l:
        yield Problem(key, f"expected a whole number of at least 2 for {requirement.kind} diversity")
    if requirement.kind == "recursive":
        if not is_number(requirement.c) or not requirement.c > 0:
            yield Problem(f"{key}.c", "expected a number above 0: recursive diversity is (c, l)-diversity")
    elif requirement.c is not None and requirement.kind in DIVERSITY_KINDS:
        yield Problem(f"{key}.c", "belongs to recursive diversity only")
    yield from _of_truth(f"{key}.missing_is_sensitive", requirement.missing_is_sensitive)


def _of_truth(key: str, value: object) -> Iterator[Problem]:
    if not isinstance(value, bool):
        yield Problem(key, "expected true or false")


def _of_closeness(requirement: TCloseness, known: _Known) -> Iterator[Problem]:
    on: object = requirement.on
    key = "require.t" if on is None else f"require.t.{on}"
    yield from _on_sensitive(key, "" if on is None else on, known)
    if not is_closeness(requirement.t):
        yield Problem(key, CLOSENESS)
    if requirement.distance not in (None, *DISTANCES):
        hint = did_you_mean(requirement.distance, DISTANCES)
        yield Problem(f"{key}.distance", f"expected one of {', '.join(DISTANCES)}{_also(hint)}")
    column = next((column for name, column in known.sensitive.items() if name == on), None)
    if requirement.distance == "hierarchical" and column is not None and not column.has_hierarchy:
        needed = f"columns.{column.name}.hierarchy"
        if not known.doubts(column.name) and needed not in known.wrong:
            yield Problem(needed, "is needed, since t is asked with the hierarchical distance")


def _on_sensitive(key: str, on: object, known: _Known) -> Iterator[Problem]:
    sensitive = known.sensitive
    if on is None and not sensitive and not known.unsure:
        yield Problem(key, NO_SENSITIVE)
    elif on is not None and on not in list(sensitive) and not known.doubts(on):
        hint = _also(did_you_mean(on, sensitive))
        among = f"expected a sensitive column, one of {', '.join(sensitive)}{hint}"
        yield Problem(key, among if sensitive else "expected a sensitive column" if known.unsure else NO_SENSITIVE)


def _of_suppress(value: object) -> Iterator[Problem]:
    if not is_share(value):
        yield Problem("require.suppress", "expected a share from 0 to 1, such as 0.05 for 5 %")


# -- method and form --------------------------------------------------------------------------------------------


def promise_of(requirement: Requirement) -> Promise:
    """The letter by which forms and methods name what they can promise."""
    match requirement:
        case KAnonymity():
            return "k"
        case Size():
            return "size"
        case LDiversity():
            return "l"
        case TCloseness():
            return "t"


def _of_method_and_form(plan: Decisions, known: _Known) -> Iterator[Problem]:
    problems = [
        *_of_options("method", plan.method, tuple(METHODS.values()), "a method, such as shoal.Mondrian()"),
        *_of_options("publish", plan.form, tuple(FORMS.values()), "a form, such as shoal.Generalized()"),
    ]
    yield from problems
    if not problems and not known.is_wrong("method") and not known.is_wrong("publish"):
        yield from _of_promises(plan.method, plan.form, plan.require)
        yield from _of_separated(plan.form, known)


def _of_options(section: str, held: object, kinds: tuple[type, ...], expected: str) -> Iterator[Problem]:
    if not isinstance(held, kinds):
        yield Problem(section, f"expected {expected}")
        return
    for key, option in options_of(type(held)).items():
        value = getattr(held, key)
        if not option.allows(value):
            yield Problem(f"{section}.{key}", f"expected {option.expected}{_also(did_you_mean(value, option.words))}")


def _of_promises(method: Method, form: Form, require: object) -> Iterator[Problem]:
    card = method.card
    if form.name not in card.forms:
        yield Problem("publish.form", f"{card.name} can be shown as {', '.join(card.forms)}, not as {form.name}")
    asked = [r for r in require if isinstance(r, Requirement)] if isinstance(require, tuple) else []
    for promise in dict.fromkeys(promise_of(requirement) for requirement in asked):
        if promise not in form.promises:
            able = [name for name, other in FORMS.items() if promise in other.promises]
            yield Problem(
                "publish.form", f"the form {form.name} cannot promise {promise}; these can: {', '.join(able)}"
            )
        if promise not in card.promises:
            able = [name for name, other in METHODS.items() if promise in other.card.promises]
            yield Problem(
                "method.name", f"the method {card.name} cannot promise {promise}; these can: {', '.join(able)}"
            )


def _of_separated(form: Form, known: _Known) -> Iterator[Problem]:
    """Forms that tell sensitive columns apart from the others need some, each a table with a file of its own."""
    if not form.adds:
        return
    if not known.sensitive and not known.unsure:
        says = f"the form {form.name} hides which sensitive value is whose, and the plan has no sensitive column"
        yield Problem("publish.form", says)
    times = Counter(name.casefold() for name in known.sensitive)
    alike = [name for name in known.sensitive if times[name.casefold()] > 1]
    if alike:
        says = f"the tables of {', '.join(alike)} would be one file where case makes no difference: rename one"
        yield Problem("publish.form", says)


# -- the table --------------------------------------------------------------------------------------------------


def _of_table(table: object) -> Iterator[Problem]:
    if table is not None and not isinstance(table, Path):
        yield Problem("table", "expected the path of a file")


def _of_reading(read: object, known: _Known) -> Iterator[Problem]:
    if not isinstance(read, Read):
        yield Problem("read", "expected shoal.Read(...)")
        return
    if read.delimiter is not None and not _is_delimiter(read.delimiter):
        yield Problem("read.delimiter", "expected one character that is not a quote, a letter or a digit")
    if read.encoding is not None and not _is_encoding(read.encoding):
        yield Problem("read.encoding", 'expected the name of an encoding, such as "latin-1"')
    if read.decimal not in (None, ".", ","):
        yield Problem("read.decimal", 'expected "." or ","')
    elif read.decimal is not None and read.decimal == read.delimiter:
        yield Problem("read.decimal", "is the delimiter too: a field would end where a number's fraction begins")
    if not are_texts(read.missing):
        yield Problem("read.missing", 'expected a list of texts, such as ["", "?", "NA"]')
    yield from _of_types(read.types, known)


def _is_delimiter(value: object) -> bool:
    plain = isinstance(value, str) and len(value) == 1 and value.isascii()
    return plain and not str(value).isalnum() and value not in ('"', "\n", "\r", "\0")


def _is_encoding(value: object) -> bool:
    try:
        return isinstance(value, str) and codecs.lookup(value)._is_text_encoding
    except (LookupError, ValueError):
        return False


def _of_types(types: object, known: _Known) -> Iterator[Problem]:
    if not isinstance(types, Mapping):
        yield Problem("read.types", 'expected a table such as { zip = "text" }')
        return
    named = {*known.roles, *(column.mask for column in known.columns)}
    for name, kind in types.items():
        if name not in named and not known.doubts(name):
            hint = did_you_mean(name, known.roles)
            yield Problem(f"read.types.{name}", "is not a column of the plan" + _also(hint))
        elif kind != "text" and any(c.name == name and isinstance(c.coarsening, Prefixes) for c in known.columns):
            yield Problem(f"read.types.{name}", "prefixes are made of text, in which leading zeros stay: leave it out")
        elif kind not in TYPES:
            yield Problem(f"read.types.{name}", f"expected one of {', '.join(TYPES)}{_also(did_you_mean(kind, TYPES))}")


def _also(hint: str) -> str:
    return f"; {hint}" if hint else ""
