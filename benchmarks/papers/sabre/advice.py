"""What the figures say to people who choose a method."""

from __future__ import annotations

from collections.abc import Mapping

from benchmarks.papers.figures import Figure
from benchmarks.papers.sabre.lines import between, line, listed, panels, rises
from benchmarks.papers.sabre.runs import DEFAULTS


def of(figures: Mapping[str, Figure]) -> list[str]:
    return [
        _mondrian_or_sabre(figures["figure-10a"]),
        _slack(figures["slack"]),
        _seeds(figures["seeds"]),
        _time(figures["figure-12b"]),
    ]


def _mondrian_or_sabre(by_t: Figure) -> str:
    where = []
    for panel in panels(by_t):
        mine, other = line(by_t, DEFAULTS, panel), line(by_t, "tMondrian", panel)
        found = [x for x in mine if mine[x] < other[x]]
        where.append(f"{panel}: {listed('t', found)}")
    return (
        "SABRE with its defaults loses less than Mondrian where this says so, and more elsewhere: "
        f"{'; '.join(where)}. Try both, and measure. Mondrian's cuts are refused early where t is small, while SABRE "
        "takes from all buckets; in between, where many of SABRE's classes have to be put together, cuts may lose less."
    )


def _slack(figure: Figure) -> str:
    said, ratios = [], []
    for search in ("AK", "KNN"):
        for slack in ("paper", "best"):
            up, steps = rises(line(figure, f"{search}, {slack}", panel) for panel in panels(figure))
            said.append(f"{search}, {slack}: {up} of {steps}")
        ratios += [
            line(figure, f"{search}, best", panel)[x] / loss
            for panel in panels(figure)
            for x, loss in line(figure, f"{search}, paper", panel).items()
        ]
    return (
        'The paper makes classes so large that none can be too far away, whomever it takes. With `slack = "best"`, the '
        "default, classes are tested once they are made, and put together where they have to be; buckets are split as "
        f"far as that pays. It loses {between(ratios)} times as much. By the paper's rule a larger t may even lose "
        "more, since a U just below t leaves no room for D. Steps up of t by 0.025 that lose more, over the three "
        f"tables: {'; '.join(said)}."
    )


def _seeds(figure: Figure) -> str:
    ratios = [
        line(figure, f"{search}, sweep", panel)[x] / loss
        for search in ("AK", "KNN")
        for panel in panels(figure)
        for x, loss in line(figure, f"{search}, random", panel).items()
    ]
    return (
        f"Seeds one after the other along the curve lose {min(ratios):.2f} to {max(ratios):.2f} times as much as seeds "
        "by lot, which are the default: what a bucket has too much of in one place is carried along the curve, and "
        "makes all classes wide instead of a few."
    )


def _time(figure: Figure) -> str:
    names = {"Mondrian": "tMondrian", "SABRE-AK": "SABRE-AK", "SABRE-KNN": "SABRE-KNN", "the defaults": DEFAULTS}
    most = max(line(figure, "tMondrian"))
    said = ", ".join(f"{name} {line(figure, series)[most]:.2f} s" for name, series in names.items())
    return (
        f"Grouping {most:,.0f} records took {said}. The nearest are found fast enough to be the default; "
        '`search = "hilbert"` is for tables of millions.'
    )
