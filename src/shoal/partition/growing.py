"""What searches need that grow classes record by record: the axes of loss, and the course that keeps diversity."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.errors import Unsupported
from shoal.kernels.clustering import NUMBER, SET, TREE, Axes, Diversity
from shoal.privacy.search import FREQUENCY, Numbers
from shoal.table.codes import Codes
from shoal.table.domain import Domain


def check_people(codes: Codes, method: str) -> None:
    """A class that grows record by record counts records."""
    if codes.people is not None:
        raise Unsupported(
            f"a person has several rows, and the method {method} counts rows: keep one row each (for example the "
            'latest), say person = "row" if every row stands alone, or choose another method, such as mondrian'
        )


def axes_of(domains: Sequence[Domain]) -> Axes:
    """What a class loses of each of these columns by NCP, as plain numbers."""
    offset = np.cumsum([0, *map(len, domains)]).astype(np.int64)
    leaf, depth = np.zeros(offset[-1], np.int64), np.zeros(offset[-1], np.int64)
    nodes, parents, firsts, lasts, losses = 0, [], [], [], []
    for domain, start in zip(domains, offset, strict=False):
        if domain.tree is None:
            continue
        below = domain.tree.last - domain.tree.first
        leaf[start : start + domain.known] = domain.tree.leaf_node + nodes
        depth[start : start + domain.known] = domain.tree.depth[domain.tree.leaf_node]
        parents.append(np.where(domain.tree.parent < 0, -1, domain.tree.parent + nodes))
        firsts.append(domain.tree.first)
        lasts.append(domain.tree.last)
        losses.append((below - 1) / max(len(domain) - 1, 1))
        nodes += len(domain.tree.labels)
    return Axes(
        np.array([_kind(domain) for domain in domains], np.int64),
        offset,
        np.array([domain.known for domain in domains], np.int64),
        np.concatenate([*(domain.position() for domain in domains), np.empty(0)]),
        leaf,
        np.concatenate([*parents, np.empty(0)]).astype(np.int64),
        np.concatenate([*firsts, np.empty(0)]).astype(np.int64),
        np.concatenate([*lasts, np.empty(0)]).astype(np.int64),
        np.concatenate([*losses, np.empty(0)]),
        depth,
    )


def roomy(least: int, diversity: Diversity) -> int:
    """The size of a class in which a value may take the largest share: of three in five only one may be alike, not a
    third. The least of the sizes that are as good."""
    if not len(diversity.l):
        return least
    sizes = np.arange(least, least + int(np.ceil(diversity.l.max())))
    share = sum(np.floor(sizes / l + 1e-9) / sizes for l in diversity.l)
    return int(sizes[np.argmax(np.round(share, 9))])


def _kind(domain: Domain) -> int:
    if domain.kind == "number":
        return NUMBER
    return SET if domain.tree is None else TREE


def diversity_of(codes: Codes, places: NDArray[np.int64], numbers: Numbers) -> Diversity:
    """The course on which a search keeps classes diverse by frequency; other kinds it leaves to mending."""
    ends = np.cumsum([0, *(len(domain) for domain in codes.sensitive_domains)])
    rows = np.flatnonzero(numbers.kind == FREQUENCY)
    held = np.empty((len(places), len(rows)), np.int64)
    begins = np.cumsum([0, *(numbers.values[rows] + 1)]).astype(np.int64)
    for a, row in enumerate(rows.tolist()):
        column = codes.quasi + int(np.searchsorted(ends, numbers.start[row], side="right")) - 1
        held[:, a] = begins[a] + np.minimum(codes.matrix[places, column], numbers.values[row])
    left = np.bincount(held.ravel(), minlength=begins[-1]).astype(np.int64)
    cap, need, owed = np.zeros_like(left), np.zeros_like(left), np.zeros(len(rows), np.int64)
    return Diversity(held, left, begins, numbers.bound[rows], cap, need, owed)
