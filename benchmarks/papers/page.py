"""A paper's results as a page of the documentation: its claims in a table, its figures as charts and numbers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import altair

from benchmarks.papers.figures import Figure, Results

_WIDTH, _HEIGHT = 260, 200
_FOUND = {"reproduced": "reproduced", "in part": "in part", "not": "**not reproduced**"}


def write(results: Results, name: str, folder: Path) -> Path:
    """The page, and beside it a folder with its charts."""
    charts = folder / name
    charts.mkdir(parents=True, exist_ok=True)
    for figure in results.figures:
        chart(figure).save(charts / f"{figure.name}.svg")
    page = folder / f"{name}.md"
    page.write_text("\n".join(_lines(results, name)) + "\n", encoding="utf-8")
    return page


def chart(figure: Figure) -> altair.Chart | altair.FacetChart:
    """Lines with points, one for each series, side by side where the figure has parts."""
    scale = altair.Scale(type="log") if figure.logarithmic else altair.Scale(zero=False)
    numeric = all(isinstance(row["x"], int | float) for row in figure.rows)
    lines = (
        altair.Chart(altair.Data(values=[dict(row) for row in figure.rows]))
        .mark_line(point=True)
        .encode(
            x=altair.X(
                "x:Q" if numeric else "x:O", title=figure.x, scale=altair.Scale(zero=False) if numeric else None
            ),
            y=altair.Y("y:Q", title=figure.y, scale=scale),
            color=altair.Color("series:N", title=None, sort=None),
            shape=altair.Shape("series:N", title=None, sort=None),
        )
        .properties(width=_WIDTH, height=_HEIGHT)
    )
    if "panel" in figure.rows[0]:
        return lines.facet(altair.Facet("panel:N", title=None, sort=None), columns=3).resolve_scale(y="independent")
    return lines


def _lines(results: Results, name: str) -> Iterator[str]:
    yield f"# {results.title}"
    yield ""
    yield f"{results.paper}."
    yield ""
    yield f"Made by `python -m benchmarks.papers {name} --data DIR`. {results.setting}"
    yield ""
    yield "## What the paper claims, and what we find"
    yield ""
    yield "| claim | found | numbers |"
    yield "| --- | --- | --- |"
    for claim in results.claims:
        yield f"| {claim.says} | {_FOUND[claim.found]} | {claim.numbers} |"
    if results.advice:
        yield ""
        yield "## What follows for you"
        yield ""
        yield from (f"- {sentence}" for sentence in results.advice)
    for figure in results.figures:
        yield ""
        yield from _figure(figure, name)


def _figure(figure: Figure, name: str) -> Iterator[str]:
    yield f"## {figure.title}"
    yield ""
    yield f"![{figure.title}]({name}/{figure.name}.svg)"
    if figure.note:
        yield ""
        yield figure.note
    for panel in dict.fromkeys(str(row.get("panel", "")) for row in figure.rows):
        yield ""
        yield from _table(figure, panel)


def _table(figure: Figure, panel: str) -> Iterator[str]:
    """The numbers behind a chart: a row for each place on the axis, a column for each series."""
    rows = [row for row in figure.rows if str(row.get("panel", "")) == panel]
    series = list(dict.fromkeys(str(row["series"]) for row in rows))
    places = list(dict.fromkeys(row["x"] for row in rows))
    value = {(row["x"], str(row["series"])): row["y"] for row in rows}
    yield f"| {f'{panel}: ' if panel else ''}{figure.x} | {' | '.join(series)} |"
    yield f"| ---: |{' ---: |' * len(series)}"
    for place in places:
        cells = [_written(value.get((place, one))) for one in series]
        yield f"| {_written(place)} | {' | '.join(cells)} |"


def _written(value: str | float | None) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    return f"{value:,}" if isinstance(value, int) else f"{value:.4g}"
