"""GLP, RE and phi² of a grouping, written as plainly as they are defined."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from fractions import Fraction

from tests.partition.initial_partition_oracle import phi_squared

#: A class: how likely each of its records has each value.
Class = dict[int, Fraction]


def chances(of: Sequence[int], secret: Sequence[int]) -> dict[int, Class]:
    held: dict[int, Counter[int]] = defaultdict(Counter)
    for number, value in zip(of, secret, strict=True):
        held[number][value] += 1
    return {c: {v: Fraction(times, counts.total()) for v, times in counts.items()} for c, counts in held.items()}


def penalties(alike: Sequence[int], of: Sequence[int], secret: Sequence[int]) -> list[Fraction]:
    """Definition 3: the chances of values that no record with the same other values has."""
    classes, known = chances(of, secret), defaultdict(set)
    for one, value in zip(alike, secret, strict=True):
        known[one].add(value)
    return [
        sum((chance for value, chance in classes[c].items() if value not in known[one]), Fraction(0))
        for one, c in zip(alike, of, strict=True)
    ]


def reconstruction_error(of: Sequence[int], secret: Sequence[int]) -> Fraction:
    classes = chances(of, secret)
    return sum((1 - classes[c][value] for c, value in zip(of, secret, strict=True)), Fraction(0))


def phi_squared_told(codes: Sequence[int], of: Sequence[int], secret: Sequence[int]) -> Fraction:
    """phi² of expected co-occurrence: as if each record were repeated with each value of its class."""
    sizes = Counter(of)
    whole = 1
    for size in sizes.values():
        whole *= size
    pairs = []
    for code, c in zip(codes, of, strict=True):
        for value, chance in chances(of, secret)[c].items():
            times = chance * whole
            assert times.denominator == 1
            pairs += [(code, value)] * int(times)
    return phi_squared(pairs)
