"""Records in, batches out: one after the other, as it was decided."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pyarrow as pa

from shoal.engine.stream.intake import PLACE, Checked, Incoming, Intake, Refusal
from shoal.engine.stream.windows import Batch, Windows
from shoal.errors import DataError
from shoal.plan.checks.stream import check_stream
from shoal.plan.plan import Plan
from shoal.schema.columns import Listed
from shoal.schema.hierarchy import Hierarchy
from shoal.table.building import hierarchies
from shoal.table.chance import Chance

#: What becomes of a record that cannot be taken; None: it stops what was going on.
Aside = Callable[[Refusal], None] | None


class Refused(DataError):
    """A record cannot be taken; those that came before it were."""


class Flow:
    """A stream under way, in one place and with one thread."""

    def __init__(self, plan: Plan, window: int, advance: int, *, aside: Aside = None, seed: int | None = None) -> None:
        check_stream(plan, window, advance)
        trees = streamed(plan)
        self.windows = Windows(plan, trees, window, advance, Chance.seeded(seed))
        self.intake = Intake(plan, trees, window, advance)
        self._aside = aside
        self.place: Any = None  # where the source goes on
        self.refused = 0

    def feed(self, incoming: Incoming) -> Iterator[Batch]:
        """Take records; a batch comes as soon as its window is full, before anything after it is taken.

        A record that cannot be taken is put aside. If nobody says where, those before it are taken, and then
        :class:`Refused` is raised.
        """
        at = 0
        while at < len(incoming) or (at == 0 and incoming.refused):
            piece = incoming.part(at, at + self.intake.most)
            checked = self.intake.check(piece)
            if checked.refused and self._aside is None:
                first = checked.refused[0]
                yield from self._take(self.intake.check(_before(piece, first)))
                raise Refused(first.why, details={"place": first.place, "record": first.raw})
            for refusal in checked.refused:
                self._put_aside(refusal)
            yield from self._take(checked)
            at += max(len(piece), 1)

    def _put_aside(self, refusal: Refusal) -> None:
        if self._aside is not None:
            self.refused += 1
            self._aside(refusal)

    def _take(self, checked: Checked) -> Iterator[Batch]:
        ready = self.intake.take(checked)
        if ready is not None:
            yield from self._fill(ready)

    def _fill(self, records: pa.Table) -> Iterator[Batch]:
        at = 0
        while at < records.num_rows:
            some = records.slice(at, self.windows.room)
            self.windows.take(some.drop_columns(PLACE))
            self.place = some.column(PLACE)[-1].as_py()
            at += some.num_rows
            if not self.windows.room:
                yield self.windows.advance()

    def finish(self) -> Iterator[Batch]:
        """The stream has ended: everything leaves."""
        rest = self.intake.settle()
        if rest is not None:
            yield from self._fill(rest)
        if len(self.windows.out):
            yield self.windows.close()


def _before(piece: Incoming, refusal: Refusal) -> Incoming:
    """The rows before one that is refused."""
    cut = piece.part(0, refusal.row)
    return Incoming(cut.table, cut.place, cut.raw, cut.spelled)


def streamed(plan: Plan) -> dict[str, Hierarchy]:
    """The hierarchies of a plan; words of a declared domain have an order, so they are leaves too, side by side."""
    found = hierarchies(plan)
    for column in plan.columns:
        if isinstance(column.coarsening, Listed) and column.coarsening.is_text:
            found[column.name] = Hierarchy.flat(column.coarsening.values)
    return found
