"""Random tables: of any shape, or such as a plan speaks of."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from hypothesis import strategies as st

from shoal.plan.plan import Plan
from shoal.schema import arx
from shoal.schema.columns import Column, Numeric
from shoal.testing.values import KINDS, UNUSUAL_KINDS, Kind

__all__ = ["records_for", "tables"]

NAMES = ("age", "zip code", "sex", "job", "illness", "größe", "a,b", "x.y", "Class", "count", '"', "*", "row", "年")

#: Tables above this size are drawn by a random generator: choice by choice they would take too long.
_BY_CHOICE = 10

_WHOLE = Kind("whole numbers", pa.int64(), st.integers(0, 99))
_HALVES = Kind("halves", pa.float64(), st.integers(0, 199).map(lambda halves: halves / 2))
_CENTS = next(kind for kind in KINDS if kind.name == "decimals")
_WORDS = next(kind for kind in KINDS if kind.name == "words")


@st.composite
def tables(
    draw: st.DrawFn, *, min_rows: int = 0, max_rows: int = 200, max_columns: int = 6, unusual: bool = False
) -> pa.Table:
    """Tables of mixed columns: constant, missing in part or in all, in chunks, as dictionaries with spare values.

    ``unusual`` adds types that Shoal may refuse, as long as it says so.
    """
    rows = draw(_sizes(min_rows, max_rows))
    names = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=max_columns, unique=True))
    kinds = (*KINDS, *UNUSUAL_KINDS) if unusual else KINDS
    return pa.table([draw(_columns(draw(st.sampled_from(kinds)), rows)) for _ in names], names=names)


@st.composite
def records_for(draw: st.DrawFn, plan: Plan, *, min_rows: int = 0, max_rows: int = 200) -> pa.Table:
    """Tables that a plan is made for: its columns, with values that its hierarchies know."""
    rows = draw(_sizes(min_rows, max_rows))
    found = {column.name: draw(_columns(draw(_kinds_for(column)), rows)) for column in plan.columns}
    return pa.table(found)


def _sizes(least: int, most: int) -> st.SearchStrategy[int]:
    """Mostly few rows, where the edge cases are; at times as many as allowed."""
    small = st.integers(least, max(min(_BY_CHOICE, most), least))
    return st.one_of(small, small, st.integers(least, most))


def _kinds_for(column: Column) -> st.SearchStrategy[Kind]:
    if isinstance(column.coarsening, Numeric):
        return st.sampled_from([_WHOLE, _HALVES, _CENTS])
    if column.hierarchy is not None:
        tree = arx.read(column.hierarchy) if isinstance(column.hierarchy, Path) else column.hierarchy
        return st.just(Kind("leaves", pa.string(), st.sampled_from(tree.leaves)))
    if column.role == "sensitive":
        return st.sampled_from([_WHOLE, _WORDS, _HALVES])
    return st.sampled_from(KINDS)


@st.composite
def _columns(draw: st.DrawFn, kind: Kind, rows: int) -> pa.ChunkedArray:
    """One column of this kind: a few different values, each as often as it happens to be."""
    values = draw(st.lists(kind.values, min_size=1, max_size=draw(st.sampled_from([1, 3, 8, 30]))))
    gaps = draw(st.sampled_from(["none", "none", "some", "all"]))
    places = draw(_places(rows, len(values) + (gaps == "some")))
    held = [None if gaps == "all" else values[place] if place < len(values) else None for place in places]
    # As a dictionary the column remembers values that do not occur in it.
    plain = pa.types.is_nested(kind.type) or pa.types.is_null(kind.type)
    if not plain and draw(st.integers(0, 3)) == 0:
        column = _dictionary(values, kind.type, held, gap_has_place=draw(st.booleans()))
    else:
        column = pa.array(held, kind.type)
    return _in_chunks(column, draw(st.lists(st.integers(0, rows), max_size=2)))


@st.composite
def _places(draw: st.DrawFn, rows: int, values: int) -> Sequence[int]:
    if rows <= _BY_CHOICE:
        return draw(st.lists(st.integers(0, values - 1), min_size=rows, max_size=rows))
    chance = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    weights = np.arange(1, values + 1) ** -draw(st.sampled_from([0.0, 1.0, 2.0]))
    chosen: Sequence[int] = chance.choice(values, rows, p=weights / weights.sum()).tolist()
    return chosen


def _dictionary(
    values: Sequence[Any], kind: pa.DataType, held: Sequence[Any], *, gap_has_place: bool
) -> pa.DictionaryArray:
    """Known values, some of them twice, and a place in them for each row; missing may have a place too."""
    place = {id(value): index for index, value in enumerate(values)}
    nothing = len(values) if gap_has_place else None
    indices = pa.array([nothing if value is None else place[id(value)] for value in held], pa.int16())
    return pa.DictionaryArray.from_arrays(indices, pa.array([*values, *[None] * gap_has_place], kind))


def _in_chunks(column: pa.Array, borders: Sequence[int]) -> pa.ChunkedArray:
    edges = [0, *sorted(borders), len(column)]
    return pa.chunked_array([column[start:end] for start, end in pairwise(edges)], type=column.type)
