"""The experiments of Sections 6 and 7, each a sweep over one setting; and two of our own, over SABRE's options."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from benchmarks.census import Census
from benchmarks.papers.figures import Figure, Row
from benchmarks.papers.sabre.runs import AK, DEFAULTS, KNN, METHODS, Run, run
from shoal.plan.methods import Method
from shoal.schema.hierarchy import Hierarchy

#: Records of Figure 18b, whose middle levels have many groups.
_LATTICE = 30_000

#: The values of t and the numbers of quasi-identifiers for what takes long to measure.
_LIMITS, _COLUMNS = (0.15, 0.35, 0.55), (3, 5, 7)

Place = TypeVar("Place", int, float)
Measures = Mapping[str, Callable[[Run], float]]

LOSS: Measures = {"AIL": lambda made: made.loss}
BASIC: Measures = {**LOSS, "seconds": lambda made: made.seconds}


def sweep(
    places: Sequence[Place],
    make: Callable[[Place, Method], Run],
    measures: Measures,
    methods: Mapping[str, Method] = METHODS,
    **more: str,
) -> dict[str, list[Row]]:
    """A row for each place, method and measure; each is run once."""
    rows: dict[str, list[Row]] = {name: [] for name in measures}
    for x in places:
        for series, method in methods.items():
            made = make(x, method)
            for name, measure in measures.items():
                rows[name].append({"x": x, "series": series, "y": measure(made), **more})
    return rows


@dataclass(frozen=True, eq=False)
class Experiments:
    """All sweeps: of ``acs``, the paper's kind of table, ``size`` records are drawn; ``others`` are two more tables."""

    acs: Census
    others: Sequence[Census]
    size: int
    quick: bool

    def figures(self) -> list[Figure]:
        return [
            *self._by_t(),
            *self._by_columns(),
            *self._by_size(),
            *self._by_k(),
            *self._of_queries(),
            *self._of_the_lattice(),
            self._by_fanout(),
            self._by_slack(),
            self._by_seeds(),
        ]

    @property
    def _table(self) -> Census:
        return self.acs.drawn(self.size)

    def _some(self, places: Sequence[Place]) -> Sequence[Place]:
        return places[:: max(len(places) - 1, 1)] if self.quick else places

    # -- Section 6.1 ----------------------------------------------------------------------------------------

    def _by_t(self) -> list[Figure]:
        table, on = self._table, self.acs.sensitive
        measures = {**BASIC, "closeness": lambda made: made.real_closeness(on)}
        places = self._some([0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55])
        rows = sweep(places, lambda t, method: run(table, method, t), measures, panel=table.name)
        loss = list(rows["AIL"])
        for other in self.others:
            loss += sweep(places, lambda t, method, held=other: run(held, method, t), LOSS, panel=other.name)["AIL"]
        return [
            Figure("figure-10a", "Figure 10a: loss by t, on three tables", "t", "AIL", loss),
            Figure("figure-10b", "Figure 10b: time by t", "t", "seconds", rows["seconds"], logarithmic=True),
            Figure("figure-13a", "Figure 13a: real closeness by t", "t", "largest EMD", rows["closeness"]),
        ]

    def _by_columns(self) -> list[Figure]:
        table, on = self._table, self.acs.sensitive
        measures = {**BASIC, "closeness": lambda made: made.real_closeness(on)}
        rows = sweep(self._some([3, 4, 5, 6, 7]), lambda some, method: run(table.of(some), method), measures)
        x = "quasi-identifiers"
        return [
            Figure("figure-11a", "Figure 11a: loss by quasi-identifiers", x, "AIL", rows["AIL"]),
            Figure("figure-11b", "Figure 11b: time by quasi-identifiers", x, "seconds", rows["seconds"], True),
            Figure("figure-13b", "Figure 13b: real closeness by quasi-identifiers", x, "EMD", rows["closeness"]),
        ]

    def _by_size(self) -> list[Figure]:
        sizes = [1_000, 3_000] if self.quick else [100_000, 200_000, 300_000, 400_000, 500_000]
        rows = sweep(sizes, lambda n, method: run(self.acs.drawn(n, again=True), method), BASIC)
        note = "Records are drawn with replacement, since there are 204,309 of them."
        return [
            Figure("figure-12a", "Figure 12a: loss by records", "records", "AIL", rows["AIL"], note=note),
            Figure("figure-12b", "Figure 12b: time by records", "records", "seconds", rows["seconds"], True, note),
        ]

    def _by_k(self) -> list[Figure]:
        table = self._table
        rows = sweep(self._some([2, 6, 10, 20, 40]), lambda k, method: run(table, method, k=k), BASIC)
        return [
            Figure("figure-14a", "Figure 14a: loss by k", "k", "AIL", rows["AIL"]),
            Figure("figure-14b", "Figure 14b: time by k", "k", "seconds", rows["seconds"], logarithmic=True),
        ]

    # -- Section 6.2 ----------------------------------------------------------------------------------------

    def _of_queries(self) -> list[Figure]:
        table = self._table
        made = {name: run(table, method) for name, method in METHODS.items()}

        def asked(
            places: Sequence[Place], columns: Callable[[Place], int], theta: Callable[[Place], float]
        ) -> list[Row]:
            return [
                {"x": x, "series": name, "y": one.query_error(columns(x), theta(x))}
                for x in self._some(places)
                for name, one in made.items()
            ]

        error: Measures = {"error": lambda one: one.query_error(3, 0.1)}
        by_columns = sweep(_COLUMNS, lambda some, method: run(table.of(some), method), error)["error"]
        by_t = sweep(_LIMITS, lambda t, method: run(table, method, t), error)["error"]
        parts = [
            ("a", "columns asked for", asked([2, 4, 6], lambda some: some, lambda _: 0.1)),
            ("b", "quasi-identifiers", by_columns),
            ("c", "t", by_t),
            ("d", "selectivity", asked([0.05, 0.15, 0.25], lambda _: 3, lambda part: part)),
        ]
        return [
            Figure(f"figure-17{part}", f"Figure 17{part}: error of counts by {x}", x, "median relative error", rows)
            for part, x, rows in parts
        ]

    def _of_the_lattice(self) -> list[Figure]:
        table, divergence = self._table, {"KL": lambda one: one.divergence(2)}
        sizes = [1_000, 3_000] if self.quick else [100_000, 300_000, 500_000]
        small = self.acs.drawn(min(self.size, _LATTICE))
        made = {name: run(small, method) for name, method in METHODS.items()}
        by_level: list[Row] = [
            {"x": level, "series": name, "y": one.divergence(level)}
            for level in self._some([1, 2, 3, 4, 5, 6, 7])
            for name, one in made.items()
        ]
        by_t = sweep(_LIMITS, lambda t, method: run(table, method, t), divergence)
        by_columns = sweep(_COLUMNS, lambda some, method: run(table.of(some), method), divergence)
        by_size = sweep(sizes, lambda n, method: run(self.acs.drawn(n, again=True), method), divergence)
        parts = [
            ("a", "t", by_t["KL"], ""),
            ("b", "level", by_level, f"With {len(small.table):,} records."),
            ("c", "quasi-identifiers", by_columns["KL"], ""),
            ("d", "records", by_size["KL"], "Records are drawn with replacement, since there are 204,309 of them."),
        ]
        return [
            Figure(f"figure-18{part}", f"Figure 18{part}: divergence by {x}", x, "KL divergence", rows, note=note)
            for part, x, rows, note in parts
        ]

    # -- Section 7 ------------------------------------------------------------------------------------------

    def _by_fanout(self) -> Figure:
        table = self._table
        methods = {"SABRE-AK": AK, "SABRE-KNN": KNN, DEFAULTS: METHODS[DEFAULTS]}
        values = len(table.table.column(table.sensitive).unique())

        def make(fanout: int, method: Method) -> Run:
            return run(table, method, tree=_even(values, fanout))

        rows = sweep(self._some([2, 3, 4, 5, 7, 10, 25, 50]), make, LOSS, methods)["AIL"]
        note = (
            "Salaries are taken for categories, in a hierarchy of which every node but the last has so many children."
        )
        return Figure("figure-19", "Figure 19: loss by fan-out", "fan-out", "AIL", rows, note=note)

    # -- our own --------------------------------------------------------------------------------------------

    def _by_slack(self) -> Figure:
        """Classes that are bounded beforehand, or tested once they are made, by small steps of t."""
        methods = {
            f"{name}, {slack}": replace(method, slack=slack)
            for name, method in (("AK", AK), ("KNN", KNN))
            for slack in ("paper", "best")
        }
        rows: list[Row] = []
        for table in (self._table, *self.others):
            places = self._some([round(0.05 + 0.025 * step, 3) for step in range(21)])
            rows += sweep(places, lambda t, method, held=table: run(held, method, t), LOSS, methods, panel=table.name)[
                "AIL"
            ]
        return Figure("slack", "Classes bounded beforehand, or tested once they are made", "t", "AIL", rows)

    def _by_seeds(self) -> Figure:
        methods = {
            f"{name}, {seeds}": replace(method, seeds=seeds)
            for name, method in (("AK", AK), ("KNN", KNN))
            for seeds in ("random", "sweep")
        }
        rows: list[Row] = []
        for table in (self._table, *self.others):
            places = self._some([0.15, 0.25, 0.35, 0.45, 0.55])
            rows += sweep(places, lambda t, method, held=table: run(held, method, t), LOSS, methods, panel=table.name)[
                "AIL"
            ]
        return Figure("seeds", "Seeds by lot, or one after the other along the curve", "t", "AIL", rows)


def _even(leaves: int, fanout: int) -> Hierarchy:
    """A hierarchy over 0, 1, 2, ..., each level of which puts so many neighbours together."""
    levels, groups = [], np.arange(leaves)
    while groups[-1] > 0:
        groups = groups // fanout
        if groups[-1] > 0:
            levels.append((groups, [f"{len(levels)}: {group}" for group in range(groups[-1] + 1)]))
    return Hierarchy.from_levels([str(leaf) for leaf in range(leaves)], levels)
