"""What randomizing a sensitive column leaves to guess: the bound that a retention gives, and how large groups must be.

A group holds ``values`` different values, m for short, and publishes how often it holds each. Each record keeps its
own value with probability p, the retention, and else shows a uniform draw from the m values, its own among them. So
it shows its own with a = p + (1-p)/m and one of the others with b = (1-p)/m; the ratio of the two is 1 + odds, odds =
p m / (1-p).

**The adversary** knows which records the group has, how often it holds each value, and everything that they show.
Before the shown values are seen, each way of giving the values to the records is believed alike; afterwards, in
proportion to how likely each way shows what was published. The shown values of all records matter and not only that
of the person sought: who shows a value that only few can have is likely to have it, and leaves less room for the
others. So the strongest belief is not a.

**The bound.** Of n records whose values are hidden let no more than c have the same value. Then no belief in one
record's value is stronger than 1 / (1 + R / (c (1 + odds))), whatever is shown, where R is how many of the other n - c
values are left when values meet records that show them: the mean number of those that are unmatched, if u of them are
matched at the rate odds * min(c, u) and each match comes loose at the rate 1. In other words, the weight of u unmatched
ones is, for each u, odds * min(c, u + 1) / (n - c - u) times that of u + 1.

**Why it is right.** Let t = odds, let v be the value believed in, N = n - c_v the number of the other values, and
choose a matching of values to *other* records that show them. Expanding (1 + t)^matches, a matching of k pairs stands
for t^k times the ways of giving the n - k values that are left to the n - k places that are left, one of which is the
person's own. So the belief is strongest where the person shows v, and then its odds are (1 + t) times those of v
being in that place, which given the matching is at most c_v / (n - k), k being its pairs of values other than v. A
matching of k such pairs can be made larger by one in at most (n - 1 - k) min(c, N - k) ways, a row each for the n - 1
- k records that are left and at most c or N - k values for each row, and each of k + 1 pairs arises from k + 1 of k:
therefore k is stochastically no larger than with equality throughout, and the mean of c_v / (n - k) no larger either.
With equality it is c_v / (c_v + R). That R / c_v is least for the commonest value follows from the rates. A record
that shows a value nobody has, or missing, only has fewer ways; so the n records may be those with a known value, if
somebody may know who has none.

The bound is reached where each value is held once (c = 1: with the sum S_n of t^i/i! for i = 0..n it is (1 + t)/n *
S_(n-1)/S_n) and where there are two values only. Without retention it is c/n, the share of the commonest value.

As the values of a group in which each is held once become more, the belief falls towards p/(1-p), and no group of any
kind has less: a belief of 1/l needs p < 1/(l+1). For retentions of at most :data:`MOST` it falls with every value
(above 0.42 it may rise again), so that such a group may always be larger than it must be; only these are taken.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

__all__ = ["MOST", "belief", "diversity", "largest_retention", "least_values", "together"]

#: The largest retention of which anything is promised; l above 1.5 allows no more in any case.
MOST = 0.4
#: To so many halvings a largest retention is found.
_HALVINGS = 60
#: Terms below this share of their sum do not count.
_NOTHING = 1e-20


def belief(retention: float, values: int, hidden: int | None = None, commonest: int = 1) -> float:
    """The strongest belief that a randomized group can leave in one record's value.

    ``values`` are those from which the group draws. ``hidden`` records have a value that is not known, by default as
    many as there are values; ``commonest`` of them at most have the same. Somebody may know which records hold some
    of the values: so it is where records without a value are no secret.
    """
    left = values if hidden is None else hidden
    if left < 1 or retention >= 1:
        return 1.0
    odds = _odds(retention, values)
    return 1 / (1 + _unmatched(odds, left - commonest, commonest) / (commonest * (1 + odds)))


def _odds(retention: float, values: int) -> float:
    return retention * values / (1 - retention)


def _unmatched(odds: float, others: int, commonest: int) -> float:
    """The mean number of ``others`` that no record is matched with."""
    if odds == 0 or commonest >= others:
        return others / (1 + odds)
    often = others - odds * commonest
    start = min(max(int(often if often >= commonest else (others - odds) / (1 + odds)), 0), others)
    whole, total = 1.0, float(start)  # weights over that of the most likely number, from which they fall to both sides
    term, unmatched = 1.0, start
    while unmatched < others and term > _NOTHING * whole:
        term *= (others - unmatched) / (odds * min(commonest, unmatched + 1))
        unmatched += 1
        whole, total = whole + term, total + term * unmatched
    term, unmatched = 1.0, start
    while unmatched > 0 and term > _NOTHING * whole:
        term *= odds * min(commonest, unmatched) / (others - unmatched + 1)
        unmatched -= 1
        whole, total = whole + term, total + term * unmatched
    return total / whole


def diversity(retention: float, values: int, hidden: int | None = None, commonest: int = 1) -> float:
    """The l that a randomized group reaches: one over the strongest belief."""
    return 1 / belief(retention, values, hidden, commonest)


def together(retention: float, columns: Sequence[int], hidden: int, commonest: int) -> float:
    """The l that is left of one column to somebody who knows how several columns go together, whatever way that is.

    ``columns`` says from how many values each of them draws, the column itself among them. What a record shows in one
    may then speak for its value in another: two ways of giving values to records that differ by one exchange are told
    apart by no more than the square of the product of the columns' ratios a/b.
    """
    ratio = math.prod(1 + _odds(retention, values) for values in columns)
    return 1 + (hidden / commonest - 1) / ratio**2


def least_values(l: float, retention: float, most: int) -> int | None:
    """How many different values a group must hold at least, each once, so that nobody's is believed with more than 1/l.

    Larger groups keep it too. None if no group of up to ``most`` values does; :func:`largest_retention` says then what
    to ask for instead. A method whose classes are shown randomized makes every group at least this large, for each
    sensitive column, where the plan asks for l.
    """
    low, high = 0, most
    if most < 1 or retention > MOST or diversity(retention, most) < l:
        return None
    while high - low > 1:  # the belief falls as values are added
        middle = (low + high) // 2
        low, high = (low, middle) if diversity(retention, middle) >= l else (middle, high)
    return high


def largest_retention(l: float, values: int, hidden: int | None = None, commonest: int = 1) -> float | None:
    """The largest retention with which a group like this keeps l, to six decimals; None if none does.

    Where each value is held once, groups of more values keep l with it too.
    """
    if diversity(0.0, values, hidden, commonest) < l:
        return None
    low, high = 0.0, MOST
    if diversity(high, values, hidden, commonest) >= l:
        return high
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if diversity(middle, values, hidden, commonest) >= l else (low, middle)
    return math.floor(low * 1e6) / 1e6
