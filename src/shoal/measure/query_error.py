"""How far the answers of a release are from the truth: the median relative error of random counts.

The queries of Cao, Karras, Kalnis and Tan, "SABRE: a Sensitive Attribute Bucketization and REdistribution framework for
t-closeness", VLDB Journal 2011, Section 6.2: COUNT of the records that lie in a random interval of each of some
quasi-identifiers, drawn for each query, and of a sensitive column. An interval holds so large a part of the values that
occur that, if all were independent and even, the wanted share of the records would lie in all of them. Categories are
in the order of their hierarchy, or of the alphabet. Queries whose true answer is 0 are dropped: they have no relative
error. The estimate reckons with the values that occur in the original, since a cell may have no width.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.errors import DataError
from shoal.measure.queries.answering import bounded
from shoal.measure.queries.question import Aggregate, Between, Condition, Question
from shoal.measure.queries.sheets import Sheets
from shoal.release.cells import distinct, is_ordered, texts
from shoal.release.manifest import PublishedColumn
from shoal.release.published import Published
from shoal.schema.hierarchy import Hierarchy

__all__ = ["QueryError", "Workload", "query_error"]

_COUNT = Aggregate("COUNT", None)


@dataclass(frozen=True)
class Workload:
    """Random counts.

    Attributes:
        queries: how many.
        columns: of how many quasi-identifiers each asks; of all, if there are fewer.
        selectivity: the share of the records that would be counted, were columns even and independent.
        seed: makes the same table's queries the same again, so that two releases of it can be compared.
    """

    queries: int = 10_000
    columns: int = 3
    selectivity: float = 0.1
    seed: int | None = None

    def __post_init__(self) -> None:
        if self.queries < 1 or self.columns < 0 or not 0 < self.selectivity <= 1:
            raise DataError(
                "a workload has at least one query, no less than 0 columns, and a selectivity above 0 and up to 1"
            )


@dataclass(frozen=True)
class QueryError:
    """The relative errors |estimate - truth| / truth.

    Attributes:
        queries: how many were asked.
        dropped: of how many the true answer is 0.
        median: of the others; None if there are none.
        mean: of the others.
        bounded: the mean distance of the two bounds, over the truth.
    """

    queries: int
    dropped: int
    median: float | None
    mean: float | None
    bounded: float | None


def query_error(
    published: Published, original: pa.Table, trees: Mapping[str, Hierarchy], workload: Workload, *, own: bool = True
) -> QueryError:
    """The error of a publication's answers to random counts of the original."""
    asked = _questions(published.columns, original, trees, workload)
    exact = [_as_it_is(column) for column in published.columns if column.role not in ("added", "identifying")]
    truth = bounded(Sheets(Published({"original": original}, exact), {}, own=False), _COUNT, asked).low
    found = bounded(Sheets(published, trees, own, original), _COUNT, asked)
    held = truth > 0
    if not held.any():
        return QueryError(len(asked), len(asked), None, None, None)
    error = np.abs(found.estimate - truth)[held] / truth[held]
    apart = (found.high - found.low)[held] / truth[held]
    return QueryError(len(asked), int((~held).sum()), float(np.median(error)), float(error.mean()), float(apart.mean()))


def _as_it_is(column: PublishedColumn) -> PublishedColumn:
    return PublishedColumn(column.name, column.role, "value", (column.name,))


def _questions(
    columns: Sequence[PublishedColumn], original: pa.Table, trees: Mapping[str, Hierarchy], workload: Workload
) -> list[Question]:
    """Random intervals of random columns."""
    domains = {
        column.name: _domain(original, column.name, trees.get(column.name))
        for column in columns
        if column.role in ("quasi-identifying", "sensitive")
    }
    quasi = [c.name for c in columns if c.role == "quasi-identifying" and len(domains[c.name])]
    sensitive = [c.name for c in columns if c.role == "sensitive" and len(domains[c.name])]
    chance = np.random.default_rng(workload.seed)
    some = min(workload.columns, len(quasi))
    part = workload.selectivity ** (1 / max(some + bool(sensitive), 1))
    asked: list[Question] = []
    for _ in range(workload.queries):
        names = [*chance.permutation(quasi)[:some].tolist()]
        names += [sensitive[chance.integers(len(sensitive))]] if sensitive else []
        asked.append({name: (_interval(domains[name], part, chance),) for name in names})
    return asked


def _domain(original: pa.Table, name: str, tree: Hierarchy | None) -> list[Any]:
    """The known values that occur, in order."""
    if name not in original.column_names:
        raise DataError(f"the original table has no column {name}, which is published: give the table it was made from")
    _, held = distinct(original.column(name), name)
    held = held.drop_null()
    if is_ordered(held.type):
        return held.take(pc.array_sort_indices(held)).to_pylist()
    words = texts(held).to_pylist()
    place = {} if tree is None else tree.position
    return sorted(words, key=lambda word: (place.get(word, len(place)), word))


def _interval(domain: Sequence[Any], part: float, chance: np.random.Generator) -> Condition:
    """An interval with this part of the values, at least one, anywhere."""
    length = max(round(part * len(domain)), 1)
    first = int(chance.integers(len(domain) - length + 1))
    held = domain[first : first + length]
    return Condition(tuple(held)) if isinstance(held[0], str) else Condition(None, Between(held[0], held[-1]))
