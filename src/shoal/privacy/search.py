"""The requirements of a plan as plain numbers, so that a compiled search can test a class without leaving its loop.

What the numbers mean is said once more in :mod:`shoal.kernels.cutting`; :mod:`shoal.privacy.definitions` is what
counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.privacy.definitions import LEEWAY
from shoal.privacy.distances import Equal, Flows, GroundDistance, Ordered
from shoal.privacy.requirements import (
    KAnonymity,
    LDiversity,
    RandomizedDiversity,
    Requirement,
    Size,
    TCloseness,
)

FREQUENCY, DISTINCT, ENTROPY, RECURSIVE, CLOSENESS, RANDOMIZED = range(6)
_KINDS = {"frequency": FREQUENCY, "distinct": DISTINCT, "entropy": ENTROPY, "recursive": RECURSIVE}

TREE, LINE, EQUAL = range(3)

Integers = NDArray[np.int64]
Reals = NDArray[np.float64]


class SensitiveColumn(NamedTuple):
    """What a search must know of a sensitive column."""

    known: int  # how many of its codes stand for known values
    wholes: Sequence[Integers]  # counts of all its codes, in each table that t is judged against
    distances: Mapping[TCloseness, GroundDistance]


class Numbers(NamedTuple):
    """Row r asks something of ``counts[start[r]:start[r] + values[r]]``, the sensitive columns' counts end to end.

    The column has ``held[r]`` codes in all, and ``c[r]`` is that of recursive diversity, or where values are
    randomized p/(1-p) of the retention p. A distance is the sum of ``weight`` times the surplus of the values
    ``first`` to ``last``, over the rows of these from ``flow[r]`` to ``flow[r + 1]``; the table's shares stand at
    ``share[start_of_share[r]:]``.

    If its ``shape`` is a line or all values are equally far apart, a class can be judged by the values that it holds.
    For a line, of a table of so many ``records`` there are ``upto[f]`` before ``last[f]``, and ``area[f]`` is the sum
    of these up to f.
    """

    least: int
    kind: Integers
    start: Integers
    values: Integers
    held: Integers
    bound: Reals
    c: Reals
    share: Reals
    start_of_share: Integers
    flow: Integers
    first: Integers
    last: Integers
    weight: Reals
    shape: Integers
    records: Integers
    upto: Integers
    area: Integers


class _Ground(NamedTuple):
    """A distance within one table, whose shares these are."""

    share: Reals
    flows: Flows
    shape: int = TREE
    whole: Integers = np.empty(0, np.int64)


_NOTHING = _Ground(np.empty(0), Flows(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0)))


def numbers(requirements: Sequence[Requirement], columns: Mapping[str, SensitiveColumn]) -> Numbers:
    """The requirements as numbers. A bound gives away half of the tolerance that the judges allow, never more."""
    least = 1
    rows: list[tuple[int, int, int, int, float, float]] = []
    grounds: list[_Ground] = []
    offset = dict(zip(columns, np.cumsum([0, *(len(c.wholes[0]) for c in columns.values())]), strict=False))
    for requirement in requirements:
        match requirement:
            case KAnonymity(least_here) | Size(least_here):
                least = max(least, least_here)
            case LDiversity(on=on) if on is not None:
                column = columns[on]
                held = len(column.wholes[0])
                judged = held if requirement.missing_is_sensitive else column.known
                rows.append((_kind(requirement), int(offset[on]), judged, held, _bound(requirement), _c(requirement)))
                grounds.append(_NOTHING)
                least = max(least, _smallest_class(requirement))
            case TCloseness(on=on):
                column = columns[on]
                for whole in column.wholes:
                    rows.append((CLOSENESS, int(offset[on]), len(whole), len(whole), requirement.t + LEEWAY, 0.0))
                    grounds.append(_ground(column.distances[requirement], whole))
    return _packed(least, rows, grounds)


def _ground(distance: GroundDistance, whole: Integers) -> _Ground:
    shape = LINE if isinstance(distance, Ordered) else EQUAL if isinstance(distance, Equal) else TREE
    return _Ground(whole / max(int(whole.sum()), 1), _flows(distance, whole), shape, whole)


def _flows(distance: GroundDistance, whole: Integers) -> Flows:
    """A distance within one table: by order, only values that occur in it have a rank there.

    Where records are left out, a value of the original may be published no more. A declared domain stays as it is.
    """
    if not isinstance(distance, Ordered) or distance.declared:
        return distance.flows(len(whole))
    occurring = np.flatnonzero(whole)
    among = distance.flows(len(occurring))
    return Flows(among.first, occurring[among.last - 1] + 1, among.weight)


def _kind(requirement: LDiversity) -> int:
    return RANDOMIZED if isinstance(requirement, RandomizedDiversity) else _KINDS[requirement.kind]


def _bound(requirement: LDiversity) -> float:
    """The l to reach, a hair below what is asked where it is a sum that two ways of adding may differ in."""
    return requirement.l * (1 - LEEWAY if _kind(requirement) in (ENTROPY, RANDOMIZED) else 1)


def _c(requirement: LDiversity) -> float:
    if isinstance(requirement, RandomizedDiversity):
        return requirement.retention / (1 - requirement.retention)
    return requirement.c or 0.0


def _smallest_class(requirement: LDiversity) -> int:
    """No class with fewer records can be so diverse; it spares the search hopeless cuts."""
    return int(np.ceil(requirement.l)) if requirement.kind != "recursive" else int(requirement.l)


def _packed(least: int, rows: Sequence[tuple[int, int, int, int, float, float]], grounds: Sequence[_Ground]) -> Numbers:
    def ends(parts: Sequence[NDArray[Any]]) -> Integers:
        return np.cumsum([0, *(len(part) for part in parts)]).astype(np.int64)

    def joined(parts: Sequence[NDArray[Any]], kind: type) -> NDArray[Any]:
        return np.concatenate([*parts, np.empty(0, kind)]).astype(kind)

    def field(place: int, kind: type) -> NDArray[Any]:
        return np.array([row[place] for row in rows], dtype=kind)

    upto = [_upto(ground) for ground in grounds]
    return Numbers(
        least,
        field(0, np.int64),
        field(1, np.int64),
        field(2, np.int64),
        field(3, np.int64),
        field(4, np.float64),
        field(5, np.float64),
        joined([ground.share for ground in grounds], np.float64),
        ends([ground.share for ground in grounds])[:-1],
        ends([ground.flows.first for ground in grounds]),
        joined([ground.flows.first for ground in grounds], np.int64),
        joined([ground.flows.last for ground in grounds], np.int64),
        joined([ground.flows.weight for ground in grounds], np.float64),
        np.array([ground.shape for ground in grounds], np.int64),
        np.array([ground.whole.sum() for ground in grounds], np.int64),
        joined(upto, np.int64),
        joined([np.cumsum(part) for part in upto], np.int64),
    )


def _upto(ground: _Ground) -> Integers:
    """How many records lie before each border of a line; whole numbers, so that nothing is lost in differences."""
    if ground.shape != LINE:
        return np.zeros(len(ground.flows.first), np.int64)
    return np.cumsum(ground.whole)[ground.flows.last - 1]
