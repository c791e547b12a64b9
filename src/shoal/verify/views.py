"""A release as each person of its original sees it: the rows that may be the person's own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.verify import kinds
from shoal.verify.case import Case
from shoal.verify.grouping import dense, spread_out
from shoal.verify.kinds import Candidates, Kinds

Codes = NDArray[np.integer[Any]]
Integers = NDArray[np.int64]

#: As many pairs of classes and people are looked at; where there are more, some of the people are looked for.
_PAIRS = 1 << 29


@dataclass(frozen=True, eq=False)
class Views:
    """The different views of a release.

    Attributes:
        of: of each kind of people, the number of their view.
        first: the rows of view v are ``row[first[v]:first[v + 1]]``.
        row: rows of the release.
    """

    of: Codes
    first: Integers
    row: Integers

    @property
    def lengths(self) -> Integers:
        """How many rows each view has."""
        return np.diff(self.first)

    def rows(self, views: Codes) -> tuple[Integers, Integers]:
        """The rows of these views, one view after the other, and the place of its view for each."""
        lengths = self.lengths[views]
        return self.row[spread_out(self.first[views], lengths)], np.repeat(np.arange(len(views)), lengths)


def views(cases: Sequence[Case]) -> tuple[list[Views], Integers]:
    """Each release as the people of the one original see it, and how many people there are of each kind.

    People of a kind have the same quasi-identifiers. If there are too many to be looked for, every second or third
    kind and so on stands for all.
    """
    codes = [[quasi.original.code for quasi in case.quasi] for case in cases]
    together = [code for part in codes for code in part]
    people = kinds.distinct(together, np.zeros(cases[0].original.num_rows, np.int64), 1)
    ends = np.cumsum([0, *map(len, codes)])
    parts = [people.codes[first:last] for first, last in pairwise(ends)]
    sought = [_sought(case, part, people.times) for case, part in zip(cases, parts, strict=True)]
    step = -(-max(candidates.pairs for _, _, candidates in sought) // _PAIRS)
    if step > 1:
        times = people.times[::step]
        parts = [[code[::step] for code in part] for part in parts]
        sought = [_sought(case, part, times) for case, part in zip(cases, parts, strict=True)]
    return [_seen(case, *found) for case, found in zip(cases, sought, strict=True)], people.times[:: max(step, 1)]


def _sought(case: Case, codes: Sequence[Codes], times: Integers) -> tuple[Kinds, Kinds, Candidates]:
    """The kinds of rows, the kinds of people as the columns of this release tell them apart, and who may be where."""
    split = case.table.num_rows
    exact, count = np.zeros(split + len(times), np.int64), 1
    for one, code in zip(case.quasi, codes, strict=True):
        only = one.cover.only()
        if only is not None:
            size = len(one.cells) + 1
            exact, count = dense(exact * size + np.concatenate([one.cells.code, only[code]]), count * size)
    rows = kinds.distinct([quasi.cells.code for quasi in case.quasi], exact[:split], count)
    people = Kinds(np.arange(len(times)), codes, exact[split:], times, np.bincount(exact[split:], minlength=count))
    return rows, people, kinds.candidates(case.quasi, rows, people)


def _seen(case: Case, rows: Kinds, people: Kinds, candidates: Candidates) -> Views:
    """The views of people of each kind; who may be in the same classes has the same view."""
    found = [(np.zeros(0, np.int64),) * 2, *kinds.pairs(case.quasi, rows, people, candidates)]
    where, who = (np.concatenate(parts) for parts in zip(*found, strict=True))
    where = where[np.lexsort((where, who))]
    first = _ends(np.bincount(who, minlength=len(people.times)))
    of, someone = _alike(where, first)
    lengths = np.diff(first)[someone]
    seen = where[spread_out(first[someone], lengths)]  # the classes of each view
    members, start = np.argsort(rows.of, kind="stable"), _ends(rows.times)
    row = members[spread_out(start[seen], rows.times[seen])]
    return Views(of, _ends(rows.times[seen])[_ends(lengths)], row)


def _ends(lengths: Integers) -> Integers:
    """Where each of some runs begins, and where the last one ends."""
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


def _alike(values: Integers, first: Integers) -> tuple[Codes, Integers]:
    """Lists of values, ``values[first[i]:first[i + 1]]``, as numbers of the different ones; and one list of each."""
    size = values.itemsize
    buffers = [None, pa.py_buffer(first * size), pa.py_buffer(np.ascontiguousarray(values))]
    number = pa.LargeBinaryArray.from_buffers(pa.large_binary(), len(first) - 1, buffers).dictionary_encode().indices
    of = number.to_numpy(zero_copy_only=False)
    return of, np.unique(of, return_index=True)[1]
