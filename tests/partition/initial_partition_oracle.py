"""The initial partition written as plainly as it is told, with lists and exact fractions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

Record = tuple[int, ...]


def phi_squared(pairs: Sequence[tuple[int, int]]) -> Fraction:
    """Section 4.1, formula by formula; cells whose marginal is zero do not occur."""
    n = len(pairs)
    both, one, other = Counter(pairs), Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
    if min(len(one), len(other)) < 2:
        return Fraction(0)
    total = Fraction(0)
    for a in one:
        for b in other:
            expected = Fraction(one[a], n) * Fraction(other[b], n)
            total += (Fraction(both[a, b], n) - expected) ** 2 / expected
    return total / (min(len(one), len(other)) - 1)


@dataclass
class Group:
    """Records that are alike in a column, or that were put together although they are not."""

    members: list[int]
    mixed: bool = False
    round: int = 0


def deficit(members: Sequence[int], secret: Sequence[int], l: int) -> int:
    """How many records are lacking for no value to be too common."""
    return max(0, l * max(Counter(secret[i] for i in members).values()) - len(members))


def blocks(
    records: Sequence[Record], secret: Sequence[int], l: int, columns: Sequence[int], *, final: bool
) -> list[list[int]]:
    """Algorithm 1, with the better of two neighbours; the blocks in the order of the columns."""

    def partition(members: list[int], depth: int) -> list[list[int]]:
        if depth == len(columns):
            return [members]
        values = sorted({records[i][columns[depth]] for i in members})
        groups = [Group([i for i in members if records[i][columns[depth]] == value]) for value in values]
        merge(groups, secret, l)
        found = []
        for group in groups:
            stop = final and group.mixed
            found += [group.members] if stop else partition(group.members, depth + 1)
        return found

    return partition(list(range(len(records))), 0)


def merge(groups: list[Group], secret: Sequence[int], l: int) -> None:
    """Lines 2 to 5, in rounds: in each, a group is put together with another once at most."""
    now, changed = 0, True
    while changed:
        now, changed, at = now + 1, False, 0
        while at < len(groups):
            if groups[at].round != now and deficit(groups[at].members, secret, l):
                able = [i for i in (at - 1, at + 1) if 0 <= i < len(groups) and groups[i].round != now]
                if able:
                    other = min(able, key=lambda i: _cost(groups, at, i, secret, l))
                    at, other, changed = min(at, other), max(at, other), True
                    groups[at] = Group(groups[at].members + groups[other].members, mixed=True, round=now)
                    del groups[other]
            at += 1


def _cost(groups: Sequence[Group], at: int, other: int, secret: Sequence[int], l: int) -> tuple[int, int]:
    return deficit(groups[at].members + groups[other].members, secret, l), len(groups[other].members)
