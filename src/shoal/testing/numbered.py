"""Whether releases whose classes are numbered keep their plan's promises, in plain Python; see :mod:`oracle`."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa

from shoal.privacy.requirements import LDiversity
from shoal.release.manifest import PublishedColumn
from shoal.testing import oracle
from shoal.testing.cells import Original, clamped, covers, paths_of
from shoal.testing.oracle import Case, Record

__all__ = ["anatomy", "randomized", "slices"]

Row = Mapping[str, Any]


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


def randomized(tables: Mapping[str, pa.Table], case: Case) -> list[str]:
    """Everything that is wrong with a release in the form randomized, in words."""
    sensitive = [column.name for column in case.role("sensitive")]
    classes = _members(case, "class")
    return [
        *oracle.names(_names(tables), case),
        *_tables(tables, ["release", *(f"sat_{name}" for name in sensitive)]),
        *oracle.accounts(case),
        *oracle.cells(case, [column for column in case.columns if column.role != "sensitive"]),
        *(wrong for name in sensitive for wrong in _counts(tables[f"sat_{name}"], name, classes)),
        *(wrong for name in sensitive for wrong in _drawn(case, name, classes)),
        *(wrong for name, table in tables.items() for wrong in _order(name, table)),
        *oracle.broken(list(classes.values()), case),
    ]


def slices(tables: Mapping[str, pa.Table], case: Case) -> list[str]:
    """Everything that is wrong with a release in the form slices, in words."""
    buckets = _members(case, "bucket")
    rows: dict[int, list[Row]] = defaultdict(list)
    for row in case.published:
        rows[row["bucket"]].append(row)
    slices_of = {number: _slices_of(case, number) for number in buckets}
    if not all(slices_of.values()):
        return ["a bucket has no slices, or several ways of being divided into them"]
    return [
        *oracle.names(_names(tables), case),
        *_tables(tables, ["release"]),
        *oracle.accounts(case),
        *(wrong for number, shown in rows.items() for wrong in _true(case, shown, buckets[number], slices_of[number])),
        *_order("release", tables["release"]),
        *(wrong for number, shown in rows.items() for wrong in _parts(case, shown, slices_of[number])),
        *oracle.broken(list(buckets.values()), case),
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


def _drawn(case: Case, name: str, classes: Mapping[int, list[Record]]) -> Iterator[str]:
    """What a row shows is a value of some record of its class."""
    held = {number: {oracle.key(record[name].value) for record in members} for number, members in classes.items()}
    wrong = sum(oracle.key(row[name]) not in held[row["class"]] for row in case.published)
    if wrong:
        yield f"{wrong} rows show a value of {name} that their class does not have"


# -- slices -------------------------------------------------------------------------------------------------


def _slices_of(case: Case, number: int) -> list[list[PublishedColumn]]:
    """The slices of a bucket; none unless they are said once, and hold each column once."""
    found = [layout.slices for layout in case.layouts if layout.first <= number <= layout.last]
    meaning = {column.name: column for column in case.columns if column.role != "added"}
    if len(found) != 1 or sorted(name for names in found[0] for name in names) != sorted(meaning):
        return []
    return [[meaning[name] for name in names] for names in found[0]]


def _true(
    case: Case, rows: Sequence[Row], members: Sequence[Record], divided: Sequence[Sequence[PublishedColumn]]
) -> Iterator[str]:
    """In each slice of a bucket, the rows can be given to its records, each to one that it is true of."""
    for columns in divided:
        if not _can_be_given(case, rows, members, columns):
            yield f"the slice {', '.join(column.name for column in columns)} of a bucket is not that of its records"


def _can_be_given(
    case: Case, rows: Sequence[Row], members: Sequence[Record], columns: Sequence[PublishedColumn]
) -> bool:
    """Whether rows and records can be paired, by looking for a longer way round for each row in turn."""
    paths = {name: paths_of(tree) for name, tree in case.trees.items()}
    if all(column.shown == "value" for column in columns):
        shown = Counter(tuple(oracle.key(row[c.columns[0]]) for c in columns) for row in rows)
        return shown == Counter(
            tuple(oracle.key(clamped(c, record[c.name].value)) for c in columns) for record in members
        )
    fits = [
        [
            n
            for n, record in enumerate(members)
            if all(covers(c, row, record[c.name], paths.get(c.name)) for c in columns)
        ]
        for row in rows
    ]
    row_of: dict[int, int] = {}

    def place(row: int, seen: set[int]) -> bool:
        for record in fits[row]:
            if record not in seen:
                seen.add(record)
                if record not in row_of or place(row_of[record], seen):
                    row_of[record] = row
                    return True
        return False

    return len(rows) == len(members) and all(place(row, set()) for row in range(len(rows)))


def _parts(case: Case, rows: Sequence[Row], divided: Sequence[Sequence[PublishedColumn]]) -> Iterator[str]:
    """Whatever quasi-identifiers stand beside a sensitive value, it is diverse among the rows that have the same."""
    for columns in divided:
        beside = [name for column in columns if column.role == "quasi-identifying" for name in column.columns]
        secret = [column.name for column in columns if column.role == "sensitive"]
        parts: dict[tuple[str, ...], list[Record]] = defaultdict(list)
        for row in rows:
            parts[tuple(repr(row[name]) for name in beside)].append({s: Original(row[s], None) for s in secret})
        for requirement in case.plan.require:
            if not isinstance(requirement, LDiversity):
                continue
            for column in (c for c in case.plan.sensitive if c.name in secret and requirement.on in (None, c.name)):
                if not all(oracle.diverse(requirement, members, column) for members in parts.values()):
                    yield f"what stands beside {column.name} leaves it less diverse than {requirement}"
