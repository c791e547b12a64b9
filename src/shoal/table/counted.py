"""Tables in which a row stands for several records that are alike, and says for how many."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.errors import DataError

#: What the column with the number of records is called.
COUNT = "count"

#: More records than this are not made of a few rows.
_MOST = 1 << 30


def spread(table: pa.Table) -> pa.Table:
    """One row for each record, without the column that counted them."""
    column = table.column(COUNT)
    if not pa.types.is_integer(column.type) or column.null_count or (len(column) and pc.min(column).as_py() < 1):
        raise DataError(
            f"the published column {COUNT} has no role in the plan, and does not say how many records each row stands "
            "for: expected whole numbers of at least 1"
        )
    times = column.cast(pa.int64()).to_numpy()
    if times.sum(dtype=np.float64) > _MOST:
        raise DataError(f"by the column {COUNT} the table has more than {_MOST:,} records, which are too many to judge")
    return table.drop_columns([COUNT]).take(pa.array(np.repeat(np.arange(len(times)), times)))
