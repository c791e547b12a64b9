"""The adversary who knows everybody's quasi-identifiers, and joins them with what is published.

Of a person the adversary finds all rows that may be the person's, takes each for as likely, and believes in what they
say. This is the attack that Zhu, Tian, Du and Xie assume ("Anonymization on Refining Partition: Same Privacy, More
Utility", Computer Science and Information Systems, 2015, Sections 3.1 and 4.3), and that l and t speak of: a mixture of
classes, none of which gives more than 1/l to a value, gives no more itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.attack.beliefs import Beliefs, Figures
from shoal.errors import DataError, Unsupported
from shoal.measure.groups import grouped
from shoal.release.cells import distinct
from shoal.release.published import Published
from shoal.schema.hierarchy import Hierarchy
from shoal.verify import kinds
from shoal.verify.case import Case

Codes = NDArray[np.integer[Any]]

#: As many pairs of people and classes are looked at in one go.
_AT_ONCE = 1 << 22


@dataclass(frozen=True, eq=False)
class _Told:
    """What a form says of a sensitive column: each row is of a group, in which each value has a share."""

    values: pa.Array
    group: Codes
    shares: Figures


def linked(
    published: Published,
    people: pa.Table,
    on: str,
    trees: Mapping[str, Hierarchy],
    *,
    besides: Sequence[str] = (),
    missing: Sequence[str] = (),
) -> Beliefs:
    """What is believed of each of these people, who are in the release or may be.

    ``people`` has everybody's quasi-identifiers, as in the original, and the columns that the adversary knows
    ``besides``, of which nothing is promised. ``missing`` are words of text that mean that nothing is known.
    """
    told = _told(published, on)
    known = [
        msgspec.structs.replace(column, role="quasi-identifying")
        for column in published.columns
        if column.role == "quasi-identifying" or column.name in besides
    ]
    case = Case(published.rows, known, people, (), trees, tuple(missing))
    someone = kinds.distinct([quasi.original.code for quasi in case.quasi], np.zeros(people.num_rows, np.int64), 1)
    classes = grouped([told.group, *(quasi.cells.code for quasi in case.quasi)], published.rows.num_rows)
    held = classes.size[:, None] * told.shares[classes.shown[0]]
    shares = np.zeros((len(someone.times), len(told.values)))
    step = max(1, _AT_ONCE // max(len(classes), 1))
    for start in range(0, len(shares), step):
        some = slice(start, start + step)
        covered = np.ones((len(shares[some]), len(classes)), np.bool_)
        for quasi, values, cells in zip(case.quasi, someone.codes, classes.shown[1:], strict=True):
            pairs = np.broadcast_arrays(cells[None, :], values[some][:, None])
            covered &= quasi.cover.covers(pairs[0].ravel(), pairs[1].ravel()).reshape(covered.shape)
        shares[some] = covered @ held
    total = shares.sum(axis=1, keepdims=True)
    return Beliefs(on, told.values, someone.of, np.divide(shares, total, out=shares, where=total > 0))


def _told(published: Published, on: str) -> _Told:
    if not any(column.name == on and column.role == "sensitive" for column in published.columns):
        raise DataError(f"the release has no sensitive column {on}")
    if published.form not in _FORMS:
        raise Unsupported(f"nobody has taught this adversary the form {published.form}, only {', '.join(_FORMS)}")
    return _FORMS[published.form](published, on)


def _in_rows(published: Published, on: str) -> _Told:
    """Each row has its own value."""
    code, values = distinct(published.rows.column(on), on)
    return _Told(values, code, np.eye(len(values)))


def _by_class(published: Published, on: str) -> _Told:
    """Each row has any value of its class, in proportion to how often the class holds it."""
    table = published.tables[f"sat_{on}"]
    code, values = distinct(table.column(on), on)
    numbers, group = np.unique(published.rows.column("class").to_numpy(), return_inverse=True)
    held = np.zeros((len(numbers), len(values)))
    np.add.at(
        held, (np.searchsorted(numbers, table.column("class").to_numpy()), code), table.column("count").to_numpy()
    )
    return _Told(values, group, held / held.sum(axis=1, keepdims=True))


_FORMS: Mapping[str, Callable[[Published, str], _Told]] = {
    "generalized": _in_rows,
    "centres": _in_rows,
    "anatomy": _by_class,
}
