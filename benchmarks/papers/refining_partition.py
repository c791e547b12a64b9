"""Figures 1 to 6 of the refining partition's paper, on Adult; and its claims on a second table."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import mean
from typing import Any, Literal

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

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

Integers = NDArray[np.int64]
Merged = Literal["continue", "final"]
RULES: tuple[Merged, ...] = ("continue", "final")
METHODS = ("AT", "AIP", "ARP", "NG")

SETTING = (
    "Adult, the 30,718 records whose work class and occupation are known; occupation is sensitive (14 values, the "
    "commonest held by 13.5%, so that l = 7 is the largest possible), and age, sex, education, marital status, race, "
    "work class and relationship stand beside it. n = 20,000 and l = 5 unless they vary. *AT* is the method "
    "[anatomy](../methods/anatomy.md), *AIP* the [initial partition](../methods/initial-partition.md), *ARP* the "
    "[refining partition](../methods/refining-partition.md), *NG* the [ring](../methods/ring.md) on the blocks of AIP. "
    "GLP is the mean of 7 runs on the same sample, of 140 with one or two columns. The time is that of grouping and "
    "showing encoded records (the paper's was that of a program in Delphi 7). The second table is the Current "
    "Population Survey of 1994 and 1995 (Census-Income, KDD): 98,839 people with an occupation, by its 14 groups, in "
    "the same settings. Where no ratio is formed both figures are below 0.001."
)
ONE = (
    "With one column, sex or by the other order race, no figure is above 0.0001: that is the penalty of one or two of "
    "the 20,000 records. Where the blocks of AIP are single values of the column its GLP is zero, and that of ARP is "
    "not, since classes are also made of what neighbouring blocks leave over (Algorithm 2, lines 11 to 15)."
)
FINAL = (
    "Leave `merged` at `continue`. By the paper's rule, `final`, one column decides alone: sex goes most strongly with "
    "occupation, its two blocks cannot both be diverse for l of 4 and more, so they are put together, nothing is cut "
    "any more, and the refining partition is Anatomy."
)
REFINE = (
    "Refine. From the same blocks the refining partition tells more than the initial partition, which for larger l "
    "tells less than Anatomy does: its blocks hold more values."
)
ADVICE = (
    FINAL,
    REFINE,
    "The gain over Anatomy is large where l is small against what the table allows, and none where it is the most.",
    "Which initial partition is refined matters little.",
)


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


@dataclass(frozen=True, eq=False)
class Sample:
    """A sample of a table for a setting; ``alike`` numbers its records by their values but for the sensitive one."""

    setting: Setting
    held: pa.Table
    schema: shoal.Schema
    codes: Codes
    alike: Integers

    @classmethod
    def of(cls, table: Table, setting: Setting) -> Sample:
        frame = table.frame.sample(setting.n, random_state=setting.n)
        held = pa.Table.from_pandas(frame[[*setting.quasi, table.secret]], preserve_index=False)
        schema = shoal.Schema(quasi_identifying=list(setting.quasi), sensitive=[table.secret])
        plan = Plan(schema, [shoal.LDiversity(setting.l)], RefiningPartition(), person="row")
        codes = encode(held, plan, {}, permutation(Chance.seeded(0).words(setting.n)))
        alike = np.unique(codes.matrix[:, : codes.quasi], axis=0, return_inverse=True)[1].ravel()
        return cls(setting, held, schema, codes, alike)

    def plan(self, method: Any) -> Plan:
        return Plan(self.schema, [shoal.LDiversity(self.setting.l)], method, shoal.Anatomy(), person="row")

    @property
    def secret(self) -> Integers:
        return self.codes.matrix[:, self.codes.quasi].astype(np.int64)

    def glp(self, told: Told, order: Integers) -> float:
        """The penalty of what is told of the records in this order."""
        return correspondence.glp(self.alike[order], told, correspondence.known(self.alike, self.secret))


@dataclass(frozen=True)
class Found:
    """The mean penalty over some runs, and the milliseconds of all cores that the quickest took."""

    glp: float
    time: float


def found(sample: Sample, method: Any, runs: int) -> Found:
    """Grouping the records by a method and showing them: in the form anatomy, or (no method) as rows of a ring."""
    one = _ring if isinstance(method, _Ring) else _classes
    made = [one(sample, sample.plan(getattr(method, "blocks", method)), Chance.seeded(seed)) for seed in range(runs)]
    return Found(mean(glp for glp, _ in made), min(taken for _, taken in made))


@dataclass(frozen=True)
class _Ring:
    """The comparator NG: a ring of each block of an initial partition."""

    blocks: InitialPartition


def _classes(sample: Sample, plan: Plan, chance: Chance) -> tuple[float, float]:
    started = time.process_time()
    classes = group(sample.codes, plan, chance)
    publish.publish(sample.codes, classes, plan, sample.held, chance)
    taken = time.process_time() - started
    of = np.repeat(np.arange(len(classes)), classes.sizes)
    told = correspondence.told(of, sample.secret[classes.order], len(sample.codes.domains[-1]))
    return sample.glp(told, classes.order.astype(np.int64)), taken * 1e3


def _ring(sample: Sample, plan: Plan, chance: Chance) -> tuple[float, float]:
    started = time.process_time()
    search = searched(sample.codes, plan, "ring")
    blocks = initial(search, plan.method, chance)  # type: ignore[arg-type]
    rings = ring.rings(blocks, search.shares, chance)
    ring.boxes(blocks, rings, sample.codes.quasi)
    rings.shown()
    taken = time.process_time() - started
    order, n = blocks.rows[rings.order].astype(np.int64), len(rings.order)
    covered = sample.secret[order][rings.covered()]
    told = Told(np.arange(n), np.arange(n + 1) * rings.l, covered.ravel(), np.ones(n * rings.l, np.int64), 256)
    return sample.glp(told, order), taken * 1e3


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
            {"x": x, "series": name, "y": figure(one[name]), "panel": self.panel}
            for name in METHODS
            for x, one in self.at.items()
        ]


def curves(table: Table, *, quick: bool) -> Iterator[Curve]:
    """Figures 1 and 2 along l, 3 and 4 along n, 5 and 6 along d."""
    runs, n = (2, 5_000) if quick else (7, 20_000)
    every = tuple(table.quasi)
    order = by_strength(Sample.of(table, Setting(2, n, every)))
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
    blocks = InitialPartition(merged=merged)
    methods = dict(zip(METHODS, (Anatomize(), blocks, RefiningPartition(merged=merged), _Ring(blocks)), strict=True))
    at = {}
    for x, setting in settings.items():
        sample = Sample.of(table, setting)
        often = (
            20 * runs if len(setting.quasi) < 3 else runs
        )  # the penalty is that of few records, so chance weighs more
        at[x] = {name: found(sample, method, often) for name, method in methods.items()}
    return Curve(axis, merged, panel, at)


def by_strength(sample: Sample) -> list[str]:
    """The columns, those first that go most strongly with the sensitive one."""
    search = searched(sample.codes, sample.plan(InitialPartition()), "figures")
    return [sample.setting.quasi[column] for column in by_correlation(search, 16)]


AXES = {"l": "l", "n": "records", "d": "columns beside the sensitive one"}


def figures(drawn: Sequence[Curve]) -> Iterator[Figure]:
    for number, (axis, name) in enumerate(AXES.items()):
        here = [curve for curve in drawn if curve.axis == axis]
        times = [row for curve in here for row in curve.rows(lambda one: round(one.time, 1))]
        penalties = [row for curve in here for row in curve.rows(lambda one: one.glp)]
        first, second = 2 * number + 1, 2 * number + 2
        yield Figure(f"figure-{first}", f"Figure {first}: time, varying {axis}", name, "milliseconds of CPU", times)
        note = ONE if axis == "d" else ""
        yield Figure(f"figure-{second}", f"Figure {second}: GLP, varying {axis}", name, "GLP", penalties, note=note)


def onto_others(tables: Sequence[Table], *, quick: bool) -> Figure:
    """What the initial partition matters for what is drawn from it."""
    runs, n = (2, 5_000) if quick else (7, 20_000)
    rows: list[Row] = []
    for table in tables:
        for l in range(2, min(table.most, 7) + 1):
            sample = Sample.of(table, Setting(l, n, tuple(table.quasi)))
            for name in ("phi", "mondrian", "lexicographic"):
                glp = found(sample, RefiningPartition(name), runs).glp  # type: ignore[arg-type]
                rows.append({"x": l, "series": f"initial = {name}", "y": glp, "panel": table.name})
    return Figure("initial", "GLP of the refining partition on top of other partitions", "l", "GLP", rows)


# -- the claims ---------------------------------------------------------------------------------------------


def claims(drawn: Sequence[Curve], second: Sequence[Curve]) -> Iterator[Claim]:
    """Each claim by each rule, on the first table; what the second must show too."""
    for merged in RULES:
        mine, other = ([curve for curve in all_of if curve.merged == merged] for all_of in (drawn, second))
        yield _no_larger("AIP", "AT", merged, mine)
        yield _no_larger("ARP", "AIP", merged, mine)
        yield _no_larger("ARP", "AIP", merged, other, " (second table)")
        yield _no_larger("ARP", "AT", merged, mine)
        yield _no_larger("ARP", "AT", merged, other, " (second table)")
        yield _nearly(merged, mine)
        yield from _of_growth(merged, mine)
        yield _of_one(merged, mine)
        yield _of_times(merged, mine)


def _settings(curves: Sequence[Curve]) -> list[dict[str, Found]]:
    return [one for curve in curves for one in curve.at.values()]


def _no_larger(name: str, than: str, merged: Merged, curves: Sequence[Curve], where: str = "") -> Claim:
    """Up to half a percent, where both are drawn by lot; where it is larger, by how much."""
    pairs = [(one[name].glp, one[than].glp) for one in _settings(curves)]
    slack = 1.005 if than == "AT" else 1.0
    above = [glp - other for glp, other in pairs if glp > slack * other]
    ratios = [glp / other for glp, other in pairs if max(glp, other) > 1e-3]
    numbers = f"at {len(pairs) - len(above)} of {len(pairs)} settings; {name} / {than} {_span(ratios)}"
    numbers += f"; elsewhere {name} is larger by {max(above):.2g} at most" if above else ""
    upto = ", up to 0.5%" if slack > 1 else ""
    return Claim(f"GLP of {name} is at most that of {than}{upto}{where}{_by(merged)}", _verdict(above, pairs), numbers)


def _nearly(merged: Merged, curves: Sequence[Curve]) -> Claim:
    pairs = [(one["ARP"].glp, one["NG"].glp) for one in _settings(curves)]
    off = [abs(arp - ng) for arp, ng in pairs if abs(arp - ng) > 0.02 * ng]
    ratios = [arp / ng for arp, ng in pairs if max(arp, ng) > 1e-3]
    numbers = f"at {len(pairs) - len(off)} of {len(pairs)} settings; ARP / NG {_span(ratios)}"
    numbers += f"; elsewhere they differ by {max(off):.2g} at most" if off else ""
    return Claim(f"GLP of ARP is that of NG, up to 2%{_by(merged)}", _verdict(off, pairs), numbers)


def _of_growth(merged: Merged, curves: Sequence[Curve]) -> Iterator[Claim]:
    for axis, sign, says in (("l", 1, "GLP grows with l"), ("n", -1, "GLP falls with n"), ("d", 1, "GLP grows with d")):
        steps = [
            sign * (after[name].glp - before[name].glp)
            for curve in curves
            if curve.axis == axis
            for before, after in pairwise(curve.at.values())
            for name in METHODS
        ]
        wrong = [step for step in steps if step < 0]
        numbers = f"in {len(steps) - len(wrong)} of {len(steps)} steps"
        yield Claim(f"{says}, for all methods{_by(merged)}", _verdict(wrong, steps), numbers)


def _of_one(merged: Merged, curves: Sequence[Curve]) -> Claim:
    ones = [curve.at[1] for curve in curves if curve.axis == "d"]
    wrong = [one[name].glp for one in ones for name in ("AIP", "ARP", "NG") if one[name].glp > 0]
    numbers = "; ".join(", ".join(f"{name} {one[name].glp:.2g}" for name in METHODS) for one in ones)
    return Claim(f"with d = 1 GLP is zero, but for AT{_by(merged)}", _verdict(wrong, ones * 3), numbers)


def _of_times(merged: Merged, curves: Sequence[Curve]) -> Claim:
    settings = _settings(curves)
    wrong = [one for one in settings if not one["NG"].time > one["ARP"].time > one["AIP"].time]
    slowest = sum(one["NG"].time > one["ARP"].time for one in settings)
    slower = sum(one["ARP"].time > one["AIP"].time for one in settings)
    numbers = (
        f"at {len(settings) - len(wrong)} of {len(settings)} settings; NG > ARP at {slowest}, ARP > AIP at {slower}; "
        f"ARP takes {_span([one['ARP'].time for one in settings], '.0f')} ms"
    )
    return Claim(f"time: NG > ARP > AIP{_by(merged)}", _verdict(wrong, settings), numbers)


def _by(merged: Merged) -> str:
    return f", `merged = {merged}`"


def _span(figures: Sequence[float], how: str = ".3f") -> str:
    return f"{min(figures):{how}} to {max(figures):{how}}"


def _verdict(wrong: Sequence[object], every: Sequence[object]) -> Literal["reproduced", "in part", "not"]:
    return "reproduced" if not wrong else "in part" if 2 * len(wrong) <= len(every) else "not"


def measured(data: Path, *, quick: bool) -> Results:
    """All of it; ``quick`` with fewer records and runs."""
    first, second = adult(data), census(data)
    drawn, other = list(curves(first, quick=quick)), list(curves(second, quick=quick))
    return Results(
        title="Refining partition",
        paper="Zhu, Tian, Du and Xie, *Anonymization on Refining Partition: Same Privacy, More Utility*, Computer "
        "Science and Information Systems, 2015",
        setting=SETTING,
        figures=[*figures(drawn), onto_others([first, second], quick=quick)],
        claims=list(claims(drawn, other)),
        advice=ADVICE,
    )
