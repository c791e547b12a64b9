"""What can be believed by somebody who thinks of every way in which a release can be of some people: slow, obvious.

A person has a known part; a class of a release says of which known parts its rows may be, row by row, and which values
its people have. Every way of giving the rows to the people, and the values of a class to its rows, is as likely.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from fractions import Fraction
from itertools import permutations
from typing import NamedTuple

Value = Hashable


class Class(NamedTuple):
    """The known parts that each row may be of, and the values that its people have between them."""

    rows: tuple[frozenset[Hashable], ...]
    values: tuple[Value, ...]


def beliefs(classes: Sequence[Class], people: Sequence[Hashable]) -> list[dict[Value, Fraction]]:
    """Of each person the exact belief in each value, if everybody is in the release."""
    rows = [(number, fits) for number, held in enumerate(classes) for fits in held.rows]
    found: list[Counter[Value]] = [Counter() for _ in people]
    for order in permutations(range(len(rows)), len(people)):
        if all(known in rows[row][1] for known, row in zip(people, order, strict=True)):
            for counter, row in zip(found, order, strict=True):
                held = classes[rows[row][0]].values
                counter.update({value: Fraction(times, len(held)) for value, times in Counter(held).items()})  # type: ignore[dict-item]
    return [{value: Fraction(part) / sum(one.values()) for value, part in one.items()} for one in found]
