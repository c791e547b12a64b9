"""The window that slides over a stream, and which classes leave as it advances.

Paper        Cao, Karras, Kalnis, Tan: SABRE: a Sensitive Attribute Bucketization and REdistribution framework for
             t-closeness. The VLDB Journal 20(1), 2011, Section 5, Algorithm SABRE_W.
Promises     (omega, t)-closeness with the expiring constraint: each record leaves in one class before its window has
             advanced over it, and each class is t-close to a window that was current, whose number it carries. k and a
             least size are kept too, by the plan's method.
Why right    DIRECT compares each class with the window itself. INDIRECT publishes what is left of the last DIRECT, in
             which all that is due now was grouped (Theorem 5): nothing else was published between the two, so if their
             windows did not overlap, nothing of this one was, and DIRECT would have done. The same goes for k, where a
             window holds k records.

A window is decided as soon as it is full, which is one advance earlier than the paper waits; what it decides is the
same. Of the last, partial window all records are due.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal import partition
from shoal.engine.stream.closeness import is_near, most
from shoal.engine.stream.coding import Coder, within
from shoal.engine.stream.publishing import Publisher
from shoal.plan.checks.stream import least
from shoal.plan.plan import Plan
from shoal.schema.hierarchy import Hierarchy
from shoal.table.chance import Chance
from shoal.table.classes import Classes
from shoal.table.codes import Codes

Places = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False, repr=False)
class Batch:
    """What leaves as window ``number`` advances; None where nothing was due."""

    number: int
    table: pa.Table | None


@dataclass(frozen=True, eq=False, repr=False)
class Grouping:
    """S_G, the classes of the last DIRECT that have not left: held record i is of class ``of[i]``, or of none (-1)."""

    window: int
    of: Places
    whole: pa.Table  # the sensitive columns of that window


class Windows:
    """The records of the current window, which of them have left, and what may leave with them."""

    def __init__(self, plan: Plan, trees: Mapping[str, Hierarchy], size: int, advance: int, chance: Chance) -> None:
        self._plan = within(plan)
        self._least = least(plan)
        self._size, self._advance = size, advance
        self._coder = Coder(self._plan, trees, chance)
        self._publisher = Publisher(self._plan, trees, chance)
        self._chance = chance
        self._parts: list[pa.Table] = []
        self.number = 1
        self.out: Flags = np.zeros(0, np.bool_)
        self.grouping: Grouping | None = None
        self.suppressed = 0

    def restore(self, number: int, held: pa.Table, out: Flags, grouping: Grouping | None) -> None:
        """Go on with a window as it was."""
        self.number, self._parts, self.out, self.grouping = number, [held], out, grouping

    @property
    def taken(self) -> int:
        """How many records were taken in all."""
        return (self.number - 1) * self._advance + len(self.out)

    @property
    def room(self) -> int:
        """How many more records the window takes."""
        return self._size - len(self.out)

    @property
    def held(self) -> pa.Table:
        """The records of the window, in the order in which they came."""
        self._parts = [pa.concat_tables(self._parts).combine_chunks()]
        return self._parts[0]

    def take(self, records: pa.Table) -> None:
        """Take records that come next, no more than there is room for."""
        self._parts.append(records)
        self.out = np.append(self.out, np.zeros(records.num_rows, np.bool_))

    def advance(self) -> Batch:
        """Decide on the window, which is full, and slide it on."""
        due = ~self.out
        due[self._advance :] = False
        table = self._decide(due)
        return self._slide(self._advance, [table])

    def close(self) -> Batch:
        """Decide on the last window, of which every record is due."""
        tables = [self._decide(~self.out)]
        if not self.out.all():
            tables.append(self._end())
        self.grouping = None
        return self._slide(len(self.out), tables)

    def _slide(self, records: int, tables: list[pa.Table | None]) -> Batch:
        """Let go of the oldest records, all of which have left."""
        if not self.out[:records].all():
            raise AssertionError("a record expired that had not left")
        shown = [table for table in tables if table is not None]
        batch = Batch(self.number, pa.concat_tables(shown) if shown else None)
        self._parts = [self.held.slice(records)] if len(self.out) else []
        self.out = self.out[records:]
        if self.grouping is not None:
            self.grouping = replace(self.grouping, of=self.grouping.of[records:])
        self.number += 1
        return batch

    # -- the three cases of SABRE_W -------------------------------------------------------------------------------

    def _decide(self, due: Flags) -> pa.Table | None:
        """What leaves with the records that are due."""
        if not due.any():
            return None  # case 1, lines 6 to 8
        left = np.flatnonzero(~self.out)
        codes, records = self._coded(left)
        if len(left) >= self._least and is_near(codes, self._plan):  # lines 9 to 13
            return self._direct(codes, records, left, due)
        return self._indirect()

    def _direct(self, codes: Codes, records: pa.Table, left: Places, due: Flags) -> pa.Table:
        """Case 2, lines 14 to 18: group what has not left; the classes of those that are due leave, the others wait."""
        classes = partition.group(codes, self._plan, self._chance)
        of = np.full(len(self.out), -1)
        of[left[codes.rows[classes.order]]] = np.repeat(np.arange(len(classes)), classes.sizes)
        self.grouping = Grouping(self.number, of, self._whole())
        return self._leave(codes, _some(classes, np.unique(of[due])), records, left, self.grouping)

    def _indirect(self) -> pa.Table | None:
        """Case 3, lines 21 to 23: all classes of the last DIRECT that are left."""
        if self.grouping is None or not (self.grouping.of >= 0).any():
            return None
        waiting = np.flatnonzero(self.grouping.of >= 0)
        records = self.held.take(pa.array(waiting))
        codes = self._coder.codes(records, self.grouping.whole)
        number = self.grouping.of[waiting[codes.rows]]
        order = np.argsort(number, kind="stable")
        starts = np.flatnonzero(np.diff(number[order], prepend=-1, append=-1))
        return self._leave(codes, Classes(order.astype(np.uint32), starts), records, waiting, self.grouping)

    def _end(self) -> pa.Table | None:
        """What the last window has left after INDIRECT: DIRECT on as many records as are near it."""
        left = np.flatnonzero(~self.out)
        codes, _ = self._coded(left)
        kept = np.sort(left[codes.rows[most(codes, self._plan, self._least)]])
        self.suppressed += len(left) - len(kept)
        self.out[np.setdiff1d(left, kept)] = True
        if not len(kept):
            return None
        codes, records = self._coded(kept)
        return self._direct(codes, records, kept, np.isin(np.arange(len(self.out)), kept))

    # -- leaving --------------------------------------------------------------------------------------------------

    def _whole(self) -> pa.Table:
        return self.held.select([column.name for column in self._plan.sensitive])

    def _coded(self, some: Places) -> tuple[Codes, pa.Table]:
        """Some records of the window, compared with all of it."""
        records = self.held.take(pa.array(some))
        return self._coder.codes(records, self._whole()), records

    def _leave(self, codes: Codes, classes: Classes, records: pa.Table, where: Places, grouping: Grouping) -> pa.Table:
        """The classes as rows; ``records``, which the codes are of, are held at these places."""
        numbers = self.number, grouping.window
        table = self._publisher.show(codes, classes, records, grouping.whole, numbers)
        gone = where[codes.rows[classes.order]]
        self.out[gone] = True
        grouping.of[gone] = -1
        return table


def _some(classes: Classes, numbers: Places) -> Classes:
    """These classes only, whole."""
    wanted = np.zeros(len(classes), np.bool_)
    wanted[numbers] = True
    order = classes.order[np.repeat(wanted, classes.sizes)]
    return Classes(order, np.concatenate([[0], np.cumsum(classes.sizes[wanted])]).astype(np.int64))
