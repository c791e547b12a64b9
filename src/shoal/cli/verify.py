"""`shoal verify`: does a published table keep its promises?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.cli import options

if TYPE_CHECKING:
    from rich.console import Console

    from shoal.privacy.verdict import Finding, Verdict


def verify(
    published: options.Published,
    original: options.Original = None,
    plan: options.PlanOption = None,
    also: options.Also = None,
    window: options.WindowSize = None,
    advance: options.WindowAdvance = None,
    json: options.Json = False,
) -> int:
    """Judge a published table: Shoal's, or anybody's.

    An outsider looks at what is published. With the original a keeper looks too: is every record accounted for, does
    each published cell cover the record behind it? Without a plan, what the release says of itself is judged. With
    another release of the same people: how many sensitive values stay possible to someone who has both? A recorded
    stream is judged by its windows.
    """
    import shoal
    from shoal.cli import terminal
    from shoal.plan.plan import Plan

    decided = None if plan is None else Plan.read(plan)
    verdict = shoal.verify(published, decided, original, also=also, window=window, advance=advance)
    if json:
        terminal.write_json(verdict.as_dict())
    else:
        show_verdict(terminal.console(), verdict)
    return 0 if verdict.holds else 1


def show_verdict(console: Console, verdict: Verdict, *, notes: bool = True) -> None:
    """What the judges found, what holds and what does not, and what a steward should know besides."""
    from rich.text import Text

    from shoal.cli import terminal

    table = terminal.tabulated("judge", "what", "holds", "asked", "reached", "remarks", numbers=("asked", "reached"))
    for finding in verdict.findings:
        holds = Text("yes", "green") if finding.holds else Text("NO", "bold red")
        figures = terminal.number(finding.asked, none=""), _reached(finding)
        table.add_row(finding.judge, finding.what, holds, *figures, _remarks(finding))
    console.print(table, "")
    word = Text("It holds.", "bold green") if verdict.holds else Text("It does NOT hold.", "bold red")
    console.print(word, _counts(verdict))
    if notes and verdict.notes:
        console.print()
        for note in verdict.notes:
            console.print(Text(f"{note.about}: ", "bold") + Text(note.says, "not bold"))
    console.print()


def _reached(finding: Finding) -> str:
    from shoal.cli import terminal

    return terminal.number(finding.reached, none="")


def _remarks(finding: Finding) -> str:
    """How many classes fall short, or what a check without figures has to say."""
    from shoal.cli import terminal

    if not finding.below:
        return finding.says
    classes = f"{terminal.counted(finding.below, 'class', 'classes')} of {finding.classes:,}"
    said = f"{classes}, {terminal.counted(finding.records, 'record')}"
    return f"{said}; {finding.says}" if finding.says else said


def _counts(verdict: Verdict) -> str:
    from shoal.cli import terminal

    records = terminal.counted(verdict.records, "record")
    classes = terminal.counted(verdict.classes, "class", "classes")
    return f"{records} in {classes}, {verdict.suppressed:,} left out."
