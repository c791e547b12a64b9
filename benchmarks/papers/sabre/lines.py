"""Lines of a chart, and what can be said of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from benchmarks.papers.figures import Figure

Line = dict[float, float]


def line(figure: Figure, series: str, panel: str | None = None) -> Line:
    """One line of a chart, of its first panel if none is named."""
    panel = panels(figure)[0] if panel is None else panel
    return {
        float(row["x"]): float(row["y"])
        for row in figure.rows
        if row["series"] == series and row.get("panel", "") == panel
    }


def panels(figure: Figure) -> list[str]:
    return list(dict.fromkeys(str(row.get("panel", "")) for row in figure.rows))


def rises(lines: Iterable[Line]) -> tuple[int, int]:
    """How many steps go up, by more than a hundredth, and how many steps there are."""
    steps = [step for one in lines for step in pairwise(one.values())]
    return sum(after > 1.01 * before for before, after in steps), len(steps)


def ends(one: Line, what: str) -> str:
    """Where a line begins and ends."""
    (first, start), (last, end) = next(iter(one.items())), next(reversed(one.items()))
    return f"{start:.3f} at {what} = {first:g}, {end:.3f} at {last:g}"


def listed(what: str, places: Sequence[float]) -> str:
    return f"at {what} = {', '.join(f'{x:g}' for x in places)}" if places else "nowhere"


def between(ratios: Sequence[float]) -> str:
    return f"{min(ratios):.2g} to {max(ratios):.2g}"
