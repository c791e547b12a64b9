"""The pages of the papers' figures are made from what was measured."""

from __future__ import annotations

from pathlib import Path

from benchmarks.papers import page
from benchmarks.papers.figures import Claim, Figure, Results

ROWS = [{"x": x, "series": name, "y": x * factor} for name, factor in (("one", 1.0), ("two", 2.5)) for x in (2, 3)]
RESULTS = Results(
    title="A method",
    paper="Somebody, A Paper, A Venue, 2011",
    setting="On a table that is made up.",
    figures=[
        Figure("figure-1", "Loss by l", "l", "loss", ROWS),
        Figure(
            "figure-2", "Time", "n", "seconds", [{**row, "panel": p} for p in "ab" for row in ROWS], logarithmic=True
        ),
    ],
    claims=[Claim("one loses less than two", "reproduced", "2 against 5"), Claim("one is slow", "not", "1.0 s")],
)


def test_a_page_has_claims_charts_and_numbers(tmp_path: Path) -> None:
    written = page.write(RESULTS, "some-method", tmp_path).read_text()
    assert "| one loses less than two | reproduced | 2 against 5 |" in written
    assert "| one is slow | **not reproduced** | 1.0 s |" in written
    assert "| 2 | 2 | 5 |\n| 3 | 3 | 7.5 |" in written
    for name in ("figure-1", "figure-2"):
        assert f"](some-method/{name}.svg)" in written
        assert (tmp_path / "some-method" / f"{name}.svg").read_text().startswith("<svg")
