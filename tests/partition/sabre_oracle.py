"""SABRE written as plainly as the paper tells it: with fractions, recursions and searches through everybody."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

from scipy.optimize import linprog

Apart = Callable[[int, int], Fraction]
Bucket = tuple[int, ...]  # the codes in it
Node = int


def upper(bucket: Bucket, counts: Sequence[int], apart: Apart) -> Fraction:
    """Definition 4, by its proof for numbers: all the bucket's earth at the value where that costs most."""
    total = sum(counts)
    return max(sum((apart(at, i) * Fraction(counts[i], total) for i in bucket), Fraction(0)) for at in bucket)


def upper_of_categories(bucket: Bucket, counts: Sequence[int], apart: Apart) -> Fraction:
    """Theorem 2 for categories: all but the rarest value's earth, over the distance of the farthest."""
    height = max(apart(i, j) for i in bucket for j in bucket)
    return height * Fraction(sum(counts[i] for i in bucket) - min(counts[i] for i in bucket), sum(counts))


def bucket_num(counts: Sequence[int], t: float) -> list[Bucket]:
    """Function bucketNum, every split point tried (Procedure split)."""
    span = max(len(counts) - 1, 1)

    def apart(i: int, j: int) -> Fraction:
        return Fraction(abs(i - j), span)

    def cost(bucket: Bucket) -> Fraction:
        return upper(bucket, counts, apart)

    def split(bucket: Bucket) -> tuple[Bucket, ...]:
        ways = [(bucket[:at], bucket[at:]) for at in range(1, len(bucket))]
        return min(ways, key=lambda way: cost(way[0]) + cost(way[1])) if ways else ()

    return _greedy(tuple(i for i, held in enumerate(counts) if held), cost, split, t)


def bucket_cat(
    counts: Sequence[int], t: float, root: Node, children: Callable[[Node], Sequence[Node]],
    codes: Callable[[Node], Bucket], apart: Apart,
) -> list[Bucket]:  # fmt: skip
    """Function bucketCat, on the hierarchy as it is: a node with one child that occurs is split for nothing."""

    def occurring(node: Node) -> Bucket:
        return tuple(code for code in codes(node) if counts[code])

    def cost(node: Node) -> Fraction:
        return upper_of_categories(occurring(node), counts, apart)

    def split(node: Node) -> tuple[Node, ...]:
        below = tuple(child for child in children(node) if occurring(child))
        return split(below[0]) if len(below) == 1 else below

    return [occurring(node) for node in _greedy(root, cost, split, t)]


def _greedy(root, cost, split, t):  # type: ignore[no-untyped-def]
    """Lines 9 to 20: the bucket whose split lowers U most is split, the first of several."""
    leaves = [root]
    while sum(map(cost, leaves)) >= t:
        gains = [cost(leaf) - sum(map(cost, split(leaf))) if split(leaf) else Fraction(-1) for leaf in leaves]
        best = max(range(len(leaves)), key=lambda at: gains[at])
        leaves[best : best + 1] = split(leaves[best])
    return leaves


def between_buckets(one: Bucket, other: Bucket, apart: Apart) -> Fraction:
    """The paper's d^u: how far the farthest values of two buckets are apart."""
    return Fraction(0) if one == other else max(apart(i, j) for i in one for j in other)


def away(taken: Sequence[int], held: Sequence[int], buckets: Sequence[Bucket], apart: Apart) -> float:
    """D: the earth mover's distance of a class's buckets from the table's, by a linear program."""
    count = len(held)
    places = range(count)
    cost = [float(between_buckets(buckets[i], buckets[j], apart)) for i in places for j in places]
    leaves = [[float(i == here) for i in places for _ in places] for here in places]
    arrives = [[float(j == here) for _ in places for j in places] for here in places]
    shares = [x / sum(taken) for x in taken] + [x / sum(held) for x in held]
    found = linprog(cost, A_eq=(leaves + arrives)[:-1], b_eq=shares[:-1])
    assert found.success, found.message
    return float(found.fun)


def ec_sizes(
    taken: tuple[int, ...], may: Callable[[tuple[int, ...]], bool], least: int
) -> Iterator[tuple[int, ...]]:  # fmt: skip
    """Procedure dichotomize, node by node; ``may`` says whether D + U <= t."""
    first = tuple(-(-x // 2) for x in taken)
    second = tuple(x - y for x, y in zip(taken, first, strict=True))
    halves = (first, second)
    if any(sum(half) < max(least, 1) for half in halves) or not all(map(may, halves)):
        yield taken
        return
    for half in halves:
        yield from ec_sizes(half, may, least)
