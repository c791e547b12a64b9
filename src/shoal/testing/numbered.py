"""Whether releases whose classes are numbered keep their plan's promises, in plain Python; see :mod:`oracle`."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

import pyarrow as pa

from shoal.testing import oracle
from shoal.testing.oracle import Case, Record

__all__ = ["anatomy"]


def anatomy(tables: Mapping[str, pa.Table], case: Case) -> list[str]:
    """Everything that is wrong with a release in the form anatomy, in words."""
    sensitive = [column.name for column in case.role("sensitive")]
    classes = _members(case, "class")
    return [
        *oracle.names(_names(tables), case),
        *_tables(tables, ["qit", *(f"sat_{name}" for name in sensitive)]),
        *oracle.accounts(case),
        *oracle.cells(case, [column for column in case.columns if column.role != "sensitive"]),
        *(wrong for name in sensitive for wrong in _counts(tables[f"sat_{name}"], name, classes)),
        *(wrong for name, table in tables.items() for wrong in _order(name, table)),
        *oracle.broken(list(classes.values()), case),
    ]


def _names(tables: Mapping[str, pa.Table]) -> list[str]:
    """The columns of all tables; those that tables are joined by stand once."""
    return list(dict.fromkeys(name for table in tables.values() for name in table.column_names))


def _tables(tables: Mapping[str, pa.Table], expected: list[str]) -> Iterator[str]:
    if sorted(tables) != sorted(expected):
        yield "other tables are published than those of the form"


def _members(case: Case, number: str) -> dict[int, list[Record]]:
    """The records of each class, by its number."""
    found: dict[int, list[Record]] = defaultdict(list)
    for row in case.published:
        found[row[number]].append(case.original[row[case.row]])
    return found


def _counts(table: pa.Table, name: str, classes: Mapping[int, list[Record]]) -> Iterator[str]:
    """A table of sensitive values says of each class exactly what its records hold."""
    told: dict[int, Counter[Any]] = defaultdict(Counter)
    for row in table.to_pylist():
        told[row["class"]][oracle.key(row[name])] += row["count"]
    if told != {number: Counter(oracle.key(r[name].value) for r in members) for number, members in classes.items()}:
        yield f"the table of {name} does not say what the classes hold"


def _order(name: str, table: pa.Table) -> Iterator[str]:
    """Rows are sorted by the number of their class, so that they say nothing by where they stand."""
    numbers = table.column(table.column_names[0]).to_pylist()
    if numbers != sorted(numbers):
        yield f"the rows of {name} are not in the order of their classes"
