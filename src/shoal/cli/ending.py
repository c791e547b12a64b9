"""How a command ends: its exit status, and what is said of an error, which is never a value of the table."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from shoal.errors import ShoalError

WRONG = 2
INTERRUPTED = 130
UNREAD = 141  # both as shells have it; neither may look like 0, which says that a release holds


def run(arguments: Sequence[str]) -> int:
    """Run the command; whatever happens, it ends with a status and at most one message."""
    import click

    from shoal.cli.app import app

    as_json = "--json" in arguments
    _accept_any_letter()
    try:
        status = app(args=list(arguments), prog_name="shoal", standalone_mode=False)
        sys.stdout.flush()
        if status == INTERRUPTED:  # Typer takes the interruption for an exit
            raise KeyboardInterrupt
    except ShoalError as error:
        return _failed(type(error).__name__, error.message, error.exit_status, as_json=as_json)
    except click.ClickException as error:
        if type(error).__name__ == "NoArgsIsHelpError":  # the message is the whole help
            sys.stderr.write(error.format_message() + "\n")
            return WRONG
        return _failed("UsageError", error.format_message(), WRONG, as_json=as_json, hint=_hint(error))
    except (KeyboardInterrupt, click.Abort):
        return _failed("Interrupted", "interrupted; nothing was written", INTERRUPTED, as_json=as_json)
    except BrokenPipeError:  # `shoal methods | head`: the reader has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return UNREAD
    except OSError as error:
        return _failed("OSError", _refused(error), WRONG, as_json=as_json)
    except Exception as error:  # noqa: BLE001 - a library's message may quote cells, so it goes no further
        return _failed(type(error).__name__, _unexpected(error), WRONG, as_json=as_json)
    return status if isinstance(status, int) else 0


def _accept_any_letter() -> None:
    """A name of a column that the terminal's encoding lacks is shown with a question mark, and is no error."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


def _failed(kind: str, message: str, status: int, *, as_json: bool, hint: str = "") -> int:
    if os.environ.get("SHOAL_DEBUG") == "1":
        import traceback

        traceback.print_exc()
    if as_json:
        import json

        sys.stdout.write(json.dumps({"error": {"kind": kind, "message": message}}, indent=2) + "\n")
        sys.stdout.flush()
    else:
        sys.stderr.write(f"shoal: {message}\n{hint}")
    return status


def _hint(error: object) -> str:
    context = getattr(error, "ctx", None)
    return "" if context is None else f"Try: {context.command_path} --help\n"


def _refused(error: OSError) -> str:
    """What the operating system refused; a path is the user's own word, no cell."""
    where = f" ({os.fspath(error.filename)})" if isinstance(error.filename, str) else ""
    return f"the operating system refused: {error.strerror or type(error).__name__}{where}; nothing was written"


def _unexpected(error: Exception) -> str:
    kind = type(error).__name__
    return (
        f"unexpected error of type {kind}; please report; nothing was written. SHOAL_DEBUG=1 shows where it happened, "
        "and may show values of the table"
    )
