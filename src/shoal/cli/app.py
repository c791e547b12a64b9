"""The commands by name."""

from __future__ import annotations

from typing import Annotated

import typer

from shoal.cli.anonymize import anonymize
from shoal.cli.check import check
from shoal.cli.demo import demo
from shoal.cli.hierarchy import hierarchy
from shoal.cli.init import init
from shoal.cli.measure import measure
from shoal.cli.methods import methods
from shoal.cli.query import query
from shoal.cli.stream import stream
from shoal.cli.verify import verify

#: Without Rich's markup `--help` need not load Rich. Tracebacks are not Typer's to print: they might show cells.
app = typer.Typer(
    name="shoal",
    help="Publish tables about people so that no person stands out.",
    epilog="Begin with: shoal demo. Exit status: 0 done or holds, 1 does not hold, 2 wrong use or bad input, "
    "3 unachievable on this table.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


def _version(wanted: bool) -> None:
    if wanted:
        from shoal._version import __version__

        typer.echo(f"shoal {__version__}")
        raise typer.Exit


@app.callback()
def _shoal(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Publish tables about people so that no person stands out."""


for command in (demo, init, check, hierarchy, anonymize, stream, verify, measure, query, methods):
    app.command()(command)
