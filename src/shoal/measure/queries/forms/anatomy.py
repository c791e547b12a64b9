"""Anatomy: a row for each record without its sensitive values, and of each sensitive column what the classes hold.

Within a class any of its values may be any record's, and values of two sensitive columns anyhow together.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shoal.errors import DataError
from shoal.measure.queries.counting import Bounded, ask
from shoal.measure.queries.parts import Part, Section
from shoal.measure.queries.question import Aggregate, Question
from shoal.measure.queries.sheets import Sheets
from shoal.verify.anatomized import Anatomized


def answered(sheets: Sheets, what: Aggregate, asked: Sequence[Question]) -> Bounded:
    """The records' own columns are one part, each sensitive column is one more."""
    section = joined(sheets, Anatomized(sheets.published))
    return ask(lambda _: [section], what, asked)


def joined(sheets: Sheets, release: Anatomized) -> Section:
    """All records; the tables must speak of the same."""
    if partial := [column.name for column in release.sensitive if not release.is_whole(column.name)]:
        raise DataError(
            f"the tables of {', '.join(partial)} do not have a value for each record: judge the release with shoal "
            "verify"
        )
    own = [column for column in release.true if column.role != "added"]
    rows = np.arange(release.rows.num_rows)
    parts = [Part(sheets.axes(release.rows, own), [column.name for column in own], rows, None, release.of_row)]
    for column in release.sensitive:
        group, times, table = release.counted(column.name)
        rows = np.arange(table.num_rows)
        parts.append(Part(sheets.axes(table, [column]), [column.name], rows, times, group))
    return Section(parts, release.numbers[1])
