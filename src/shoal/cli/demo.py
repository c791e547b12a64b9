"""`shoal demo`: from nothing to a verified release of the shipped sample, and what it cost."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal.cli import options

if TYPE_CHECKING:
    import pyarrow as pa
    from rich.console import Console

    from shoal.measure.scores import Scores
    from shoal.plan.plan import Plan
    from shoal.release.release import Release

#: As many as fit a line; the sample has more.
_SHOWN = ("age", "workclass", "marital-status", "sex", "native-country", "occupation")
_BAR = 40

#: Among how many of the smallest classes the one to show is looked for.
_TRIED = 60

Row = dict[str, str]


def demo(
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="DIR", help="A folder to keep everything in.", show_default="a temporary one"),
    ] = None,
    json: options.Json = False,
) -> int:
    """Publish a shipped sample, and show what happens."""
    from shoal import _verbs
    from shoal.cli import terminal
    from shoal.cli.anonymize import written
    from shoal.plan.plan import Plan

    folder = _set_out(out)
    plan_file, target = folder / "sample" / "plan.toml", folder / "release"
    plan = Plan.read(plan_file)
    release, _ = written(plan_file, None, target, "parquet", force=False)
    scores = _verbs.measure(target, plan.table, plan=plan)
    if json:
        verdict = None if release.verdict is None else release.verdict.as_dict()
        terminal.write_json({"folder": str(folder), "verdict": verdict, "measures": scores.as_dict()})
    else:
        _tell(terminal.console(), folder, plan, release, scores)
    return 0


def _set_out(out: Path | None) -> Path:
    """A folder with a copy of the sample, so that what is shown can be tried again."""
    import shutil
    import tempfile

    from shoal import sample
    from shoal.errors import DataError

    if out is not None and out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise DataError(f"{out.name} is there already, and not empty: choose another folder")
    folder = Path(tempfile.mkdtemp(prefix="shoal-")) if out is None else out
    left_out = shutil.ignore_patterns("*.py", "__pycache__")
    shutil.copytree(sample.folder(), folder / "sample", ignore=left_out)
    return folder


def _tell(console: Console, folder: Path, plan: Plan, release: Release, scores: Scores) -> None:
    from shoal import _run
    from shoal.cli.verify import show_verdict

    table = _run.read(None, plan).table
    before, after = _one_class(table, release, plan)
    people = len(after)
    _heading(console, 1, "The table", folder / "sample" / "adult.csv")
    console.print(
        f"{table.num_rows:,} people of the Adult census sample. Here are {people} of them, and {len(_SHOWN)} of "
        f"{table.num_columns} columns:\n"
    )
    _show_rows(console, before)
    console.print(
        "\nWhoever knows some of this about a neighbour finds the neighbour's row, and reads the occupation there.\n"
    )
    _heading(console, 2, "The plan", folder / "sample" / "plan.toml")
    asked = " and ".join(str(requirement) for requirement in plan.require)
    console.print(
        f"It says what each column is, and what must hold: {asked}. So at least four others share each person's "
        "description, and no occupation is held by more than a third of those who share one.\n"
    )
    _heading(console, 3, "The release", folder / "release")
    console.print(f"The same {people} people, as they are published:\n")
    _show_rows(console, after)
    console.print("\nWho is who? Numbers became ranges (age_min and age_max in the file), words became wider words.\n")
    _heading(console, 4, "What holds")
    console.print("Two judges read the files before they were put in place.\n")
    if release.verdict is not None:
        show_verdict(console, release.verdict, notes=False)
    _heading(console, 5, "What it cost")
    _show_cost(console, scores)
    _show_next(console, folder)


def _heading(console: Console, number: int, words: str, where: Path | None = None) -> None:
    from rich.text import Text

    place = "" if where is None else f"  {where}"
    console.print(Text.assemble((f"{number}. {words}", "bold"), (place, "dim")), soft_wrap=True)


def _one_class(table: pa.Table, release: Release, plan: Plan) -> tuple[list[Row], list[Row]]:
    """Some people who share a class: as they are in the sample, and as they are published."""
    from shoal.release.files import plain

    published = plain(release.arrow["release"])
    names = [
        name for column in release.manifest.columns if column.role == "quasi-identifying" for name in column.columns
    ]
    classes = published.group_by(names).aggregate([([], "count_all")]).sort_by([("count_all", "ascending")])
    best: tuple[float, list[Row], list[Row]] = (-1, [], [])
    for cells in classes.slice(0, _TRIED).to_pylist():
        rows = _covered(table, cells, release, plan)
        if len(rows) != cells["count_all"]:  # words may cover other people too: only else is it clear who is meant
            continue
        before = [{name: str(row[name] or "") for name in _SHOWN} for row in rows]
        telling = sum(len({row[name] for row in before}) for name in _SHOWN) / len(rows)
        if telling > best[0]:
            words = {name: cells[name] for name in _SHOWN if name in cells and name != "occupation"}
            age = _range(cells["age_min"], cells["age_max"])
            best = telling, before, [{**row, **words, "age": age} for row in before]
    return best[1], sorted(best[2], key=lambda row: row["occupation"])


def _range(low: int, high: int) -> str:
    return str(low) if low == high else f"{low} – {high}"


def _covered(table: pa.Table, cells: dict[str, Any], release: Release, plan: Plan) -> list[dict[str, Any]]:
    """The records of the sample that these published cells speak of."""
    import pyarrow as pa
    import pyarrow.compute as pc

    from shoal.table.building import hierarchies

    trees = hierarchies(plan)
    for column in release.manifest.columns:
        if column.role != "quasi-identifying":
            continue
        values = table.column(column.name)
        if column.shown == "bounds":
            low, high = (cells[name] for name in column.columns[:2])
            values = values if column.top is None else pc.min_element_wise(values, int(column.top))
            covered = pc.and_(pc.greater_equal(values, low), pc.less_equal(values, high))
        else:
            leaves = trees[column.name].covers().get(cells[column.name], frozenset())
            covered = pc.is_in(values.cast(pa.string()), pa.array(sorted(leaves), pa.string()))
        table = table.filter(covered)
    rows: list[dict[str, Any]] = table.to_pylist()
    return rows


def _show_rows(console: Console, rows: list[Row]) -> None:
    from shoal.cli import terminal

    table = terminal.tabulated(*_SHOWN)
    for row in rows:
        table.add_row(*row.values())
    console.print(table)


def _show_cost(console: Console, scores: Scores) -> None:
    """Loss by column as bars, then sizes and risk in words."""
    from shoal.cli.terminal import number, share, tabulated

    whole = scores.loss.whole.ncp or 0.0
    table = tabulated("column", "lost (NCP)", "0 is exact, 1 says nothing", numbers=("lost (NCP)",))
    for name, loss in scores.loss.columns.items():
        table.add_row(name, number(loss.ncp), _bar(loss.ncp or 0.0))
    table.add_section()
    table.add_row("in all", number(whole), _bar(whole), style="bold")
    console.print(table)
    risk = scores.risk.prosecutor
    console.print(
        f"\n{scores.records:,} records in {scores.classes:,} classes, {number(scores.class_size)} on average, "
        f"{scores.smallest.size} in the smallest; {scores.suppressed:,} were left out. "
        f"Whoever looks for a person known to be there finds the right row with a chance of {share(risk.highest)} at "
        f"most, and {share(risk.average)} on average.\n"
    )


def _bar(figure: float) -> str:
    return "█" * round(figure * _BAR) + "·" * (_BAR - round(figure * _BAR))


def _show_next(console: Console, folder: Path) -> None:
    from rich.text import Text

    console.print("Next", style="bold")
    for command, why in (
        (f"cat {folder / 'release' / 'README.txt'}", "what goes with the release, for those who get it"),
        (f"shoal verify {folder / 'release'}", "judge it again, as anybody can"),
        ("shoal init YOUR-TABLE.csv", "a plan for a table of your own, to read and correct"),
    ):
        console.print(Text.assemble("  ", (command, "bold"), f"\n      {why}"), soft_wrap=True)
