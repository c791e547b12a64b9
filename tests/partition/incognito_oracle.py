"""Incognito written as plainly as its definition: every combination of levels, every class, record by record."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import NamedTuple

Record = tuple[int, ...]


class Found(NamedTuple):
    """One combination of levels that will do."""

    loss: float
    classes: frozenset[frozenset[int]]  # of record numbers; those that are left out are in none
    levels: tuple[int, ...]


def everything_that_will_do(
    records: Sequence[Record],
    groups: Sequence[Sequence[Sequence[int]]],
    keeps: Callable[[Sequence[int]], bool],
    lost: Callable[[Sequence[int]], float],
    spare: int,
) -> Iterator[Found]:
    """All combinations of levels that keep the plan; ``groups[column][level][code]`` is the group of a code.

    ``keeps`` judges a class, ``lost`` says how much each of its records loses; a record left out loses 1.
    """
    for levels in product(*(range(len(column)) for column in groups)):
        classes = defaultdict(list)
        for number, record in enumerate(records):
            classes[tuple(groups[j][level][record[j]] for j, level in enumerate(levels))].append(number)
        kept = [held for held in classes.values() if keeps(held)]
        out = len(records) - sum(map(len, kept))
        if out <= spare:
            loss = sum(len(held) * lost(held) for held in kept) + out
            yield Found(loss, frozenset(map(frozenset, kept)), levels)
