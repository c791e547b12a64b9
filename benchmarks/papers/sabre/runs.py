"""One grouping of one table, and what it cost."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace

import pyarrow as pa

import shoal
from benchmarks.census import Census
from benchmarks.tables import people
from shoal import _run
from shoal.measure.closeness import farthest
from shoal.measure.lattice import divergence
from shoal.measure.query_error import Workload, query_error
from shoal.plan.methods import Method
from shoal.release.published import Published
from shoal.schema.columns import Categorical
from shoal.schema.hierarchy import Hierarchy

#: Queries whose answers are compared.
_QUERIES = 10_000

#: The series of Shoal's own choice of options.
DEFAULTS = "defaults"

AK, KNN = shoal.Sabre("hilbert", "random", "paper"), shoal.Sabre("nearest", "random", "paper")

#: The methods of the paper's figures, and Shoal's own choice.
METHODS: Mapping[str, Method] = {
    "tIncognito": shoal.Incognito(),
    "tMondrian": shoal.Mondrian(),
    "SABRE-AK": AK,
    "SABRE-KNN": KNN,
    DEFAULTS: shoal.Sabre(),
}


@dataclass(frozen=True, eq=False)
class Run:
    """A release that was not judged, since only its figures count; tests see to its promises."""

    original: pa.Table
    published: Published
    trees: Mapping[str, Hierarchy]
    seconds: float
    loss: float
    classes: int

    def real_closeness(self, on: str) -> float:
        return farthest(self.published, self.trees)[on]["ordered"]

    def query_error(self, columns: int, selectivity: float) -> float:
        asked = Workload(_QUERIES, columns, selectivity, seed=1)
        return query_error(self.published, self.original, self.trees, asked).median or 0.0

    def divergence(self, level: int) -> float:
        return divergence(self.published, self.original, self.trees, level)


def run(table: Census, method: Method, t: float = 0.35, k: int = 6, tree: Hierarchy | None = None) -> Run:
    """The records grouped; with a tree over the sensitive values, by their distance in it."""
    on, distance = table.sensitive, "ordered" if tree is None else "hierarchical"
    plan = shoal.Plan(
        shoal.Schema(quasi_identifying=dict(table.quasi), sensitive={on: None if tree is None else Categorical(tree)}),
        [shoal.KAnonymity(k), shoal.TCloseness(t, on=on, distance=distance)],  # type: ignore[arg-type]
        method,
        person="row",
    )
    began: dict[str, float] = {}
    release = _run.prepare(
        table.table, plan, seed=1, progress=lambda stage, _, __: began.update({stage: time.perf_counter()})
    )
    manifest = release.manifest
    scores = shoal.measure(release, table.table, plan=plan)
    return Run(
        table.table,
        Published(release.arrow, tuple(manifest.columns), manifest.form),
        _run.hierarchies(plan),
        began["publishing"] - began["grouping"],
        scores.loss.whole.glm or 0.0,
        scores.classes,
    )


def warm() -> None:
    """Everything compiled before anything is timed."""
    table = people(2_000)
    small = Census("small", table.select(["age", "education", "hours"]), {"age": None, "education": None}, "hours")
    for method in (*METHODS.values(), replace(AK, seeds="sweep"), replace(KNN, seeds="sweep")):
        run(small, method).divergence(1)
