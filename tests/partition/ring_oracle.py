"""A ring as its definition says: walking around it, any l records in a row have different sensitive values."""

from __future__ import annotations

from collections.abc import Sequence


def is_ring(secret: Sequence[int], l: int) -> bool:
    """``secret`` are the values in the order of the ring."""
    around = [*secret, *secret]
    return all(len(set(around[i : i + l])) == l for i in range(len(secret)))
