"""`shoal stream`: an endless table, published as it comes."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from shoal.cli import options

if TYPE_CHECKING:
    from shoal.engine.stream.ends import Sink, Source
    from shoal.engine.stream.service import Summary
    from shoal.plan.plan import Plan


class Format(StrEnum):
    """How records are written on lines."""

    csv = "csv"
    jsonl = "jsonl"


def stream(
    plan: options.PlanFile,
    window: Annotated[int, typer.Option("--window", metavar="N", help="Records in a window.", show_default=False)],
    advance: Annotated[
        int, typer.Option("--advance", metavar="M", help="By how many records a window advances.", show_default=False)
    ],
    source: Annotated[
        str, typer.Option("--from", metavar="SOURCE", help="- (standard input), a file, or redis://HOST/DB?key=KEY.")
    ] = "-",
    sink: Annotated[
        str,
        typer.Option("--to", metavar="SINK", help="- (standard output), a folder, or redis://HOST/DB?key=KEY."),
    ] = "-",
    format: Annotated[Format, typer.Option(help="How records are written, in and out.")] = Format.csv,
    state: Annotated[
        Path | None,
        typer.Option(
            "--state",
            metavar="DIR",
            help="A folder from which a killed stream goes on. It holds raw records.",
            show_default=False,
        ),
    ] = None,
    after: Annotated[
        int, typer.Option("--after", metavar="BATCH", help="The last batch that the sink has, after a restart.")
    ] = 0,
    dead_letters: Annotated[
        Path | None,
        typer.Option(
            "--dead-letters",
            metavar="FILE",
            help="Where records go that cannot be taken; without it, the first one ends the stream.",
            show_default=False,
        ),
    ] = None,
    where: Annotated[
        bool, typer.Option("--where", help="Print after how much of the input the state goes on, and nothing else.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="The summary as one JSON object.")] = False,
) -> int:
    """Publish an endless table, batch by batch.

    Each record leaves before its window has advanced over it. Rows go to standard output as they are due, with the
    numbers of their batch and window. What is left is published when the input ends.
    """
    from shoal.engine.stream import service
    from shoal.plan.plan import Plan

    if where:
        typer.echo(service.where(_state(state)))
        return 0
    decided = Plan.read(plan)
    form: Literal["csv", "jsonl"] = "csv" if format is Format.csv else "jsonl"
    written = "jsonl" if sink.startswith("redis") else form
    served = service.Service(
        decided, window=window, advance=advance, form=written, state=state, dead_letters=dead_letters
    )
    summary = served.run(_source(source, decided, form, state), _sink(sink, form), after=after)
    _show(summary, json=json, aside=sink == "-")
    return 0


def _state(state: Path | None) -> Path:
    if state is None:
        raise typer.BadParameter("--where asks the state: give --state DIR too")
    return state


def _source(source: str, plan: Plan, form: Literal["csv", "jsonl"], state: Path | None) -> Source:
    from shoal.engine.stream.ends import Lines
    from shoal.engine.stream.lines import parser

    if source == "-":
        return Lines(0, parser(form, plan))
    if not source.startswith("redis"):
        return Lines.of(Path(source), parser(form, plan))
    from shoal.engine.stream.redis_streams import RedisSource

    if state is None:
        raise typer.BadParameter("entries are acknowledged when they are persisted: give --state DIR too")
    return RedisSource(source, plan)


def _sink(sink: str, form: Literal["csv", "jsonl"]) -> Sink:
    from shoal.engine.stream.ends import Folder, StandardOutput

    if sink == "-":
        return StandardOutput()
    if not sink.startswith("redis"):
        return Folder(Path(sink), form)
    from shoal.engine.stream.redis_streams import RedisSink

    return RedisSink(sink)


def _show(summary: Summary, *, json: bool, aside: bool) -> None:
    """What it came to; on standard error where the rows take standard output."""
    import sys

    import msgspec

    from shoal.cli.terminal import counted

    out = sys.stderr if aside else sys.stdout
    if json:
        out.write(msgspec.json.format(msgspec.json.encode(summary), indent=2).decode() + "\n")
        return
    out.write(
        f"{counted(summary.records, 'record')} in {counted(summary.windows, 'window')}: {summary.published:,} "
        f"published, {summary.suppressed:,} left out at the end, {summary.refused:,} not taken\n"
    )
