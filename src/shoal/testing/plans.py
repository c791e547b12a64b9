"""Random plans for a table: roles, hierarchies and every kind of requirement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from hypothesis import reject
from hypothesis import strategies as st

from shoal.errors import PlanError
from shoal.plan.forms import FORMS, Form
from shoal.plan.methods import METHODS, Method
from shoal.plan.options import options_of
from shoal.plan.plan import Plan, Read
from shoal.privacy.requirements import (
    DIVERSITY_KINDS,
    DiversityKind,
    KAnonymity,
    LDiversity,
    Requirement,
    Size,
    TCloseness,
)
from shoal.schema.columns import Categorical, Coarsening, Column, Mask, Numeric, Role, Schema
from shoal.testing.trees import hierarchies

__all__ = ["plans", "requirements"]

_ROLES: tuple[Role, ...] = ("quasi-identifying",) * 4 + ("sensitive",) * 2 + ("insensitive", "identifying")


@st.composite
def plans(
    draw: st.DrawFn,
    table: pa.Table,
    *,
    method: Method | None = None,
    form: Form | None = None,
    require: Sequence[Requirement] = (),
) -> Plan:
    """Plans that contradict neither themselves nor the types of this table; it may still be unable to keep them.

    ``method`` and ``form`` are drawn unless they are given. Columns that ``require`` speaks of are sensitive, and
    other requirements are asked beside it.
    """
    method = method or draw(methods(form, require))
    able = [name for name in method.card.forms if _can(FORMS[name].promises, require, name)]
    form = form or draw(_made(FORMS[draw(st.sampled_from(able or method.card.forms))]))
    missing = draw(st.sampled_from([(), ("",), ("",), ("", "NA", "*")]))
    spoken_of = {on for requirement in require if (on := getattr(requirement, "on", None))}
    columns = [draw(_columns(table.column(name), name, spoken_of, missing)) for name in table.column_names]
    if method.card.semi_sensitive:
        columns = draw(_personal(columns, table))
    needed = bool(form.adds) or any(isinstance(r, LDiversity) for r in require)
    if needed and not _named(columns, "sensitive"):
        columns[0] = Column(columns[0].name, "sensitive", None)
    promises = method.card.promises & form.promises
    kinds = DIVERSITY_KINDS[:1] if form.name in ("randomized", "buckets") else DIVERSITY_KINDS
    asked = [*require, *draw(requirements(columns, table, promises, kinds, least=0 if require else 1))]
    if form.name == "buckets":
        asked += draw(_for_each(columns, table))
    try:
        return Plan(
            Schema.of(columns),
            asked,
            method,
            form,
            suppress=draw(st.sampled_from([0.0, 0.0, 0.1, 0.5, 1.0])),
            person=draw(st.sampled_from([None, "row", *_named(columns, "identifying")])),
            allow_unique=_named(columns, "insensitive"),
            read_options=Read(missing=missing),
        )
    except PlanError:  # a published name that another column has, for example
        reject()


@st.composite
def methods(draw: st.DrawFn, form: Form | None = None, require: Sequence[Requirement] = ()) -> Method:
    """A method of Shoal's, with any of its options; one that can be shown in this form, and promise this."""
    able = [kind for kind in METHODS.values() if form is None or form.name in kind.card.forms]
    return draw(_made(draw(st.sampled_from([k for k in able if _can(k.card.promises, require)] or able))))


_LETTERS: Mapping[type[Requirement], str] = {KAnonymity: "k", Size: "size", LDiversity: "l", TCloseness: "t"}


def _can(promises: frozenset[str], require: Sequence[Requirement], form: str = "") -> bool:
    """Whether all of these can be promised."""
    kinds = {requirement.kind for requirement in require if isinstance(requirement, LDiversity)}
    return {_LETTERS[type(r)] for r in require} <= promises and (form != "randomized" or kinds <= {"frequency"})


@st.composite
def _made(draw: st.DrawFn, kind: type[Any]) -> Any:
    return kind(**{name: draw(st.sampled_from(option.tried)) for name, option in options_of(kind).items()})


def _named(columns: Sequence[Column], role: Role) -> list[str]:
    return [column.name for column in columns if column.role == role]


