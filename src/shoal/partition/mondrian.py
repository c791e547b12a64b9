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

import os
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import cutting
from shoal.partition.eligible import eligible
from shoal.plan.methods import Mondrian
from shoal.plan.plan import Plan
from shoal.privacy.search import Numbers
from shoal.table.classes import Classes
from shoal.table.codes import Codes

#: Nodes below this many records are cut to the end in one go; larger ones are halved first, to share the work.
_SHARED = 1 << 16


def group(codes: Codes, plan: Plan) -> Classes:
    """Group the records into classes that keep every requirement of the plan."""
    chosen = eligible(codes, plan)
    if not len(chosen.places):
        return Classes(np.empty(0, np.uint32), np.zeros(1, np.int64))
    relaxed = isinstance(plan.method, Mondrian) and plan.method.ties == "relaxed"
    search = _Search(_table(codes, chosen.places), chosen.numbers, relaxed, _people(codes))
    starts = search.run()
    return Classes(search.table.rows, starts)


def _people(codes: Codes) -> int:
    return 0 if codes.people is None else int(codes.people.max(initial=0)) + 1


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
    """The recursion, its large nodes shared among the cores. Which core takes a node changes nothing."""

    table: cutting.Table
    numbers: Numbers
    relaxed: bool
    people: int

    def run(self) -> NDArray[np.int64]:
        """Where each class starts, and their end."""
        records = len(self.table.rows)
        starts = [np.array([records])]
        with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            waiting: set[Future[NDArray[np.int64] | int]] = set()
            spans: dict[Future[NDArray[np.int64] | int], tuple[int, int]] = {}

            def take(lo: int, hi: int) -> None:
                future = pool.submit(self._node, lo, hi)
                spans[future] = (lo, hi)
                waiting.add(future)

            take(0, records)
            while waiting:
                done, waiting_now = wait(waiting, return_when=FIRST_COMPLETED)
                waiting.clear()
                waiting.update(waiting_now)
                for future in done:
                    found, (lo, hi) = future.result(), spans.pop(future)
                    if isinstance(found, int):
                        take(lo, found)
                        take(found, hi)
                    else:
                        starts.append(found)
        return np.sort(np.concatenate(starts)).astype(np.int64)

    def _node(self, lo: int, hi: int) -> NDArray[np.int64] | int:
        """One cut of a large node, or all the class starts of a small one."""
        scratch = cutting.scratch(self.table, hi - lo, self.people)
        large = hi - lo > _SHARED
        starts = np.empty((hi - lo) // max(self.numbers.least, 1) + 1, np.int64)
        cuts = 1 if large else hi - lo
        found = cutting.divide(self.table, lo, hi, self.numbers, self.relaxed, scratch, cuts, starts)
        return int(starts[1]) if large and found == 2 else starts[:found]
