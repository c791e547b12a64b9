"""How a value is written as text, wherever text is compared: hierarchy leaves, sets, intervals."""

from __future__ import annotations

import pyarrow as pa


def texts(values: pa.Array) -> pa.Array:
    """Whole numbers without a point, dates as ISO 8601, booleans as true and false; missing stays missing."""
    if pa.types.is_string(values.type):
        return values
    return values.cast(pa.string())
