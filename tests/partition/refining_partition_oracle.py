"""Algorithm 2 as a referee: whether each step of a search is one that the paper allows, chance being free."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

Record = tuple[int, ...]
#: The numbers of the classes drawn from each block, in the order of their drawing, with the places of their records.
Drawn = Sequence[Sequence[Sequence[int]]]


def check_draws(blocks: Sequence[Sequence[int]], drawn: Drawn, secret: Sequence[int], l: int) -> None:
    """Lines 4 to 9: each class takes one record of each of the l largest buckets, as long as there are l."""
    for block, classes in zip(blocks, drawn, strict=True):
        left = Counter(secret[i] for i in block)
        for members in classes:
            assert set(members) <= set(block)
            chosen = [secret[i] for i in members]
            assert len(set(chosen)) == len(chosen) == l
            others = [count for value, count in left.items() if value not in chosen]
            assert min(left[value] for value in chosen) >= max(others, default=0)
            left.subtract(chosen)
        assert sum(count > 0 for count in left.values()) < l


def check_pool(
    left: Sequence[Sequence[int]], pooled: Mapping[int, Sequence[Sequence[int]]], secret: Sequence[int], l: int
) -> list[int]:
    """Lines 10 to 15: of the commonest values in the pool the newest records, as long as there are l values.

    ``left`` are the records that each block leaves over, ``pooled`` the classes that are made after a block. Returns
    the records that stay.
    """
    pool: dict[int, list[int]] = {}
    for block, records in enumerate(left):
        for i in records:
            pool.setdefault(secret[i], []).append(i)
        for members in pooled.get(block, []):
            assert len({secret[i] for i in members}) == len(members) == l
            others = [len(records) for value, records in pool.items() if value not in {secret[i] for i in members}]
            assert min(len(pool[secret[i]]) for i in members) >= max(others, default=0)
            assert all(pool[secret[i]].pop() == i for i in members)
        assert sum(bool(records) for records in pool.values()) < l
    return sorted(i for records in pool.values() for i in records)


def check_settled(
    block: Sequence[int], home: Mapping[int, int], left: Sequence[int], records: Sequence[Record], secret: Sequence[int]
) -> None:
    """Lines 17 to 22, for the records that a block has left, in the order in which they lie.

    ``home`` says of each record of the block its class in the end, if this is one that was drawn from the block.
    """
    classes: dict[int, list[int]] = {}
    for i in block:
        if i in home and i not in left:
            classes.setdefault(home[i], []).append(i)
    for i in left:
        able = {number: held for number, held in classes.items() if secret[i] not in {secret[j] for j in held}}
        least = min(len(held) for held in able.values())
        nearest = min(distance(records[i], records[j]) for held in able.values() if len(held) == least for j in held)
        assert home[i] in able
        assert len(able[home[i]]) == least
        assert min(distance(records[i], records[j]) for j in able[home[i]]) == nearest
        classes[home[i]].append(i)


def distance(one: Record, other: Record) -> tuple[int, ...]:
    """How far apart two records are in the order of the columns: first in the first, then in the second."""
    return tuple(abs(a - b) for a, b in zip(one, other, strict=True))