# -- columns ------------------------------------------------------------------------------------------------


@st.composite
def _columns(
    draw: st.DrawFn, values: pa.ChunkedArray, name: str, sensitive: set[str], missing: tuple[str, ...]
) -> Column:
    role = "sensitive" if name in sensitive else draw(st.sampled_from(_ROLES))
    how: Coarsening | None = None
    if role in ("quasi-identifying", "sensitive"):
        if _can_be_text(values.type) and draw(st.integers(0, 2)) == 0:
            known = [text for text in written(values) if text not in missing]
            how = Categorical(draw(hierarchies(known)))
        elif role == "quasi-identifying" and is_number(values.type) and draw(st.booleans()):
            how = draw(_coded(values))
    return Column(name, role, how)


@st.composite
def _personal(draw: st.DrawFn, columns: Sequence[Column], table: pa.Table) -> list[Column]:
    """Some of the quasi-identifiers sensitive for some people: by a column of ticks, a rule, or a list of values."""
    boolean = [name for name in table.column_names if pa.types.is_boolean(_plain(table.column(name).type))]
    ticks: set[str] = set()
    found: list[Column] = []
    for column in columns:
        if column.role == "quasi-identifying" and column.name not in ticks and draw(st.integers(0, 2)):
            free = [name for name in boolean if name != column.name and name not in [c.name for c in found]]
            tick = draw(st.sampled_from([None, *free * 3]))
            ticks |= {tick} if tick else set()
            who = f"`{tick}`" if tick else draw(_rules(column.name, table))
            mask = Mask(who, draw(st.sampled_from([0.0, 0.0, 0.3, 1.0])), disclose_rule=True)
            column = Column(column.name, "semi-sensitive", column.coarsening, mask)
        found.append(column)
    return [column for column in found if column.name not in ticks]


@st.composite
def _rules(draw: st.DrawFn, own: str, table: pa.Table) -> str | tuple[Any, ...]:
    """A rule about any column, or a list of this column's values."""
    listed: list[int | str] = [v for v in decoded(table.column(own)).to_pylist() if isinstance(v, int | str)]
    if listed and draw(st.integers(0, 2)) == 0:
        return tuple(draw(st.lists(st.sampled_from(listed), min_size=1, max_size=4)))
    numbers = {
        name: [v for v in decoded(table.column(name)).to_pylist() if v is not None and abs(v) < 1e6]
        for name in table.column_names
        if is_number(table.column(name).type)
    }
    able = sorted(name for name, held in numbers.items() if held)
    if not able or draw(st.integers(0, 3)) == 0:
        return draw(st.sampled_from([f"`{own}` is missing", f"`{own}` is not missing"]))
    about = draw(st.sampled_from(able))
    edge = draw(st.sampled_from(numbers[about]))
    rule = f"`{about}` {draw(st.sampled_from(['<', '<=', '>=', '==']))} {float(edge)!r}"
    return draw(st.sampled_from([rule, rule, f"not ({rule})", f"{rule} and `{own}` is not missing"]))


def _plain(kind: pa.DataType) -> pa.DataType:
    return kind.value_type if pa.types.is_dictionary(kind) else kind


@st.composite
def _coded(draw: st.DrawFn, values: pa.ChunkedArray) -> Numeric:
    """Extremes coded and ends rounded, by numbers that the type can hold."""
    held = [float(value) for value in decoded(values).to_pylist() if value is not None]
    finite = sorted({int(value) for value in held if abs(value) < 100} or {0})
    bottom, top = draw(st.sampled_from(finite)), draw(st.sampled_from(finite)) + 1
    return Numeric(
        bottom if bottom < top and draw(st.booleans()) else None,
        top if draw(st.booleans()) else None,
        draw(st.sampled_from([None, 1, 5, 2.5])),
    )


def decoded(values: pa.ChunkedArray) -> pa.ChunkedArray:
    """The column without a dictionary, in a type that all of Arrow's functions know."""
    has_dictionary = pa.types.is_dictionary(values.type)
    kind = values.type.value_type if has_dictionary else values.type
    if pa.types.is_float16(kind):
        kind = pa.float32()
    elif pa.types.is_string_view(kind):
        kind = pa.string()
    if not has_dictionary:
        return values.cast(kind)
    parts = [chunk.dictionary.cast(kind).take(chunk.indices) for chunk in values.chunks]
    return pa.chunked_array(parts, kind)


