"""Forms whose one table has a row for each record, with all that is published of it: generalized, centres."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shoal.measure.queries.counting import Bounded, ask
from shoal.measure.queries.parts import Part, Section
from shoal.measure.queries.question import Aggregate, Question
from shoal.measure.queries.sheets import Sheets


def answered(sheets: Sheets, what: Aggregate, asked: Sequence[Question]) -> Bounded:
    """Each row says by itself what it may stand for."""
    table, columns = sheets.published.rows, sheets.columns
    rows = np.arange(table.num_rows)
    whole = Part(sheets.axes(table, columns), [column.name for column in columns], rows)
    return ask(lambda _: [Section([whole], np.array([table.num_rows]))], what, asked)
