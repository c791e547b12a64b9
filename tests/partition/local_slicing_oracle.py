"""Local slicing told as the paper tells it, record by record: what the compiled search must equal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from tests.partition.greedy_clusters_oracle import course

Record = tuple[int, ...]
#: Of some columns the codes that a record must have: from the first to the second of the pair.
Vertex = Mapping[int, tuple[int, int]]


def has(record: Record, vertex: Vertex) -> bool:
    return all(first <= record[column] <= last for column, (first, last) in vertex.items())


def leads(records: Sequence[Record], vertices: Sequence[Vertex]) -> list[int]:
    """The most important vertex that each record has; their number if there is none."""
    return [next((v for v, held in enumerate(vertices) if has(r, held)), len(vertices)) for r in records]


def buckets(
    records: Sequence[Record],
    values: Sequence[int],
    vertices: Sequence[Vertex],
    quasi: int,
    least: int,
    l: int,
    distance: Callable[[Record, Record], float],
) -> list[tuple[list[int], int]]:
    """Algorithm 2, lines 1 to 7: the buckets, and the vertex of each; ``values`` are the sensitive ones."""
    led = leads(records, vertices)
    pool, made = list(range(len(records))), []
    for seed in sorted(pool, key=lambda i: led[i]):
        while seed in pool:
            left = Counter(values[i] for i in pool)
            size, most, need = course(len(pool), left, least, l)
            wanted = vertices[led[seed]] if led[seed] < len(vertices) else {}

            def order(i: int) -> tuple[int, float]:
                missed = sum(
                    not has(records[i], {column: run})
                    for column, run in wanted.items()  # noqa: B023
                    if column < quasi
                )
                return missed, distance(records[seed], records[i])  # noqa: B023

            grown: list[int] = []
            for i in sorted(_around(pool, seed), key=order):
                held = Counter(values[j] for j in [*grown, i])
                owed = sum(max(held[v], need.get(v, 0)) for v in left)
                if len(grown) < size and held[values[i]] <= most and owed <= size:
                    grown.append(i)
            made.append((grown, led[seed]))
            pool = [i for i in pool if i not in grown]
    return made


def _around(pool: Sequence[int], seed: int) -> Iterator[int]:
    """The seed, and the others from both sides of it in turn: so ties fall by where records lie."""
    at = pool.index(seed)
    back, on = list(pool[:at][::-1]), list(pool[at + 1 :])
    yield seed
    while back or on:
        if back:
            yield back.pop(0)
        if on:
            yield on.pop(0)


def slices(
    records: Sequence[Record],
    beside: Sequence[Sequence[int]],
    others: Sequence[Sequence[tuple[int, int, int]]],
    quasi: int,
    widest: int,
    narrowest: int,
) -> list[set[int]]:
    """Algorithm 2, lines 8 to 25: of a bucket with these records the slices without a sensitive column.

    ``beside`` are the columns that stand beside the sensitive ones, ``others`` the vertices without these.
    """
    free = [column for column in range(quasi) if all(column not in held for held in beside)]
    shown = [sum(has(r, {c: (first, last) for c, first, last in v}) for r in records) for v in others]
    made = []
    for vertex in sorted(range(len(others)), key=lambda v: -shown[v]):
        left = [column for column, _, _ in others[vertex] if column in free]
        if left and len(left) >= narrowest:
            made.append(set(left))
            free = [column for column in free if column not in left]
    parts = -(-len(free) // widest)
    even = [{column for at, column in enumerate(free) if at * parts // len(free) == part} for part in range(parts)]
    return made + even
