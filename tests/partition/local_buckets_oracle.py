"""Local generalization and bucketization as plainly as the paper has it, record by record."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

Record = tuple[int, ...]


# -- Algorithm 2 --------------------------------------------------------------------------------------------------


def eligible(values: Sequence[int], l: int) -> bool:
    return max(Counter(values).values(), default=0) * l <= len(values)


def ranges(values: Sequence[int], l: int) -> list[list[int]]:
    """The parts of sorted values that Algorithm 2 hands to the assignment of m-Invariance."""
    ordered = sorted(values)
    if not ordered:
        return []
    median = ordered[(len(ordered) - 1) // 2]
    small, big = [v for v in ordered if v <= median], [v for v in ordered if v > median]
    if small and big and eligible(small, l) and eligible(big, l):
        return [*ranges(small, l), *ranges(big, l)]
    return [ordered]


def sizes(values: Sequence[int], l: int) -> list[int]:
    """The sizes of the buckets of a part: each takes one of the b >= l commonest, the least b that leaves others so."""
    counts, found = Counter(values), []
    while counts.total():
        size = l
        while True:
            rest = counts - Counter(value for value, _ in counts.most_common(size))
            if rest.total() == counts.total() - size and max(rest.values(), default=0) * l <= rest.total():
                break
            size += 1
        counts = rest
        found.append(size)
    return found


# -- Algorithm 4 --------------------------------------------------------------------------------------------------


def around_seeds(
    records: Sequence[Record], k: int, loss: Callable[[Sequence[Record]], float], *, stop: bool
) -> list[list[int]]:
    """Classes by two far records, again and again; ``records`` come in the order in which they are looked at."""

    def apart(one: int, other: int) -> float:
        return loss([records[one], records[other]])

    def divide(node: list[int]) -> list[list[int]]:
        if len(node) < 2 * k:
            return [node]
        sides = _sides(node, apart, lambda members: loss([records[i] for i in members]), whole=stop)
        if not stop:
            sides = _filled(sides, k, lambda members: loss([records[i] for i in members]))
        if min(map(len, sides)) < k:
            return [node]
        return [*divide(sides[0]), *divide(sides[1])]

    return divide(list(range(len(records)))) if records else []


def _sides(
    node: list[int], apart: Callable[[int, int], float], lost: Callable[[list[int]], float], *, whole: bool
) -> tuple[list[int], list[int]]:
    """Three rounds to the farthest record; the others, as they come, to the side whose loss grows less, or is less."""
    one, other = node[0], node[0]
    for _ in range(3):
        one, other = max(node, key=lambda i: (apart(one, i), -node.index(i))), one
    if one == other:
        other = node[1]
    # The seeds change places with the first two records, as they do where records are moved.
    node = node.copy()
    for place, seed in enumerate((one, other)):
        at = node.index(seed)
        node[place], node[at] = node[at], node[place]
    left, right = [node[0]], [node[1]]
    for i in node[2:]:
        before = (0.0, 0.0) if whole else (lost(left), lost(right))
        first, second = lost([*left, i]) - before[0], lost([*right, i]) - before[1]
        if first < second or (first == second and len(left) <= len(right)):
            left.append(i)
        else:
            right.append(i)
    return left, right


def _filled(
    sides: tuple[list[int], list[int]], k: int, lost: Callable[[list[int]], float]
) -> tuple[list[int], list[int]]:
    """A side that is too small takes the records that it loses least by, the first of several; they change places."""
    left, right = sides
    if len(left) < k:
        need = k - len(left)
        cheapest = sorted(range(len(right)), key=lambda n: (lost([*left, right[n]]), n))[:need]
        for n, place in enumerate(sorted(cheapest)):
            right[n], right[place] = right[place], right[n]
        return [*left, *right[:need]], right[need:]
    if len(right) < k:
        need = k - len(right)
        cheapest = sorted(range(len(left)), key=lambda n: (lost([*right, left[n]]), n))[:need]
        for n, place in enumerate(sorted(cheapest, reverse=True), start=1):
            left[-n], left[place] = left[place], left[-n]
        return left[:-need], [*left[-need:], *right]
    return left, right
