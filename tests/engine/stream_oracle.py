"""What must be true of a stream, record by record, in plain Python. Rows tell their record by an insensitive column."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Row = Mapping[str, Any]
Distance = Callable[[Mapping[Any, float], Mapping[Any, float]], float]

ROW = "row"


@dataclass(frozen=True)
class Asked:
    """What was asked of a stream whose sensitive column is ``s``."""

    window: int
    advance: int
    k: int
    t: float
    distance: Distance


def windows(records: int, asked: Asked) -> dict[int, range]:
    """The records of every window, by number; the last may be partial."""
    found, first = {}, 0
    while first < records:
        number = first // asked.advance + 1
        found[number] = range(first, min(first + asked.window, records))
        if len(found[number]) < asked.window:
            break
        first += asked.advance
    return found


def faults(rows: Sequence[Row], records: Sequence[Row], asked: Asked) -> list[str]:
    """Everything that is wrong with all that a stream published."""
    found = [*_accounted(rows, records), *_in_time(rows, len(records), asked), *_true(rows, records)]
    return [*found, *_classes(rows, records, asked)]


def _accounted(rows: Sequence[Row], records: Sequence[Row]) -> list[str]:
    times = Counter(row[ROW] for row in rows)
    return [f"record {record} is published {count} times" for record, count in times.items() if count > 1] + [
        f"record {record} never came" for record in times if not 0 <= record < len(records)
    ]


def _in_time(rows: Sequence[Row], records: int, asked: Asked) -> list[str]:
    known, found = windows(records, asked), []
    last = max(known, default=0)
    for row in rows:
        if row["batch"] > min(row[ROW] // asked.advance + 1, last):
            found.append(f"record {row[ROW]} left after it expired")
        if row[ROW] not in known[row["window"]]:
            found.append(f"record {row[ROW]} was not in the window that its class names")
        if row["window"] > row["batch"]:
            found.append(f"the class of record {row[ROW]} left before its window was there")
    return found


def _true(rows: Sequence[Row], records: Sequence[Row]) -> list[str]:
    found = []
    for row in rows:
        record = records[row[ROW]]
        if row["s"] != record["s"]:
            found.append("a sensitive value was changed")
        if record["x"] is None:
            covered = row["x_missing"] != "none"
        else:
            covered = row["x_missing"] != "all" and row["x_min"] <= record["x"] <= row["x_max"]
        if not covered or record["y"] not in _members(row["y"]):
            found.append(f"the cells of record {row[ROW]} do not cover it")
    return found


def _members(cell: str) -> set[str]:
    return {part.strip() for part in cell.strip("{}").split(",")}


def _classes(rows: Sequence[Row], records: Sequence[Row], asked: Asked) -> list[str]:
    """The finest groups: all published columns but the sensitive one, and the one that tells the record."""
    classes = defaultdict(list)
    for row in rows:
        classes[tuple(value for name, value in row.items() if name not in (ROW, "s"))].append(row)
    known, found = windows(len(records), asked), []
    for members in classes.values():
        window = [records[place]["s"] for place in known[members[0]["window"]]]
        if len(members) < asked.k:
            found.append(f"a class of {len(members)}")
        far = asked.distance(_shares([row["s"] for row in members]), _shares(window))
        if far > asked.t + 1e-9:
            found.append(f"a class is {far} away from its window")
    return found


def _shares(values: Sequence[Any]) -> dict[Any, float]:
    return {value: times / len(values) for value, times in Counter(values).items()}


def ordered(domain: Sequence[Any]) -> Distance:
    """By the rank in a domain, missing last if the window has any."""

    def between(one: Mapping[Any, float], whole: Mapping[Any, float]) -> float:
        values = [*domain, *([None] if None in whole else [])]
        surplus, work = 0.0, 0.0
        for value in values:
            surplus += one.get(value, 0) - whole.get(value, 0)
            work += abs(surplus)
        return work / max(len(values) - 1, 1)

    return between


def equal(one: Mapping[Any, float], whole: Mapping[Any, float]) -> float:
    """Any two values are 1 apart."""
    return sum(max(one.get(value, 0) - whole.get(value, 0), 0) for value in {*one, *whole})


def two_levels(group: Mapping[Any, str]) -> Distance:
    """Values of one group are half as far apart as others; missing stands alone."""

    def between(one: Mapping[Any, float], whole: Mapping[Any, float]) -> float:
        groups = {value: group.get(value, "missing") for value in {*one, *whole}}
        of_one, of_whole = defaultdict(float), defaultdict(float)
        for value, name in groups.items():
            of_one[name] += one.get(value, 0)
            of_whole[name] += whole.get(value, 0)
        return (equal(one, whole) + equal(of_one, of_whole)) / 2

    return between
