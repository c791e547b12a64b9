"""`shoal check`: everything but publishing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shoal.cli import options

if TYPE_CHECKING:
    from rich.console import Console

    from shoal._check import Fault, Findings, Reach

_LEVELS = {
    "error": ("Mistakes that would stop a release", "bold red"),
    "unachievable": ("Cannot be reached on this table", "bold red"),
    "warning": ("Perhaps not meant", "yellow"),
    "note": ("Worth knowing", "bold"),
}


def check(plan: options.PlanFile, table: options.Table = None, json: options.Json = False) -> int:
    """Say what would stop a release, and what could be reached.

    All mistakes of the plan, of the table and of the hierarchies are told at once. Nothing is published.
    """
    from shoal import _check
    from shoal.cli import terminal

    with terminal.progress() as say:
        if say is not None:
            say("checking", 0, 1)
        found = _check.check(plan, table)
    if json:
        terminal.write_json(_as_dict(found))
    else:
        _show(terminal.console(), found)
    return found.exit_status


def _as_dict(found: Findings) -> dict[str, Any]:
    """The findings; and, as with every command that fails, an error that sums them up."""
    whole = found.as_dict()
    stops = [fault for fault in found.faults if fault.level in ("error", "unachievable")]
    if not stops:
        return whole
    message = "\n".join(f"{fault.where}: {fault.says}" for fault in stops)
    return {**whole, "error": {"kind": stops[0].kind, "message": message}}


def _show(console: Console, found: Findings) -> None:
    for level, (heading, style) in _LEVELS.items():
        faults = [fault for fault in found.faults if fault.level == level]
        if faults:
            _show_faults(console, f"{heading}: {len(faults)}", style, faults)
    if found.reach:
        _show_reach(console, found)
    console.print(_ending(found), style="bold green" if found.holds else "bold red")


def _show_faults(console: Console, heading: str, style: str, faults: list[Fault]) -> None:
    import textwrap

    from rich.text import Text

    console.print(heading, style=style)
    margin = " " * 2
    for fault in faults:
        said = textwrap.fill(
            f"{fault.where}: {fault.says}",
            console.width,
            initial_indent=margin,
            subsequent_indent=2 * margin,
            break_long_words=False,
            break_on_hyphens=False,
        )
        console.print(Text(said), soft_wrap=True)
    console.print()


def _show_reach(console: Console, found: Findings) -> None:
    from shoal.cli import terminal

    numbers = ("asked", "largest", "to leave out", "values", "commonest", "missing")
    table = terminal.tabulated("what", *numbers, numbers=numbers, title="What this table allows")
    for reach in found.reach:
        table.add_row(reach.what, *_figures(reach))
    console.print(table, "")
    if found.records is not None and found.people is not None:
        people = terminal.counted(found.people, "person", "people")
        console.print(f"{terminal.counted(found.records, 'record')} of {people}.\n")


def _figures(reach: Reach) -> list[str]:
    from shoal.cli.terminal import at_least, number, share

    values = reach.values is not None
    leave_out = "no number helps" if reach.leave_out is None else f"{reach.leave_out:,}"
    return [
        number(reach.asked, none="not asked"),
        at_least(reach.largest) if reach.largest is not None else "any",
        leave_out if reach.asked is not None else "",
        number(reach.values, none=""),
        share(reach.commonest) if values else "",
        number(reach.missing) if values else "",
    ]


def _ending(found: Findings) -> str:
    return {
        0: "Nothing stands in the way of a release.",
        2: "A release would be refused.",
        3: "No release of this table can keep what is asked.",
    }[found.exit_status]
