"""Saying it: tables for people, one JSON object for programs, progress for whoever watches."""

from __future__ import annotations

import contextlib
import math
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

#: Where output goes to a file or a pipe and nobody says how wide it is.
_WIDTH = 100

#: Back to the start of the line, and away with what stands there.
_WIPE = "\r\x1b[K"

Progress = Callable[[str, int, int], None]


def console() -> Console:
    """Standard output for people. Names of columns are shown as they are: nothing in them is markup."""
    from rich.console import Console

    class Piped(Console):
        """Rich ends the program where its reader has gone; how a command ends is for :mod:`shoal.cli.ending`."""

        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

    wide = None if sys.stdout.isatty() or os.environ.get("COLUMNS") else _WIDTH
    return Piped(width=wide, highlight=False, markup=False, emoji=False)


def tabulated(*headings: str, numbers: Sequence[str] = (), title: str | None = None) -> Table:
    """A table with these headings; columns of numbers are set to the right."""
    from rich import box
    from rich.table import Table

    table = Table(
        box=box.SIMPLE_HEAD, title=title, title_justify="left", title_style="bold", pad_edge=False, show_edge=False
    )
    for heading in headings:
        table.add_column(heading, justify="right" if heading in numbers else "left", overflow="fold")
    return table


def write_json(found: Mapping[str, Any]) -> None:
    """The one object of a command with `--json`; what is no number in JSON becomes null."""
    import msgspec

    data = msgspec.json.format(msgspec.json.encode(found, enc_hook=_plain), indent=2)
    sys.stdout.write(data.decode() + "\n")
    sys.stdout.flush()


def _plain(value: Any) -> Any:
    """Numbers of NumPy as Python's, paths as text."""
    return value.item() if hasattr(value, "item") else str(value)


def number(value: float | None, *, none: str = "–") -> str:
    """A figure with at most four significant digits; whole numbers in full."""
    if value is None or math.isnan(value):
        return none
    if float(value).is_integer() and abs(value) < 1e15:
        return f"{int(value):,}"
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.4g}"


def at_least(value: float | None) -> str:
    """A largest figure, rounded down: what is shown can be asked for."""
    if value is None or value <= 0 or not math.isfinite(value):
        return number(value)
    scale = 10.0 ** (3 - math.floor(math.log10(value)))
    return number(math.floor(value * scale * (1 + 1e-12)) / scale if scale >= 1 else math.floor(value))


def share(part: float | None) -> str:
    """A share as a percentage."""
    if part is None:
        return "–"
    return f"{100 * part:.3g}%"


def counted(count: int, one: str, many: str | None = None) -> str:
    """`1 class`, `2 classes`."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


@contextlib.contextmanager
def progress() -> Iterator[Progress | None]:
    """Says on standard error which stage has begun, if that is a terminal; the line is wiped at the end."""
    if not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield None
        return

    def say(stage: str, place: int, stages: int) -> None:
        sys.stderr.write(f"{_WIPE}{stage} … ({place + 1} of {stages})")
        sys.stderr.flush()

    try:
        yield say
    finally:
        sys.stderr.write(_WIPE)
        sys.stderr.flush()
