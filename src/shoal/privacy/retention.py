"""What randomizing a sensitive column leaves to guess: the bound that a retention gives, and how large groups must be.

In a group every record holds another of ``m`` values, and the set of these values is published. Each record keeps its
value with probability p, the retention, and else shows a uniform draw from the m values, its own among them. Whoever
knows the records of the group but no value believes, before the randomized values are seen, each of the m! ways of
giving the values to the records alike; afterwards, in proportion to how likely each way shows what was published.

The more records show their own value the better this adversary can tell, since no two records have the same: seeing
one value once, and in its place, makes the others more likely to be in theirs. So the strongest belief is not
p + (1-p)/m, which looks at one record alone, but a per(m-1) / per(m), where b = (1-p)/m is the chance to show one other
value, a = p + b to show one's own, and per(j) = sum over i of C(j, i) p^i (j-i)! b^(j-i) is the permanent of the j x j
matrix that holds a in its diagonal and b elsewhere. With r = p/b this is (1+r)/m times the share of the sum of r^i/i!
for i = 0..m that its last term is not, which is what is computed here: nothing overflows.

As m grows the belief falls towards p/(1-p), so no group is large enough for a belief of 1/l unless p < 1/(l+1). For
retentions of at most :data:`MOST` it falls with every value (above 0.42 it may rise again), so that a group may always
be larger than it must be; only these are taken.
"""

from __future__ import annotations

import math

__all__ = ["MOST", "belief", "diversity", "largest_retention", "least_values"]

#: The largest retention of which anything is promised; l above 1.5 allows no more in any case.
MOST = 0.4
#: To so many halvings a largest retention is found.
_HALVINGS = 60


def belief(retention: float, values: int, hidden: int | None = None) -> float:
    """The strongest belief that a randomized group can leave in one record's value.

    ``values`` are those from which the group draws. Somebody may know which records hold some of them; then ``hidden``
    are the others, among which the belief is divided: so it is where records without a value are no secret.
    """
    left = values if hidden is None else hidden
    if left < 1 or retention >= 1:
        return 1.0
    odds = retention * values / (1 - retention)
    return (1 + odds) / left * (1 - _last_share(odds, left))


def _last_share(odds: float, terms: int) -> float:
    """The share of odds^terms/terms! in the sum of odds^i/i! for i = 0..terms."""
    term = whole = 1.0  # counted back from the last, each term over the last one
    for i in range(terms, 0, -1):
        term *= i / odds if odds > 0 else math.inf
        whole += term
        if whole > 1e18 or term < 1e-18 * whole:
            break
    return 1 / whole


def diversity(retention: float, values: int, hidden: int | None = None) -> float:
    """The l that a randomized group reaches: one over the strongest belief."""
    return 1 / belief(retention, values, hidden)


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


def largest_retention(l: float, values: int) -> float | None:
    """The largest retention with which groups of at least so many values keep l, to six decimals; None if none does."""
    if diversity(0.0, values) < l:
        return None
    low, high = 0.0, MOST
    if diversity(high, values) >= l:
        return high
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if diversity(middle, values) >= l else (low, middle)
    return math.floor(low * 1e6) / 1e6
