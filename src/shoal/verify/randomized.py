"""Randomized classes, judged by the strongest belief that they leave in anybody's sensitive value.

They are published as in anatomy, and judged so; what a class reaches of l is the bound of
:mod:`shoal.privacy.retention`, by the counts that are published of it. Beside each record stands a value that must be
one of its class, and was kept with the retention that the manifest says.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import DataError
from shoal.plan.values import is_share
from shoal.privacy import retention
from shoal.privacy.requirements import LDiversity, Requirement, TCloseness
from shoal.privacy.requirements import randomized as as_randomized
from shoal.privacy.verdict import Finding, Note, Verdict
from shoal.release.published import Published
from shoal.schema.hierarchy import Hierarchy
from shoal.verify import anatomy, linked, lots
from shoal.verify.anatomized import Anatomized
from shoal.verify.case import Case, Kept
from shoal.verify.coding import coded, matched

Codes = NDArray[np.integer[Any]]
Flags = NDArray[np.bool_]
Integers = NDArray[np.int64]

_OWN = "every value that is shown is one of its class"
_APART = (
    "its values and those of the other sensitive columns are randomized apart; to an adversary who knows how they go "
    "together, whatever way that is, the release reaches at least"
)


def outside(
    published: Published, requirements: Sequence[Requirement], trees: Mapping[str, Hierarchy], *, persons_known: bool
) -> Verdict:
    """Whether every class keeps every requirement, by all that is published of it."""
    asked = _understood(published, requirements)
    release = Anatomized(published)
    found = anatomy.outside(published, asked, trees, persons_known=persons_known)
    if not all(release.is_whole(column.name) for column in release.sensitive):
        return found
    strange = {column.name: int((~_is_own(release, column.name)).sum()) for column in release.sensitive}
    says = ", ".join(f"{name} in {count:,} row(s)" for name, count in strange.items() if count)
    own = Finding("outsider", _OWN, not says, records=sum(strange.values()), says=f"not so: {says}" if says else "")
    return replace(found, findings=(*found.findings, own), notes=(*found.notes, *_together(release, asked)))


def inside(
    published: Published, requirements: Sequence[Requirement], trees: Mapping[str, Hierarchy], kept: Kept
) -> Verdict:
    """Whether the tables are a true and complete account of the original, and values were kept as is said."""
    found = anatomy.inside(published, _understood(published, requirements), trees, kept)
    release = Anatomized(published)
    case = Case(release.rows, release.true, kept.original, kept.plan_columns, trees, kept.missing)
    if kept.link is None or not linked.is_link(case, kept.link).holds:
        return found
    said = [_by_lot(case, release, column.name, kept.link) for column in release.sensitive]
    return replace(found, findings=(*found.findings, *said))


def _understood(published: Published, requirements: Sequence[Requirement]) -> list[Requirement]:
    """The requirements as they are to be understood here; others are not known to hold of randomized values."""
    for asked in requirements:
        if isinstance(asked, TCloseness) or (isinstance(asked, LDiversity) and asked.kind != "frequency"):
            raise DataError(f"{asked}: of randomized values only l by frequency can be judged")
    return as_randomized(requirements, _retention(published))


def _retention(published: Published) -> float:
    given = published.options.get("retention")
    if not is_share(given):
        raise DataError("the manifest does not say with which retention the sensitive values are randomized")
    return float(given)  # type: ignore[arg-type]


def _values(release: Anatomized, name: str) -> tuple[Integers, Codes, int]:
    """The different pairs of a class and a value that it holds, as class times values plus value; the rows' values."""
    of, _, table = release.counted(name)
    both = matched(coded(table.column(name), name), coded(release.rows.column(name), name))
    return np.unique(of * np.int64(both.count) + both.published), both.original, both.count


def _is_own(release: Anatomized, name: str) -> NDArray[np.bool_]:
    """Which rows show a value that their class holds."""
    held, shown, count = _values(release, name)
    pair = release.of_row * np.int64(count) + shown
    return np.asarray(np.append(held, -1)[np.searchsorted(held, pair)] == pair)


def _kinds(release: Anatomized, name: str) -> Integers:
    """How many different values each class holds, missing among them."""
    held, _, count = _values(release, name)
    classes = len(release.numbers[0])
    return np.bincount(held // max(count, 1), minlength=classes)[:classes]


def _together(release: Anatomized, asked: Sequence[Requirement]) -> Iterator[Note]:
    """What is left of a column to somebody who knows how it goes together with the others."""
    if len(release.sensitive) < 2 or not release.rows.num_rows or not any(isinstance(r, LDiversity) for r in asked):
        return
    keeps = _retention(release.published)
    kinds = np.column_stack([_kinds(release, column.name) for column in release.sensitive])
    for column in release.sensitive:
        of, count, table = release.counted(column.name)
        known = np.asarray(table.column(column.name).is_valid().to_numpy(zero_copy_only=False), np.bool_)
        hidden, most = np.zeros(len(kinds), np.int64), np.zeros(len(kinds), np.int64)
        np.add.at(hidden, of[known], count[known])
        np.maximum.at(most, of[known], count[known])
        different = np.unique(np.column_stack([hidden, most, kinds])[hidden > 0], axis=0).tolist()
        least = min((retention.together(keeps, every, n, c) for n, c, *every in different), default=0.0)
        yield Note(column.name, f"{_APART} l = {least:.4g}", {"l": least})


def _by_lot(case: Case, release: Anatomized, name: str, link: Codes) -> Finding:
    """As many rows show their own value as the retention lets expect, and the others any of their class."""
    keeps = _retention(release.published)
    both = matched(coded(release.rows.column(name), name), case.coded(name))
    own, shown = both.original[link].astype(np.int64), both.published.astype(np.int64)
    place, kinds = _places(release.of_row, own, shown, both.count)
    evenly = ((own, shown), (kinds, place))
    stayed = int((own == shown).sum())
    chances = keeps + (1 - keeps) / kinds
    what = f"values of {name} are kept with the chance {keeps:g}, and else drawn by lot"
    says = ""
    if not lots.kept(stayed, chances, np.ones(len(chances), np.int64)):
        says = f"{stayed:,} rows show their own value, and {chances.sum():,.0f} would be expected"
    elif not all(_is_even(given, drawn, (1 - keeps) / kinds, own != shown) for given, drawn in evenly):
        says = "some values are drawn oftener than others"
    return Finding("keeper", what, not says, records=stayed if says else 0, says=says)


def _places(group: Integers, own: Integers, shown: Integers, count: int) -> tuple[Integers, Integers]:
    """Of each row which place it shows among the values of its class, and how many these are."""
    held = np.unique(group * count + own)
    first = np.searchsorted(held, group * count)
    return np.searchsorted(held, group * count + shown) - first, np.searchsorted(held, (group + 1) * count) - first


def _is_even(given: Integers, drawn: Integers, chances: NDArray[np.float64], others: Flags) -> bool:
    """Whether the other rows with the same number given draw nothing oftener than each row does by its chance."""
    expected = np.bincount(given, weights=chances)
    width = int(drawn.max(initial=0)) + 1
    pairs, times = np.unique((given * width + drawn)[others], return_counts=True)
    return not lots.too_often(times, expected[pairs // width]).any()
