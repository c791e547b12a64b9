"""Random hierarchies over given values."""

from __future__ import annotations

from collections.abc import Collection

from hypothesis import strategies as st

from shoal.schema.hierarchy import Hierarchy

__all__ = ["hierarchies"]

#: What may stand above a leaf: nothing, levels that repeat a label, branches of different heights that share one.
_PATHS = (
    (),
    ("a",),
    ("b",),
    ("a1", "a"),
    ("a2", "a"),
    ("Other", "b"),
    ("b11", "b1", "b"),
    ("Other", "c"),
    ("c", "c", "c"),
    ("{x, y}",),
    ("null",),
)
_SPARE = ("spare one", "spare two", "[1, 9]")


@st.composite
def hierarchies(draw: st.DrawFn, values: Collection[str]) -> Hierarchy:
    """Trees in which all these values are leaves, of even or uneven height, perhaps with leaves that do not occur."""
    names = [*dict.fromkeys(values), *(name for name in _SPARE if name not in values and draw(st.booleans()))]
    if not names:
        names = [_SPARE[0]]
    root = draw(st.sampled_from(["*", "*", "anything"]))
    rows = [[name, *draw(st.sampled_from(_PATHS)), root] for name in names]
    return Hierarchy.from_rows(rows)
