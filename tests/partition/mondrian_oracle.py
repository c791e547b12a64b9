"""Mondrian written as plainly as its paper, record by record: what the compiled search must equal."""

from __future__ import annotations

from collections.abc import Callable, Sequence

Record = tuple[int, ...]


def classes(
    records: Sequence[Record], position: Sequence[Sequence[float]], keeps: Callable[[Sequence[int]], bool]
) -> set[frozenset[int]]:
    """The classes of strict Mondrian, as sets of record numbers; ``keeps`` judges a class."""

    def divide(node: list[int]) -> list[list[int]]:
        for axis in _by_width(records, position, node):
            for left, right in _cuts(records, node, axis):
                if left and right and keeps(left) and keeps(right):
                    return [*divide(left), *divide(right)]
        return [node]

    everybody = list(range(len(records)))
    return {frozenset(node) for node in divide(everybody)} if everybody else set()


def _by_width(records: Sequence[Record], position: Sequence[Sequence[float]], node: list[int]) -> list[int]:
    def width(axis: int) -> float:
        held = [position[axis][records[i][axis]] for i in node]
        return max(held) - min(held)

    wide = [axis for axis in range(len(position)) if width(axis) > 0]
    return sorted(wide, key=lambda axis: (-width(axis), axis))


def _cuts(records: Sequence[Record], node: list[int], axis: int) -> list[tuple[list[int], list[int]]]:
    """The median's two sides, the better balanced cut first."""
    ordered = sorted(records[i][axis] for i in node)
    middle = ordered[len(node) // 2]
    below = ([i for i in node if records[i][axis] < middle], [i for i in node if records[i][axis] >= middle])
    above = ([i for i in node if records[i][axis] <= middle], [i for i in node if records[i][axis] > middle])
    return [below, above] if len(below[0]) >= len(above[1]) else [above, below]
