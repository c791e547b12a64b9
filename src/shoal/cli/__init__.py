"""The commands, each of which calls one verb and says what it found."""

from __future__ import annotations

import sys
from collections.abc import Sequence

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command, by default the one that was typed; returns its exit status."""
    from shoal.cli.ending import run

    return run(sys.argv[1:] if arguments is None else arguments)
