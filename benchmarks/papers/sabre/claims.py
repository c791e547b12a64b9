"""What the figures say of the paper's claims."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise

from benchmarks.papers.figures import Claim, Figure, Found
from benchmarks.papers.sabre.lines import between, ends, line, listed, panels, rises

OURS, THEIRS = ("SABRE-AK", "SABRE-KNN"), ("tMondrian", "tIncognito")


def of(figures: Mapping[str, Figure]) -> list[Claim]:
    """The claims of Sections 6 and 7, in their order."""
    return [
        *_of_loss(figures),
        *_of_time(figures["figure-10b"]),
        *_of_aims(figures["figure-12b"]),
        *_of_closeness(figures["figure-13a"], figures["figure-13b"]),
        *_of_use(figures),
        _of_fanout(figures["figure-19"]),
    ]


def _judged(good: int, every: int) -> Found:
    """A claim is reproduced in part where it holds at more than half of the settings."""
    return "reproduced" if good == every else "not" if 2 * good <= every else "in part"


# -- loss ---------------------------------------------------------------------------------------------------


def _of_loss(figures: Mapping[str, Figure]) -> Iterator[Claim]:
    by_t = figures["figure-10a"]
    yield from (_less(by_t, theirs) for theirs in THEIRS)
    yield _nearest(by_t)
    falls = {series: rises(line(by_t, series, panel) for panel in panels(by_t)) for series in (*OURS, *THEIRS)}
    yield Claim(
        "the larger t, the less is lost (Fig. 10a)",
        _judged(sum(up == 0 for up, _ in falls.values()), len(falls)),
        "; ".join(f"{series}: {up} of {steps} steps up of t lose more" for series, (up, steps) in falls.items()),
    )
    yield _by_columns(figures["figure-11a"])
    losses = {series: line(figures["figure-12a"], series).values() for series in (*OURS, *THEIRS)}
    spread = {series: max(held) / min(held) for series, held in losses.items()}
    yield Claim(
        "the number of records hardly matters to loss, but for tIncognito (Fig. 12a)",
        _judged(sum(most < 1.1 for series, most in spread.items() if series != "tIncognito"), 3),
        "; ".join(f"{series}: the largest is {most:.2f} times the least" for series, most in spread.items()),
    )
    by_k = {series: line(figures["figure-14a"], series) for series in (*OURS, *THEIRS)}
    grows = [all(a <= b for a, b in pairwise(by_k[series].values())) for series in (*OURS, "tMondrian")]
    yield Claim(
        "the larger k, the more is lost (Fig. 14a)",
        _judged(sum(grows), len(grows)),
        "; ".join(f"{series}: {ends(one, 'k')}" for series, one in by_k.items()),
    )


def _less(by_t: Figure, theirs: str) -> Claim:
    parts, good, every = [], 0, 0
    for panel in panels(by_t):
        other, said = line(by_t, theirs, panel), []
        for ours in OURS:
            mine = line(by_t, ours, panel)
            where = [x for x in mine if mine[x] < other[x]]
            good, every = good + len(where), every + len(mine)
            said.append(f"{ours} {'everywhere' if len(where) == len(mine) else listed('t', where)}")
        parts.append(f"{panel}: {', '.join(said)}")
    return Claim(f"SABRE loses less than {theirs} (Fig. 10a)", _judged(good, every), "; ".join(parts))


def _nearest(by_t: Figure) -> Claim:
    ratios = [
        line(by_t, "SABRE-KNN", panel)[x] / loss
        for panel in panels(by_t)
        for x, loss in line(by_t, "SABRE-AK", panel).items()
    ]
    return Claim(
        "SABRE-KNN loses slightly less than SABRE-AK (Fig. 10a)",
        _judged(sum(ratio < 1 for ratio in ratios), len(ratios)),
        f"at {sum(ratio < 1 for ratio in ratios)} of {len(ratios)} settings; {between(ratios)} times as much",
    )


def _by_columns(figure: Figure) -> Claim:
    lines = {series: line(figure, series) for series in (*OURS, *THEIRS)}
    growth = {series: max(one.values()) - min(one.values()) for series, one in lines.items()}
    return Claim(
        "with more quasi-identifiers tMondrian and tIncognito lose much more, SABRE hardly (Fig. 11a)",
        _judged(sum(growth[ours] < growth[theirs] for ours in OURS for theirs in THEIRS), 4),
        "; ".join(f"{series}: {ends(one, 'columns')}" for series, one in lines.items()),
    )


# -- time and closeness -------------------------------------------------------------------------------------


def _of_time(by_t: Figure) -> Iterator[Claim]:
    own = line(by_t, "SABRE-AK")
    yield Claim(
        "SABRE-AK groups 100,000 records in no more than 4 s (Fig. 10b)",
        "reproduced" if max(own.values()) <= 4 else "not",
        f"{max(own.values()):.2f} s at most",
    )
    ratios = {series: [y / own[x] for x, y in line(by_t, series).items()] for series in (*THEIRS, "SABRE-KNN")}
    first = sum(min(some) > 1 for some in zip(*ratios.values(), strict=True))
    yield Claim(
        "SABRE-AK is the fastest (Fig. 10b)",
        _judged(first, len(own)),
        f"at {first} of {len(own)} values of t; tMondrian takes {between(ratios['tMondrian'])} times as long",
    )
    slow = ("tIncognito", "SABRE-KNN")
    yield Claim(
        "tIncognito and SABRE-KNN are two orders of magnitude slower (Fig. 10b)",
        _judged(sum(ratio >= 100 for series in slow for ratio in ratios[series]), 2 * len(own)),
        "; ".join(f"{series} takes {between(ratios[series])} times as long as SABRE-AK" for series in slow),
    )


def _of_aims(by_size: Figure) -> Iterator[Claim]:
    """What we ask of ourselves, of the largest table."""
    seconds = {series: line(by_size, series) for series in (*OURS, *THEIRS)}
    most, pairs = max(seconds["tMondrian"]), (("SABRE-AK", "tMondrian", 10), ("SABRE-KNN", "SABRE-AK", 50))
    for ours, other, times in pairs:
        ratio = seconds[ours][most] / seconds[other][most]
        yield Claim(
            f"{ours} takes no more than {times} times as long as {other} (our aim)",
            "reproduced" if ratio <= times else "not",
            f"{ratio:.1f} times, with {most:,.0f} records",
        )
    first, slowest = next(iter(seconds["tIncognito"].items()))
    yield Claim(
        "tIncognito takes less than a minute (our aim)",
        "reproduced" if slowest < 60 else "not",
        f"{slowest:.1f} s, with {first:,.0f} records and seven quasi-identifiers",
    )


def _of_closeness(by_t: Figure, by_columns: Figure) -> Iterator[Claim]:
    real = {series: line(by_t, series) for series in (*OURS, *THEIRS)}
    kept = sum(y < x for one in real.values() for x, y in one.items())
    every = sum(map(len, real.values()))
    default = {series: line(by_columns, series) for series in real}
    yield Claim(
        "the real closeness is below t, whatever the method (Fig. 13)",
        _judged(kept, every),
        f"at {kept} of {every} settings; for t = 0.35: "
        + ", ".join(f"{series} {next(reversed(one.values())):.3f}" for series, one in default.items()),
    )
    closer = {
        series: sum(y < real["tMondrian"][x] for x, y in real[series].items()) for series in (*OURS, "tIncognito")
    }
    yield Claim(
        "that of SABRE and tIncognito is smaller than tMondrian's (Fig. 13a)",
        _judged(sum(closer.values()), 3 * len(real["tMondrian"])),
        "; ".join(f"{series} at {many} of {len(real[series])} values of t" for series, many in closer.items()),
    )


# -- use ----------------------------------------------------------------------------------------------------


def _of_use(figures: Mapping[str, Figure]) -> Iterator[Claim]:
    for number, what in (("17", "errs less in counts"), ("18", "diverges less")):
        parts = [figure for name, figure in figures.items() if name.startswith(f"figure-{number}")]
        for theirs in THEIRS:
            times = {ours: _times(parts, ours, theirs) for ours in OURS}
            every = sum(map(len, times.values()))
            said = "; ".join(f"{theirs}'s is {between(some)} times that of {ours}" for ours, some in times.items())
            good = sum(time > 1 for some in times.values() for time in some)
            yield Claim(f"SABRE {what} than {theirs} (Fig. {number})", _judged(good, every), said)
            if number == "17" and theirs == "tIncognito":
                tenfold = sum(time >= 10 for some in times.values() for time in some)
                yield Claim(
                    "its errors are an order of magnitude below tIncognito's (Fig. 17)",
                    _judged(tenfold, every),
                    f"ten times or more at {tenfold} of {every} settings",
                )


def _times(figures: list[Figure], ours: str, theirs: str) -> list[float]:
    """How many times as large theirs is, at each setting."""
    return [line(figure, theirs)[x] / max(mine, 1e-9) for figure in figures for x, mine in line(figure, ours).items()]


def _of_fanout(figure: Figure) -> Claim:
    lines = {series: line(figure, series) for series in OURS}
    steps = [rises([one]) for one in lines.values()]
    return Claim(
        "a smaller fan-out of the sensitive column's hierarchy tends to lose less, if not uniformly (Fig. 19)",
        _judged(sum(2 * up > every for up, every in steps), len(steps)),
        "; ".join(
            f"{series}: {ends(one, 'fan-out')}; {up} of {every} steps up lose more"
            for (series, one), (up, every) in zip(lines.items(), steps, strict=True)
        ),
    )