def written(values: pa.ChunkedArray) -> list[str]:
    """The distinct known values of a column, as hierarchies write them."""
    plain = decoded(values)
    if pa.types.is_floating(plain.type):
        plain = pc.add(plain.filter(pc.invert(pc.is_nan(plain))), pa.scalar(0, plain.type))  # minus zero is zero
    return sorted(set(plain.cast(pa.string()).drop_null().to_pylist()))


def _can_be_text(kind: pa.DataType) -> bool:
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    among = pa.types
    return bool(
        among.is_integer(kind)
        or among.is_string(kind)
        or among.is_large_string(kind)
        or among.is_boolean(kind)
        or among.is_date32(kind)
        or among.is_float64(kind)
    )


def is_number(kind: pa.DataType) -> bool:
    """Whether a column of this type may have a bottom, a top and a step."""
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    among = pa.types
    return bool(among.is_integer(kind) or among.is_floating(kind) or among.is_decimal(kind))


# -- requirements -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Sensitive:
    """What decides which requirements a sensitive column can have."""

    name: str
    has_order: bool
    has_tree: bool


@st.composite
def requirements(
    draw: st.DrawFn,
    columns: Sequence[Column],
    table: pa.Table,
    promises: frozenset[str],
    kinds: Sequence[DiversityKind] = DIVERSITY_KINDS,
    least: int = 1,
) -> list[Requirement]:
    """A few requirements of the promised kinds, on any sensitive column, or on all of them."""
    sensitive = _protected(columns, table)
    drawn: Mapping[str, st.SearchStrategy[Requirement]] = {
        "k": st.integers(2, 5).map(KAnonymity),
        "size": st.integers(2, 5).map(Size),
        "l": _diversities(sensitive, kinds),
        "t": _closeness(sensitive),
    }
    able = [drawn[promise] for promise in sorted(promises) if sensitive or promise in ("k", "size")]
    return draw(st.lists(st.one_of(able), min_size=least, max_size=4))


@st.composite
def _for_each(draw: st.DrawFn, columns: Sequence[Column], table: pa.Table) -> list[Requirement]:
    """A requirement on each column that is sensitive, for all or for some."""
    sensitive = _protected(columns, table)
    return [draw(st.one_of(_diversities([one], DIVERSITY_KINDS[:1]), _closeness([one]))) for one in sensitive]


def _protected(columns: Sequence[Column], table: pa.Table) -> list[_Sensitive]:
    return [
        _Sensitive(column.name, _has_order(table.column(column.name).type, column), column.hierarchy is not None)
        for column in columns
        if column.role in ("sensitive", "semi-sensitive")
    ]


def _has_order(kind: pa.DataType, column: Column) -> bool:
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    return is_number(kind) or bool(pa.types.is_temporal(kind)) or column.hierarchy is not None


@st.composite
def _diversities(draw: st.DrawFn, sensitive: Sequence[_Sensitive], kinds: Sequence[DiversityKind]) -> Requirement:
    on = draw(st.sampled_from([None, *(column.name for column in sensitive)]))
    kind = draw(st.sampled_from(kinds))
    gap = draw(st.booleans())
    if kind in ("distinct", "recursive"):
        c = draw(st.sampled_from([0.5, 1.0, 2.0, 3.5])) if kind == "recursive" else None
        return LDiversity(draw(st.sampled_from([2, 2, 3])), on, kind, c, gap)
    return LDiversity(draw(st.sampled_from([1.2, 1.5, 2, 2, 2.5, 3])), on, kind, None, gap)


@st.composite
def _closeness(draw: st.DrawFn, sensitive: Sequence[_Sensitive]) -> Requirement:
    column = draw(st.sampled_from(list(sensitive)))
    able = [None, "equal", *["ordered"] * column.has_order, *["hierarchical"] * column.has_tree]
    t = float(np.round(draw(st.floats(0.05, 1)), 2))
    return TCloseness(t, column.name, draw(st.sampled_from(able)))
