"""What comes in: which records are taken, in fixed types, and which are refused, and why.

Nothing is decided here by how many records came in one go: a column whose type the plan does not say is held as it is
until the first window is full, and has then the type of all its values.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from shoal.engine.stream.reading import Reading, unified
from shoal.plan.plan import Plan
from shoal.schema.hierarchy import Hierarchy
from shoal.table.checks import check_columns
from shoal.table.codes import encode_column
from shoal.table.naming import check_nobody_named

#: The column beside those of the records that tells where a source goes on after each.
PLACE = "\0place"


@dataclass(frozen=True, eq=False, repr=False)
class Refusal:
    """A record that is not taken, as it came: it is row ``row`` of the table, or would have stood before it.

    ``place`` is where the source goes on after it.
    """

    row: int
    place: Any
    why: str
    raw: Any


@dataclass(frozen=True, eq=False, repr=False)
class Incoming:
    """Records that came in one go.

    ``place[i]`` is where the source goes on after row i of the table; ``raw(i)`` is the row as it came. Values that
    are ``spelled`` are texts, whatever they mean; but those of ``texts`` were told from numbers where they come from.
    ``refused`` are records that could not even be made rows.
    """

    table: pa.Table
    place: pa.Array
    raw: Callable[[int], Any]
    spelled: bool = False
    refused: Sequence[Refusal] = ()
    texts: frozenset[str] = frozenset()

    def __len__(self) -> int:
        return int(self.table.num_rows)

    def part(self, start: int, stop: int) -> Incoming:
        """The rows from ``start`` on, up to ``stop``."""
        last = stop >= len(self)
        refused = [
            replace(one, row=one.row - start)
            for one in self.refused
            if start <= one.row < stop or (last and one.row >= stop)
        ]
        return Incoming(
            self.table.slice(start, stop - start),
            self.place.slice(start, stop - start),
            lambda row: self.raw(start + row),
            self.spelled,
            refused,
            self.texts,
        )


@dataclass(frozen=True, eq=False, repr=False)
class Checked:
    """What of it can be taken, and what cannot; nothing is taken yet."""

    table: pa.Table
    refused: Sequence[Refusal]
    people: Sequence[Mapping[Any, int]]  # of each column that tells people apart, who comes, and at which place
    spelled: bool


class Intake:
    """Takes records for windows of this size, that advance by so many."""

    def __init__(self, plan: Plan, trees: Mapping[str, Hierarchy], window: int, advance: int) -> None:
        self._plan = plan
        self._window, self._advance = window, advance
        self._readings = {
            column.name: Reading(column, trees.get(column.name), plan.read_options)
            for column in plan.columns
            if column.role != "identifying"
        }
        self._persons = _persons(plan)
        self._names = list(self._readings)
        self._last: list[dict[Any, int]] = [{} for _ in self._persons]
        self._waiting: list[pa.Table] | None = []  # until the first window is full, and all types are known
        self._spelled = False
        self.taken = 0

    @property
    def most(self) -> int:
        """How many records may be checked in one go: those beyond the first window depend on its types."""
        return self._window if self._waiting is None else self._window - self.taken

    # -- checking ---------------------------------------------------------------------------------------------------

    def check(self, incoming: Incoming) -> Checked:
        """Tell what can be taken from what cannot; :class:`DataError` where the columns are not those of the plan."""
        check_columns(incoming.table.column_names, self._plan)
        if not self.taken:  # columns are published in the order in which they came first
            self._names = [name for name in incoming.table.column_names if name in self._readings]
        why: dict[int, str] = {}
        columns = {column.name: incoming.table.column(column.name) for column in self._plan.identifying}
        for name, reading in self._readings.items():
            reading.is_text = reading.is_text or name in incoming.texts
            columns[name], faults = reading.read(incoming.table.column(name), spelled=incoming.spelled)
            for fault in faults:
                for row in np.flatnonzero(fault.bad).tolist():
                    why.setdefault(row, f"{name}: {fault.why}")
        people = self._people(incoming.table, why) if self._persons else []
        refused = [*incoming.refused, *(self._refusal(incoming, row, said) for row, said in why.items())]
        table = pa.table({**columns, PLACE: incoming.place})
        if why:
            kept = np.ones(len(incoming), np.bool_)
            kept[list(why)] = False
            table = table.filter(pa.array(kept))
        return Checked(table, sorted(refused, key=lambda one: one.row), people, incoming.spelled)

    def _refusal(self, incoming: Incoming, row: int, why: str) -> Refusal:
        return Refusal(row, incoming.place[row].as_py(), why, incoming.raw(row))

    def _people(self, table: pa.Table, why: dict[int, str]) -> list[dict[Any, int]]:
        """Refuse who has a record in the window already: rows would not be people. A look-up for each record."""
        found: list[dict[Any, int]] = [{} for _ in self._persons]
        place = self.taken
        for row, person in enumerate(zip(*(table.column(name).to_pylist() for name in self._persons), strict=True)):
            if row in why:
                continue
            start = max((place - self._window) // self._advance + 1, 0) * self._advance
            for name, who, new, old in zip(self._persons, person, found, self._last, strict=True):
                if max(new.get(who, -1), old.get(who, -1)) >= start:
                    why[row] = f"{name}: somebody who has a record in the window already"
            if row not in why:
                for who, new in zip(person, found, strict=True):
                    new[who] = place
                place += 1
        return found

    # -- taking -----------------------------------------------------------------------------------------------------

    def take(self, checked: Checked) -> pa.Table | None:
        """Take what was checked; what is ready for the window of it, which is nothing until the first is full."""
        self.taken += checked.table.num_rows
        self._spelled = checked.spelled
        for old, new in zip(self._last, checked.people, strict=True):
            old.update(new)
            if len(old) > 4 * self._window:
                gone = [who for who, place in old.items() if place < self.taken - self._window]
                for who in gone:
                    del old[who]
        if self._waiting is None:
            return checked.table.select(self._kept)
        self._waiting.append(checked.table)
        return self.settle() if self.taken == self._window else None

    def settle(self) -> pa.Table | None:
        """Decide on the types that are not known yet, by the records of the first window; these are ready then."""
        if not self._waiting or not self.taken:
            return None
        waiting, self._waiting = self._waiting, None
        names = [*self._names, *(column.name for column in self._plan.identifying)]
        whole = {name: unified([table.column(name) for table in waiting], name) for name in names}
        for name, reading in self._readings.items():
            whole[name] = reading.settled(whole[name], spelled=self._spelled)
        place = pa.chunked_array([chunk for table in waiting for chunk in table.column(PLACE).chunks])
        first = pa.table({**whole, PLACE: place})
        self._look_over(first)
        return first.select(self._kept)

    def remembered(self) -> dict[str, list[Any]]:
        """What was found out of the columns."""
        return {name: reading.remembered() for name, reading in self._readings.items()}

    def restore(self, held: pa.Table, taken: int, remembered: Mapping[str, list[Any]]) -> None:
        """Go on after so many records, of which the last are held."""
        self._waiting, self.taken = None, taken
        self._names = [name for name in held.column_names if name in self._readings]
        for name, reading in self._readings.items():
            reading.restore(held.schema.field(name).type, remembered[name])
        places = range(taken - held.num_rows, taken)
        self._last = [dict(zip(held.column(name).to_pylist(), places, strict=True)) for name in self._persons]

    @property
    def _kept(self) -> list[str]:
        """Of what came, the columns that are needed on."""
        return [*self._names, *self._persons, PLACE]

    def _look_over(self, first: pa.Table) -> None:
        """What can only be said of many records, and is said of a whole table elsewhere."""
        check_nobody_named(first, self._plan)
        for column in self._plan.insensitive:
            encode_column(first, column, {}, self._plan.allow_unique)


def _persons(plan: Plan) -> list[str]:
    """The columns in which a value stands for a person."""
    if plan.person == "row":
        return []
    return [plan.person] if plan.person is not None else [column.name for column in plan.identifying]
