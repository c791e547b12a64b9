"""Whether a release keeps its plan's promises, found out record by record in plain Python.

The third opinion beside the two judges, for tests: it owes nothing to them, to the search or to the definitions.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from shoal.plan.forms import Randomized
from shoal.plan.plan import Plan
from shoal.privacy.requirements import KAnonymity, LDiversity, Requirement, Size, TCloseness
from shoal.release.manifest import Layout, Manifest, PublishedColumn
from shoal.schema import arx
from shoal.schema.columns import Column
from shoal.schema.hierarchy import Hierarchy
from shoal.testing.cells import Original, covers, is_centre, paths_of
from shoal.testing.plans import decoded

__all__ = ["Case", "Record", "case_of", "diverse", "faults", "keeps", "records_of", "trees_of"]

#: Sums of shares may differ in their last bits.
NEAR = 1e-9

Record = Mapping[str, Original]


def records_of(table: pa.Table, missing: Sequence[str]) -> list[dict[str, Original]]:
    """The original, record by record; not-a-number and the words that mean so are missing."""
    columns = {name: _values(table.column(name), missing) for name in table.column_names}
    return [{name: values[row] for name, values in columns.items()} for row in range(table.num_rows)]


def _values(column: pa.ChunkedArray, missing: Sequence[str]) -> list[Original]:
    column = decoded(column)
    if pa.types.is_floating(column.type):
        column = pc.add(column, pa.scalar(0, column.type))  # minus zero is zero
    values = column.to_pylist()
    readable = not (pa.types.is_nested(column.type) or pa.types.is_binary(column.type))
    texts = column.cast(pa.string()).to_pylist() if readable else list(map(repr, values))
    found = []
    for value, text in zip(values, texts, strict=True):
        if pa.types.is_nested(column.type):  # even none of them is like another
            found.append(Original([value], text))
            continue
        gone = value is None or value in missing or (isinstance(value, float) and math.isnan(value))
        found.append(Original(None, None) if gone else Original(value, text))
    return found


@dataclass(frozen=True)
class Case:
    """A published table beside its original; ``row`` names a column that tells which record a row is of."""

    original: Sequence[Record]
    published: Sequence[Mapping[str, Any]]
    columns: Sequence[PublishedColumn]
    plan: Plan
    row: str
    trees: Mapping[str, Hierarchy] = field(default_factory=dict)
    layouts: Sequence[Layout] = ()

    def role(self, role: str) -> list[PublishedColumn]:
        return [column for column in self.columns if column.role == role]


def case_of(original: pa.Table, tables: Mapping[str, pa.Table], manifest: Manifest, plan: Plan, row: str) -> Case:
    """A release beside its original; of several tables, the one in which each record has a row."""
    records = records_of(original, plan.read_options.missing)
    published = next(iter(tables.values())).to_pylist()
    return Case(records, published, manifest.columns, plan, row, trees_of(plan), manifest.layouts)


def faults(tables: Mapping[str, pa.Table], case: Case) -> list[str]:
    """Everything that is wrong with a release whose classes look alike, in words."""
    (published,) = tables.values()
    return [
        *names(published.column_names, case),
        *accounts(case),
        *cells(case, case.columns),
        *_centres(case),
        *broken([seen.records for seen in _seen(case)], case),
    ]


def trees_of(plan: Plan) -> dict[str, Hierarchy]:
    return {
        column.name: arx.read(column.hierarchy) if isinstance(column.hierarchy, Path) else column.hierarchy
        for column in plan.columns
        if column.hierarchy is not None
    }


def names(published: Sequence[str], case: Case) -> Iterator[str]:
    """Every column of the plan but the identifying ones is spoken of, in its role, and nothing else."""
    spoken = [name for column in case.columns for name in column.columns]
    if sorted(spoken) != sorted(published):
        yield "the published columns are not those that the manifest describes"
    told = sorted((column.name, column.role) for column in case.columns if column.role != "added")
    if told != sorted((c.name, c.role) for c in case.plan.columns if c.role != "identifying"):
        yield "the manifest describes other columns than the plan publishes"


def accounts(case: Case) -> Iterator[str]:
    """Each row is of one record, and no record has two; no more are left out than allowed."""
    rows = [row[case.row] for row in case.published]
    if len(set(rows)) < len(rows) or not set(rows) <= set(range(len(case.original))):
        yield "rows are not of different records"
    left_out = len(case.original) - len(rows)
    if left_out > case.plan.suppress * len(case.original) + NEAR:
        yield f"{left_out} of {len(case.original)} records are left out, more than {case.plan.suppress:g} of them"


def cells(case: Case, columns: Sequence[PublishedColumn]) -> Iterator[str]:
    """Every published cell covers its record."""
    paths = {name: paths_of(tree) for name, tree in case.trees.items()}
    for column in columns:
        if column.role == "added":
            continue
        wrong = 0
        for row in case.published:
            original = case.original[row[case.row]][column.name]
            wrong += not covers(column, row, original, paths.get(column.name))
        if wrong:
            yield f"{wrong} cells of {column.name} ({column.shown}) do not cover their records"


@dataclass(frozen=True)
class Class:
    """All rows that look alike to an outsider: one of them, and the records behind all of them."""

    row: Mapping[str, Any]
    records: list[Record]


def _seen(case: Case) -> list[Class]:
    """The classes, as an outsider sees them: whatever of the quasi-identifiers is published, is equal."""
    quasi = [name for column in case.role("quasi-identifying") for name in column.columns]
    found: dict[tuple[str, ...], Class] = {}
    for row in case.published:
        seen = found.setdefault(tuple(repr(row[name]) for name in quasi), Class(row, []))
        seen.records.append(case.original[row[case.row]])
    return list(found.values())


def _centres(case: Case) -> Iterator[str]:
    """A centre lies among the values of its class."""
    classes = _seen(case)
    for column in case.columns:
        if column.shown == "centre":
            wrong = sum(
                not is_centre(column, seen.row, [record[column.name] for record in seen.records]) for seen in classes
            )
            if wrong:
                yield f"{wrong} centres of {column.name} do not lie among the values of their class"


def broken(classes: Sequence[Sequence[Record]], case: Case) -> Iterator[str]:
    """Which requirements some of these classes do not keep."""
    published = [record for members in classes for record in members]
    for requirement in case.plan.require:
        count = sum(
            not keeps(requirement, members, published, case.original, case.plan, case.trees) for members in classes
        )
        if count:
            yield f"{count} of {len(classes)} classes break {requirement}"


# -- requirements -------------------------------------------------------------------------------------------


def keeps(
    requirement: Requirement,
    members: Sequence[Record],
    published: Sequence[Record],
    original: Sequence[Record],
    plan: Plan,
    trees: Mapping[str, Hierarchy],
) -> bool:
    """Whether one class keeps one requirement."""
    match requirement:
        case KAnonymity(least) | Size(least):
            return _people(members, original, plan) >= least
        case LDiversity(on=on):
            hides = _hidden(plan.form.retention) if isinstance(plan.form, Randomized) else diverse
            about = plan.sensitive if on is None else [c for c in plan.columns if c.name == on]
            return all(hides(requirement, members, column) for column in about)
        case TCloseness(on=on):
            return all(_close(requirement, members, whole, trees.get(on)) for whole in (published, original))


def _people(members: Sequence[Record], original: Sequence[Record], plan: Plan) -> int:
    """How many people a class holds: rows with one name are one, those without any too."""
    name = person_of(original, plan)
    return len(members) if name is None else len({key(record[name].value) for record in members})


def person_of(original: Sequence[Record], plan: Plan) -> str | None:
    """The column by which rows are people: the plan's, or the identifying one that repeats.

    Missing names are the same name. Columns of lists and of records tell nobody apart.
    """
    if plan.person is not None:
        return None if plan.person == "row" else plan.person
    repeating = []
    for column in plan.identifying:
        held = [record[column.name].value for record in original]
        if len({key(value) for value in held}) < len(held) and not any(isinstance(v, list | dict) for v in held):
            repeating.append(column.name)
    assert len(repeating) < 2, "who is a person is not clear: this should have been refused"
    return repeating[0] if repeating else None


def key(value: Any) -> Any:
    """A value to count by: 1, 1.0 and True do not occur in one column; lists and records have no key of their own."""
    if value is None:
        return ("missing",)
    return repr(value) if isinstance(value, list | dict) else value


def diverse(requirement: LDiversity, members: Sequence[Record], column: Column) -> bool:
    """Whether the values of some records are as diverse as asked."""
    counts = Counter(key(record[column.name].value) for record in members)
    if not requirement.missing_is_sensitive:
        del counts[key(None)]
    held = sorted(counts.values(), reverse=True)
    total, l = sum(held), requirement.l
    if not held:
        return False
    match requirement.kind:
        case "frequency":
            return held[0] * l <= total + NEAR
        case "distinct":
            return len(held) >= l
        case "entropy":
            return -sum(n / total * math.log(n / total) for n in held) >= math.log(l) - NEAR
        case "recursive":
            return held[0] < Fraction(requirement.c or 0) * sum(held[int(l) - 1 :])


def _hidden(retention: float) -> Callable[[LDiversity, Sequence[Record], Column], bool]:
    """The same where values are shown randomized: by the weights of each number of unmatched values, in fractions.

    See :mod:`shoal.privacy.retention`, of which this is the text and not the program.
    """
    keeps = Fraction(retention)

    def hides(requirement: LDiversity, members: Sequence[Record], column: Column) -> bool:
        counts = Counter(key(record[column.name].value) for record in members)
        odds = keeps * len(counts) / (1 - keeps)
        if not requirement.missing_is_sensitive:
            del counts[key(None)]
        most, total = max(counts.values(), default=0), sum(counts.values())
        if not total:
            return False
        weight = [Fraction(1)]  # of no unmatched value, then of one more each time
        for unmatched in range(total - most if odds else 0):
            weight.append(weight[-1] * (total - most - unmatched) / (odds * min(most, unmatched + 1)))
        left = sum(number * share for number, share in enumerate(weight)) / sum(weight) if odds else total - most
        return bool(1 + left / (most * (1 + odds)) >= Fraction(requirement.l) - Fraction(NEAR))

    return hides


def _close(requirement: TCloseness, members: Sequence[Record], whole: Sequence[Record], tree: Hierarchy | None) -> bool:
    """Whether the class's distribution is within t of the whole's, over the values that the whole has."""
    ours, theirs = ([record[requirement.on] for record in records] for records in (members, whole))
    known = {original.text: original.value for original in theirs if original.value is not None}
    ordered = _in_order(known, tree)
    if any(original.value is None for original in theirs):
        ordered.append(None)
    our_count, their_count = (Counter(original.text for original in held) for held in (ours, theirs))
    surplus = {text: our_count[text] / len(ours) - their_count[text] / len(theirs) for text in ordered}
    assert abs(sum(surplus.values())) < NEAR
    measure = _DISTANCES[requirement.distance or ("ordered" if _is_ordered(known) else "equal")]
    return measure(surplus, tree) <= requirement.t + NEAR


def _is_ordered(known: Mapping[Any, Any]) -> bool:
    return bool(known) and not isinstance(next(iter(known.values())), str | bool)


def _in_order(known: Mapping[str | None, Any], tree: Hierarchy | None) -> list[str | None]:
    if tree is not None:
        return [leaf for leaf in tree.leaves if leaf in known]
    return sorted(known, key=lambda text: known[text])


def _ordered(surplus: Mapping[str | None, float], tree: Hierarchy | None) -> float:
    carried, cost = 0.0, 0.0
    for value in surplus.values():
        carried += value
        cost += abs(carried)
    return cost / max(len(surplus) - 1, 1)


def _equal(surplus: Mapping[str | None, float], tree: Hierarchy | None) -> float:
    return sum(abs(value) for value in surplus.values()) / 2


def _hierarchical(surplus: Mapping[str | None, float], tree: Hierarchy | None) -> float:
    """What every node hands up to its parent, over half the levels between them."""
    assert tree is not None
    parent, height = tree.parent.tolist(), tree.height.tolist()
    below = [0.0] * len(parent)
    for leaf, node in zip(tree.leaves, tree.leaf_node.tolist(), strict=True):
        while node >= 0:
            below[node] += surplus.get(leaf, 0.0)
            node = parent[node]
    climbed = sum(abs(below[node]) * (height[parent[node]] - height[node]) / 2 for node in range(1, len(parent)))
    return climbed / max(height[0], 1) + abs(surplus.get(None, 0.0)) / 2


_DISTANCES: Mapping[str, Callable[[Mapping[str | None, float], Hierarchy | None], float]] = {
    "ordered": _ordered,
    "equal": _equal,
    "hierarchical": _hierarchical,
}
