"""Whether published centres are those of their classes: the mean of numbers, the commonest of categories."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.privacy.verdict import Finding
from shoal.release.cells import distinct, is_ordered, ordinals, texts
from shoal.release.manifest import PublishedColumn
from shoal.verify import grouping
from shoal.verify.case import Case
from shoal.verify.coding import Coded, coded, matched
from shoal.verify.grouping import Classes

Link = NDArray[np.integer[Any]]
Flags = NDArray[np.bool_]
Numbers = NDArray[np.float64]

#: Sums of the same numbers in another order differ in the last bits.
_NOISE = 1e-9
#: A mean in a short type has the digits of that type.
_SHORT = 1e-6
_DECIMALS = 6


def judged(case: Case, link: Link) -> Iterator[Finding]:
    """One finding on all centres, given a sound link; none where the release has no centres."""
    quasi = case.of_role("quasi-identifying")
    centred = [column for column in quasi if column.shown == "centre"]
    if not centred:
        return
    classes = grouping.classes(case.table, [name for column in quasi for name in column.columns])
    wrong = {column.name: int(np.count_nonzero(_wrong(case, column, classes, link))) for column in centred}
    says = ", ".join(f"{name} in {count:,} class(es)" for name, count in wrong.items() if count)
    what = "every centre is the mean, or the commonest value, of its class"
    yield Finding("keeper", what, holds=not says, classes=classes.count, says=f"not so: {says}" if says else "")


def _wrong(case: Case, column: PublishedColumn, classes: Classes, link: Link) -> Flags:
    """Which classes show another centre than their own."""
    shown, original = case.table.column(column.columns[0]), case.coded(column.name)
    kind = shown.type.value_type if pa.types.is_dictionary(shown.type) else shown.type
    if not is_ordered(original.held.type) or pa.types.is_string(kind):  # numbers with a hierarchy are categories
        return _not_commonest(coded(shown, column.name), original, classes, link)
    number = _clipped(ordinals(original.held), column)
    value = classes.arranged(number[original.code[link]])
    noise = _SHORT if pa.types.is_float32(kind) or pa.types.is_float16(kind) else _NOISE
    half = _unit(original.held, column) / 2
    wrong = _not_mean(_first(classes, shown, column.name), value, classes, half, noise)
    if len(column.columns) > 1:
        wrong |= _wrong_gaps(case, column, np.isnan(value), classes)
    return wrong


def _clipped(number: Numbers, column: PublishedColumn) -> Numbers:
    bottom = -np.inf if column.bottom is None else column.bottom
    return np.clip(number, bottom, np.inf if column.top is None else column.top)


def _first(classes: Classes, shown: pa.ChunkedArray, name: str) -> Numbers:
    """What each class shows, which is what its first row shows."""
    code, held = distinct(shown, name)
    return ordinals(held)[classes.arranged(code)[classes.bounds[:-1]]]


def _sums(values: NDArray[Any], classes: Classes) -> NDArray[Any]:
    return np.add.reduceat(values, classes.bounds[:-1]) if classes.count else values[:0]


def _not_mean(shown: Numbers, value: Numbers, classes: Classes, half: float, noise: float) -> Flags:
    known = _sums((~np.isnan(value)).astype(np.int64), classes)
    total = _sums(np.nan_to_num(value, nan=0.0, posinf=np.inf, neginf=-np.inf), classes)
    mean = np.divide(total, known, out=np.full(classes.count, np.nan), where=known > 0)
    large = np.divide(_sums(np.abs(np.nan_to_num(value)), classes), np.maximum(known, 1))
    near = np.abs(shown - mean) <= half * (1 + noise) + noise * np.maximum(1, large)
    return ~(near | (np.isnan(shown) & (known == 0)))


def _unit(held: pa.Array, column: PublishedColumn) -> float:
    """What a centre is rounded to."""
    kind = held.type
    if column.step is not None:
        return column.step
    if pa.types.is_timestamp(kind) or pa.types.is_time(kind):
        return 1 / 86_400
    if pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        known = _clipped(ordinals(held), column)
        known = known[np.isfinite(known)]
        return 10.0 ** -next((d for d in range(_DECIMALS) if (np.round(known, d) == known).all()), _DECIMALS)
    return 1.0


def _wrong_gaps(case: Case, column: PublishedColumn, gone: Flags, classes: Classes) -> Flags:
    """Which classes do not say whether none, some or all of their values are missing."""
    code, held = distinct(case.table.column(column.columns[1]), column.name)
    absent = _sums(gone.astype(np.int64), classes)
    state = np.array(["none", "some", "all"])[(absent > 0).astype(int) + (absent == classes.sizes)]
    said = np.array(texts(held).to_pylist(), dtype=object)[classes.arranged(code)[classes.bounds[:-1]]]
    return np.asarray(said != state, np.bool_)


def _not_commonest(shown: Coded, original: Coded, classes: Classes, link: Link) -> Flags:
    """Which classes show a value that another of their values is more common than; missing is a value too."""
    both = matched(shown, original)
    values = int(max(both.published.max(initial=0), both.original.max(initial=0))) + 1
    of_row = np.repeat(np.arange(classes.count), classes.sizes)
    pairs, times = np.unique(
        of_row * values + classes.arranged(both.original[link]).astype(np.int64), return_counts=True
    )
    most = np.zeros(classes.count, np.int64)
    np.maximum.at(most, pairs // values, times)
    named = np.arange(classes.count) * values + classes.arranged(both.published)[classes.bounds[:-1]].astype(np.int64)
    place = np.minimum(np.searchsorted(pairs, named), max(len(pairs) - 1, 0))
    return ~((pairs[place] == named) & (times[place] == most)) if len(pairs) else np.zeros(0, np.bool_)
