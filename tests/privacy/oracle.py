"""What requirements and distances mean for one class, in exact fractions or by a linear program."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np
from scipy.optimize import linprog

from shoal.schema.hierarchy import Hierarchy

Apart = Callable[[int, int], float]


def frequency(counts: Sequence[int]) -> Fraction:
    """The largest l for which no value is held by more than one in l."""
    return Fraction(sum(counts), max(counts)) if sum(counts) else Fraction(0)


def distinct(counts: Sequence[int]) -> int:
    return len([count for count in counts if count])


def entropy(counts: Sequence[int]) -> float:
    """e to the entropy, which is l for l equally frequent values."""
    total = sum(counts)
    if not total:
        return 0.0
    return math.exp(-sum(count / total * math.log(count / total) for count in counts if count))


def recursive(counts: Sequence[int], c: float) -> int:
    """The largest l for which r1 < c (r_l + r_{l+1} + ...), tried one after the other."""
    ordered = sorted(counts, reverse=True)
    reached = 0
    for l in range(1, len(ordered) + 1):
        if ordered[0] < Fraction(c) * sum(ordered[l - 1 :]):
            reached = l
    return reached


def shares(counts: Sequence[int]) -> list[float]:
    total = sum(counts)
    return [count / total for count in counts]


def emd(one: Sequence[float], other: Sequence[float], apart: Apart) -> float:
    """The least work that turns one distribution into the other, found by linear programming."""
    values = range(len(one))
    cost = [apart(i, j) for i in values for j in values]
    leaves = [[1.0 if i == here else 0.0 for i in values for _ in values] for here in values]
    arrives = [[1.0 if j == here else 0.0 for _ in values for j in values] for here in values]
    # The last row follows from the others; left in, rounding could make the program infeasible.
    found = linprog(cost, A_eq=np.array(leaves + arrives)[:-1], b_eq=[*one, *other][:-1])
    assert found.success, found.message
    return float(found.fun)


def in_tree(tree: Hierarchy) -> Apart:
    """How far apart two leaves are, by walking up from both; whatever is no leaf stands below the root."""

    def above(leaf: int) -> list[int]:
        if leaf >= len(tree.leaf_node):
            return [0]
        path = [int(tree.leaf_node[leaf])]
        while path[-1]:
            path.append(int(tree.parent[path[-1]]))
        return path

    def apart(i: int, j: int) -> float:
        if i == j:
            return 0.0
        lowest = next(node for node in above(i) if node in above(j))
        return float(tree.height[lowest] / tree.height[0])

    return apart
