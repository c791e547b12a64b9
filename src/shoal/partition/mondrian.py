"""Mondrian: the table is cut at the median of its widest column, again and again, while both sides keep every promise.

Paper        LeFevre, DeWitt, Ramakrishnan: Mondrian Multidimensional K-Anonymity. ICDE 2006. With t it is the tMondrian
             of Li, Li, Venkatasubramanian: Closeness: A New Privacy Measure for Data Publishing. TKDE 2010.
Promises     k, l, t and a least size, in any mix: a cut is made only if both sides keep all of them.
Forms        generalized, centres, anatomy, slices, randomized.
Reads        sensitive values only where l or t is asked; then a refused cut tells that one side would have broken them.
Cost         n log n: each record is looked at a fixed number of times on each level of cuts.
Why right    the whole table keeps every requirement (see eligible.py), each cut is checked on both sides, so by
             induction every class keeps them; classes are disjoint boxes (strict ties), and merging two that are
             published alike breaks no requirement.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import cutting
from shoal.partition.eligible import eligible
from shoal.partition.halving import Span, class_starts
from shoal.plan.methods import Mondrian
from shoal.plan.plan import Plan
from shoal.privacy.search import Numbers
from shoal.table.classes import Classes
from shoal.table.codes import Codes


def group(codes: Codes, plan: Plan) -> Classes:
    """Group the records into classes that keep every requirement of the plan."""
    chosen = eligible(codes, plan)
    if not len(chosen.places):
        return Classes(np.empty(0, np.uint32), np.zeros(1, np.int64))
    relaxed = isinstance(plan.method, Mondrian) and plan.method.ties == "relaxed"
    return divided(codes, chosen.places, chosen.numbers, relaxed=relaxed)


def divided(codes: Codes, places: NDArray[np.int64], numbers: Numbers, *, relaxed: bool = False) -> Classes:
    """These records in classes that keep the numbers, as they do all together; near ones lie near each other."""
    people = 0 if codes.people is None else int(codes.people.max(initial=0)) + 1
    search = _Search(_table(codes, places), numbers, relaxed, people)
    starts = class_starts(len(search.table.rows), search.divide)
    return Classes(search.table.rows, starts)


def cut(table: cutting.Table, numbers: Numbers, parts: Sequence[Span], *, relaxed: bool = False) -> NDArray[np.int64]:
    """Cut some parts of the records, which are moved about; where each class starts, and the end of all records."""
    return class_starts(len(table.rows), _Search(table, numbers, relaxed, people=0).divide, parts)


def _table(codes: Codes, places: NDArray[np.int64]) -> cutting.Table:
    """A copy of the records that the search may move about."""
    all_of_them = len(places) == len(codes)
    words = codes.words.copy() if all_of_them else codes.words[places]
    position = [domain.position() for domain in codes.domains[: codes.quasi]]
    sensitive = [len(domain) for domain in codes.sensitive_domains]
    people = np.empty(0, np.uint32) if codes.people is None else codes.people
    return cutting.Table(
        words.view(codes.matrix.dtype),
        words,
        places.astype(np.uint32),
        people,
        np.concatenate([*position, np.empty(0)]),
        np.cumsum([0, *(len(axis) for axis in position)]).astype(np.int64),
        np.cumsum([0, *sensitive]).astype(np.int64),
    )


@dataclass(frozen=True, eq=False)
class _Search:
    """What every node is cut by."""

    table: cutting.Table
    numbers: Numbers
    relaxed: bool
    people: int

    def divide(self, lo: int, hi: int, cuts: int) -> NDArray[np.int64]:
        """Where the parts of a node start when it is cut at most so many times."""
        scratch = cutting.scratch(self.table, hi - lo, self.people)
        starts = np.empty((hi - lo) // max(self.numbers.least, 1) + 1, np.int64)
        asked = self.numbers if len(self.numbers.kind) else None
        found = cutting.divide(self.table, lo, hi, self.numbers.least, asked, self.relaxed, scratch, cuts, starts)
        return starts[:found]
