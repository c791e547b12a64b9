"""One table of all classes: each record shows what its class shows, and its other columns as they are.

Rows are sorted by all published columns: a table that says the same is the same, and nothing of the input's order
is left.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.kernels import arrange
from shoal.plan.plan import Plan
from shoal.publish.draft import Draft
from shoal.publish.faces import Appearance, Face, side_by_side
from shoal.release.manifest import PublishedColumn
from shoal.table.classes import Classes
from shoal.table.codes import Codes


def assemble(
    shown: Mapping[str, Appearance], codes: Codes, classes: Classes, plan: Plan, column_order: Sequence[str]
) -> Draft:
    """The classes as one table, its columns in the order of the original."""
    faces = [face for name in column_order if name in shown for face in shown[name].faces]
    by_class, starts = _merged(faces, classes)
    arranged = np.empty(len(classes.order), np.uint32)
    arrange.in_class_order(classes.order, classes.starts, by_class, arranged)
    others = [name for name in column_order if name in {c.name for c in (*plan.sensitive, *plan.insensitive)}]
    if others:
        arrange.sort_within(_together(codes, others), arranged, starts, len(others))
    sizes = classes.sizes[by_class]
    filled = side_by_side(lambda face: _repeated(face, by_class, sizes), faces, len(arranged))
    unchanged = side_by_side(lambda name: _plain(codes, name, arranged), others, len(arranged))
    columns = dict(zip([*(face.name for face in faces), *others], [*filled, *unchanged], strict=True))
    meaning = tuple(_meanings(shown, plan, column_order))
    held = pa.table({name: columns[name] for column in meaning for name in column.columns})
    return Draft({"release": held}, meaning, codes.rows[arranged], len(codes) - len(arranged))


def _meanings(shown: Mapping[str, Appearance], plan: Plan, column_order: Sequence[str]) -> Iterator[PublishedColumn]:
    roles = {column.name: column.role for column in plan.columns}
    for name in column_order:
        if name in shown:
            yield shown[name].meaning
        elif roles.get(name) in ("sensitive", "insensitive"):
            yield PublishedColumn(name, roles[name], "value", (name,))


def _merged(faces: Sequence[Face], classes: Classes) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The classes sorted by what they show, and where a new face begins among their records."""
    keys = _packed(faces, len(classes))
    order = np.lexsort(keys[::-1]) if len(keys) != 1 else np.argsort(keys[0], kind="stable")
    fresh = np.zeros(len(order), dtype=np.bool_)
    fresh[:1] = True
    for key in keys:
        fresh[1:] |= key[order][1:] != key[order][:-1]
    ends = np.concatenate([[0], np.cumsum(classes.sizes[order])])
    return order, np.append(ends[:-1][fresh], ends[-1])


def _packed(faces: Sequence[Face], count: int) -> list[NDArray[np.uint64]]:
    """The faces' places as few integers that sort alike."""
    keys, room = [np.zeros(count, np.uint64)], 64
    for face in faces:
        bits = max(len(face.values) - 1, 1).bit_length()
        if bits > room:
            keys.append(np.zeros(count, np.uint64))
            room = 64
        keys[-1] = (keys[-1] << np.uint64(bits)) | face.place.astype(np.uint64)
        room -= bits
    return keys


def _together(codes: Codes, names: Sequence[str]) -> NDArray[np.unsignedinteger[Any]]:
    """The codes of these columns, side by side in this order."""
    return np.ascontiguousarray(codes.matrix[:, [codes.place(name) for name in names]])


def _repeated(face: Face, by_class: NDArray[np.int64], sizes: NDArray[np.int64]) -> pa.Array:
    """A face for every record."""
    count = int(sizes.sum())
    if _is_plain_number(face.values):
        values = face.values.to_numpy()[face.place[by_class]]
        every = np.empty(count, values.dtype)
        arrange.spread(values, sizes, every)
        return pa.array(every)
    place = face.place[by_class].astype(np.int8 if len(face.values) < 128 else np.int32)
    every = np.empty(count, place.dtype)
    arrange.spread(place, sizes, every)
    return spelled(face.values, every)


def _is_plain_number(values: pa.Array) -> bool:
    kind = values.type
    return values.null_count == 0 and (
        pa.types.is_integer(kind) or pa.types.is_float32(kind) or pa.types.is_float64(kind)
    )


def spelled(values: pa.Array, place: NDArray[np.signedinteger[Any]]) -> pa.Array:
    """Values by place; text as a dictionary of exactly the values that occur."""
    if pa.types.is_string(values.type):
        if values.null_count:  # a dictionary holds known values, and a missing one is a missing place
            gone = pa.array(place == len(values) - 1)
            return pa.DictionaryArray.from_arrays(pa.array(place, mask=np.asarray(gone)), values[:-1])
        return pa.DictionaryArray.from_arrays(pa.array(place), values)
    if _is_plain_number(values):
        return pa.array(values.to_numpy()[place])
    return values.take(pa.array(place))


def _plain(held: Codes, name: str, arranged: NDArray[np.uint32]) -> pa.Array:
    """A column as it was, rebuilt from the values that are published."""
    domain, codes = held.domains[held.place(name)], held.matrix[arranged, held.place(name)]
    values = pa.concat_arrays([domain.values, pa.nulls(1, domain.values.type)]) if domain.missing else domain.values
    used = np.flatnonzero(np.bincount(codes, minlength=len(values)))
    place = np.zeros(len(values), np.int32)
    place[used] = np.arange(len(used))
    return spelled(values.take(pa.array(used)), place[codes])
