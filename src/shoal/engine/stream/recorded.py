"""A stream that was recorded, as somebody has it afterwards: judged beside what came in."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import json

from shoal.engine.stream.flow import streamed
from shoal.errors import DataError, PlanError
from shoal.plan.checks.stream import ADDED, check_stream
from shoal.plan.plan import Plan
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
    as_text = [column.name for column in plan.quasi_identifying]
    table = _read(published, plan, as_text)
    absent = [name for name in ADDED if name not in table.column_names]
    if absent:
        raise DataError(f"this is no recorded stream: it has no column {', '.join(absent)}")
    columns = (
        *(PublishedColumn(name, "added", name, (name,)) for name in ADDED),
        *meaning.of(table.drop_columns(list(ADDED)), plan.columns),
    )
    held = [column.name for column in plan.columns if column.stays_text]
    return recorded.judge(
        table,
        columns,
        plan.require,
        plan.columns,
        streamed(plan),
        original=None if original is None else _read(original, plan, held),
        missing=tuple(plan.read_options.missing),
        window=window,
        advance=advance,
    )


def _read(given: Any, plan: Plan, as_text: list[str]) -> pa.Table:
    if not isinstance(given, str | os.PathLike):
        return sources.read(given, plan.read_options, as_text=as_text).table
    path = Path(given)
    files = sorted(path.iterdir()) if path.is_dir() else [path]
    tables = [_file(file, plan, as_text) for file in files if not file.name.startswith(".")]
    if not tables:
        raise DataError(f"there are no batches in {path.name}")
    return pa.concat_tables(tables, promote_options="permissive")


def _file(path: Path, plan: Plan, as_text: list[str]) -> pa.Table:
    if path.suffix != ".jsonl":
        return sources.read(path, plan.read_options, as_text=as_text).table
    try:
        table = json.read_json(path)
    except (pa.ArrowInvalid, OSError):
        raise DataError(f"the file {path.name} cannot be read as JSON lines") from None
    return sources.read(table, plan.read_options).table
