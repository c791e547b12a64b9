"""`shoal measure`: what a release cost, and what risk is left."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli import options

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from shoal.measure.query_error import QueryError
    from shoal.measure.risk import Adversary
    from shoal.measure.rules import Rules
    from shoal.measure.scores import Scores


def measure(
    published: options.Published,
    original: options.Original = None,
    plan: options.PlanOption = None,
    population: Annotated[
        Path | None,
        typer.Option(metavar="TABLE", help="Everybody from whom the records were drawn.", show_default=False),
    ] = None,
    queries: Annotated[
        int | None,
        typer.Option(metavar="N", help="Ask N random counts, and compare with the original.", show_default=False),
    ] = None,
    rules: Annotated[
        tuple[float, float] | None,
        typer.Option(
            metavar="SUPPORT CONFIDENCE", help="Count the association rules that are found again.", show_default=False
        ),
    ] = None,
    json: options.Json = False,
) -> int:
    """Say what a release cost, and what risk is left.

    Loss compares with the original: keep it to yourself, since with the release it tells of those who were left out.
    """
    from shoal import _verbs
    from shoal.cli import terminal
    from shoal.plan.plan import Plan

    decided = None if plan is None else Plan.read(plan)
    scores = _verbs.measure(published, original, plan=decided, population=population, queries=queries, rules=rules)
    if json:
        terminal.write_json(scores.as_dict())
    else:
        show_scores(terminal.console(), scores)
    return 0


def show_scores(console: Console, scores: Scores) -> None:
    """Loss, what goes together, size of classes, closeness and risk."""
    _show_loss(console, scores)
    _show_correspondence(console, scores)
    _show_classes(console, scores)
    _show_closeness(console, scores)
    _show_risk(console, scores)
    if scores.queries is not None:
        _show_queries(console, scores.queries)
    if scores.rules is not None:
        _show_rules(console, scores.rules)


def _show_rules(console: Console, rules: Rules) -> None:
    from shoal.cli.terminal import share

    kept = "" if rules.retention is None else f" ({share(rules.retention)})"
    console.print(
        f"Of {rules.original:,} association rules of the original, with a support of at least {rules.support:g} and a "
        f"confidence of at least {rules.confidence:g}, {rules.kept:,} are found again{kept}.\n"
    )


def _show_loss(console: Console, scores: Scores) -> None:
    from shoal.cli.terminal import number, share, tabulated

    if scores.loss.reason is not None:
        console.print(f"Loss is not known: {scores.loss.reason}.\n")
        return
    formulas = ("NCP", "GLM", "NCP_Xu")
    table = tabulated("column", *formulas, numbers=formulas, title="Loss: 0 is exact, 1 says nothing")
    for name, loss in scores.loss.columns.items():
        table.add_row(name, number(loss.ncp), number(loss.glm), number(loss.ncp_xu))
    table.add_section()
    whole = scores.loss.whole
    table.add_row("in all", number(whole.ncp), number(whole.glm), number(whole.ncp_xu), style="bold")
    console.print(table, "")
    console.print(f"{scores.suppressed:,} records were left out, {share(scores.suppression)} of all.\n")


def _show_correspondence(console: Console, scores: Scores) -> None:
    from shoal.cli.terminal import number, share, tabulated

    for name, kept in scores.correspondence.columns.items():
        title = f"What goes together with {name}: phi², 0 is nothing"
        table = tabulated("column", "before", "after", numbers=("before", "after"), title=title)
        for column, phi in kept.phi.items():
            table.add_row(column, number(phi.before), number(phi.after))
        console.print(table, "")
        console.print(
            f"On average a record gets another value of {name} than its own with {share(kept.reconstruction)}, and one "
            f"that no record like it has with {share(kept.glp)} (GLP).\n"
        )


def _show_classes(console: Console, scores: Scores) -> None:
    from shoal.cli.terminal import number, share, tabulated

    table = tabulated("records in class", "records", "share", numbers=("records", "share"), title="Classes")
    for one in scores.smallest.sizes:
        if one.records:
            most = "or more" if one.most is None else f"to {one.most}" if one.most > one.least else ""
            table.add_row(f"{one.least} {most}".strip(), f"{one.records:,}", share(one.records / scores.records))
    console.print(table, "")
    times = "" if scores.c_avg is None else f", {number(scores.c_avg)} times k"
    console.print(
        f"{scores.records:,} records in {scores.classes:,} classes, {number(scores.class_size)} on average{times}. "
        f"The smallest have {scores.smallest.size}, and hold {share(scores.smallest.share)} of the records. "
        f"Discernibility: {scores.discernibility:,}.\n"
    )


def _show_closeness(console: Console, scores: Scores) -> None:
    from shoal.cli.terminal import number, tabulated

    if not scores.farthest:
        return
    distances = list(dict.fromkeys(distance for found in scores.farthest.values() for distance in found))
    table = tabulated("column", *distances, numbers=distances, title="How far the farthest class is from the whole: t")
    for name, found in scores.farthest.items():
        table.add_row(name, *(number(found.get(distance)) for distance in distances))
    console.print(table, "")


def _show_risk(console: Console, scores: Scores) -> None:
    from shoal.cli.terminal import share, tabulated

    columns = ("highest", "average", "at the highest", "above")
    table = tabulated("who looks", *columns, numbers=columns[:3], title="Risk of being found")
    _add_adversary(table, "prosecutor (knows who is in)", scores.risk.prosecutor)
    if scores.risk.journalist is not None:
        _add_adversary(table, "journalist (knows the population)", scores.risk.journalist)
    table.add_row("marketer (wants many)", "", share(scores.risk.marketer), "", "")
    console.print(table, "")
    if scores.risk.journalist is not None and scores.risk.journalist.short:
        console.print(
            f"Of {scores.risk.journalist.short:,} classes the population table holds fewer people than the release: "
            "it is not the whole population.\n"
        )


def _add_adversary(table: Table, name: str, risk: Adversary) -> None:
    from shoal.cli.terminal import share

    said = dict.fromkeys(f"{one.records:,} above {share(one.threshold)}" for one in risk.above)
    table.add_row(name, share(risk.highest), share(risk.average), share(risk.at_highest), "; ".join(said))


def _show_queries(console: Console, found: QueryError) -> None:
    from shoal.cli.terminal import share, tabulated

    columns = ("asked", "dropped", "median error", "mean error", "bounds apart")
    table = tabulated(*columns, numbers=columns, title="Random counts: how far the answers are from the truth")
    shares = (share(part) for part in (found.median, found.mean, found.bounded))
    table.add_row(f"{found.queries:,}", f"{found.dropped:,}", *shares)
    console.print(table, "")
