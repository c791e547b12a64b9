"""Which columns of a bucket may stay together, and which of them are generalized for it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import cutting
from shoal.privacy.search import CLOSENESS, Numbers
from shoal.table.classes import Classes, Slices
from shoal.table.codes import Codes
from shoal.table.correlation import binned, phi_squared

Integers = NDArray[np.int64]
Reals = NDArray[np.float64]
Flags = NDArray[np.bool_]

#: Numbers are put in so many intervals of equal frequency to tell how strongly columns go together.
_BINS = 16

#: What the numbers have of each requirement.
_BY_ROW = ("kind", "start", "values", "held", "bound", "c", "start_of_share")


def correlations(codes: Codes, places: Integers) -> Reals:
    """How strongly the quasi-identifying and sensitive columns go together, two by two: phi²."""
    columns, sizes = [], []
    for place, domain in enumerate(codes.domains[: codes.quasi + codes.sensitive]):
        column = codes.matrix[places, place]
        groups = binned(domain, np.bincount(column, minlength=len(domain)), _BINS)
        columns.append(groups[column])
        sizes.append(int(groups.max(initial=0)) + 1)
    found = np.eye(len(columns))
    for one in range(len(columns)):
        for other in range(one):
            strength = phi_squared(columns[one], columns[other], sizes[one], sizes[other])
            found[one, other] = found[other, one] = min(strength, 1.0)
    return found


def asked_of(codes: Codes, numbers: Numbers) -> dict[int, Numbers]:
    """The sensitive columns that l is asked of, by place, and what is asked of each alone."""
    ends = np.cumsum([0, *map(len, codes.sensitive_domains)])
    column = codes.quasi + np.searchsorted(ends, numbers.start, side="right") - 1
    found = {}
    for place in np.unique(column[numbers.kind != CLOSENESS]).tolist():
        rows = np.flatnonzero((column == place) & (numbers.kind != CLOSENESS))
        of_rows = {name: getattr(numbers, name)[rows] for name in _BY_ROW}
        found[place] = numbers._replace(**of_rows, flow=np.zeros(len(rows) + 1, np.int64))
    return found


def beside(codes: Codes, classes: Classes, asked: Numbers, wanted: Integers) -> Flags:
    """Which of the wanted columns may stand beside a sensitive one, bucket by bucket, one after the other.

    ``wanted`` has a row of columns for each bucket, and -1 where it wants no more. A column may if each combination of
    values that then stands beside the sensitive value has diverse ones, as is asked; so nobody's share exceeds 1/l who
    knows all quasi-identifiers (Li et al. 2012, Section 2.3).
    """
    of_row = np.repeat(np.arange(len(classes)), classes.sizes)
    part, may = of_row.copy(), np.zeros(wanted.shape, np.bool_)
    for place in range(wanted.shape[1]):
        column = wanted[of_row, place]
        width = max((len(domain) for domain in codes.domains), default=1)
        code = np.where(column >= 0, codes.matrix[classes.order, column], 0)
        number, trial = np.unique(part * np.int64(width) + code, return_inverse=True)
        broken = _broken(codes, classes, asked, trial, len(number))
        may[:, place] = wanted[:, place] >= 0
        may[of_row[broken[trial]], place] = False
        part = np.where(may[of_row, place], trial, part + len(number))
        part = np.unique(part, return_inverse=True)[1]
    return may


def _broken(codes: Codes, classes: Classes, asked: Numbers, part: Integers, parts: int) -> Flags:
    """Which parts of the records do not keep what is asked."""
    order = np.argsort(part, kind="stable")
    starts = np.append(0, np.cumsum(np.bincount(part, minlength=parts)))
    sensitive = np.ascontiguousarray(codes.matrix[:, codes.quasi : codes.quasi + codes.sensitive])
    ends = np.cumsum([0, *map(len, codes.sensitive_domains)]).astype(np.int64)
    found = np.zeros(parts, np.bool_)
    alone = np.ones(len(order), np.int64)
    cutting.broken(np.arange(parts), starts, classes.order[order], alone, sensitive, asked, ends, False, found)
    return found


def generalized(codes: Codes, classes: Classes, slices: Integers, rare: float) -> Flags | None:
    """Which quasi-identifiers each bucket shows as a whole: all in a slice that has a rare value of one of them.

    Algorithm 2, lines 30 to 37, in our reading: a value of a smaller share of the table than ``rare`` may tell a person
    by itself. Where after that fewer than two slices have different rows, so that a shuffle changes nothing, the whole
    bucket is generalized.
    """
    if rare == 0 or not len(classes):
        return None
    quasi, starts = codes.quasi, classes.starts[:-1]
    rows = codes.matrix[classes.order, : quasi + codes.sensitive]
    seldom = np.zeros((len(classes), quasi), np.bool_)
    for place in range(quasi):
        share = np.bincount(rows[:, place]) / len(rows)
        seldom[:, place] = np.logical_or.reduceat(share[rows[:, place]] < rare, starts)
    differs = np.minimum.reduceat(rows, starts) < np.maximum.reduceat(rows, starts)
    found, telling = np.zeros_like(seldom), np.zeros(len(classes), np.int64)
    for number in range(int(slices.max(initial=-1)) + 1):
        held = slices == number
        found |= held[:, :quasi] & (held[:, :quasi] & seldom).any(axis=1)[:, None]
        told = held & differs
        told[:, :quasi] &= ~found
        telling += told.any(axis=1)
    found[telling < 2] = True
    return found


def laid_out(codes: Codes, slices: Integers, whole: Flags | None) -> Slices:
    """The numbers of slices as names of columns; buckets with the same slices share them."""
    first = np.empty_like(slices)  # the first column of each column's slice: the same for the same slices
    for place in range(slices.shape[1]):
        first[:, place] = np.argmax(slices == slices[:, place, None], axis=1)
    layouts, layout = np.unique(first, axis=0, return_inverse=True)
    names = np.array([domain.name for domain in codes.domains[: slices.shape[1]]], dtype=object)
    told = tuple(tuple(tuple(names[row == place]) for place in np.unique(row)) for row in layouts)
    return Slices(told, layout.ravel().astype(np.int32), whole)
