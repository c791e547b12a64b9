"""Slices: in each bucket the columns of a slice are whole, and its slices may belong together in any way.

Buckets may be sliced differently. For a question only those of its columns count that it asks of, so buckets are taken
together whose slices divide these alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from shoal.errors import DataError
from shoal.measure.queries.counting import Bounded, ask
from shoal.measure.queries.parts import Axes, Part, Section
from shoal.measure.queries.question import Aggregate, Question
from shoal.measure.queries.sheets import Sheets
from shoal.verify.sliced import Sliced

Division = tuple[tuple[str, ...], ...]


def answered(sheets: Sheets, what: Aggregate, asked: Sequence[Question]) -> Bounded:
    """Each slice is a part, joined to the others by the bucket."""
    release = Sliced(sheets.published)
    if not release.laid_out().holds:
        raise DataError("the release does not say of each bucket how it is sliced: judge it with shoal verify")
    names = [column.name for column in sheets.columns]
    table = _Table(release, sheets.axes(release.rows, sheets.columns, ["bucket"]), names)
    return ask(table.sections, what, asked)


@dataclass(frozen=True, eq=False)
class _Table:
    release: Sliced
    axes: Axes
    names: Sequence[str]

    def sections(self, columns: frozenset[str]) -> list[Section]:
        """Buckets whose slices divide these columns alike."""
        divided = [self._division(layout.slices, columns) for layout in self.release.layouts]
        different = sorted(set(divided))
        kind = np.array([different.index(one) for one in divided], np.int64)[self.release.layout]
        return [self._section(one, np.flatnonzero(kind == place)) for place, one in enumerate(different)]

    @staticmethod
    def _division(slices: Sequence[Sequence[str]], columns: frozenset[str]) -> Division:
        held = (tuple(sorted(columns.intersection(one))) for one in slices)
        return tuple(sorted(names for names in held if names))

    def _section(self, division: Division, rows: NDArray[np.int64]) -> Section:
        group, sizes = np.unique(self._bucket[rows], return_inverse=True, return_counts=True)[1:]
        parts = [Part(self.axes, names, rows, None, group) for names in division or ((),)]
        return Section(parts, sizes.astype(np.int64))

    @cached_property
    def _bucket(self) -> NDArray[np.int64]:
        return self.release.bucket
