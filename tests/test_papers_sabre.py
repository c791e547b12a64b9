"""What is said of SABRE's figures is what their numbers say."""

from __future__ import annotations

import pytest

from benchmarks.papers.figures import Figure
from benchmarks.papers.sabre import claims
from benchmarks.papers.sabre.lines import ends, line, listed, panels, rises


def figure(**series: list[float]) -> Figure:
    """Lines over t = 0.1, 0.2, ...; a series is named with its panel, as in ``A__tMondrian``."""
    rows = [
        {"x": round(0.1 * (place + 1), 1), "series": name.split("__")[1], "y": y, "panel": name.split("__")[0]}
        for name, values in series.items()
        for place, y in enumerate(values)
    ]
    return Figure("figure", "A figure", "t", "AIL", rows)


BOTH = {"A__SABRE-AK": [5.0, 3.0], "A__SABRE-KNN": [4.0, 2.0], "B__SABRE-AK": [9.0, 9.0], "B__SABRE-KNN": [9.0, 9.0]}


@pytest.mark.parametrize(
    ("a", "b", "found", "says"),
    [
        (
            [6.0, 6.0],
            [10.0, 10.0],
            "reproduced",
            "A: SABRE-AK everywhere, SABRE-KNN everywhere; B: SABRE-AK everywhere",
        ),
        ([6.0, 2.5], [10.0, 10.0], "in part", "A: SABRE-AK at t = 0.1, SABRE-KNN everywhere"),
        ([4.5, 1.0], [9.0, 9.0], "not", "A: SABRE-AK nowhere, SABRE-KNN at t = 0.1; B: SABRE-AK nowhere"),
    ],
)
def test_a_claim_is_judged_by_the_settings_at_which_it_holds(
    a: list[float], b: list[float], found: str, says: str
) -> None:
    claim = claims._less(figure(**BOTH, A__tMondrian=a, B__tMondrian=b), "tMondrian")
    assert claim.found == found
    assert claim.numbers.startswith(says)


def test_lines_are_read_by_panel() -> None:
    held = figure(**BOTH)
    assert panels(held) == ["A", "B"]
    assert line(held, "SABRE-KNN") == line(held, "SABRE-KNN", "A") == {0.1: 4.0, 0.2: 2.0}
    assert rises([{1: 1.0, 2: 1.005, 3: 1.2}, {1: 3.0, 2: 2.0}]) == (1, 3)
    assert ends({3: 0.5, 7: 0.25}, "columns") == "0.500 at columns = 3, 0.250 at 7"
    assert listed("t", []) == "nowhere"
