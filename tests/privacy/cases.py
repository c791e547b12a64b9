"""Random classes: counts of sensitive values, class by class."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from shoal.privacy.distances import Equal, GroundDistance, Hierarchical, Ordered
from shoal.privacy.requirements import DIVERSITY_KINDS, LDiversity, RandomizedDiversity
from shoal.schema.hierarchy import Hierarchy

#: Small counts are the interesting ones.
FEW = st.one_of(st.integers(0, 4), st.integers(0, 4), st.integers(0, 1000))
#: A few are larger than 32 bits.
COUNTS = st.one_of(FEW, FEW, st.sampled_from([0, 2**31 - 1, 2**31, 2**33 + 7]))


@st.composite
def classes(
    draw: st.DrawFn, values: int | None = None, least: int = 0, counts: st.SearchStrategy[int] = COUNTS
) -> NDArray[np.int64]:
    """A few classes over a few values; ``least`` 1 leaves no class empty."""
    width = draw(st.integers(1, 7)) if values is None else values
    row = st.lists(counts, min_size=width, max_size=width).filter(lambda row: sum(row) >= least)
    rows = draw(st.lists(row, min_size=1, max_size=5))
    return np.array(rows, np.int64).reshape(len(rows), width)


@st.composite
def diversities(draw: st.DrawFn, on: str | None = None) -> LDiversity:
    """Any requirement of diversity that a plan may hold."""
    kind = draw(st.sampled_from(DIVERSITY_KINDS))
    whole = kind in ("distinct", "recursive")
    l = float(draw(st.integers(2, 6))) if whole else draw(st.sampled_from([1.2, 1.5, 2, 2.5, 3, 3.7, 4, 6]))
    c = draw(st.sampled_from([0.25, 0.5, 1.0, 1.5, 3.0])) if kind == "recursive" else None
    return LDiversity(l, on, kind, c, missing_is_sensitive=draw(st.booleans()))


@st.composite
def randomized(draw: st.DrawFn, on: str | None = None) -> RandomizedDiversity:
    """The diversity of classes whose values are shown randomized."""
    l, retention = draw(st.sampled_from([1.2, 1.5, 2, 2.5, 3, 4])), draw(st.sampled_from([0.0, 0.05, 0.2, 0.4]))
    return RandomizedDiversity(l, on, missing_is_sensitive=draw(st.booleans()), retention=retention)


@st.composite
def trees(draw: st.DrawFn, leaves: int) -> Hierarchy:
    """A tree over this many leaves, of uneven height; some leaves of the file may have been left out."""
    spare = draw(st.integers(0, 3))
    names = [f"leaf {number}" for number in range(leaves + spare)]
    rows = [[name, *draw(_PATH), "*"] for name in names]
    kept = draw(st.permutations(names))[:leaves]
    return Hierarchy.from_rows(rows).keep(kept)


_PATH = st.sampled_from([[], ["a"], ["b"], ["a1", "a"], ["a2", "a"], ["b1", "b"], ["b11", "b1", "b"], ["c", "c", "c"]])


@st.composite
def distances(draw: st.DrawFn, known: int) -> GroundDistance:
    """Any distance over this many known values, and perhaps a missing one."""
    choices = [st.just(Ordered()), st.just(Equal())]
    return draw(st.one_of(*choices, *([trees(known).map(Hierarchical)] if known else [])))
