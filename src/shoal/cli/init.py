"""`shoal init`: a plan for a table of one's own, to read and correct."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli import options

if TYPE_CHECKING:
    from shoal._proposal import Proposal


def init(
    table: Annotated[
        Path,
        typer.Argument(
            metavar="TABLE", help="CSV (also .gz), Parquet or Arrow; or an ARX project, .deid.", show_default=False
        ),
    ],
    out: Annotated[Path, typer.Option(metavar="PLAN", help="The file to write; - for standard output.")] = Path(
        "plan.toml"
    ),
    force: Annotated[bool, typer.Option("--force", help="Replace the file that stands there.")] = False,
    json: options.Json = False,
) -> int:
    """Propose a plan for a table.

    What each column is, and what should hold, is guessed from names and from how values repeat. Comments in the file
    say why, in counts and shares: read every line, and correct it. An ARX project is unpacked instead: its table and
    its hierarchies go beside the plan that says what the project says.
    """
    from shoal import _proposal
    from shoal.cli import terminal

    to_file = str(out) != "-"
    if table.suffix.lower() == ".deid":
        return _unpack(table, out, force=force, json=json)
    if to_file:
        _check_free(out, force=force)
    proposal = _proposal.propose(table)
    text = proposal.toml(out.parent if to_file else Path())
    if to_file:
        out.write_text(text, encoding="utf-8")
    if json:
        terminal.write_json({"plan": str(out) if to_file else None, "toml": text, **proposal.as_dict()})
    elif to_file:
        _show(proposal, out)
    else:
        typer.echo(text, nl=False)
    return 0


def _unpack(project: Path, out: Path, *, force: bool, json: bool) -> int:
    """An ARX project as a plan and its files; what of it is left out is told on standard error."""
    import sys

    from shoal.cli import terminal
    from shoal.errors import PlanError
    from shoal.plan import deid

    if str(out) == "-":
        raise PlanError("an ARX project is several files: name the file of the plan with --out")
    _check_free(out, force=force)
    found = deid.unpack(project, out, force=force)
    for said in found.left_out:
        sys.stderr.write(f"not taken over: {said}\n")
    if json:
        terminal.write_json(found.as_dict())
    else:
        files = ", ".join(path.relative_to(out.parent).as_posix() for path in found.files)
        terminal.console().print(
            f"A plan is in {out}; beside it, for you only: {files}. Read it, then: shoal check {out}", soft_wrap=True
        )
    return 0


def _check_free(out: Path, *, force: bool) -> None:
    from shoal.errors import PlanError

    if out.is_dir():
        raise PlanError(f"{out.name} is a folder: name a file for the plan")
    if out.exists() and not force:
        raise PlanError(f"{out.name} is there already: choose another with --out, or replace it with --force")


def _show(proposal: Proposal, out: Path) -> None:
    from shoal.cli import terminal

    console = terminal.console()
    table = terminal.tabulated("column", "role", "why")
    for proposed in proposal.columns:
        table.add_row(proposed.column.name, proposed.column.role, proposed.why)
    console.print(table, "")
    for diversity in proposal.diversity:
        asked = "no l" if diversity.l is None else f"l = {diversity.l}"
        console.print(f"{asked} on {diversity.column}: {diversity.why}")
    console.print(
        f"A plan with k = {proposal.k} is in {out}. Read it and correct it, then: shoal check {out}", soft_wrap=True
    )
