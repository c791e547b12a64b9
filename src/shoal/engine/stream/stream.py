"""An endless table, batch by batch: ``shoal.Stream``."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from shoal.engine.stream.deadletters import DeadLetters
from shoal.engine.stream.flow import Flow, Refused
from shoal.engine.stream.intake import Incoming
from shoal.engine.stream.windows import Batch
from shoal.errors import Unsupported
from shoal.plan.plan import Plan
from shoal.table import sources


class Stream:
    """Publishes an endless table in batches, each record in one of them, before its window has advanced over it.

        stream = shoal.Stream(plan, window=20_000, advance=5_000)
        for table in tables:
            for batch in stream.push(table):
                ...
        stream.close()

    A window holds the last ``window`` records; each time ``advance`` more have come it advances by as many. What leaves
    is a table of the kind that came in, with the columns ``batch``, the number of the window that advanced, and
    ``window``, that of the window in which its classes were made. Every batch was judged before it is returned.

    A record that cannot be taken is a :class:`~shoal.DataError`: those before it were taken, and what they made due
    comes with the next call. With ``dead_letters``, a file that its owner alone can read, such records go there and
    the stream goes on. ``seed`` is for tests.
    """

    def __init__(
        self,
        plan: Plan,
        *,
        window: int,
        advance: int,
        dead_letters: str | os.PathLike[str] | None = None,
        seed: int | None = None,
    ) -> None:
        self._plan = plan
        self._letters = None if dead_letters is None else DeadLetters(Path(dead_letters))
        aside = None if self._letters is None else self._letters.add
        self._flow = Flow(plan, window, advance, aside=aside, seed=seed)
        self._ready: list[pa.Table] = []
        self._give_back: sources.GiveBack = lambda table: table
        self._closed = False
        self.published = 0

    def __repr__(self) -> str:
        return f"<Stream: {self.records} records taken, {self.published} published>"

    @property
    def records(self) -> int:
        """How many records were taken."""
        return self._flow.intake.taken

    @property
    def refused(self) -> int:
        """How many records went to the dead letters."""
        return self._flow.refused

    @property
    def suppressed(self) -> int:
        """How many records were left out; none before the stream is closed."""
        return self._flow.windows.suppressed

    def push(self, batch: Any) -> list[Any]:
        """Take records, any number of them; returns what they made due, a table for each window that advanced."""
        if self._closed:
            raise Unsupported("the stream was closed: open another")
        as_text = [column.name for column in self._plan.columns if column.stays_text]
        source = sources.read(batch, self._plan.read_options, as_text=as_text)
        self._give_back = source.give_back
        try:
            self._keep(self._flow.feed(incoming(source.table)))
        except Refused as error:
            row = error.details["place"]
            raise Refused(
                f"record {row:,} of this batch cannot be taken ({error.message}). Those before it were: push those "
                "after it, or let such records go to a file (dead_letters)",
                details=error.details,
            ) from None
        return self._given()

    def close(self) -> list[Any]:
        """The stream has ended: returns all that was not published yet. Closing twice does nothing."""
        if not self._closed:
            self._closed = True
            self._keep(self._flow.finish())
            if self._letters is not None:
                self._letters.close()
        return self._given()

    def _keep(self, batches: Iterator[Batch]) -> None:
        for batch in batches:
            if batch.table is not None:
                self._ready.append(batch.table)
                self.published += batch.table.num_rows

    def _given(self) -> list[Any]:
        ready, self._ready = self._ready, []
        return [self._give_back(table) for table in ready]


def incoming(table: pa.Table) -> Incoming:
    """Records of a table that somebody holds, in plain types."""
    columns = [
        column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column
        for column in table.columns
    ]
    plain = pa.table(columns, names=table.column_names)
    return Incoming(plain, pa.array(np.arange(1, table.num_rows + 1)), lambda row: plain.slice(row, 1).to_pylist()[0])
