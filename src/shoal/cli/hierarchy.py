"""`shoal hierarchy`: the hierarchy of a column as a file, to look at, to edit, and to name in a plan."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from shoal.cli import options


def hierarchy(
    plan: options.PlanFile,
    column: Annotated[str, typer.Argument(metavar="COLUMN", help="The column's name.", show_default=False)],
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="The CSV file to write.", show_default=False)],
    table: options.Table = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the file that stands there.")] = False,
    json: options.Json = False,
) -> int:
    """Write the hierarchy of a column to a file, as ARX has it.

    One that the plan wants built (prefixes, intervals) is built from the table. Edit the file, and name it in the plan
    in place of how it was built.
    """
    from shoal import _run
    from shoal.cli import terminal
    from shoal.errors import DataError, PlanError
    from shoal.plan.plan import Plan
    from shoal.schema import arx
    from shoal.table.building import built, hierarchies

    decided = Plan.read(plan)
    if not any(held.name == column and held.has_hierarchy for held in decided.columns):
        raise PlanError(f"the plan gives the column {column} no hierarchy: say prefixes, intervals or hierarchy there")
    if out.is_dir() or (out.exists() and not force):
        raise PlanError(f"{out.name} is there already: choose another with --out, or replace it with --force")
    trees = hierarchies(decided)
    if column not in trees:
        held = _run.read(table, decided).table
        if column not in held.column_names:
            raise DataError(f"the table has no column {column}")
        trees |= built(decided, held.select([column]))
    tree = trees[column]
    arx.write(tree, out)
    values, levels = len(tree.leaves), int(tree.height[0])
    if json:
        terminal.write_json({"file": str(out), "leaves": values, "levels": levels})
    else:
        said = f"{terminal.counted(values, 'value')}, {terminal.counted(levels, 'level')} above them: {out}"
        terminal.console().print(said, soft_wrap=True)
    return 0
