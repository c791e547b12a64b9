"""Figures 1 to 6 of the refining partition's paper, on Adult; and its claims on a second table."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import mean
from typing import Any, Literal

import numpy as np
import pandas as pd
import pyarrow as pa

import shoal
from benchmarks.papers.figures import Claim, Figure, Results, Row
from shoal import publish
from shoal.kernels.shuffle import permutation
from shoal.measure import correspondence
from shoal.measure.correspondence import Told
from shoal.partition import group, ring
from shoal.partition.blocks import searched
from shoal.partition.initial_partition import by_correlation, initial
from shoal.plan.methods import Anatomize, InitialPartition, RefiningPartition
from shoal.plan.plan import Plan
from shoal.table.chance import Chance
from shoal.table.codes import Codes, encode

Merged = Literal["continue", "final"]
RULES: tuple[Merged, ...] = ("continue", "final")
METHODS = ("AT", "AIP", "ARP", "NG")


@dataclass(frozen=True, eq=False)
class Table:
    """A table, and which of its columns are what."""

    name: str
    frame: pd.DataFrame
    quasi: Sequence[str]
    secret: str

    @property
    def most(self) -> int:
        """The largest l that it allows."""
        return int(len(self.frame) / self.frame[self.secret].value_counts().iloc[0])


def adult(data: Path) -> Table:
    """The records whose work class and occupation are known: 30,718, as in the paper."""
    frame = pd.read_csv(data / "adult" / "adult_train.csv.gz")
    frame = frame[(frame["workclass"] != "?") & (frame["occupation"] != "?")]
    quasi = ["age", "sex", "education-num", "marital-status", "race", "workclass", "relationship"]
    return Table("Adult", frame, quasi, "occupation")


def census(data: Path) -> Table:
    """People of the Current Population Survey who have an occupation: 98,839."""
    frame = pd.read_parquet(data / "census_kdd" / "census_income_train.parquet")
    frame = frame[frame["major_occupation_code"] != "Not in universe"]
    quasi = ["age", "sex", "education", "marital_status", "race", "class_of_worker", "detailed_household_summary"]
    return Table("Census-Income", frame, quasi, "major_occupation_code")


# -- one setting --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Setting:
    """What is varied: l, the number of records, and the columns beside the sensitive one."""

    l: int
    n: int
    quasi: tuple[str, ...]


@dataclass(frozen=True)
class Found:
    """The mean penalty over some runs, and the milliseconds of the quickest."""

    glp: float
    time: float


def compared(table: Table, setting: Setting, merged: Merged, runs: int) -> dict[str, Found]:
    """All four methods on the same sample."""
    sample = table.frame.sample(setting.n, random_state=setting.n)
    held = pa.Table.from_pandas(sample[[*setting.quasi, table.secret]], preserve_index=False)
    schema = shoal.Schema(quasi_identifying=list(setting.quasi), sensitive=[table.secret])
    methods: dict[str, Any] = {
        "AT": Anatomize(),
        "AIP": InitialPartition(merged=merged),
        "ARP": RefiningPartition(merged=merged),
    }
    found = {}
    for name in METHODS:
        method = methods.get(name, InitialPartition(merged=merged))
        plan = Plan(schema, [shoal.LDiversity(setting.l)], method, shoal.Anatomy(), person="row")
        codes = encode(held, plan, {}, permutation(Chance.seeded(0).words(setting.n)))
        alike = np.unique(codes.matrix[:, : codes.quasi], axis=0, return_inverse=True)[1].ravel()
        one = _ring if name == "NG" else _classes
        made = [one(codes, plan, held, alike, Chance.seeded(seed)) for seed in range(runs)]
        found[name] = Found(mean(glp for glp, _ in made), min(taken for _, taken in made))
    return found


def _classes(codes: Codes, plan: Plan, held: pa.Table, alike: Any, chance: Chance) -> tuple[float, float]:
    """Grouping the records and showing the classes as anatomy does."""
    started = time.perf_counter()
    classes = group(codes, plan, chance)
    publish.publish(codes, classes, plan, held, chance)
    taken = time.perf_counter() - started
    secret = codes.matrix[:, codes.quasi]
    of = np.empty(len(codes), np.int64)
    of[classes.order] = np.repeat(np.arange(len(classes)), classes.sizes)
    told = correspondence.told(of, secret, len(codes.domains[-1]))
    return correspondence.glp(alike, told, correspondence.known(alike, secret)), taken * 1e3


def _ring(codes: Codes, plan: Plan, held: pa.Table, alike: Any, chance: Chance) -> tuple[float, float]:
    """A ring of each block of the initial partition, each row generalized to cover l records."""
    started = time.perf_counter()
    search = searched(codes, plan, "ring")
    blocks = initial(search, plan.method, chance)  # type: ignore[arg-type]
    rings = ring.rings(blocks, search.shares, chance)
    ring.boxes(blocks, rings, codes.quasi)
    covered, shown = rings.covered(), blocks.codes[rings.order, codes.quasi][rings.shown()]
    taken = time.perf_counter() - started
    secret = blocks.codes[rings.order, codes.quasi].astype(np.int64)
    places, n = np.arange(len(codes)), len(codes)
    told = Told(places, np.arange(n + 1) * rings.l, secret[covered].ravel(), np.ones(n * rings.l, np.int64), 256)
    alike = alike[blocks.rows[rings.order]]
    assert sorted(shown) == sorted(secret)
    return correspondence.glp(alike, told, correspondence.known(alike, secret)), taken * 1e3


# -- the figures --------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Curve:
    """All methods along one axis, by one rule."""

    axis: str
    merged: Merged
    panel: str
    at: dict[int, dict[str, Found]]

    def rows(self, figure: Callable[[Found], float]) -> list[Row]:
        return [
            {"x": x, "series": name, "y": figure(found[name]), "panel": self.panel}
            for name in METHODS
            for x, found in self.at.items()
        ]


def curves(table: Table, *, quick: bool) -> Iterator[Curve]:
    """Figures 1 and 2 along l, 3 and 4 along n, 5 and 6 along d."""
    runs, n = (2, 5_000) if quick else (7, 20_000)
    every = tuple(table.quasi)
    order = _by_strength(table, n)
    for merged in RULES:
        ls = range(2, min(table.most, 7) + 1)
        sizes = range(5_000, min(len(table.frame), 30_000) + 1, 5_000)
        yield _curve(table, "l", merged, {l: Setting(l, n, every) for l in ls}, runs)
        yield _curve(table, "n", merged, {size: Setting(5, size, every) for size in sizes}, runs)
        for direction, columns in (("descending", order), ("ascending", order[::-1])):
            settings = {d: Setting(5, n, tuple(columns[:d])) for d in range(1, len(order) + 1)}
            yield _curve(table, "d", merged, settings, runs, direction)


def _curve(
    table: Table, axis: str, merged: Merged, settings: dict[int, Setting], runs: int, direction: str = ""
) -> Curve:
    panel = f"merged = {merged}" + (f", phi² {direction}" if direction else "")
    return Curve(axis, merged, panel, {x: compared(table, setting, merged, runs) for x, setting in settings.items()})


def _by_strength(table: Table, n: int) -> list[str]:
    """The columns, those first that go most strongly with the sensitive one."""
    sample = table.frame.sample(n, random_state=n)
    held = pa.Table.from_pandas(sample[[*table.quasi, table.secret]], preserve_index=False)
    schema = shoal.Schema(quasi_identifying=list(table.quasi), sensitive=[table.secret])
    plan = Plan(schema, [shoal.LDiversity(2)], InitialPartition(), person="row")
    codes = encode(held, plan, {}, permutation(Chance.seeded(0).words(n)))
    return [table.quasi[column] for column in by_correlation(searched(codes, plan, "figures"), 16)]


AXES = {"l": "l", "n": "records", "d": "columns beside the sensitive one"}


def figures(found: Sequence[Curve]) -> list[Figure]:
    drawn = []
    for number, (axis, name) in enumerate(AXES.items()):
        here = [curve for curve in found if curve.axis == axis]
        times = [row for curve in here for row in curve.rows(lambda one: round(one.time, 2))]
        penalties = [row for curve in here for row in curve.rows(lambda one: round(one.glp, 4))]
        first, second = 2 * number + 1, 2 * number + 2
        drawn.append(
            Figure(
                f"figure-{first}",
                f"Figure {first}: time, varying {axis}",
                name,
                "milliseconds",
                times,
                logarithmic=True,
            )
        )
        drawn.append(Figure(f"figure-{second}", f"Figure {second}: GLP, varying {axis}", name, "GLP", penalties))
    return drawn


# -- the claims ---------------------------------------------------------------------------------------------

Rule = Callable[[dict[str, Found]], bool]


def claims(found: Sequence[Curve], other: Sequence[Curve]) -> Iterator[Claim]:
    """Each claim by each rule."""
    for merged in RULES:
        mine = [curve for curve in found if curve.merged == merged]
        second = [curve for curve in other if curve.merged == merged]
        yield from _of_penalties(merged, mine, second)
        yield from _of_growth(merged, mine)
        yield from _of_times(merged, mine)


def _of_penalties(merged: Merged, mine: Sequence[Curve], second: Sequence[Curve]) -> Iterator[Claim]:
    def of(says: str, holds: Rule, ratio: tuple[str, str], curves: Sequence[Curve] = mine) -> Claim:
        settings = [one for curve in curves for one in curve.at.values()]
        kept = sum(map(holds, settings))
        ratios = [one[ratio[0]].glp / one[ratio[1]].glp for one in settings if one[ratio[1]].glp > 0]
        numbers = f"at {kept} of {len(settings)} settings; {ratio[0]} / {ratio[1]} from {min(ratios):.3f} to {max(ratios):.3f}"
        return Claim(f"{says} (`merged = {merged}`)", _found(kept, len(settings)), numbers)

    yield of("GLP of AT is the largest", lambda one: one["AT"].glp >= max(f.glp for f in one.values()), ("AT", "AIP"))
    yield of("GLP of ARP is at most that of AIP", lambda one: one["ARP"].glp <= one["AIP"].glp, ("ARP", "AIP"))
    yield of(
        "GLP of ARP is nearly that of NG (2%)",
        lambda one: abs(one["ARP"].glp - one["NG"].glp) <= 0.02 * one["NG"].glp,
        ("ARP", "NG"),
    )
    yield of(
        "GLP of ARP is at most that of AT, up to 0.5%",
        lambda one: one["ARP"].glp <= 1.005 * one["AT"].glp,
        ("ARP", "AT"),
    )
    if second:
        where = "on the second table"
        yield of(
            f"GLP of ARP is at most that of AIP, {where}",
            lambda one: one["ARP"].glp <= one["AIP"].glp,
            ("ARP", "AIP"),
            second,
        )
        yield of(
            f"GLP of ARP is at most that of AT, up to 0.5%, {where}",
            lambda one: one["ARP"].glp <= 1.005 * one["AT"].glp,
            ("ARP", "AT"),
            second,
        )


def _of_growth(merged: Merged, mine: Sequence[Curve]) -> Iterator[Claim]:
    for axis, sign, says in (("l", 1, "GLP grows with l"), ("n", -1, "GLP falls with n"), ("d", 1, "GLP grows with d")):
        steps = [
            (name, sign * (after[name].glp - before[name].glp) >= -1e-12)
            for curve in mine
            if curve.axis == axis
            for before, after in zip(curve.at.values(), list(curve.at.values())[1:], strict=False)
            for name in METHODS
        ]
        kept = sum(grows for _, grows in steps)
        wrong = ", ".join(f"{name} {sum(n == name and not g for n, g in steps)}" for name in METHODS)
        numbers = f"in {kept} of {len(steps)} steps; not so by method: {wrong}"
        yield Claim(f"{says} (`merged = {merged}`)", _found(kept, len(steps)), numbers)
    ones = [curve.at[1] for curve in mine if curve.axis == "d"]
    zero = sum(one[name].glp == 0 for one in ones for name in ("AIP", "ARP", "NG"))
    numbers = "; ".join(", ".join(f"{name} {one[name].glp:.3g}" for name in METHODS) for one in ones)
    yield Claim(f"with d = 1 GLP is zero but for AT (`merged = {merged}`)", _found(zero, 3 * len(ones)), numbers)


def _of_times(merged: Merged, mine: Sequence[Curve]) -> Iterator[Claim]:
    settings = [one for curve in mine for one in curve.at.values()]
    slowest = sum(one["NG"].time == max(f.time for f in one.values()) for one in settings)
    faster = sum(one["AIP"].time < one["ARP"].time for one in settings)
    kept = sum(one["NG"].time > one["ARP"].time > one["AIP"].time for one in settings)
    numbers = (
        f"all of it at {kept} of {len(settings)} settings; NG slowest at {slowest}, ARP slower than AIP at {faster}; "
        f"ARP takes {min(o['ARP'].time for o in settings):.0f} to {max(o['ARP'].time for o in settings):.0f} ms"
    )
    yield Claim(f"time: NG > ARP > AIP (`merged = {merged}`)", _found(kept, len(settings)), numbers)


def _found(kept: int, of: int) -> Literal["reproduced", "in part", "not"]:
    return "reproduced" if kept == of else "in part" if 2 * kept >= of else "not"


# -- initial partitions -------------------------------------------------------------------------------------


def by_initial(table: Table, *, quick: bool) -> Figure:
    """What the initial partition matters: GLP of what is drawn from it."""
    runs, n = (2, 5_000) if quick else (7, 20_000)
    rows: list[Row] = []
    for name in ("phi", "mondrian", "lexicographic"):
        for l in range(2, min(table.most, 7) + 1):
            glp = _refined(table, Setting(l, n, tuple(table.quasi)), RefiningPartition(name), runs)  # type: ignore[arg-type]
            rows.append({"x": l, "series": f"initial = {name}", "y": round(glp, 4), "panel": table.name})
    return Figure("initial", f"GLP on top of other partitions: {table.name}", "l", "GLP", rows)


def _refined(table: Table, setting: Setting, method: RefiningPartition, runs: int) -> float:
    sample = table.frame.sample(setting.n, random_state=setting.n)
    held = pa.Table.from_pandas(sample[[*setting.quasi, table.secret]], preserve_index=False)
    schema = shoal.Schema(quasi_identifying=list(setting.quasi), sensitive=[table.secret])
    plan = Plan(schema, [shoal.LDiversity(setting.l)], method, shoal.Anatomy(), person="row")
    codes = encode(held, plan, {}, permutation(Chance.seeded(0).words(setting.n)))
    alike = np.unique(codes.matrix[:, : codes.quasi], axis=0, return_inverse=True)[1].ravel()
    return mean(_classes(codes, plan, held, alike, Chance.seeded(seed))[0] for seed in range(runs))


def measured(data: Path, *, quick: bool) -> Results:
    """All of it; ``quick`` with fewer records and runs."""
    first, second = adult(data), census(data)
    found, other = list(curves(first, quick=quick)), list(curves(second, quick=quick))
    drawn = figures(found)
    onto = [by_initial(table, quick=quick) for table in (first, second)]
    drawn.append(
        replace(onto[0], title="GLP on top of other partitions", rows=[row for one in onto for row in one.rows])
    )
    return Results(
        title="Refining partition",
        paper="Zhu, Tian, Du and Xie, *Anonymization on Refining Partition: Same Privacy, More Utility*, Computer Science and "
        "Information Systems, 2015",
        setting="",
        figures=drawn,
        claims=list(claims(found, other)),
    )
