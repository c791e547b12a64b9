"""Whether the order of a release gives away the order of the original."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from shoal.privacy.verdict import Finding, Note
from shoal.release.cells import distinct, texts
from shoal.release.manifest import PublishedColumn
from shoal.schema.hierarchy import Hierarchy

Ranks = NDArray[np.int64]

#: Fewer rows may stand in the order of the original by chance.
_FEW = 20
#: Rows that are looked at for a likeness of two orders.
_SAMPLE = 1_000_000
#: By the numbers of classes first, then by what tells people apart.
_ROLES = {"added": 0, "quasi-identifying": 1}
#: From here on, likeness is worth a note.
_ALIKE = 0.1


def judged(
    link: NDArray[np.integer[Any]],
    table: pa.Table,
    columns: Sequence[PublishedColumn],
    trees: Mapping[str, Hierarchy],
) -> Iterator[Finding | Note]:
    """A release in the order of its own cells says nothing more than its cells; any other order must be by lot."""
    what = "the order of the original is not kept"
    likeness = _likeness(link)
    by_chance = max(_ALIKE, 4 / max(len(link), 1) ** 0.5)
    if len(link) < _FEW or abs(likeness) < by_chance or sorted_by_cells(table, columns, trees):
        yield Finding("keeper", what, holds=True)
    elif _kept(link):
        says = "the rows stand as in the original: sort them by their own columns, or shuffle them"
        yield Finding("keeper", what, holds=False, says=says)
    else:
        says = f"the order of the rows resembles that of the original (rank correlation {likeness:.2f})"
        yield Finding("keeper", what, holds=True)
        yield Note("order", says, {"rank correlation": likeness})


def _kept(link: NDArray[np.integer[Any]]) -> bool:
    rising = link[1:] > link[:-1]
    return bool(rising.all() or not rising.any())


def _likeness(link: NDArray[np.integer[Any]]) -> float:
    """The correlation of ranks, but the more telling of two: over all rows, and of each row with the next.

    Classes may be shuffled and their members be left in order: then only neighbours tell.
    """
    if len(link) < 2:
        return 0.0
    step = -(-len(link) // _SAMPLE)
    some = link[::step].astype(np.float64)
    overall = float(np.corrcoef(some, np.arange(len(some)))[0, 1]) if len(some) > 1 else 0.0
    rising = 2 * float((link[1:] > link[:-1]).mean()) - 1
    return max(overall, rising, key=abs)


def numbers(
    number: NDArray[np.integer[Any]], link: NDArray[np.integer[Any]], of: str = "classes"
) -> Iterator[Finding | Note]:
    """Classes are numbered by lot, and not as they were made or as their records stand in the original."""
    what = f"{of} are numbered by lot"
    _, place = np.unique(number, return_inverse=True)
    first = np.full(place.max(initial=-1) + 1, np.iinfo(np.int64).max)
    np.minimum.at(first, place, link)
    likeness = _likeness(first)
    kept = len(first) >= _FEW and _kept(first)
    yield Finding("keeper", what, holds=not kept, says="their numbers follow the original" if kept else "")
    if not kept and abs(likeness) >= max(_ALIKE, 4 / max(len(first), 1) ** 0.5):
        says = f"the numbers of the {of} resemble the order of the original (rank correlation {likeness:.2f})"
        yield Note("order", says, {"rank correlation": likeness})


def sorted_by_cells(table: pa.Table, columns: Sequence[PublishedColumn], trees: Mapping[str, Hierarchy]) -> bool:
    """Whether rows stand in the order of their numbers, of their quasi-identifiers, then of their other columns."""
    undecided = np.arange(1, table.num_rows)  # rows that equal the row before them in every column so far
    for name, tree in _in_order(columns, table.column_names, trees):
        step = [(rank[undecided] - rank[undecided - 1]) for rank in _ranks(table.column(name), name, tree)]
        if not any((rise >= 0).all() for rise in step):
            return False
        undecided = undecided[step[0] == 0]
    return True


def _in_order(
    columns: Sequence[PublishedColumn], names: Sequence[str], trees: Mapping[str, Hierarchy]
) -> Iterator[tuple[str, Hierarchy | None]]:
    speaks_of = {name: column for column in columns for name in column.columns}
    known = [name for name in names if name in speaks_of]
    for name in sorted(known, key=lambda name: _ROLES.get(speaks_of[name].role, len(_ROLES))):
        yield name, trees.get(speaks_of[name].name)


def _ranks(column: pa.ChunkedArray, name: str, tree: Hierarchy | None) -> Iterator[Ranks]:
    """The rows of a column ranked in every order that its values have by themselves, missing last or first."""
    code, held = distinct(column, name)
    gone = held.is_null().to_numpy(zero_copy_only=False)
    orders = [_natural(held)]
    if tree is not None:
        place = pc.index_in(texts(held), pa.array(tree.leaves, pa.string()))
        orders.append(place.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64))
    for order in orders:
        for missing in (len(held) + 1, -2):
            yield np.where(gone, missing, order)[code]


def _natural(held: pa.Array) -> Ranks:
    if pa.types.is_null(held.type):
        return np.zeros(len(held), np.int64)
    return np.asarray(pc.rank(held, sort_keys="ascending", tiebreaker="dense").to_numpy(), dtype=np.int64)
