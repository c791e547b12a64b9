"""Releases of other tools leave suppressed records in place, every quasi-identifier a ``*``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from shoal.release.cells import distinct, texts
from shoal.release.manifest import PublishedColumn
from shoal.release.notation import ANY, NULL
from shoal.verify.coding import Coded, coded
from shoal.verify.values import Values, values


@dataclass(frozen=True, eq=False)
class Split:
    """A published table without the records that are suppressed in place, and these."""

    shown: pa.Table
    hidden: pa.Table

    def values(self, name: str) -> Values:
        """A column of the shown records, compared with all that is said in it, by hidden records too."""
        shown = coded(self.shown.column(name), name)
        return values(name, shown, self._whole(name) if self.hidden.num_rows else None)

    def hidden_values(self, name: str) -> Values:
        """What the hidden records say in a column, where they say anything, compared with all that is said."""
        return values(name, coded(self.said(name), name), self._whole(name))

    def _whole(self, name: str) -> Coded:
        chunks = [*_plain(self.shown.column(name)).chunks, *self.said(name).chunks]
        return coded(pa.chunked_array(chunks), name)

    def said(self, name: str) -> pa.ChunkedArray:
        """The cells of a column that hidden records have, but for those that say nothing."""
        return _said(self.hidden.column(name)).cast(_plain(self.shown.column(name)).type)


def split(table: pa.Table, columns: Sequence[PublishedColumn]) -> Split:
    """The records that say something of quasi-identifiers, and those that do not; if none does, all are."""
    hidden = _all_any(table, [name for column in columns for name in _quasi(column)])
    if not hidden.any() or hidden.all():
        return Split(_read(table, table.slice(0, 0), columns), table.slice(0, 0))
    parts = table.filter(pa.array(~hidden)), table.filter(pa.array(hidden))
    return Split(_read(*parts, columns), parts[1])


def _quasi(column: PublishedColumn) -> tuple[str, ...]:
    return column.columns if column.role == "quasi-identifying" else ()


def _all_any(table: pa.Table, names: Sequence[str]) -> NDArray[np.bool_]:
    """Which rows are ``*`` in all of these columns."""
    every = np.full(table.num_rows, bool(names))
    for name in names:
        code, held = distinct(table.column(name), name)
        anything = pc.equal(texts(held), ANY).fill_null(False).to_numpy(zero_copy_only=False)
        every &= anything[code]
    return every


def _read(shown: pa.Table, hidden: pa.Table, columns: Sequence[PublishedColumn]) -> pa.Table:
    """Other columns as they were meant: ``NULL`` is missing, and numbers beside a ``*`` are numbers."""
    for column in columns:
        if column.role == "quasi-identifying":
            continue
        for name in column.columns:
            place = shown.schema.get_field_index(name)
            meant = _without_null(shown.column(name))
            said = _said(hidden.column(name)) if hidden.num_rows else meant
            starred = hidden.num_rows > len(said)
            shown = shown.set_column(place, name, _as_numbers(meant, said) if starred else meant)
    return shown


def _said(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """The cells that are not ``*``."""
    plain = _without_null(_plain(column))
    if not pa.types.is_string(plain.type):
        return plain
    return plain.filter(pc.not_equal(plain, ANY).fill_null(True))


def _without_null(column: pa.ChunkedArray) -> pa.ChunkedArray:
    plain = _plain(column)
    if not pa.types.is_string(plain.type):
        return column
    word = pc.equal(plain, NULL).fill_null(False)
    return pc.if_else(word, pa.scalar(None, plain.type), plain) if pc.any(word).as_py() else column


def _as_numbers(column: pa.ChunkedArray, said: pa.ChunkedArray) -> pa.ChunkedArray:
    """The column as numbers, if what the hidden records say in it are numbers too."""
    try:
        said.cast(pa.float64())
        return _plain(column).cast(pa.float64())
    except pa.ArrowInvalid:
        return column


def _plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Without a dictionary, and all text of one type."""
    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    text = pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
    return column.cast(pa.string() if text else kind)
