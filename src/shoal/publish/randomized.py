"""The randomized form: anatomy, and beside each record a sensitive value that may or may not be its own.

Paper        Chaytor and Wang: Small Domain Randomization: Same Privacy, More Utility. VLDB 2010. For the groups of a
             partition: Zhu, Tian, Du and Xie: Anonymization on Refining Partition: Same Privacy, More Utility.
Promises     l by frequency and a least class size: whatever the rows show, no value of a record is believed with more
             than 1/l (shoal/privacy/retention.py).
Protects     sensitive values alone: who is in the table, and with which quasi-identifiers, can be read off it.
Shows        `release`: the class, quasi-identifiers and insensitive columns of each record, and of each sensitive
             column its own value with the chance `retention`, else one drawn from all values of its class, its own
             among them; missing is a value. `sat_COLUMN` as in anatomy. Classes are numbered by lot.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.plan.forms import Randomized
from shoal.plan.plan import Plan
from shoal.publish.draft import Draft
from shoal.publish.numbered import (
    Shown,
    added,
    arranged,
    as_coded,
    cells,
    counted,
    in_order,
    lots,
    numbers,
    plain,
)
from shoal.schema.columns import Column
from shoal.table.chance import Chance
from shoal.table.classes import Classes
from shoal.table.codes import Codes

Values = NDArray[np.unsignedinteger[Any]]


def publish(
    codes: Codes, classes: Classes, plan: Plan, form: Randomized, column_order: Sequence[str], chance: Chance
) -> Draft:
    """One table of all records, their sensitive columns randomized, and one of each sensitive column."""
    classes = arranged(classes, lots(classes, chance))
    columns = {column.name: column for column in (*plan.quasi_identifying, *plan.sensitive, *plan.insensitive)}
    shown = [
        _randomized(codes, classes, column, form.retention, chance)
        if column.role == "sensitive"
        else plain(codes, column, classes.order)
        for name in column_order
        if (column := columns.get(name)) is not None
    ]
    rows = in_order(shown, classes.starts)
    tables = {"release": pa.table({"class": numbers(classes.sizes), **cells(shown, rows)})}
    secret = [column.meaning.name for column in shown if column.meaning.role == "sensitive"]
    tables |= {f"sat_{name}": counted(codes, classes, name) for name in secret}
    link = codes.rows[classes.order[rows]]
    described = (added("class"), *(column.meaning for column in shown), added("count"))
    return Draft(tables, described, link, len(codes) - len(link))


def _randomized(codes: Codes, classes: Classes, column: Column, retention: float, chance: Chance) -> Shown:
    place = codes.place(column.name)
    code = codes.matrix[classes.order, place]
    drawn = _drawn(code, len(codes.domains[place]), classes, chance)
    kept = _shares(chance, len(code)) < retention
    shown = as_coded(codes.domains[place], np.where(kept, code, drawn), column)
    return Shown(shown.faces, shown.group, msgspec.structs.replace(shown.meaning, shown="randomized"))


def _drawn(code: Values, width: int, classes: Classes, chance: Chance) -> NDArray[np.int64]:
    """For each record one of the different values of its class, all alike likely."""
    of_row = np.repeat(np.arange(len(classes)), classes.sizes)
    number, value = np.divmod(np.unique(of_row * np.int64(max(width, 1)) + code), max(width, 1))
    first = np.searchsorted(number, np.arange(len(classes) + 1))
    which = (_shares(chance, len(code)) * np.diff(first)[of_row]).astype(np.int64)
    return value[first[of_row] + which]


def _shares(chance: Chance, count: int) -> NDArray[np.float64]:
    """Numbers from 0 to below 1."""
    return (chance.words(count) >> np.uint64(11)) / float(1 << 53)
