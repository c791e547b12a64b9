"""The experiments of Sections 6 and 7, each a sweep over one setting; and two of our own, over SABRE's options."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

import numpy as np

from benchmarks.census import Census
from benchmarks.papers.figures import Figure, Row
from benchmarks.papers.sabre.runs import AK, DEFAULTS, KNN, METHODS, Run, run
from shoal.plan.methods import Method
from shoal.schema.hierarchy import Hierarchy

#: The values of t and the numbers of quasi-identifiers for what takes long to measure.
_LIMITS, _COLUMNS = (0.15, 0.25, 0.35, 0.45, 0.55), (3, 4, 5, 6, 7)

_AGAIN = "Records are drawn with replacement, since there are 204,309 of them."

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
            *self._by_slack(),
            self._by_seeds(),
        ]

    @property
    def _table(self) -> Census:
        return self.acs.drawn(self.size)

    @property
    def _sizes(self) -> Sequence[int]:
        return [1_000, 3_000] if self.quick else [100_000, 200_000, 300_000, 400_000, 500_000]

    def _some(self, places: Sequence[Place]) -> Sequence[Place]:
        return places[:: max(len(places) - 1, 1)] if self.quick else places

    # -- Section 6.1 ----------------------------------------------------------------------------------------

    def _by_t(self) -> list[Figure]:
        table, on = self._table, self.acs.sensitive
        measures = {**BASIC, "closeness": lambda made: made.real_closeness(on)}
        places = self._some([0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55])
        rows = sweep(places, partial(_at, table), measures, panel=table.name)
        loss = list(rows["AIL"])
        for other in self.others:
            loss += sweep(places, partial(_at, other), LOSS, panel=other.name)["AIL"]
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
        def make(records: int, method: Method) -> Run:
            """The run of three that took the middle time."""
            table = self.acs.drawn(records, again=True)
            return sorted((run(table, method) for _ in range(3)), key=lambda made: made.seconds)[1]

        rows = sweep(self._sizes, make, BASIC)
        return [
            Figure("figure-12a", "Figure 12a: loss by records", "records", "AIL", rows["AIL"], note=_AGAIN),
            Figure("figure-12b", "Figure 12b: time by records", "records", "seconds", rows["seconds"], True, _AGAIN),
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
        by_columns = sweep(self._some(_COLUMNS), lambda some, method: run(table.of(some), method), error)["error"]
        by_t = sweep(self._some(_LIMITS), partial(_at, table), error)["error"]
        parts = [
            ("a", "columns asked for", asked([1, 2, 3, 4, 5, 6], lambda some: some, lambda _: 0.1)),
            ("b", "quasi-identifiers", by_columns),
            ("c", "t", by_t),
            ("d", "selectivity", asked([0.05, 0.1, 0.15, 0.2, 0.25], lambda _: 3, lambda part: part)),
        ]
        return [
            Figure(f"figure-17{part}", f"Figure 17{part}: error of counts by {x}", x, "median relative error", rows)
            for part, x, rows in parts
        ]

    def _of_the_lattice(self) -> list[Figure]:
        table, divergence = self._table, {"KL": lambda one: one.divergence(2)}
        made = {name: run(table, method) for name, method in METHODS.items()}
        by_level: list[Row] = [
            {"x": level, "series": name, "y": one.divergence(level)}
            for level in self._some([1, 2, 3, 4, 5, 6, 7])
            for name, one in made.items()
        ]
        by_t = sweep(self._some(_LIMITS), partial(_at, table), divergence)
        by_columns = sweep(self._some(_COLUMNS), lambda some, method: run(table.of(some), method), divergence)
        by_size = sweep(self._sizes, lambda n, method: run(self.acs.drawn(n, again=True), method), divergence)
        parts = [
            ("a", "t", by_t["KL"], ""),
            ("b", "level", by_level, ""),
            ("c", "quasi-identifiers", by_columns["KL"], ""),
            ("d", "records", by_size["KL"], _AGAIN),
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

    def _by_slack(self) -> list[Figure]:
        """Classes that are bounded beforehand, or tested once they are made, by small steps of t."""
        methods = {
            f"{name}, {slack}": replace(method, slack=slack)
            for name, method in (("AK", AK), ("KNN", KNN))
            for slack in ("paper", "best")
        }
        measures = {**LOSS, "classes": lambda made: made.classes}
        rows: dict[str, list[Row]] = {name: [] for name in measures}
        for table in (self._table, *self.others):
            places = self._some([round(0.05 + 0.025 * step, 3) for step in range(21)])
            make = partial(_at, table)
            for name, found in sweep(places, make, measures, methods, panel=table.name).items():
                rows[name] += found
        return [
            Figure("slack", "Classes bounded beforehand, or tested once they are made", "t", "AIL", rows["AIL"]),
            Figure("slack-classes", "How many classes that makes", "t", "classes", rows["classes"], logarithmic=True),
        ]

    def _by_seeds(self) -> Figure:
        methods = {
            f"{name}, {seeds}": replace(method, seeds=seeds)
            for name, method in (("AK", AK), ("KNN", KNN))
            for seeds in ("random", "sweep")
        }
        rows: list[Row] = []
        for table in (self._table, *self.others):
            places = self._some([0.15, 0.25, 0.35, 0.45, 0.55])
            rows += sweep(places, partial(_at, table), LOSS, methods, panel=table.name)["AIL"]
        return Figure("seeds", "Seeds by lot, or one after the other along the curve", "t", "AIL", rows)


def _at(table: Census, t: float, method: Method) -> Run:
    return run(table, method, t)


def _even(leaves: int, fanout: int) -> Hierarchy:
    """A hierarchy over 0, 1, 2, ..., each level of which puts so many neighbours together."""
    levels, groups = [], np.arange(leaves)
    while groups[-1] > 0:
        groups = groups // fanout
        if groups[-1] > 0:
            levels.append((groups, [f"{len(levels)}: {group}" for group in range(groups[-1] + 1)]))
    return Hierarchy.from_levels([str(leaf) for leaf in range(leaves)], levels)
