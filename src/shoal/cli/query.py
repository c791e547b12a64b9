"""`shoal query`: what a release says of a question, and between which bounds the truth lies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli import options

if TYPE_CHECKING:
    from rich.console import Console

    from shoal.measure.queries.answering import Answer


def query(
    published: options.Published,
    what: Annotated[
        str, typer.Argument(metavar="WHAT", help="COUNT(*), SUM(column) or AVG(column).", show_default=False)
    ],
    where: Annotated[
        list[str] | None,
        typer.Option(
            "--where",
            metavar="CONDITION",
            help='Such as "age >= 30", "job = clerk", "job in clerk, cook", "job is missing", "job is known". '
            "All conditions must hold.",
            show_default=False,
        ),
    ] = None,
    plan: options.PlanOption = None,
    original: options.Original = None,
    json: options.Json = False,
) -> int:
    """Answer a question from a release, with bounds.

    The truth of the published records cannot leave the bounds; the estimate lies between them.

    A label of a hierarchy stands for all that is below it. The plan says by which hierarchies words are published; if
    it wants them built, the original is needed for that, and for nothing else.
    """
    from shoal import _verbs
    from shoal.cli import terminal
    from shoal.measure.queries import written
    from shoal.plan.plan import Plan

    asked = where or []
    decided = None if plan is None else Plan.read(plan)
    answer = _verbs.query(published, what, written.conditions(asked), plan=decided, original=original)
    if json:
        terminal.write_json({"what": what, "where": asked, **answer.as_dict()})
    else:
        show_answer(terminal.console(), answer)
    return 0


def show_answer(console: Console, answer: Answer) -> None:
    """The figures, and of whom they speak."""
    from shoal.cli.terminal import counted, number, tabulated

    columns = ("estimate", "at least", "at most")
    table = tabulated(*columns, numbers=columns)
    figures = answer.as_dict()
    table.add_row(*(number(figures[name]) for name in ("estimate", "low", "high")))
    console.print(table, "")
    said = f"Of {counted(answer.records, 'published record')}."
    if answer.suppressed:
        said += f" {answer.suppressed:,} more were left out, and nothing is known of them."
    console.print(f"{said}\n")
