"""What somebody who knows the quasi-identifiers of a person may believe of a release in slices."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import pyarrow as pa

from shoal.release.manifest import Layout, PublishedColumn
from shoal.release.release import Release
from shoal.testing.cells import Original, covers

Row = Mapping[str, Any]


def strongest(release: Release, table: pa.Table, sensitive: str) -> Fraction:
    """The largest p(t, s) of Li, Li, Zhang and Molloy (2012, Section 2.3), over all records t and known values s."""
    quasi = [column for column in release.manifest.columns if column.role == "quasi-identifying"]
    rows = release.arrow["release"].to_pylist()
    buckets: dict[int, list[Row]] = {}
    for row in rows:
        buckets.setdefault(row["bucket"], []).append(row)
    held = [(bucket, _layout(release, number)) for number, bucket in buckets.items()]
    people = {tuple(row[column.name] for column in quasi) for row in table.to_pylist()}
    return max(
        (_belief(dict(zip((c.name for c in quasi), p, strict=True)), quasi, held, sensitive) for p in people),
        default=Fraction(0),
    )


def _layout(release: Release, number: int) -> Layout:
    return next(layout for layout in release.manifest.layouts if layout.first <= number <= layout.last)


def _belief(
    person: Row, quasi: Sequence[PublishedColumn], buckets: Sequence[tuple[list[Row], Layout]], sensitive: str
) -> Fraction:
    """p(t, s) = sum over matching buckets of p(t, B) p(s | t, B), of the likeliest known value s."""
    matches: list[tuple[Fraction, Counter[Any], int]] = []
    for rows, layout in buckets:
        shares, beside = [], list(rows)
        for names in layout.slices:
            told = [column for column in quasi if column.name in names]
            alike = [row for row in rows if all(_may_be(person, row, column) for column in told)]
            shares.append(Fraction(len(alike), len(rows)))
            if sensitive in names:
                beside = alike
        if all(shares):
            matches.append((sum(shares, Fraction(0)) / len(shares), Counter(r[sensitive] for r in beside), len(beside)))
    whole = sum((share for share, _, _ in matches), Fraction(0))
    believed: Counter[Any] = Counter()
    for share, values, count in matches:
        for value, times in values.items():
            if value is not None:
                believed[value] += share / whole * Fraction(times, count)  # type: ignore[assignment]
    return max(believed.values(), default=Fraction(0))  # type: ignore[return-value]


def _may_be(person: Row, row: Row, column: PublishedColumn) -> bool:
    value = person[column.name]
    return covers(column, row, Original(value, None if value is None else str(value)), None)
