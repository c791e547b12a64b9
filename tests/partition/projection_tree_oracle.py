"""The projection tree written as plainly as it is told, record by record: what the compiled search must equal."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

Point = Sequence[float | None]


@dataclass(frozen=True)
class Oracle:
    """``order`` gives the axes of a node, by where it begins and ends, in the order in which they are drawn."""

    points: Sequence[Point]
    k: int
    draws: int
    variant: str
    relaxed: bool
    keeps: Callable[[Sequence[int]], bool]
    order: Callable[[int, int], list[int]]

    def classes(self) -> set[frozenset[int]]:
        return {frozenset(node) for node in self._divided(list(range(len(self.points))), 0)}

    def _divided(self, node: list[int], lo: int) -> list[list[int]]:
        if len(node) >= 2 * self.k:
            for axis in self._axes(node, lo):
                left = self._cut(node, axis)
                if left:
                    node = exchanged(node, left)
                    here, there = node[: len(left)], node[len(left) :]
                    return [*self._divided(here, lo), *self._divided(there, lo + len(left))]
        return [node]

    def _axes(self, node: list[int], lo: int) -> list[int]:
        """The widest of those drawn first, then others of these, then of as many others; at last one without width."""
        drawn, found = self.order(lo, lo + len(node)), []
        for start in range(0, len(drawn), self.draws):
            batch = drawn[start : start + self.draws]
            wide = [axis for axis in batch if self._variance(node, axis) > 0]
            found += sorted(wide, key=lambda axis: -self._variance(node, axis))
        flat = [axis for axis in drawn if axis not in found]
        return found + flat[:1] if self.relaxed else found

    def _variance(self, node: list[int], axis: int) -> float:
        held = [x for x in (self.points[i][axis] for i in node) if x is not None]
        if not held:
            return 0.0
        above = [x - held[0] for x in held]  # computed as the kernel does: near equals must not differ
        total = sum(above)
        return max(sum(x * x for x in above) - total * total / len(held), 0.0) / len(held)

    def _cut(self, node: list[int], axis: int) -> set[int]:
        """Who goes left; nobody, if no cut is allowed on this axis."""
        n = len(node)
        keys = self._keys(node, axis)
        ordered = sorted(node, key=lambda i: (keys[i], node.index(i)))
        for places in (self._places(n), range(self.k, n - self.k + 1)):
            able = [s for s in places if self.relaxed or keys[ordered[s - 1]] != keys[ordered[s]]]
            if able:
                kept = [s for s in able if self.keeps(ordered[:s]) and self.keeps(ordered[s:])]
                best = min(kept, key=lambda s: self._metric(ordered[:s], ordered[s:]), default=0)
                return set(ordered[:best])
        return set()

    def _places(self, n: int) -> list[int]:
        """The numbers of records on the left that leave as many classes as there can be, near the middle."""
        most = n // self.k
        match self.variant:
            case "equilibrium":
                return [n // 2]
            case "rounded" | "flexible":
                return [math.floor(most / 2 + 0.5) * self.k]
            case "ka-ppkt":
                halves = {most // 2}
            case _:
                halves = {most // 2, math.ceil(most / 2)}
                if most % 2 == 0 and most >= 4:
                    halves = {most // 2, most // 2 + 1}
        return [
            s
            for s in range(1, n)
            if s // self.k in halves and s // self.k + (n - s) // self.k == most and s % self.k <= n % self.k
        ]

    def _metric(self, left: Sequence[int], right: Sequence[int]) -> float:
        return len(left) * self._range(left) + len(right) * self._range(right)

    def _range(self, records: Sequence[int]) -> float:
        """Esr."""
        columns = zip(*(self.points[i] for i in records), strict=True)
        known = [[x for x in column if x is not None] for column in columns]
        return sum(max(held) - min(held) for held in known if held)

    def _keys(self, node: list[int], axis: int) -> dict[int, float]:
        """Where each record lies on the axis; one without a value before or after all others.

        They go to the nearer side, cut where the node would be, as far as this leaves room for them.
        """
        places = self._places(len(node))
        keys = {i: x for i in node if (x := self.points[i][axis]) is not None}
        cut = len(keys) * places[0] // len(node)
        middle = sorted(keys.values())[cut] if keys else 0.0
        left = self._centre([i for i in keys if keys[i] < middle])
        right = self._centre([i for i in keys if keys[i] >= middle])
        regret = {i: self._nearer(i, left, right) for i in node if i not in keys}
        seats = sum(one < 0 for one in regret.values())
        while cut + seats < places[0] and seats < len(regret):
            seats += 1
        while cut + seats > places[-1] and seats > 0:
            seats -= 1
        for place, i in enumerate(sorted(regret, key=lambda i: (regret[i], node.index(i)))):
            keys[i] = (-100 if place < seats else 100) + regret[i]
        return keys

    def _nearer(self, i: int, left: Point, right: Point) -> float:
        """How much less of a way it is to the left than to the right."""
        nearer = 0.0
        for x, here, there in zip(self.points[i], left, right, strict=True):
            if x is not None and here is not None and there is not None:
                nearer += (x - here) * (x - here) - (x - there) * (x - there)
        return nearer

    def _centre(self, records: list[int]) -> list[float | None]:
        centre: list[float | None] = []
        for axis in range(len(self.points[0])):
            held = [x for x in (self.points[i][axis] for i in records) if x is not None]
            centre.append(sum(held) / len(held) if held else None)
        return centre


def exchanged(node: list[int], left: set[int]) -> list[int]:
    """The node with those that go left in front: the first that must leave and the last that must come change places.

    Which of equal values goes left is decided by how the records lie, so the oracle must lay them in the same way.
    """
    node, i, j = list(node), 0, len(node) - 1
    while True:
        while i < j and node[i] in left:
            i += 1
        while i < j and node[j] not in left:
            j -= 1
        if i >= j:
            return node
        node[i], node[j] = node[j], node[i]
        i, j = i + 1, j - 1
