"""A column whose values are published as they are, as numbers of its values in their natural order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from shoal.privacy.definitions import Counts
from shoal.release.cells import is_ordered
from shoal.verify.coding import Coded, alike, smallest


@dataclass(frozen=True, eq=False)
class Values:
    """The rows of a column, and the table with which their distribution is compared.

    Attributes:
        name: of the column.
        held: the known values that occur in the rows or in the whole, in order; all different.
        code: of each row, the place of its value in ``held``, or ``known`` where it is missing.
        whole: how often each value occurs in the whole table; the last is for missing, if any is.
    """

    name: str
    held: pa.Array
    code: NDArray[np.unsignedinteger[Any]]
    whole: Counts

    @property
    def known(self) -> int:
        return len(self.held)

    @property
    def width(self) -> int:
        """How many different values there are, missing among them if any is."""
        return len(self.whole)

    @property
    def ordered(self) -> bool:
        """Whether the order of the values means anything: numbers, dates, times."""
        return is_ordered(self.held.type)


def values(name: str, rows: Coded, whole: Coded | None = None) -> Values:
    """The rows as numbers of their values; the whole table is the rows themselves unless another is given."""
    whole = whole or rows
    row_held, whole_held = alike(rows.held, whole.held)
    occurs = np.concatenate([rows.times > 0, whole.times > 0])
    both = pa.concat_arrays([row_held, whole_held]).filter(pa.array(occurs))
    held = both.unique().drop_null()
    if not pa.types.is_null(held.type):
        held = held.take(pc.array_sort_indices(held))
    row_place, whole_place = _places(row_held, held), _places(whole_held, held)
    counts = np.zeros(len(held) + 1, np.int64)
    np.add.at(counts, whole_place, whole.times)
    code = np.take(row_place, rows.code)
    return Values(name, held, code, counts if both.null_count else counts[:-1])


def _places(part: pa.Array, held: pa.Array) -> NDArray[np.unsignedinteger[Any]]:
    """Where each value stands among those held; missing after the last."""
    if pa.types.is_null(held.type):
        return np.zeros(len(part), np.uint8)
    place = pc.index_in(part, held, skip_nulls=True).fill_null(len(held)).to_numpy(zero_copy_only=False)
    return np.asarray(place, dtype=smallest(len(held) + 1))
