"""Whether releases with buckets keep their plan's promises, in plain Python, row by row; see :mod:`oracle`."""

from __future__ import annotations

import operator
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Any

import pyarrow as pa

from shoal.plan.plan import Plan
from shoal.privacy.requirements import KAnonymity, LDiversity, Requirement, TCloseness
from shoal.release.manifest import PublishedColumn
from shoal.schema import rules
from shoal.schema.columns import Column, Numeric
from shoal.schema.hierarchy import Hierarchy
from shoal.schema.rules import Rule
from shoal.testing import oracle
from shoal.testing.cells import Original, covers, paths_of
from shoal.testing.oracle import Case, Record

__all__ = ["buckets", "keeps", "sensitive"]

Row = Mapping[str, Any]


def buckets(tables: Mapping[str, pa.Table], case: Case) -> list[str]:
    """Everything that is wrong with a release in the form buckets, in words."""
    (published,) = tables.values()
    columns = {column.name: column for column in case.plan.columns}
    hidden = [(told, columns[told.name]) for told in case.columns if told.role in ("sensitive", "semi-sensitive")]
    plain = [column for column in case.columns if column.role in ("quasi-identifying", "insensitive")]
    return [
        *oracle.names(published.column_names, case),
        *oracle.accounts(case),
        *oracle.cells(case, plain),
        *_classes(case),
        *(wrong for told, column in hidden for wrong in _cells(case, told, column)),
        *(wrong for told, column in hidden for wrong in _buckets(case, told, column)),
        *_company(case, hidden),
    ]


# -- for whom a value is sensitive ----------------------------------------------------------------------------------


def sensitive(column: Column, record: Record) -> bool:
    """Whether this record's value of the column is sensitive; if that cannot be told, it is."""
    return column.role == "sensitive" or (
        column.mask is not None and _holds(column.mask.rule(column.name), record) is not False
    )


def _holds(rule: Rule, record: Record) -> bool | None:
    match rule:
        case rules.Not(inner):
            found = _holds(inner, record)
            return None if found is None else not found
        case rules.All(several):
            said = {_holds(one, record) for one in several}
            return False if False in said else None if None in said else True
        case rules.Any(several):
            said = {_holds(one, record) for one in several}
            return True if True in said else None if None in said else False
    value = record[rule.column].value
    match rule:
        case rules.Missing():
            return value is None
        case _ if value is None:
            return None
        case rules.Holds():
            return bool(value)
        case rules.Compared(by=by, value=other):
            return _compared(by, value, other)
        case rules.Listed(values=others):
            return any(_compared("==", value, other) for other in others)


_BY: Mapping[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}


def _compared(by: str, value: Any, other: Any) -> bool:
    if isinstance(value, str) and isinstance(other, int | float):
        value = float(value)
    if isinstance(value, Decimal):
        other = Decimal(str(other))
    if isinstance(other, str) and isinstance(value, date):
        other = type(value).fromisoformat(other)
    return _BY[by](value, other)


# -- what is asked ------------------------------------------------------------------------------------------------


def keeps(
    requirement: Requirement,
    members: Sequence[Record],
    published: Sequence[Record],
    original: Sequence[Record],
    plan: Plan,
    trees: Mapping[str, Hierarchy],
) -> bool:
    """Whether these records would do as one class, with one bucket for each column."""
    if not isinstance(requirement, LDiversity | TCloseness):
        return oracle.keeps(requirement, members, published, original, plan, trees)
    found = True
    for column in plan.columns:
        if column.role in ("sensitive", "semi-sensitive") and requirement.on in (None, column.name):
            own, shown, all_of_them = (
                [_coded(record, column) for record in some if sensitive(column, record)]
                for some in (members, published, original)
            )
            one = replace(requirement, on=column.name)
            found &= not own or oracle.keeps(one, own, shown, all_of_them, plan, trees)
    return found


def _asked(case: Case, name: str) -> Iterator[LDiversity | TCloseness]:
    for requirement in case.plan.require:
        if isinstance(requirement, LDiversity | TCloseness) and requirement.on in (None, name):
            yield replace(requirement, on=name)


# -- cells and classes --------------------------------------------------------------------------------------------


def _of(case: Case, row: Row) -> Record:
    return case.original[row[case.row]]


def _classes(case: Case) -> Iterator[str]:
    """All rows of a class look alike, and are enough; rows stand in the order of the numbers."""
    looks: dict[int, set[str]] = defaultdict(set)
    members: dict[int, list[Record]] = defaultdict(list)
    for row in case.published:
        shown = [
            [row[name] is None for name in told.columns[-1:]] + [row[name] for name in told.columns[:-2]]
            if told.role in ("sensitive", "semi-sensitive")
            else [row[name] for name in told.columns]
            for told in case.columns
            if told.role not in ("insensitive", "added")
        ]
        looks[row["class"]].add(repr(shown))
        members[row["class"]].append(_of(case, row))
    if any(len(look) > 1 for look in looks.values()):
        yield "rows of a class look different"
    for requirement in case.plan.require:
        if isinstance(requirement, KAnonymity):
            for records in members.values():
                if not oracle.keeps(requirement, records, [], case.original, case.plan, case.trees):
                    yield f"a class of {len(records)} breaks {requirement}"
    numbers = [row["class"] for row in case.published]
    if numbers != sorted(numbers):
        yield "the rows are not in the order of their classes"


