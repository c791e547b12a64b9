"""How a class shows one quasi-identifier: the columns that it fills, as codes over a few distinct published values."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from shoal.errors import DataError
from shoal.kernels import extents as kernels
from shoal.plan.forms import Generalized
from shoal.publish import sets
from shoal.release.manifest import PublishedColumn, Shown
from shoal.schema.columns import Column, Numeric
from shoal.table.classes import Classes
from shoal.table.codes import Codes
from shoal.table.domain import Domain
from shoal.table.texts import texts

Places = NDArray[np.int64]

#: Above it, not every whole number is a float.
_LAST_EXACT = 1 << 53
_CORES = os.cpu_count() or 1
_FEW = 1 << 15

Given = TypeVar("Given")
Found = TypeVar("Found")


@dataclass(frozen=True, eq=False)
class Face:
    """One published column: class i shows ``values[place[i]]``; the values are in order, a missing one last."""

    name: str
    place: NDArray[np.integer[Any]]
    values: pa.Array


@dataclass(frozen=True, eq=False)
class Extent:
    """The known codes that each class spans on one axis (-1: none), and how many of its records have no value."""

    low: NDArray[np.int32]
    high: NDArray[np.int32]
    absent: NDArray[np.int32]


@dataclass(frozen=True)
class Appearance:
    """All the columns that speak of one quasi-identifier, and what to say of them in the manifest."""

    faces: list[Face]
    meaning: PublishedColumn


@dataclass(frozen=True, eq=False)
class Records:
    """The coded records in the order of their classes."""

    matrix: NDArray[np.unsignedinteger[Any]]
    starts: Places
    domains: tuple[Domain, ...]

    @classmethod
    def of(cls, codes: Codes, classes: Classes) -> Records:
        matrix = codes.words[classes.order].view(codes.matrix.dtype)
        return cls(matrix, classes.starts, codes.domains[: codes.quasi])

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def sizes(self) -> Places:
        return np.diff(self.starts)


def side_by_side(task: Callable[[Given], Found], over: Iterable[Given], records: int) -> list[Found]:
    """The task done for each, on all cores; few records are done before a thread has begun."""
    if records < _FEW:
        return [task(one) for one in over]
    with ThreadPoolExecutor(_CORES) as pool:
        return list(pool.map(task, over))


def extents(records: Records) -> list[Extent]:
    """The extent of every class on every quasi-identifier; each core takes a share of the classes."""
    shape = len(records), len(records.domains)
    low, high, absent = (np.empty(shape, np.int32) for _ in range(3))
    missing = np.array([d.known if d.missing else -1 for d in records.domains], np.int32)
    cuts = np.linspace(0, len(records), _CORES + 1).astype(np.int64)

    def share(core: int) -> None:
        kernels.extents(records.matrix, records.starts, cuts[core], cuts[core + 1], missing, low, high, absent)

    side_by_side(share, range(_CORES), len(records.matrix))
    return [Extent(low[:, j], high[:, j], absent[:, j]) for j in range(len(records.domains))]


def show(records: Records, axis: int, extent: Extent, column: Column, form: Generalized) -> Appearance:
    """One quasi-identifier of every class."""
    domain = records.domains[axis]
    if domain.kind == "number":
        how = column.coarsening if isinstance(column.coarsening, Numeric) else Numeric()
        faces = _bounds(domain, extent, records.sizes, how)
        if form.ranges == "text":
            faces = [_interval(domain.name, faces)]
        shown: Shown = "bounds" if form.ranges == "bounds" else "interval"
        names = tuple(face.name for face in faces)
        meaning = PublishedColumn(domain.name, column.role, shown, names, bottom=how.bottom, top=how.top, step=how.step)
        return Appearance(faces, meaning)
    face = _node(domain, extent) if domain.tree is not None else _set(records, axis)
    return Appearance(
        [face], PublishedColumn(domain.name, column.role, "set" if domain.tree is None else "node", (domain.name,))
    )


def ordered(name: str, values: pa.Array, place: NDArray[np.integer[Any]]) -> Face:
    """A face whose values may repeat and stand in any order: sorted, each once, missing last.

    Values that no class shows are left out, lest a column remember them.
    """
    place = np.where(place < 0, place + len(values), place)
    used = np.bincount(place, minlength=len(values)) > 0
    values, place = values.filter(pa.array(used)), (np.cumsum(used) - 1)[place]
    if _rises(values):
        return Face(name, place, values)
    encoded = values.dictionary_encode()
    held = encoded.dictionary
    order = pc.array_sort_indices(held).to_numpy()
    rank = np.empty(len(held) + 1, dtype=np.int64)
    rank[order] = np.arange(len(order))
    rank[-1] = len(held)
    where = encoded.indices.fill_null(len(held)).to_numpy(zero_copy_only=False)
    held = held.take(pa.array(order))
    if encoded.null_count:
        held = pa.concat_arrays([held, pa.nulls(1, held.type)])
    return Face(name, rank[where][place], held)


def _rises(values: pa.Array) -> bool:
    """Whether these are numbers that stand in order already, each once, a missing one last at the most."""
    if not (pa.types.is_integer(values.type) or pa.types.is_floating(values.type)):
        return False
    known = values if values.null_count == 0 else values[:-1]
    numbers = known.to_numpy(zero_copy_only=False) if known.null_count == 0 else np.zeros(2)
    return bool((numbers[1:] > numbers[:-1]).all())


def gaps(name: str, absent: NDArray[np.integer[Any]], sizes: Places) -> Face:
    """Whether none, some or all records of each class have no value."""
    state = (absent > 0).astype(np.int64) + (absent == sizes)
    return ordered(f"{name}_missing", pa.array(["none", "some", "all"]), state)


def _bounds(domain: Domain, extent: Extent, sizes: Places, how: Numeric) -> list[Face]:
    """The two ends, rounded outward; where the column has gaps, also whether none, some or all are missing."""
    lows = _rounded(domain, how, outward=-1)
    highs = _rounded(domain, how, outward=1)
    faces = [
        ordered(f"{domain.name}_min", _or_null(_slim(lows)), extent.low),
        ordered(f"{domain.name}_max", _or_null(_slim(highs)), extent.high),
    ]
    if domain.missing:
        faces.append(gaps(domain.name, extent.absent, sizes))
    return faces


def _slim(values: pa.Array) -> pa.Array:
    """Whole numbers in the smallest type in which two ends can be added: a midpoint must not overflow."""
    if not pa.types.is_integer(values.type) or not len(values):
        return values
    least, most = pc.min_max(values).as_py().values()
    for kind in (pa.int8(), pa.int16(), pa.int32()):
        if -(1 << kind.bit_width - 2) <= least and most < 1 << kind.bit_width - 2:
            return values.cast(kind)
    return values


def _or_null(values: pa.Array) -> pa.Array:
    """With a null in the last place, which a class without a known value points to by -1."""
    return pa.concat_arrays([values, pa.nulls(1, values.type)])


def _rounded(domain: Domain, how: Numeric, outward: int) -> pa.Array:
    """Endpoints moved outward to multiples of the step, but not beyond bottom and top."""
    values = domain.values
    if how.step is None or not len(values):
        return values
    if pa.types.is_integer(values.type) and float(how.step).is_integer():
        exact, step = values.to_numpy().astype(object), int(how.step)  # Python's integers: nothing overflows
        moved = exact // step * step if outward < 0 else -(-exact // step) * step
        if moved.max() >= 1 << 63 or moved.min() < -(1 << 63):
            raise _too_large(domain.name)
        return pa.array(_within(moved, how))
    plain = np.asarray(values.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False))
    with np.errstate(over="ignore", invalid="ignore"):
        moved = np.round(np.rint(plain / how.step) * how.step, 12)  # 0.7, and not 0.7000000000000001
        short = moved > plain if outward < 0 else moved < plain
        moved = np.where(short, np.round(moved + outward * how.step, 12), moved)
        beyond = moved <= plain if outward < 0 else moved >= plain
    inexact = pa.types.is_integer(values.type) and np.abs(plain).max() > _LAST_EXACT
    if inexact or not (beyond & np.isfinite(moved)).all():
        raise _too_large(domain.name)
    return pa.array(_within(moved, how))


def _too_large(name: str) -> DataError:
    return DataError(
        f"the column {name} holds numbers too large to be rounded to its step: choose a larger step, or none, or give "
        "the column a bottom and a top"
    )


def _within(ends: NDArray[Any], how: Numeric) -> NDArray[Any]:
    """Ends that went beyond bottom or top are these."""
    ends = ends if how.top is None else np.minimum(ends, how.top)
    return ends if how.bottom is None else np.maximum(ends, how.bottom)


def _interval(name: str, faces: list[Face]) -> Face:
    """Both ends in one text, such as [20, 32]."""
    low, high = faces[0], faces[1]
    gaps = faces[2].place if len(faces) > 2 else np.zeros(len(low.place), np.int64)
    combined = (low.place * (len(high.values) + 1) + high.place) * 3 + gaps
    distinct, place = np.unique(combined, return_inverse=True)
    ends, gap = np.divmod(distinct, 3)
    first, last = np.divmod(ends, len(high.values) + 1)
    lows, highs = texts(low.values).take(pa.array(first)), texts(high.values).take(pa.array(last))
    spans = pc.binary_join_element_wise("[", lows, ", ", highs, "]", "")
    written = pc.if_else(pc.equal(lows, highs), lows, spans)
    words = faces[2].values.to_pylist() if len(faces) > 2 else ["none"]
    some = pa.array([words[g] == "some" for g in gap], pa.bool_())
    return ordered(name, pc.if_else(some, pc.binary_join_element_wise(written, " or missing", ""), written), place)


def _node(domain: Domain, extent: Extent) -> Face:
    """The lowest node of the hierarchy above a class; the root where missing values mix with known ones."""
    tree = domain.tree
    if tree is None:
        raise ValueError("the domain has no hierarchy")
    known = extent.low >= 0
    node = np.full(len(known), len(tree.labels), dtype=np.int64)
    node[known] = tree.lowest(extent.low[known], extent.high[known])
    node[known & (extent.absent > 0)] = 0
    labels = pa.array([*tree.labels, None], pa.string())
    return ordered(domain.name, labels, node)


def _set(records: Records, axis: int) -> Face:
    """The values of a class, in braces where there are several."""
    domain = records.domains[axis]
    if len(domain) <= 64:
        held = np.empty(len(records), np.uint64)
        kernels.masks(records.matrix, records.starts, axis, held)
        distinct, place = np.unique(held, return_inverse=True)
        return ordered(domain.name, sets.from_masks(distinct, domain), place)
    seen = np.full(len(domain), -1, np.int64)
    ends = np.zeros(len(records) + 1, np.int64)
    found = np.empty(len(records.matrix), np.int64)
    count = kernels.members(records.matrix, records.starts, axis, seen, ends, found)
    return ordered(domain.name, sets.from_members(ends, found[:count], domain), np.arange(len(records)))
