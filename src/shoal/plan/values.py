"""Whether a single value of a plan is what it should be, whatever type somebody gave it."""

from __future__ import annotations

import math
from typing import TypeGuard


def is_number(value: object) -> TypeGuard[int | float]:
    """A finite number; true and false are none, though Python counts with them."""
    return is_whole(value) or (isinstance(value, float) and math.isfinite(value))


def is_whole(value: object) -> TypeGuard[int]:
    """A whole number."""
    return isinstance(value, int) and not isinstance(value, bool)


def is_share(value: object) -> bool:
    """A number from 0 to 1."""
    return is_number(value) and 0 <= value <= 1


def is_closeness(value: object) -> bool:
    """A number that a distance between distributions can be held to."""
    return is_number(value) and 0 < value <= 1


def are_texts(value: object) -> TypeGuard[tuple[str, ...]]:
    """A list of texts, which a plan holds as a tuple."""
    return isinstance(value, tuple) and all(isinstance(text, str) for text in value)
