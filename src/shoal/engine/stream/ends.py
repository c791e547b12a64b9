"""Where records come from and batches go: what a source and a sink must do, files and the standard streams.

Decide, persist, emit: a batch is kept, with the window that is left, before it is emitted; only then may the source
forget the records up to that place. A broker fits by acknowledging in :meth:`Source.settled` (Kafka would commit its
offsets there, and seek to ``place`` in :meth:`Source.resume`).
"""

from __future__ import annotations

import os
import select
from pathlib import Path
from typing import Protocol

import pyarrow as pa

from shoal.engine.stream.intake import Incoming, Refusal
from shoal.engine.stream.lines import Block, Format, Parser
from shoal.errors import DataError

#: Where a source goes on: a number of lines, the number of a message.
Place = int | str

#: As many bytes are read in one go, and no line is longer.
_BLOCK = 1 << 20
#: A reader of standard output that died can ask for so many batches again.
_AGAIN = 64


class Source(Protocol):
    """Records that come one after the other, each with the place where it goes on after it."""

    def begin(self) -> list[str]:
        """Start from the beginning; what must be given to :meth:`resume` later, beside the place."""

    def resume(self, place: Place, remembered: list[str]) -> None:
        """Start after this place."""

    def read(self) -> Incoming | None:
        """Some records, waiting until there are any; None when there will be no more."""

    def settled(self, place: Place) -> None:
        """All records up to this place are persisted: they need not be given again."""


class Sink(Protocol):
    """Takes batches, each under its number; one that comes a second time has the same bytes."""

    #: Whether each batch must be readable without the others.
    alone: bool

    def emit(self, number: int, data: bytes) -> None:
        """Pass a batch on; returns when the sink has it."""

    def acknowledged(self) -> int:
        """Batches up to this number will not be asked for again."""


class _Buffer:
    """What was read of a file and not yet taken."""

    def __init__(self, file: int) -> None:
        self._file = file
        self._rest = b""
        self._ended = False

    def line(self) -> bytes | None:
        """The next line, without its end; None if there is no more."""
        while b"\n" not in self._rest and self._more():
            pass
        if not self._rest:
            return None
        line, _, self._rest = self._rest.partition(b"\n")
        return line

    def lines(self) -> bytes | None:
        """The whole lines that are at hand, waiting for one; None if there is no more.

        A line that has no end within bounds comes alone, cut off after them: it is longer than :data:`_BLOCK`.
        """
        while b"\n" not in self._rest or (len(self._rest) < _BLOCK and self._is_ready()):
            if len(self._rest) > _BLOCK and b"\n" not in self._rest:
                return self._cut_off()
            if not self._more():
                break
        if not self._rest:
            return None
        last = self._rest.rfind(b"\n") + 1
        whole = self._rest[:last] if last else self._rest + b"\n"
        self._rest = self._rest[last:] if last else b""
        return whole

    def skip(self, lines: int) -> None:
        while lines > 0 and (whole := self.lines()) is not None:
            *gone, left = whole.split(b"\n", lines)
            lines -= len(gone)
            self._rest = left + self._rest

    def _more(self) -> bool:
        data = b"" if self._ended else os.read(self._file, _BLOCK)
        self._ended = not data
        self._rest += data
        return bool(data)

    def _is_ready(self) -> bool:
        """Whether reading would give something without waiting."""
        if self._ended:
            return False
        poll = select.poll()
        poll.register(self._file, select.POLLIN)
        return bool(poll.poll(0))

    def _cut_off(self) -> bytes:
        start = self._rest[: _BLOCK + 1]
        while b"\n" not in self._rest:
            self._rest = b""
            if not self._more():
                break
        self._rest = self._rest.partition(b"\n")[2]
        return start + b"\n"


class Lines:
    """Lines from a file that is open: the standard input, or any other.

    After a restart the standard input begins where it is told to, with the line after the last that is persisted;
    a file is ``whole`` again, and what was read of it is skipped.
    """

    def __init__(self, file: int, parser: Parser, *, whole: bool = False) -> None:
        self._buffer = _Buffer(file)
        self._parser = parser
        self._whole = whole
        self._next = 1  # the number of the next line

    @classmethod
    def of(cls, path: Path, parser: Parser) -> Lines:
        """The lines of a file."""
        return cls(os.open(path, os.O_RDONLY), parser, whole=True)

    def begin(self) -> list[str]:
        if self._parser.has_header:
            line = self._buffer.line()
            if line is None:
                raise DataError("the input is empty: expected a header line")
            self._parser.begin(line)
            self._next = 2
        return self._parser.remembered

    def resume(self, place: Place, remembered: list[str]) -> None:
        self._parser.remembered = remembered
        if self._whole:
            self._buffer.skip(int(place))
        self._next = int(place) + 1

    def read(self) -> Incoming | None:
        data = self._buffer.lines()
        if data is None:
            return None
        block = Block(data, self._next)
        if len(data) > _BLOCK and data.count(b"\n") == 1:
            self._next += 1
            return _without_end(block, self._parser.names)
        self._next += data.count(b"\n")
        return self._parser.parse(block)

    def settled(self, place: Place) -> None:
        """A file forgets nothing."""


def _without_end(block: Block, names: list[str]) -> Incoming:
    """A line that is longer than any record should be."""
    nothing = pa.table({name: pa.array([], pa.string()) for name in names})
    shown = block.data[:1000].decode(errors="replace")
    refusal = Refusal(0, block.first, f"a line of more than {_BLOCK:,} bytes", shown)
    return Incoming(nothing, pa.array([], pa.int64()), lambda row: shown, True, [refusal])


class StandardOutput:
    """Batches one after the other. A slow reader is waited for."""

    alone = False

    def __init__(self, file: int = 1) -> None:
        self._file = file
        self._last = 0

    def emit(self, number: int, data: bytes) -> None:
        left = memoryview(data)
        while left:
            left = left[os.write(self._file, left) :]
        self._last = number

    def acknowledged(self) -> int:
        """Nobody says what was read: what was written some batches ago is taken for read."""
        return self._last - _AGAIN


class Folder:
    """A file for each batch, in a folder; a batch that comes again replaces itself."""

    alone = True

    def __init__(self, path: Path, form: Format) -> None:
        path.mkdir(parents=True, exist_ok=True)
        self._path = path
        self._form = form
        self._last = 0

    def emit(self, number: int, data: bytes) -> None:
        write(self._path / f"{number:012}.{self._form}", data)
        self._last = number

    def acknowledged(self) -> int:
        return self._last


def write(path: Path, data: bytes, mode: int = 0o666) -> None:
    """Put a whole file in place, on the disk, or none."""
    new = path.with_name(f".{path.name}.new")
    file = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
    try:
        left = memoryview(data)
        while left:
            left = left[os.write(file, left) :]
        os.fsync(file)
    finally:
        os.close(file)
    new.replace(path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
