"""Streams: Figures 15 and 16 of Cao, Karras, Kalnis and Tan, t-closeness window by window."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

import shoal
from benchmarks import census
from benchmarks.papers.figures import Claim, Figure, Found, Results, Row

K, T = 6, 0.35
WINDOW, ADVANCE = 20_000, 5_000
ADVANCES, WINDOWS = (2_500, 5_000, 10_000, 20_000), (10_000, 15_000, 20_000, 25_000, 30_000)

OURS, DEFAULTS = "SABRE_W", "sabre, defaults"
METHODS: Mapping[str, Any] = {
    "tIncognito": shoal.Incognito(),
    "tMondrian": shoal.Mondrian(),
    OURS: shoal.Sabre("hilbert", "random", "paper"),
    DEFAULTS: shoal.Sabre(),
}

_SETTING = """\
The paper streamed an extract of the US census that cannot be had. In its place stand the 204,309 government employees
of the American Community Survey 2018, in an order drawn by lot: age, sex, education, marital status, race, citizenship
and region as quasi-identifiers, and the salary in 50 groups of about equal size, whose ranks are those of the plan's
domain. As in the paper k = 6 and t = 0.35; a window holds 20,000 records and advances by 5,000 unless something else is
said. SABRE_W is `sabre` with `search = "hilbert"`, `seeds = "random"` and `slack = "paper"`, as the paper has it. AIL
is the mean loss by GLM. Times are seconds of CPU for the whole stream, from Arrow tables to Arrow tables: coding,
grouping, publishing, and judging each batch."""

_PAPER = """\
Cao, Karras, Kalnis and Tan, *SABRE: a Sensitive Attribute Bucketization and REdistribution framework for t-closeness*,
VLDB Journal 2011"""


def measured(data: Path, *, quick: bool) -> Results:
    """Both figures, and what they say of the paper's claims."""
    held = census.acs(data)
    table = held.drawn(60_000 if quick else held.table.num_rows)
    advances, windows = (ADVANCES[1::2], WINDOWS[::2]) if quick else (ADVANCES, WINDOWS)
    for method in METHODS.values():  # kernels are compiled before anything is timed
        _streamed(table.drawn(2_000), method, 1_000, 500)
    by_advance = _sweep(table, [(advance, WINDOW, advance) for advance in advances])
    by_window = _sweep(table, [(window, window, ADVANCE) for window in windows])
    figures = [
        Figure("figure-15a", "Figure 15a: loss by advance", "advance", "AIL", by_advance["AIL"]),
        Figure("figure-15b", "Figure 15b: time by advance", "advance", "seconds", by_advance["seconds"], True),
        Figure("figure-16a", "Figure 16a: loss by window", "window", "AIL", by_window["AIL"]),
        Figure("figure-16b", "Figure 16b: time by window", "window", "seconds", by_window["seconds"], True),
    ]
    return Results(
        title="SABRE's figures on streams",
        paper=_PAPER.replace("\n", " "),
        setting=_SETTING.replace("\n", " "),
        figures=figures,
        claims=_claims(*map(_lines, figures)),
        advice=[_time(_lines(figures[1]), table.table.num_rows)],
    )


def _sweep(table: census.Census, places: Sequence[tuple[int, int, int]]) -> dict[str, list[Row]]:
    rows: dict[str, list[Row]] = {"AIL": [], "seconds": []}
    for x, window, advance in places:
        for series, method in METHODS.items():
            loss, seconds = _streamed(table, method, window, advance)
            rows["AIL"].append({"x": x, "series": series, "y": loss})
            rows["seconds"].append({"x": x, "series": series, "y": seconds})
    return rows


def _streamed(table: census.Census, method: Any, window: int, advance: int) -> tuple[float, float]:
    """What a stream of all records lost, and its seconds."""
    values = sorted(table.table.column(table.sensitive).unique().to_pylist())
    schema = shoal.Schema(quasi_identifying=dict(table.quasi), sensitive={table.sensitive: shoal.domain(values)})
    plan = shoal.Plan(schema, [shoal.KAnonymity(K), shoal.TCloseness(T, table.sensitive)], method, person="row")
    stream, found = shoal.Stream(plan, window=window, advance=advance, seed=1), []
    started = time.process_time()
    for first in range(0, table.table.num_rows, advance):
        found += stream.push(table.table.slice(first, advance))
    found += stream.close()
    seconds = time.process_time() - started
    published = pa.concat_tables(found).drop_columns(["batch", "window"])
    return shoal.measure(published, table.table, plan=plan).loss.whole.glm, seconds


def _time(seconds: Lines, records: int) -> str:
    said = ", ".join(f"{series} {records / line[ADVANCE]:,.0f}" for series, line in seconds.items())
    return f"Rows a second of one core, at a window of {WINDOW:,} and an advance of {ADVANCE:,}: {said}."


# -- claims -----------------------------------------------------------------------------------------------------------

Lines = Mapping[str, Mapping[float, float]]


def _lines(figure: Figure) -> Lines:
    found: dict[str, dict[float, float]] = {}
    for row in figure.rows:
        found.setdefault(str(row["series"]), {})[float(row["x"])] = float(row["y"])
    return found


def _claims(loss: Lines, seconds: Lines, loss_by_window: Lines, seconds_by_window: Lines) -> list[Claim]:
    return [
        *(_less(theirs, loss, loss_by_window) for theirs in ("tIncognito", "tMondrian")),
        _faster("tIncognito", OURS, seconds, seconds_by_window),
        _faster("tIncognito", "tMondrian", seconds, seconds_by_window),
        _moves("the nearer the advance comes to the window, the less time is needed (Fig. 15b)", seconds, -1),
        _moves("the larger the window, the more time is needed (Fig. 16b)", seconds_by_window, 1),
    ]


def _less(theirs: str, *figures: Lines) -> Claim:
    ratios = [lines[OURS][x] / y for lines in figures for x, y in lines[theirs].items()]
    own = [lines[DEFAULTS][x] / y for lines in figures for x, y in lines[theirs].items()]
    return Claim(
        f"SABRE_W loses far less than {theirs} (Figs. 15a, 16a)",
        _judged([ratio < 1 for ratio in ratios]),
        f"{_between(ratios)} times as much; with `sabre`'s defaults {_between(own)} times",
    )


def _faster(slow: str, fast: str, *figures: Lines) -> Claim:
    ratios = [y / lines[fast][x] for lines in figures for x, y in lines[slow].items()]
    return Claim(
        f"{fast} is much faster than {slow} (Figs. 15b, 16b)",
        _judged([ratio > 2 for ratio in ratios]),
        f"{slow} takes {_between(ratios)} times as long",
    )


def _moves(says: str, lines: Lines, way: int) -> Claim:
    ends = {series: (line[min(line)], line[max(line)]) for series, line in lines.items()}
    return Claim(
        says,
        _judged([way * (last - first) > 0 for first, last in ends.values()]),
        "; ".join(f"{series} {first:.2f} to {last:.2f} s" for series, (first, last) in ends.items()),
    )


def _judged(held: Sequence[bool]) -> Found:
    return "reproduced" if all(held) else "in part" if any(held) else "not"


def _between(numbers: Sequence[float]) -> str:
    return f"{min(numbers):.2f} to {max(numbers):.2f}"
