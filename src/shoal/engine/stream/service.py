"""A stream from a source to a sink, that goes on where it was after its process was killed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from shoal.engine.stream import state as states
from shoal.engine.stream.deadletters import DeadLetters
from shoal.engine.stream.ends import Place, Sink, Source
from shoal.engine.stream.flow import Flow, Refused
from shoal.engine.stream.lines import Format
from shoal.engine.stream.rendering import render
from shoal.engine.stream.state import Snapshot, State, packed, unpacked
from shoal.engine.stream.windows import Batch, Grouping
from shoal.errors import PlanError
from shoal.plan.plan import Plan


@dataclass(frozen=True)
class Summary:
    """What a stream came to; of one that went on after a restart, from its beginning."""

    records: int
    published: int
    suppressed: int
    refused: int  # since the last start
    windows: int


class Service:
    """One run of a stream. With a state it may be killed at any moment, and another goes on."""

    def __init__(
        self,
        plan: Plan,
        *,
        window: int,
        advance: int,
        form: Format = "csv",
        state: Path | None = None,
        dead_letters: Path | None = None,
    ) -> None:
        self._letters = None if dead_letters is None else DeadLetters(dead_letters)
        self._flow = Flow(plan, window, advance, aside=None if self._letters is None else self._letters.add)
        self._about = about(plan, window, advance, form)
        self._form = form
        self._state = None if state is None else State(state)
        self._remembered: list[str] = []
        self._started = False
        self._published = 0

    def run(self, source: Source, sink: Sink, *, after: int = 0) -> Summary:
        """From the beginning, or from where the state says, to the end of the source.

        Batches that are kept are emitted again, those up to number ``after`` left out: the sink has them.
        """
        try:
            return self._run(source, sink, after)
        finally:
            for held in (self._state, self._letters):
                if held is not None:
                    held.close()

    def _run(self, source: Source, sink: Sink, after: int) -> Summary:
        held = self._state.snapshot(self._about) if self._state is not None else None
        if held is None:
            self._remembered = source.begin()
        else:
            self._restore(held)
            self._again(sink, after)
            if held.ended:
                return self._summary()
            source.resume(held.place, self._remembered)
        try:
            while (incoming := source.read()) is not None:
                for batch in self._flow.feed(incoming):
                    self._publish(batch, source, sink)
        except Refused as error:
            self._stop(source, sink, error)
        for batch in self._flow.finish():
            self._publish(batch, source, sink, ended=True)
        return self._summary()

    def _stop(self, source: Source, sink: Sink, error: Refused) -> None:
        """A record cannot be taken, and nobody said what to do with it."""
        place = error.details["place"]
        if self._state is None:  # what was taken would be published nowhere, or twice by whoever starts again
            for batch in self._flow.finish():
                self._publish(batch, source, sink, ended=True)
            then = "all before it are published; correct it, and begin a new stream there"
        else:
            then = "correct it, and start again"
        raise Refused(
            f"the record at {place} of the input cannot be taken ({error.message}): {then}, or let such records go to "
            "a file (--dead-letters FILE)",
            details=error.details,
        ) from None

    def _publish(self, batch: Batch, source: Source, sink: Sink, *, ended: bool = False) -> None:
        """Decide, persist, emit."""
        data = b""
        if batch.table is not None:
            data = render(batch.table, self._form, header=sink.alone or not self._started)
            self._started = True
            self._published += batch.table.num_rows
        if self._letters is not None:
            self._letters.sync()
        if self._state is not None:
            self._state.commit(self._snapshot(batch.number, ended=ended), data)
        if data:
            sink.emit(batch.number, data)
        if self._state is not None and self._flow.place is not None:
            source.settled(self._flow.place)
            self._state.forget(sink.acknowledged())

    def _again(self, sink: Sink, after: int) -> None:
        if self._state is not None:
            for number, data in self._state.kept(after):
                sink.emit(number, data)
            self._state.forget(max(after, sink.acknowledged()))

    def _summary(self) -> Summary:
        windows = self._flow.windows
        return Summary(
            self._flow.intake.taken, self._published, windows.suppressed, self._flow.refused, windows.number - 1
        )

    # -- the snapshot -----------------------------------------------------------------------------------------------

    def _snapshot(self, number: int, *, ended: bool) -> Snapshot:
        flow, windows = self._flow, self._flow.windows
        grouping = windows.grouping
        return Snapshot(
            about=self._about,
            number=number,
            place=flow.place if flow.place is not None else 0,
            remembered=self._remembered,
            started=self._started,
            ended=ended,
            counts={
                "taken": flow.intake.taken if ended else windows.taken,
                "published": self._published,
                "suppressed": windows.suppressed,
            },
            readings=flow.intake.remembered(),
            out=windows.out.tobytes(),
            held=packed(windows.held),
            grouping=None if grouping is None else (grouping.window, grouping.of.tobytes(), packed(grouping.whole)),
        )

    def _restore(self, held: Snapshot) -> None:
        flow, table = self._flow, unpacked(held.held)
        grouping = None
        if held.grouping is not None:
            window, of, whole = held.grouping
            grouping = Grouping(window, np.frombuffer(of, np.int64).copy(), unpacked(whole))
        flow.windows.restore(held.number + 1, table, np.frombuffer(held.out, np.bool_).copy(), grouping)
        flow.windows.suppressed = held.counts["suppressed"]
        flow.intake.restore(table, held.counts["taken"], held.readings)
        flow.place = held.place
        self._remembered, self._started = held.remembered, held.started
        self._published = held.counts["published"]


def about(plan: Plan, window: int, advance: int, form: Format) -> str:
    """What must be the same after a restart, in words without values."""
    return f"{plan.columns} {plan.require} {plan.method} {plan.form} {plan.person} {window} {advance} {form}"


def where(folder: Path) -> Place:
    """Where the source goes on of the stream whose state is in this folder; 0 at the beginning."""
    if not folder.is_dir():
        raise PlanError(f"there is no folder {folder.name} with a state")
    held = states.read(folder)
    return 0 if held is None else held.place
