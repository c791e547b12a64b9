"""The judge who sees what everybody will see: the published tables, and what their columns mean."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa

from shoal.errors import DataError
from shoal.privacy.definitions import Figures
from shoal.privacy.requirements import KAnonymity, LDiversity, Requirement, Size, TCloseness
from shoal.privacy.verdict import Finding, Note, Verdict
from shoal.release.manifest import PublishedColumn
from shoal.schema.hierarchy import Hierarchy
from shoal.verify import figures, grouping, left_in_place, notes, resolve, suppressed, threads
from shoal.verify.findings import finding
from shoal.verify.grouping import Classes
from shoal.verify.suppressed import Split
from shoal.verify.values import Values


@dataclass(frozen=True, eq=False)
class Sight:
    """All that an outsider makes of a release."""

    release: Split
    classes: Classes
    columns: Sequence[PublishedColumn]
    values: Mapping[str, Values]
    trees: Mapping[str, Hierarchy]
    joined: bool = True  # whether the sensitive and insensitive values in a row are of one record

    def reached(self, requirement: Requirement) -> Figures:
        """What each class reaches of a resolved requirement."""
        match requirement:
            case KAnonymity() | Size():
                return figures.sizes(self.classes)
            case LDiversity():
                return figures.diversity(requirement, self.classes, self.values[str(requirement.on)])
            case TCloseness():
                on = self.values[requirement.on]
                return figures.closeness(resolve.ground(requirement, on, self.trees), self.classes, on)


def judge(
    table: pa.Table,
    columns: Sequence[PublishedColumn],
    requirements: Sequence[Requirement],
    trees: Mapping[str, Hierarchy],
    *,
    persons_known: bool = False,
    own: bool = True,
) -> Verdict:
    """Whether every class of a published table keeps every requirement.

    A class is the finest thing that an outsider can group by: all published cells that speak of
    quasi-identifiers. Releases that are not Shoal's ``own`` may have suppressed records left in place.
    ``persons_known`` says that rows are people, or that the keeper counts people.
    """
    sight = look(table, columns, trees, own=own)
    asked = resolve.requirements(requirements, columns, sight.release.shown)
    reached = [(requirement, sight.reached(requirement)) for requirement in asked]
    sizes = sight.classes.sizes
    in_place = list(left_in_place.judged(sight, asked))
    return Verdict(
        findings=(
            *of_columns(table, columns),
            *(finding("outsider", requirement, found, sizes) for requirement, found in reached),
            *(found for found in in_place if isinstance(found, Finding)),
        ),
        notes=(
            *(found for found in in_place if isinstance(found, Note)),
            *notes.of(sight, reached, persons_known=persons_known),
        ),
        records=sight.release.shown.num_rows,
        suppressed=sight.release.hidden.num_rows,
        classes=sight.classes.count,
    )


def look(table: pa.Table, columns: Sequence[PublishedColumn], trees: Mapping[str, Hierarchy], *, own: bool) -> Sight:
    absent = [name for column in columns for name in column.columns if name not in table.column_names]
    if absent:
        raise DataError(f"the published table has no column {', '.join(absent)}")
    release = suppressed.split(table, columns) if not own else Split(table, table.slice(0, 0))
    quasi = [name for column in columns if column.role == "quasi-identifying" for name in column.columns]
    others = [column.columns[0] for column in columns if column.role in ("sensitive", "insensitive")]
    known = dict(zip(others, threads.each(release.values, others), strict=True))
    return Sight(release, grouping.classes(release.shown, quasi), columns, known, trees)


def of_columns(table: pa.Table, columns: Sequence[PublishedColumn]) -> Iterator[Finding]:
    """Nothing is published that nobody decided to publish."""
    spoken_of = {name for column in columns for name in column.columns}
    stray = [name for name in table.column_names if name not in spoken_of]
    named = [column.name for column in columns if column.role == "identifying"]
    if stray:
        says = f"published without a role: {', '.join(stray)}"
        yield Finding("outsider", "every published column has a role", holds=False, says=says)
    if named:
        says = f"published: {', '.join(named)}"
        yield Finding("outsider", "no identifying column is published", holds=False, says=says)
