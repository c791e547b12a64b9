"""A stream that was recorded, as somebody has it afterwards: judged beside what came in."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa
from pyarrow import json

from shoal.engine.stream.flow import streamed
from shoal.errors import DataError, PlanError
from shoal.plan.checks.stream import ADDED, check_stream
from shoal.plan.plan import Plan, Read
from shoal.privacy.verdict import Verdict
from shoal.release.manifest import PublishedColumn
from shoal.table import sources
from shoal.verify import meaning, recorded


def verify(published: Any, plan: Plan | None, original: Any, *, window: int | None, advance: int | None) -> Verdict:
    """What the judges find of all batches of a stream, in a table, a file, or a folder with a file for each.

    Without ``original``, which is all that came in and was taken, only what an outsider sees is judged.
    """
    if plan is None:
        raise PlanError("a stream does not say what its columns mean: give the plan that it was published by")
    if window is None or advance is None:
        raise PlanError("a stream is judged by its windows: give both their size and by how many records they advance")
    check_stream(plan, window, advance)
    table = _published(published, [column.name for column in plan.quasi_identifying])
    absent = [name for name in ADDED if name not in table.column_names]
    if absent:
        raise DataError(f"this is no recorded stream: it has no column {', '.join(absent)}")
    columns = (
        *(PublishedColumn(name, "added", name, (name,)) for name in ADDED),
        *_meaning(table.drop_columns(list(ADDED)), plan),
    )
    as_text = [column.name for column in plan.columns if column.stays_text]
    came = None if original is None else sources.read(original, plan.read_options, as_text=as_text).table
    return recorded.judge(
        table,
        columns,
        plan.require,
        plan.columns,
        streamed(plan),
        original=came,
        missing=tuple(plan.read_options.missing),
        window=window,
        advance=advance,
    )


def _meaning(table: pa.Table, plan: Plan) -> tuple[PublishedColumn, ...]:
    """What the columns mean; of a centre with gaps a second one speaks, which no other publisher has."""
    gaps = [f"{column.name}_missing" for column in plan.quasi_identifying]
    held = [name for name in gaps if plan.form.name == "centres" and name in table.column_names]
    found = meaning.of(table.drop_columns(held), plan.columns)
    if plan.form.name != "centres":
        return found
    return tuple(
        msgspec.structs.replace(
            column,
            shown="centre" if column.role == "quasi-identifying" else column.shown,
            columns=(*column.columns, *(name for name in held if name == f"{column.name}_missing")),
        )
        for column in found
    )


def _published(given: Any, as_text: list[str]) -> pa.Table:
    """All batches: what is missing in them is null, or empty where that is how a file has it."""
    if not isinstance(given, str | os.PathLike):
        return sources.read(given, Read(missing=())).table
    path = Path(given)
    files = sorted(path.iterdir()) if path.is_dir() else [path]
    tables = [_file(file, as_text) for file in files if not file.name.startswith(".")]
    if not tables:
        raise DataError(f"there are no batches in {path.name}")
    return pa.concat_tables(tables, promote_options="permissive")


def _file(path: Path, as_text: list[str]) -> pa.Table:
    if path.suffix != ".jsonl":
        return sources.read(path, Read(missing=("",)), as_text=as_text).table
    try:
        table = json.read_json(path)
    except (pa.ArrowInvalid, OSError):
        raise DataError(f"the file {path.name} cannot be read as JSON lines") from None
    return sources.read(table, Read(missing=())).table
