"""Forms whose one table has a row for each record, with all that is published of it: generalized, centres."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shoal.measure.queries.counting import Bounded, ask
from shoal.measure.queries.question import Aggregate, Question
from shoal.measure.queries.sheets import Sheets


def answered(sheets: Sheets, what: Aggregate, asked: Sequence[Question]) -> Bounded:
    """Each row says by itself what it may stand for."""
    table = sheets.published.rows
    return ask([sheets.part(table, sheets.columns)], np.array([table.num_rows]), what, asked)
