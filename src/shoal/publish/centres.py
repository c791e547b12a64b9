"""The centres form, microaggregation: all records of a class show its mean, or for categories its commonest value.

Promises     k, l, t and a least size: all records of a class look alike.
Protects     identity and sensitive values; insensitive columns are published as they are. A centre says nothing sure
             of a single member: where bounds are wanted, publish the generalized form.
Shows        numbers and dates by the mean of the known values, rounded as the column is written; categories by the
             value that most have, missing among them, the first in the order of the domain where several are as common.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.errors import DataError
from shoal.kernels import extents as kernels
from shoal.plan.plan import Plan
from shoal.publish.assembly import assemble
from shoal.publish.draft import Draft
from shoal.publish.faces import Appearance, Face, Places, Records, gaps, ordered
from shoal.release.manifest import PublishedColumn
from shoal.schema.columns import Column, Numeric
from shoal.table.classes import Classes
from shoal.table.codes import Codes
from shoal.table.domain import Domain
from shoal.table.texts import texts

Figures = NDArray[np.float64]

#: Numbers that are written with more decimals than this are rounded to so many.
_DECIMALS = 6
#: Above it, not every whole number is a float.
_LAST_EXACT = 1 << 53
#: The sum of so many records as nobody has is no number above it.
_LARGEST = 1e290
#: Whole numbers are summed in two parts, below and above it: either sum is exact in a float.
_LOWER = float(1 << 26)


def publish(codes: Codes, classes: Classes, plan: Plan, column_order: Sequence[str]) -> Draft:
    """The classes as one table, its columns in the order of the original."""
    records = Records.of(codes, classes)
    shown = {column.name: _show(records, axis, column) for axis, column in enumerate(plan.quasi_identifying)}
    return assemble(shown, codes, classes, plan, column_order)


def _show(records: Records, axis: int, column: Column) -> Appearance:
    domain = records.domains[axis]
    if domain.kind == "number":
        how = column.coarsening if isinstance(column.coarsening, Numeric) else Numeric()
        faces = _means(records, axis, how)
        names = tuple(face.name for face in faces)
        meaning = PublishedColumn(
            domain.name, column.role, "centre", names, bottom=how.bottom, top=how.top, step=how.step
        )
        return Appearance(faces, meaning)
    return Appearance([_mode(records, axis)], PublishedColumn(domain.name, column.role, "centre", (domain.name,)))


def _means(records: Records, axis: int, how: Numeric) -> list[Face]:
    """The mean of each class; where the column has gaps, also whether none, some or all are missing."""
    domain = records.domains[axis]
    scale, back = _scale(domain)
    totals, known = _totals(records, axis, scale)
    mean = np.divide(totals, known, out=np.zeros(len(totals)), where=known > 0)
    distinct, place = np.unique(_rounded(mean, domain, scale, how), return_inverse=True)
    shown = back(distinct)
    values = pa.concat_arrays([shown, pa.nulls(1, shown.type)])
    faces = [ordered(domain.name, values, np.where(known > 0, place, len(distinct)))]
    return [*faces, gaps(domain.name, records.sizes - known, records.sizes)] if domain.missing else faces


def _totals(records: Records, axis: int, scale: Figures) -> tuple[Figures, Places]:
    """The sum of each class, and of how many; exact for whole numbers, by way of their upper and lower digits."""
    upper = np.floor(scale / _LOWER) * _LOWER if (scale == np.rint(scale)).all() else np.zeros(len(scale))
    totals, known = np.zeros(len(records)), np.zeros(len(records), np.int64)
    for part in (upper, scale - upper):
        sums, known = np.zeros(len(records)), np.zeros(len(records), np.int64)
        kernels.totals(records.matrix, records.starts, axis, np.append(part, 0.0), len(scale), sums, known)
        totals += sums
    return totals, known


def _scale(domain: Domain) -> tuple[Figures, Callable[[Figures], pa.Array]]:
    """The values as numbers that have a mean, and the way back to their type."""
    kind = domain.values.type
    if not pa.types.is_temporal(kind):
        figures = _figures(domain.values.cast(pa.float64(), safe=False))
        if pa.types.is_integer(kind) and len(figures) and np.abs(figures).max() > _LAST_EXACT:
            raise DataError(
                f"the column {domain.name} holds whole numbers that are too large to have a mean: publish "
                "their bounds, or read them as text"
            )
        if len(figures) and np.abs(figures).max() > _LARGEST:
            raise DataError(
                f"the column {domain.name} holds numbers that are too large to be summed: publish their bounds, or "
                "give the column a bottom and a top"
            )
        return figures, lambda means: _typed(means, kind)
    if pa.types.is_date64(kind):  # milliseconds, of which only whole days are dates
        days = domain.values.cast(pa.date32(), safe=False).cast(pa.int32())
        return _figures(days), lambda means: pa.array(means.astype(np.int32)).cast(pa.date32()).cast(kind)
    whole = pa.int32() if kind.bit_width == 32 else pa.int64()
    ticks = domain.values.cast(whole).cast(pa.int64()).to_numpy(zero_copy_only=False)
    first = ticks.min() if len(ticks) else 0  # counted from it, nanoseconds are exact in a float too
    return (
        (ticks - first).astype(np.float64),
        lambda means: pa.array(means.astype(np.int64) + first).cast(whole).cast(kind),
    )


def _figures(values: pa.Array) -> Figures:
    return np.asarray(values.to_numpy(zero_copy_only=False), dtype=np.float64)


def _typed(means: Figures, kind: pa.DataType) -> pa.Array:
    if pa.types.is_integer(kind) and (means == np.rint(means)).all():  # a step may be less than whole
        return pa.array([int(mean) for mean in means.tolist()], kind)
    if pa.types.is_integer(kind):
        return pa.array(means)
    return pa.array(means).cast(kind, safe=False)


def _rounded(mean: Figures, domain: Domain, scale: Figures, how: Numeric) -> Figures:
    """Means as the column is written: whole where it is, else with as many decimals, or to multiples of the step."""
    if how.step is not None:
        rounded = np.round(np.rint(mean / how.step) * how.step, 12)
    elif pa.types.is_floating(domain.values.type) or pa.types.is_decimal(domain.values.type):
        rounded = np.round(mean, decimals(scale))
    else:
        rounded = np.rint(mean)
    rounded = rounded if how.top is None else np.minimum(rounded, how.top)
    rounded = rounded if how.bottom is None else np.maximum(rounded, how.bottom)
    return np.clip(rounded, scale.min(initial=np.inf), scale.max(initial=-np.inf)) if len(scale) else rounded


def decimals(values: NDArray[Any]) -> int:
    """With how many decimals these numbers are written."""
    return next((d for d in range(_DECIMALS) if (np.round(values, d) == values).all()), _DECIMALS)


def _mode(records: Records, axis: int) -> Face:
    """The commonest value of each class."""
    domain = records.domains[axis]
    found, count = np.empty(len(records), np.int64), np.zeros(len(domain), np.int64)
    kernels.modes(records.matrix, records.starts, axis, count, found)
    return ordered(domain.name, pa.concat_arrays([texts(domain.values), pa.nulls(1, pa.string())]), found)
