"""The order in which a release is measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
import pyarrow as pa

from shoal.measure.closeness import Farthest
from shoal.measure.groups import Groups, Whole, grouped
from shoal.measure.loss import Loss, Losses, loss_of, mean_loss
from shoal.measure.originals import originals, without
from shoal.measure.population import covered
from shoal.measure.ranges import Ranges, ranges_of
from shoal.measure.risk import risk_of, smallest_of
from shoal.measure.scores import Scores
from shoal.release import buckets
from shoal.release.cells import Cells, read
from shoal.release.manifest import PublishedColumn
from shoal.schema.hierarchy import Hierarchy

_NO_EXTENT = "a centre has no extent, so that the loss by NCP or GLM of columns published by centres is not known"
_NO_ORIGINAL = "loss compares the release with the original table, which was not given"


def measure(
    table: pa.Table,
    columns: Sequence[PublishedColumn],
    *,
    original: pa.Table | None,
    trees: Mapping[str, Hierarchy],
    suppressed: int,
    k: int | None,
    population: pa.Table | None = None,
    missing: tuple[str, ...] = (),
    farthest: Farthest | None = None,
) -> Scores:
    """What the publication ``table`` cost and how small its classes are.

    Args:
        table: the published records, Shoal's or anybody's.
        columns: what its columns mean; those that are coarsened are measured.
        original: the table it was made from. Without it the loss is not known.
        trees: the hierarchies of categories, by name of the column.
        suppressed: how many records of the original were left out.
        k: what was asked for, for C_AVG and as a threshold of risk.
        population: the people among whom a journalist looks, with the original's columns and values.
        missing: texts that stand for missing values in any of the tables.
        farthest: how close its classes are to the whole; see :mod:`shoal.measure.closeness`.
    """
    measured = [column for column in columns if column.role in ("quasi-identifying", "semi-sensitive")]
    names = [column.name for column in measured]
    in_one = [column.columns[0] for column in measured if column.shown != "bounds"]
    published = without(table, in_one, missing)
    counted_only = original is None and population is None
    cells = {column: _cells(published, column, trees, counted_only=counted_only) for column in measured}
    groups = grouped([one.code for one in cells.values()], table.num_rows)
    classes = _numbered(table, columns) or groups
    compared = None if original is None else without(original, names, missing)
    loss = _losses(cells, compared, trees, suppressed, table)
    people = None if population is None else _covered(groups, cells, without(population, names, missing))
    return _scores(classes, groups, loss, ranges_of(cells, groups), suppressed, k, people, farthest or {})


def _numbered(table: pa.Table, columns: Sequence[PublishedColumn]) -> Groups | None:
    """The classes by their published numbers, if these are published."""
    for column in columns:
        if column.shown in ("class", "bucket"):
            return grouped([read(table, msgspec.structs.replace(column, shown="value"), None).code], table.num_rows)
    return None


def _cells(
    published: pa.Table, column: PublishedColumn, trees: Mapping[str, Hierarchy], *, counted_only: bool
) -> Cells:
    """What each cell covers; to count classes, the nodes of a hierarchy that is not at hand may stay labels."""
    tree = trees.get(column.name)
    if counted_only and column.shown == "node" and tree is None:
        column = msgspec.structs.replace(column, shown="value")
    return buckets.read(published, column, tree).cells if _is_personal(column) else read(published, column, tree)


def _is_personal(column: PublishedColumn) -> bool:
    """Whether the column is coarsened for some records, and in buckets for the others."""
    return column.role == "semi-sensitive"


def _losses(
    cells: Mapping[PublishedColumn, Cells],
    original: pa.Table | None,
    trees: Mapping[str, Hierarchy],
    suppressed: int,
    table: pa.Table,
) -> Losses:
    if original is None:
        unknown = Loss(None, None, None)
        return Losses(unknown, {column.name: unknown for column in cells}, _NO_ORIGINAL)
    found = {}
    for column, published in cells.items():
        if column.shown == "centre":
            found[column.name] = Loss(None, None, None)
            continue
        known = originals(original, column, published, of="original table")
        shown = buckets.numbers(table, column) < 0 if _is_personal(column) else None
        found[column.name] = loss_of(published, known, column, trees.get(column.name), suppressed, shown)
    if any(column.shown == "centre" for column in cells):
        return Losses(Loss(None, None, None), found, _NO_EXTENT)
    return Losses(mean_loss(found), found)


def _covered(groups: Groups, cells: Mapping[PublishedColumn, Cells], population: pa.Table) -> Whole:
    people = [originals(population, column, published, of="population table") for column, published in cells.items()]
    return covered(groups, list(cells.values()), people, population.num_rows)


def _scores(
    classes: Groups,
    groups: Groups,
    loss: Losses,
    ranges: Ranges,
    suppressed: int,
    k: int | None,
    people: Whole | None,
    farthest: Farthest,
) -> Scores:
    """Classes are what requirements speak of; groups are what an adversary tells apart by quasi-identifiers."""
    records = groups.records
    every = records + suppressed
    class_size = records / max(len(classes), 1)
    return Scores(
        records=records,
        suppressed=suppressed,
        suppression=suppressed / max(every, 1),
        classes=len(classes),
        loss=loss,
        ranges=ranges,
        discernibility=int((classes.size**2).sum()) + suppressed * every,
        class_size=class_size,
        c_avg=None if k is None else class_size / k,
        risk=risk_of(groups, k, people),
        smallest=smallest_of(classes),
        farthest=farthest,
    )