def _cells(case: Case, told: PublishedColumn, column: Column) -> Iterator[str]:
    """A cell is coarsened, and covers its record, or in a bucket, or shows nothing; sensitive ones are hidden."""
    value, bucket = told.columns[-2:]
    paths = {name: paths_of(tree) for name, tree in case.trees.items()}
    for row in case.published:
        general = [row[name] for name in told.columns[:-2]]
        if row[bucket] is not None:
            if any(cell is not None for cell in general):
                yield f"{told.name} is coarsened beside a bucket"
            continue
        if told.role == "sensitive" or row[value] is not None:
            yield f"{told.name} is told outside of a bucket"
        elif _shows_nothing(told, general):
            continue
        elif sensitive(column, _of(case, row)):
            yield f"{told.name} is coarsened for somebody who holds it sensitive"
        else:
            part = PublishedColumn(
                told.name, told.role, told.shown, told.columns[:-2], (), told.bottom, told.top, told.step
            )
            if not covers(part, row, _of(case, row)[told.name], paths.get(told.name)):
                yield f"a cell of {told.name} does not cover its record"


def _shows_nothing(told: PublishedColumn, general: Sequence[Any]) -> bool:
    return all(cell is None for cell in general) if told.shown == "bounds" else general[0] == "*"


# -- buckets ------------------------------------------------------------------------------------------------------


def _buckets(case: Case, told: PublishedColumn, column: Column) -> Iterator[str]:
    """Each bucket has the values of its records, and keeps what is asked; those who hold it sensitive by themselves."""
    value, bucket = told.columns[-2:]
    rows: dict[int, list[Row]] = defaultdict(list)
    for row in case.published:
        if row[bucket] is not None:
            rows[row[bucket]].append(row)
    records = {number: [_coded(_of(case, row), column) for row in some] for number, some in rows.items()}
    for number, some in rows.items():
        if Counter(oracle.key(row[value]) for row in some) != Counter(
            oracle.key(record[told.name].value) for record in records[number]
        ):
            yield f"a bucket of {told.name} does not hold the values of its records"
    mine = {
        number: [_coded(_of(case, row), column) for row in some if sensitive(column, _of(case, row))]
        for number, some in rows.items()
    }
    holders = [_coded(record, column) for record in case.original if sensitive(column, record)]
    for requirement in _asked(case, told.name):
        every, everybody = ([record for some in held.values() for record in some] for held in (records, mine))
        for number, some in records.items():
            if not oracle.keeps(requirement, some, every, every, case.plan, case.trees):
                yield f"a bucket of {told.name} breaks {requirement}"
            if isinstance(requirement, LDiversity) and not _whatever_is_struck(requirement, mine[number], some):
                yield f"those who hide {told.name} break {requirement} in a bucket"
        for some in mine.values() if isinstance(requirement, TCloseness) else []:
            if some and not oracle.keeps(requirement, some, everybody, holders, case.plan, case.trees):
                yield f"those who hide {told.name} break {requirement} in a bucket"


def _whatever_is_struck(requirement: LDiversity, mine: Sequence[Record], every: Sequence[Record]) -> bool:
    """Whether no value is too common, for each value were all others struck out that do not hide it."""
    name, gone = str(requirement.on), oracle.key(None)
    own, all_of_them = (Counter(oracle.key(record[name].value) for record in some) for some in (mine, every))
    if not requirement.missing_is_sensitive:
        del own[gone], all_of_them[gone]
    total = sum(own.values())
    return all(requirement.l * n <= total + n - own[value] + oracle.NEAR for value, n in all_of_them.items())


def _coded(record: Record, column: Column) -> Record:
    """A record with the value as it is published, beyond bottom and top as these."""
    held, how = record[column.name], column.coarsening
    if held.value is None or not isinstance(how, Numeric) or (how.bottom, how.top) == (None, None):
        return record
    value = held.value if how.top is None else min(held.value, how.top)
    value = value if how.bottom is None else max(value, how.bottom)
    return {**record, column.name: Original(value, str(float(value)))}


def _company(case: Case, hidden: Sequence[tuple[PublishedColumn, Column]]) -> Iterator[str]:
    """Who is hidden to cover for others, and whose value is known, is among k whose buckets hold that value."""
    k = max((r.k for r in case.plan.require if isinstance(r, KAnonymity)), default=1)
    held: dict[str, dict[int, set[Any]]] = {told.name: defaultdict(set) for told, _ in hidden}
    classes: dict[int, list[Row]] = defaultdict(list)
    for row in case.published:
        classes[row["class"]].append(row)
        for told, _ in hidden:
            held[told.name][row[told.columns[-1]]].add(oracle.key(row[told.columns[-2]]))
    for row in case.published:
        known = [
            (told, oracle.key(_coded(_of(case, row), column)[told.name].value))
            for told, column in hidden
            if row[told.columns[-1]] is not None and not sensitive(column, _of(case, row))
        ]
        alike = [
            other
            for other in classes[row["class"]]
            if all(value in held[told.name][other[told.columns[-1]]] for told, value in known)
        ]
        if known and len(alike) < k:
            yield f"somebody who covers for others is found among {len(alike)}"
