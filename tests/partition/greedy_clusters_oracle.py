"""Greedy clusters written as plainly as they are told, record by record: what the compiled search must equal."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction

Record = tuple[int, ...]


def classes(
    records: Sequence[Record],
    values: Sequence[int],
    least: int,
    l: int,
    loss: Callable[[Sequence[Record]], float],
) -> list[list[int]]:
    """The classes in the order of their making; ``values`` are the sensitive ones, and no class has l of them twice."""
    pool, made, last = list(range(len(records))), [], []
    while pool:
        left = Counter(values[i] for i in pool)
        size, most, need = course(len(pool), left, least, l)
        grown: list[int] = []
        while len(grown) < size:

            def may(i: int) -> bool:
                held = Counter(values[j] for j in [*grown, i])  # noqa: B023
                owed = sum(max(held[v], need.get(v, 0)) for v in left)  # noqa: B023
                return held[values[i]] <= most and owed <= size  # noqa: B023

            able = [i for i in pool if may(i)]
            if grown:
                chosen = min(able, key=lambda i: loss([records[j] for j in [*grown, i]]))
            elif last:
                chosen = max(able, key=lambda i: loss([records[j] for j in [*last, i]]))
            else:
                chosen = able[0]
            grown.append(chosen)
            place = pool.index(chosen)  # the first takes the chosen one's place: ties fall by where records lie
            pool[place] = pool[0]
            pool = pool[1:]
        made.append(grown)
        last = grown
    return made


def course(count: int, left: Counter[int], least: int, l: int) -> tuple[int, int, dict[int, int]]:
    """The size of the next class, how often it may hold a value, and how often it must hold some."""
    far = max(least, l * (l + 2))
    for size in range(least, min(count - least, least + far) + 1):
        most = size // l
        need = {v: max(0, math.ceil(held - Fraction(count - size, l))) for v, held in left.items()}
        enough = sum(min(most, held) for held in left.values()) >= size
        if enough and sum(need.values()) <= size and max(need.values()) <= most:
            return size, most, need
    if count >= 2 * (least + far):
        raise AssertionError("no class leaves the rest diverse")
    return count, count, {}
