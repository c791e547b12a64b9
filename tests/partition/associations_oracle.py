"""Association sets told as the paper tells them, on lists of records: what the compiled search must equal."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

#: For each value of a column, in order, the labels from the value itself up to the root.
Paths = Mapping[object, tuple[object, ...]]
Record = Sequence[object]


@dataclass(frozen=True)
class Node:
    """A node of a column's hierarchy: the first and last place of the values below it, and its depth from 0 to 1."""

    column: int
    first: int
    last: int
    level: float


Vertex = tuple[Node, ...]


@dataclass(frozen=True)
class Search:
    """Algorithm ASG; the columns from ``quasi`` on are sensitive."""

    records: Sequence[Record]
    columns: Sequence[Paths]
    quasi: int
    support: float
    confidence: float
    widest: int

    def found(self) -> tuple[dict[Vertex, float], dict[Vertex, float]]:
        """S_T and R_T: of each vertex its importance."""
        often = [[n for n in self.nodes(at) if self.is_frequent((n,))] for at in range(len(self.columns))]
        kept: list[Vertex] = []
        for size in range(2, self.widest + 1):
            for chosen in itertools.combinations(range(len(self.columns)), size):
                if sum(at >= self.quasi for at in chosen) < 2:
                    vertices = itertools.product(*(often[at] for at in chosen))
                    kept += self.specific([v for v in vertices if self.is_frequent(v) and self.is_sure(v)])
        found = {v: sum(n.level for n in v) / len(self.columns) + self.sureness(v) for v in kept}
        secret = {v: value for v, value in found.items() if v[-1].column >= self.quasi}
        return secret, {v: value for v, value in found.items() if v not in secret}

    def nodes(self, column: int) -> list[Node]:
        """All nodes but the root; of those that have the same values the deepest."""
        paths = self.columns[column]
        deepest = max(len(path) for path in paths.values()) - 1
        found: dict[tuple[int, int], Node] = {}
        for way in {path[at:] for path in paths.values() for at in range(len(path) - 1)}:
            below = [place for place, path in enumerate(paths.values()) if path[-len(way) :] == way]
            node = Node(column, below[0], below[-1], (len(way) - 1) / deepest)
            assert below == list(range(node.first, node.last + 1))
            before = found.setdefault((node.first, node.last), node)
            found[node.first, node.last] = max(before, node, key=lambda one: one.level)
        return [node for run, node in sorted(found.items()) if run != (0, len(paths) - 1)]

    def count(self, vertex: Vertex) -> int:
        places = [{value: place for place, value in enumerate(paths)} for paths in self.columns]
        return sum(all(n.first <= places[n.column][r[n.column]] <= n.last for n in vertex) for r in self.records)

    def is_frequent(self, vertex: Vertex) -> bool:
        return self.count(vertex) >= max(self.support * len(self.records) - 1e-9, 1)

    def sureness(self, vertex: Vertex) -> float:
        """How surely a sensitive node follows from the others; without one, the node that does most surely."""
        given = [vertex[:at] + vertex[at + 1 :] for at in range(len(vertex))]
        if vertex[-1].column >= self.quasi:
            given = given[-1:]
        return max(self.count(vertex) / self.count(others) for others in given)

    def is_sure(self, vertex: Vertex) -> bool:
        return self.sureness(vertex) >= self.confidence - 1e-9

    def specific(self, vertices: list[Vertex]) -> list[Vertex]:
        """Of vertices over the same columns the deepest, then all that share no record with one before."""
        order = sorted(
            range(len(vertices)),
            key=lambda i: (-round(sum(n.level for n in vertices[i]), 9), -self.sureness(vertices[i]), i),
        )
        kept: list[Vertex] = []
        for vertex in (vertices[i] for i in order):
            pairs = [list(zip(vertex, other, strict=True)) for other in kept]
            if all(any(a.last < b.first or b.last < a.first for a, b in held) for held in pairs):
                kept.append(vertex)
        return kept
