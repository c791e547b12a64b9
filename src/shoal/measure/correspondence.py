"""What classes leave of how columns go together with a sensitive one, when all that is told of a record is its class.

Three figures from Zhu, Tian, Du and Xie, "Anonymization on Refining Partition: Same Privacy, More Utility", Computer
Science and Information Systems 2015:

- the *global loss penalty* (GLP, Definition 3): a record's penalty is the probability with which its class gives it a
  value that no record of the original with the same other values has; the mean over all records, 0 at best;
- the *reconstruction error* (RE, Section 4.3): the probability with which a record gets another value than its own,
  summed over all records;
- *phi²* (Section 4.1), the mean-square contingency coefficient of a column and the sensitive one, before and after.
  After, each record counts for each value of its class as far as it is likely to have it.

Missing is a value like any other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import correspondence
from shoal.table.correlation import normed

Integers = NDArray[np.int64]
Codes = NDArray[np.integer[Any]]
Figures = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Told:
    """What is told of a sensitive column: record i may hold what class ``of[i]`` does, as often as this does.

    Class c holds ``value[starts[c]:starts[c + 1]]``, each ``count`` times; there are so many different ``values``.
    """

    of: Integers
    starts: Integers
    value: Integers
    count: Integers
    values: int

    @property
    def sizes(self) -> Integers:
        """How many values each class holds."""
        return np.add.reduceat(self.count, self.starts[:-1]) if len(self.count) else np.zeros(0, np.int64)


def told(of: Codes, code: Codes, values: int) -> Told:
    """What classes tell that hold these values; ``of`` says of each record its class, and ``code`` its value."""
    return counted(of, of, code, values)


def counted(of: Codes, number: Codes, code: Codes, values: int, count: Codes | None = None) -> Told:
    """What classes tell of which class ``number[i]`` holds the value ``code[i]``, once or ``count[i]`` times."""
    pairs, place = np.unique(number.astype(np.int64) * values + code, return_inverse=True)
    times = np.bincount(place, count).astype(np.int64)
    numbers, value = np.divmod(pairs, max(values, 1))
    classes = int(numbers[-1]) + 1 if len(numbers) else 0
    return Told(of.astype(np.int64), np.searchsorted(numbers, np.arange(classes + 1)), value, times, values)


@dataclass(frozen=True, eq=False)
class Known:
    """The values that records of the original hold which are alike in their other columns: the pairs, each once."""

    alike: Integers
    value: Integers


def known(alike: Codes, code: Codes) -> Known:
    """The pairs that occur; ``alike`` numbers records by their other columns."""
    values = int(code.max(initial=0)) + 1
    one, other = np.divmod(np.unique(alike.astype(np.int64) * values + code), values)
    return Known(one, other)


def penalties(alike: Codes, classes: Told, original: Known) -> Figures:
    """The penalty of each record; its number among those that are ``alike`` may be one that the original lacks."""
    found = np.zeros(len(alike))
    most = int(max(alike.max(initial=-1), original.alike.max(initial=-1))) + 1
    first = np.searchsorted(np.sort(alike), np.arange(most + 1))
    begins = np.searchsorted(original.alike, np.arange(most + 1))
    mark = np.full(max(classes.values, int(original.value.max(initial=0)) + 1), -1)
    order = np.argsort(alike, kind="stable")
    correspondence.penalties(
        order, first, original.value, begins, classes.of, classes.starts, classes.value, classes.count, mark, found
    )
    return found


def glp(alike: Codes, classes: Told, original: Known) -> float:
    """The mean of the penalties: 0 if no record may be taken for one that does not exist."""
    return float(penalties(alike, classes, original).mean()) if len(alike) else 0.0


def reconstruction_error(classes: Told) -> float:
    """RE: how many records get another value than their own, on average over all ways to give them out."""
    squares = np.add.reduceat(classes.count**2, classes.starts[:-1]) if len(classes.count) else np.zeros(0)
    return float(len(classes.of) - (squares / classes.sizes).sum())


def phi_squared_told(code: Codes, classes: Told) -> float:
    """phi² of a column and the sensitive one, as far as classes tell it."""
    values = int(code.max(initial=0)) + 1
    whole = np.bincount(classes.value, classes.count, minlength=classes.values)
    row, order = np.zeros(classes.values), np.argsort(code, kind="stable")
    first = np.searchsorted(np.sort(code), np.arange(values + 1))
    squares = correspondence.expected(
        order, first, classes.of, classes.starts, classes.value, classes.count, classes.sizes, whole, row
    )
    return normed(squares, int((np.diff(first) > 0).sum()), int((whole > 0).sum()))
