"""What can be wrong with the columns of a plan, and with the columns that it names elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

from shoal.errors import Problem
from shoal.plan.building import of_building
from shoal.plan.checks.known import Known
from shoal.plan.spelling import also, did_you_mean
from shoal.plan.values import are_texts, is_number
from shoal.schema.columns import Column, Intervals, Listed, Numeric, Prefixes, Schema


def columns_of(schema: object) -> tuple[Column, ...]:
    """The columns of a plan, as far as it has any."""
    return schema.columns() if isinstance(schema, Schema) else ()


def of_schema(schema: object, columns: Sequence[Column], found: Sequence[Problem]) -> Iterator[Problem]:
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
    if isinstance(column.coarsening, Numeric):
        yield from _of_numeric(key, column.coarsening, column.role)
    elif isinstance(column.coarsening, Prefixes | Intervals):
        yield from of_building(key, column.coarsening)
    elif isinstance(column.coarsening, Listed):
        yield from _of_listed(f"{key}.domain", column.coarsening.values, column.role)
    elif isinstance(column.hierarchy, Path) and not column.hierarchy.is_file():
        yield Problem(f"{key}.hierarchy", f"there is no file {column.hierarchy.name} where the plan points to")


def _of_numeric(key: str, how: Numeric, role: str) -> Iterator[Problem]:
    said = {edge: value for edge, value in vars(how).items() if value is not None}
    if said and role not in ("quasi-identifying", "semi-sensitive"):
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


def _of_listed(key: str, values: tuple[object, ...], role: str) -> Iterator[Problem]:
    if role != "sensitive":
        yield Problem(key, "belongs to sensitive columns: it says between which values t measures")
        return
    numbers = [value for value in values if is_number(value)]
    rising = len(numbers) == len(values) and all(one < other for one, other in pairwise(numbers))
    texts = are_texts(values) and len(set(values)) == len(values)
    if len(values) < 2 or not (rising or texts):
        yield Problem(
            key,
            "expected at least two different values in order, all texts or rising numbers; or the numbers from bottom "
            "to top by a step, such as { bottom = 0, top = 99, step = 1 }",
        )


def of_person(person: object, known: Known) -> Iterator[Problem]:
    if person is None or person == "row" or known.doubts(person):
        return
    identifying = [name for name, role in known.roles.items() if role == "identifying"]
    if not isinstance(person, str) or person not in known.roles:
        hint = did_you_mean(person, ["row", *identifying])
        yield Problem("person", 'expected "row", or the name of an identifying column' + also(hint))
    elif person not in identifying:
        yield Problem("person", f"the column {person} tells people apart, so its role must be identifying")


def of_allow_unique(names: object, known: Known) -> Iterator[Problem]:
    if not are_texts(names):
        yield Problem("allow_unique", "expected a list of names of insensitive columns")
        return
    insensitive = [name for name, role in known.roles.items() if role == "insensitive"]
    for name in names:
        if name not in insensitive and not known.doubts(name):
            says = f"{name} is not an insensitive column of the plan"
            yield Problem("allow_unique", says + also(did_you_mean(name, insensitive)))
