"""Releases by both ways of local generalization, what they cost, and how long they take."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

import shoal
from benchmarks.papers.figures import Figure, Row
from benchmarks.papers.local_buckets import tables
from benchmarks.papers.local_buckets.asking import Asked, rounded
from shoal.measure.queries.forms.buckets import Page
from shoal.measure.queries.question import questions
from shoal.measure.queries.sheets import Sheets
from shoal.plan.methods import LocalBuckets
from shoal.plan.plan import Plan
from shoal.release.published import Published
from shoal.release.release import Release
from shoal.schema.hierarchy import Hierarchy
from shoal.table.building import built
from shoal.verify.buckets import Bucketized

WAYS = {"LGB_MDP": LocalBuckets("mdp"), "LGB_NCP": LocalBuckets("ncp", "stop")}
DEFAULT = "our default"
OURS = {DEFAULT: LocalBuckets()}
#: As many queries are put to shoal.query too, whose bounds take longer.
_SURE = 50


@dataclass(frozen=True)
class Cost:
    """What one release cost: C_DM, NCP as the paper has it, ours, and the error of queries both ways."""

    discernibility: int
    ncp_xu: float
    ncp: float
    error: float
    sure: float
    missed: float  # the share of the queries whose truth is not between the paper's bounds


Costs = Mapping[tuple[str, int, int], Cost]


def costs(
    table: pa.Table, ways: Mapping[str, LocalBuckets], ks: Sequence[int], ls: Sequence[int], asked: Sequence[Asked]
) -> Iterator[tuple[tuple[str, int, int], Cost]]:
    for way, method in ways.items():
        for k in ks:
            for l in ls:
                plan = tables.plan_of(k, l, method)
                yield (way, k, l), _cost(table, plan, shoal.anonymize(table, plan, seed=5), asked)


def _cost(table: pa.Table, plan: Plan, release: Release, asked: Sequence[Asked]) -> Cost:
    trees = _trees(plan, table)
    scores = shoal.measure(release, table, plan=plan)
    published = Published(release.arrow, tuple(release.manifest.columns), "buckets", release.manifest.options)
    sheets = Sheets(published, trees, own=True)
    put = questions([one.where for one in asked])
    truth = np.array([one.truth for one in asked])
    theirs = rounded(Page(sheets, Bucketized(published)), "salary", put)
    ours = shoal.query(release, "SUM(salary)", [one.where for one in asked[:_SURE]], plan=plan, original=table)
    sure = np.array([float(answer.high or 0) - float(answer.low or 0) for answer in ours])
    return Cost(
        scores.discernibility,
        scores.loss.whole.ncp_xu or 0.0,
        scores.loss.whole.ncp or 0.0,
        float(((theirs.high - theirs.low) / truth).mean()),
        float((sure / truth[:_SURE]).mean()),
        float(((theirs.low > truth * (1 + 1e-9)) | (theirs.high < truth * (1 - 1e-9))).mean()),
    )


def _trees(plan: Plan, table: pa.Table) -> dict[str, Hierarchy]:
    named = {c.name: c.hierarchy for c in plan.columns if isinstance(c.hierarchy, Hierarchy)}
    return {**named, **built(plan, table)}


# -- figures ------------------------------------------------------------------------------------------------------


def by_l(name: str, title: str, y: str, found: Costs, what: str, note: str = "") -> Figure:
    rows: list[Row] = [
        {"x": l, "series": f"k = {k}", "y": getattr(cost, what), "panel": way} for (way, k, l), cost in found.items()
    ]
    return Figure(name, title, "l", y, rows, note=note)


def by_density(dense: Mapping[float, Costs]) -> Figure:
    rows: list[Row] = [
        {"x": l, "series": f"k = {k}", "y": cost.error, "panel": f"{share:.0%} ticked"}
        for share, found in dense.items()
        for (way, k, l), cost in found.items()
        if way == "LGB_MDP"
    ]
    return Figure("figure-8", "Error by how many tick (Figure 8)", "l", "relative error", rows)


def sure_bounds(found: Costs) -> Figure:
    rows: list[Row] = [
        {"x": l, "series": f"k = {k}", "y": cost.sure, "panel": way} for (way, k, l), cost in found.items()
    ]
    note = (
        "How far the bounds of `shoal query` are apart, over the truth. They hold for every query; the truth of "
        f"{max(cost.missed for cost in found.values()):.0%} of the queries, at the worst setting, is not between those "
        "of the paper."
    )
    return Figure("sure-bounds", "Bounds that hold", "l", "high less low, over the truth", rows, note=note)


def growth(sizes: Sequence[int]) -> Figure:
    """Seconds from a table in memory to a judged release, beside Mondrian with the same columns, in one run."""
    rows: list[Row] = []
    for count in sizes:
        plain = tables.made_up(count)
        ways = {"mondrian": (plain, tables.mondrian())}
        ways |= {
            name: (tables.ticked(plain, 0.2), tables.plan_of_made_up(way)) for name, way in {**WAYS, **OURS}.items()
        }
        if count == sizes[0]:  # kernels are compiled
            for table, plan in ways.values():
                shoal.anonymize(table, plan)
        for name, (table, plan) in ways.items():
            taken = min(_seconds(table, plan) for _ in range(2 if count > 50_000 else 3))
            rows.append({"x": count, "series": name, "y": taken})
    return Figure("growth", "Time", "records", "seconds, judged", rows, logarithmic=True)


def _seconds(table: pa.Table, plan: Plan) -> float:
    start = time.perf_counter()
    shoal.anonymize(table, plan)
    return time.perf_counter() - start
