"""Streams of any tables by any plans: of all types, with gaps, by every form and method that a stream can have."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
from hypothesis import HealthCheck, Phase, event, given, reject, settings
from hypothesis import strategies as st

import shoal
from shoal.errors import PlanError, ShoalError, Violation
from shoal.plan.checks.stream import FORMS as STREAMED
from shoal.plan.forms import FORMS
from shoal.plan.methods import METHODS
from shoal.plan.plan import Plan
from shoal.privacy.requirements import KAnonymity, LDiversity, TCloseness
from shoal.schema.columns import Column, Schema
from shoal.testing import plans, tables

ROW = "shoal: row"


def _streamable(plan: Plan) -> Plan:
    """The plan without what a stream cannot promise; t by the equal distance where nobody says what may come."""
    require: list[Any] = []
    for requirement in plan.require:
        column = next((c for c in plan.columns if c.name == getattr(requirement, "on", None)), None)
        if isinstance(requirement, TCloseness) and column is not None and not column.has_hierarchy:
            require.append(replace(requirement, distance="equal"))
        elif not isinstance(requirement, LDiversity):
            require.append(requirement)
    schema = Schema.of([*plan.columns, Column(ROW, "insensitive")])
    allowed = [*(column.name for column in plan.insensitive), ROW]
    return replace(plan, schema=schema, require=require or [KAnonymity(2)], person="row", allow_unique=allowed)


def _streamed(table: pa.Table, plan: Plan, window: int, advance: int, sizes: list[int]) -> pa.Table:
    stream = shoal.Stream(plan, window=window, advance=advance)
    found, at = [], 0
    while at < table.num_rows:
        size = sizes[len(found) % len(sizes)]
        found += stream.push(table.slice(at, size))
        at += size
    found += stream.close()
    assert sum(batch.num_rows for batch in found) + stream.suppressed == table.num_rows
    assert len({batch.schema for batch in found}) <= 1, "batches have different columns"
    return pa.concat_tables(found) if found else None


@settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck), phases=[Phase.generate])
@given(st.data())
def test_any_stream_is_what_its_plan_says(data: st.DataObject) -> None:
    table = data.draw(tables(unusual=data.draw(st.integers(0, 9)) == 0))
    form = FORMS[data.draw(st.sampled_from(STREAMED))]()
    able = [kind for kind in METHODS.values() if form.name in kind.card.forms and "k" in kind.card.promises]
    method = data.draw(st.sampled_from(able))()
    try:
        plan = _streamable(data.draw(plans(table, method=method, form=form)))
    except PlanError:
        reject()
    table = table.append_column(ROW, pa.array(np.arange(table.num_rows)))
    advance = data.draw(st.integers(1, max(table.num_rows // 2, 1)))
    window = advance * data.draw(st.integers(1, 4))
    sizes = data.draw(st.lists(st.integers(1, 20), min_size=1, max_size=3))
    try:
        rows = _streamed(table, plan, window, advance, sizes)
    except Violation:
        raise
    except ShoalError as error:
        event(type(error).__name__)
        return
    event("nothing" if rows is None else "rows")
    if rows is not None:
        numbers = rows.column(ROW).to_pylist()
        assert len(set(numbers)) == len(numbers)
        last = rows.column("batch").to_pylist()
        assert all(batch <= number // advance + 1 for number, batch in zip(numbers, last, strict=True))
        verdict = shoal.verify(rows, plan, table, window=window, advance=advance)
        assert verdict.holds, [finding.as_dict() for finding in verdict.findings if not finding.holds]
