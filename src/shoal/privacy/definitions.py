"""What each requirement means, written as plainly as possible: these definitions judge releases.

Everything is said of *counts*: one row a class, one column a sensitive value, in the order of the column's domain. The
last column may stand for missing values; ``known`` says how many columns do not. Nothing here is written for speed
over clarity: the searches use :mod:`shoal.privacy.search`, and tests hold the two equal.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shoal.privacy import retention
from shoal.privacy.distances import GroundDistance
from shoal.privacy.requirements import (
    KAnonymity,
    LDiversity,
    RandomizedDiversity,
    Requirement,
    Size,
    TCloseness,
)

Counts = NDArray[np.int64]
Figures = NDArray[np.float64]

#: Two sums of the same distances may differ in the last bits; a class is not exposed by 1e-12.
TOLERANCE = 1e-12
#: What searches take of it, so that judges, whose sums may differ from theirs, find nothing beyond it.
LEEWAY = TOLERANCE / 2


def size(counts: Counts) -> Figures:
    """How many people a class holds."""
    return counts.sum(axis=1).astype(np.float64)


def frequency(counts: Counts) -> Figures:
    """One over the share of the commonest value: the largest l for which no value exceeds 1/l."""
    largest = counts.max(axis=1, initial=0)
    return np.divide(counts.sum(axis=1), largest, out=np.zeros(len(counts)), where=largest > 0)


def distinct(counts: Counts) -> Figures:
    """How many different values a class holds."""
    return (counts > 0).sum(axis=1).astype(np.float64)


def entropy(counts: Counts) -> Figures:
    """The number of equally frequent values that would have the entropy of the class."""
    total = counts.sum(axis=1, keepdims=True)
    share = np.divide(counts, total, out=np.zeros(counts.shape), where=total > 0)
    terms = np.where(share > 0, share * np.log(np.where(share > 0, share, 1)), 0)
    return np.where(total[:, 0] > 0, np.exp(-terms.sum(axis=1)), 0)


def recursive(counts: Counts, c: float) -> Figures:
    """The largest l with r1 < c (r_l + r_{l+1} + ...), the counts r in descending order; 0 if there is none."""
    ordered = -np.sort(-counts, axis=1)
    tails = np.cumsum(ordered[:, ::-1], axis=1)[:, ::-1]  # tails[:, i] = r_{i+1} + r_{i+2} + ...
    return (ordered[:, :1] < c * tails).sum(axis=1).astype(np.float64)  # the tails only fall


def randomized(counts: Counts, judged: int, keeps: float) -> Figures:
    """One over the strongest belief in one of the ``judged`` values, where records keep theirs with this probability.

    Each class draws from all values that it holds, those among them that are not judged.
    """
    hidden, commonest = counts[:, :judged].sum(axis=1), counts[:, :judged].max(axis=1, initial=0)
    kinds, of = np.unique(np.column_stack([(counts > 0).sum(axis=1), hidden, commonest]), axis=0, return_inverse=True)
    reached = [retention.diversity(keeps, *kind) if kind[1] else 0.0 for kind in kinds.tolist()]
    return np.array(reached)[of.ravel()]


def diversity(requirement: LDiversity, counts: Counts, known: int) -> Figures:
    """The l that each class reaches, by the requirement's own kind.

    Missing values make no class diverse, nor do they dilute a known value: they are left out, unless the plan says
    that to have no value is sensitive in itself. A class without a known value reaches 0.
    """
    judged = counts if requirement.missing_is_sensitive else counts[:, :known]
    if isinstance(requirement, RandomizedDiversity):
        return randomized(counts, judged.shape[1], requirement.retention)
    match requirement.kind:
        case "frequency":
            return frequency(judged)
        case "distinct":
            return distinct(judged)
        case "entropy":
            return entropy(judged)
        case "recursive":
            if requirement.c is None:
                raise ValueError("recursive diversity needs c")
            return recursive(judged, requirement.c)


def closeness(counts: Counts, whole: Counts, distance: GroundDistance) -> Figures:
    """The earth mover's distance of each class from the whole table, ``whole`` being the table's counts."""
    total = counts.sum(axis=1, keepdims=True)
    share = np.divide(counts, total, out=np.zeros(counts.shape), where=total > 0)
    return distance.between(share, whole / max(int(whole.sum()), 1))


def keeps(requirement: Requirement, reached: Figures) -> NDArray[np.bool_]:
    """Which classes keep the requirement, given what they reach."""
    match requirement:
        case KAnonymity(k):
            return reached >= k
        case Size(least):
            return reached >= least
        case RandomizedDiversity(l=l) | LDiversity(l=l, kind="entropy"):
            return reached >= l * (1 - TOLERANCE)
        case LDiversity(l=l):
            return reached >= l
        case TCloseness(t=t):
            return reached <= t + TOLERANCE
