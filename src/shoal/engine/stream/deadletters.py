"""Records that were not taken, in a file that is its owner's alone: they are as raw as the input."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from shoal.engine.stream.intake import Refusal


class DeadLetters:
    """A file of JSON lines, each with where a record stood, why it was not taken, and the record as it came."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        os.fchmod(self._file, 0o600)

    def add(self, refusal: Refusal) -> None:
        """Write one, past this process: nothing is lost if it is killed now."""
        line = (
            msgspec.json.encode({"place": refusal.place, "why": refusal.why, "record": refusal.raw}, enc_hook=str)
            + b"\n"
        )
        os.write(self._file, line)

    def sync(self) -> None:
        """Bring them to the disk."""
        os.fsync(self._file)

    def close(self) -> None:
        os.close(self._file)
