"""What a stream needs to go on after its process was killed: the window, and batches that somebody may ask for again.

Decide, persist, emit. A batch is written under its number, then the window that is left replaces the one before it:
with that the batch is decided. A batch without its window was never emitted, and is decided anew.

The window holds raw records, so the folder is its owner's alone.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa

from shoal.engine.stream.ends import Place, write
from shoal.errors import DataError, PlanError


class Snapshot(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that the next batches depend on."""

    about: str  # the plan and the windows for which it was made
    number: int  # of the last batch that was decided
    place: Place  # where the source goes on
    remembered: list[str]  # of the beginning of the source
    started: bool  # whether a batch with rows was decided, and so a header
    ended: bool
    counts: dict[str, int]
    readings: dict[str, list[Any]]
    out: bytes
    held: bytes
    grouping: tuple[int, bytes, bytes] | None

    def __repr__(self) -> str:
        return f"<Snapshot: after batch {self.number}>"


class State:
    """A folder with the last snapshot and the batches that are kept."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.chmod(0o700)
        self._folder = folder
        self._window = folder / "window"
        self._lock = os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise PlanError(f"the state in {folder.name} is in use by another process") from None

    def snapshot(self, about: str) -> Snapshot | None:
        """The last one; None where a stream is to begin."""
        held = read(self._folder)
        if held is not None and held.about != about:
            raise PlanError(
                f"the state in {self._folder.name} is of another plan, window, advance or format: go on with those, or "
                "begin a new stream in another folder"
            )
        for number, path in self._batches():
            if held is None or number > held.number:
                path.unlink()  # not decided: its window was not written any more
        return held

    def commit(self, snapshot: Snapshot, data: bytes) -> None:
        """Decide on a batch: after this, it will be emitted, and no other under its number."""
        if data:
            write(self._batch(snapshot.number), data, 0o600)
        write(self._window, msgspec.msgpack.encode(snapshot), 0o600)

    def kept(self, after: int) -> Iterator[tuple[int, bytes]]:
        """The batches after this one, in order."""
        for number, path in self._batches():
            if number > after:
                yield number, path.read_bytes()

    def forget(self, last: int) -> None:
        """Nobody will ask for these any more."""
        for number, path in self._batches():
            if number > last:
                break
            path.unlink()

    def close(self) -> None:
        os.close(self._lock)

    def _batch(self, number: int) -> Path:
        return self._folder / f"batch-{number:012}"

    def _batches(self) -> list[tuple[int, Path]]:
        return [(int(path.name.removeprefix("batch-")), path) for path in sorted(self._folder.glob("batch-*"))]


def read(folder: Path) -> Snapshot | None:
    """The snapshot in a folder; None if there is none."""
    try:
        return msgspec.msgpack.decode((folder / "window").read_bytes(), type=Snapshot)
    except FileNotFoundError:
        return None
    except msgspec.DecodeError:
        raise DataError(f"the state in {folder.name} is damaged, or of another version of Shoal") from None


def packed(table: pa.Table) -> bytes:
    """A table as bytes."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue().to_pybytes()


def unpacked(data: bytes) -> pa.Table:
    return pa.ipc.open_stream(pa.py_buffer(data)).read_all()
