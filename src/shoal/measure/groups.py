"""The classes of a published table: the finest groups that an outsider can make of its cells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.release.cells import Codes

Whole = NDArray[np.int64]

#: Numbers for combinations of cells must stay below this, or be made dense first.
_ROOM = 1 << 62


@dataclass(frozen=True, eq=False)
class Groups:
    """How many records each class holds, and the cells that it shows.

    Attributes:
        size: the records of each class; all at least 1.
        shown: for each column, the number of the distinct cell that each class shows.
    """

    size: Whole
    shown: tuple[Whole, ...]

    @property
    def records(self) -> int:
        return int(self.size.sum())

    def __len__(self) -> int:
        return len(self.size)


def grouped(columns: Sequence[Codes], records: int, times: Whole | None = None) -> Groups:
    """Records with equal cells in all columns share a class; without columns, all records share one.

    ``times`` says of each row how many records it is, if not one.
    """
    number = np.zeros(records, np.int64)
    numbers = min(records, 1)
    for code in columns:
        distinct = int(code.max(initial=-1)) + 1
        if numbers * distinct > _ROOM:
            number, numbers = _dense(number)
        number = number * distinct + code
        numbers *= distinct
    number, classes = _dense(number)
    size = np.zeros(classes, np.int64)
    np.add.at(size, number, 1 if times is None else times)
    example = np.empty(classes, np.int64)
    example[number] = np.arange(records)  # any record of a class shows its cells
    return Groups(size, tuple(code[example].astype(np.int64) for code in columns))


def _dense(number: Whole) -> tuple[Whole, int]:
    """The same numbers as 0, 1, 2, ... and how many there are; a hash, which is faster here than a sort."""
    encoded = pa.array(number).dictionary_encode()
    return encoded.indices.to_numpy().astype(np.int64), len(encoded.dictionary)
