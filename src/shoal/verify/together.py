"""Two releases of the same people: which sensitive values stay possible to somebody who has both.

Whoever knows a person's quasi-identifiers finds, in each release, the classes whose cells cover them. One row of these
is the person's, and in what both releases publish as it is, the person's two rows agree. A row that agrees with none
of the other release is somebody else's; the values of those that are left stay possible. Everybody is taken to be in
both releases, which is the worst that can be.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any, TypeGuard

import msgspec
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.errors import Unsupported
from shoal.privacy.requirements import LDiversity, Requirement
from shoal.privacy.verdict import Finding, Note, Verdict
from shoal.release.manifest import PublishedColumn
from shoal.release.published import Published
from shoal.schema.hierarchy import Hierarchy
from shoal.verify import resolve
from shoal.verify.case import Case
from shoal.verify.coding import Coded, coded, matched
from shoal.verify.grouping import dense
from shoal.verify.suppressed import split
from shoal.verify.values import Values, values
from shoal.verify.views import Views, views

Codes = NDArray[np.integer[Any]]
Integers = NDArray[np.int64]

#: Rows that are compared in one go.
_AT_ONCE = 1 << 22


@dataclass(frozen=True, eq=False)
class Party:
    """One of the two releases: the table in which each record has a row, what it means, and by which hierarchies."""

    table: pa.Table
    columns: Sequence[PublishedColumn]
    trees: Mapping[str, Hierarchy]

    @classmethod
    def of(cls, published: Published, trees: Mapping[str, Hierarchy], *, own: bool) -> Party:
        """A release whose cells say whom they cover; rows that somebody else left in place suppressed are put aside."""
        if published.form != "generalized":
            raise Unsupported(
                f"what two releases give away together is known of the form generalized, not of {published.form}: take "
                "it that whoever has both finds every value"
            )
        table = published.rows if own else split(published.rows, published.columns).shown
        return cls(table, published.columns, trees)

    @property
    def quasi(self) -> set[str]:
        return {column.name for column in self.columns if column.role == "quasi-identifying"}

    def as_known(self, names: set[str]) -> list[PublishedColumn]:
        """The columns of which an adversary knows the person's value, whatever role they have here."""
        found = [column for column in self.columns if column.name in names]
        return [msgspec.structs.replace(column, role="quasi-identifying") for column in found]

    def unchanged(self, names: set[str]) -> dict[str, Coded]:
        """The other columns, which are published as they are."""
        others = [c for c in self.columns if c.role in ("sensitive", "insensitive") and c.name not in names]
        return {column.name: coded(self.table.column(column.columns[0]), column.name) for column in others}


def judge(
    new: Party, old: Party, requirements: Sequence[Requirement], original: pa.Table, missing: tuple[str, ...]
) -> Verdict:
    """Of each sensitive column of the new release: how many values stay possible for each person of the original."""
    names = new.quasi | old.quasi
    cases = [Case(p.table, p.as_known(names), original, (), p.trees, missing) for p in (new, old)]
    (of_new, of_old), people = views(cases)
    met = _Met(of_new, of_old, people, _agreeing(new.unchanged(names), old.unchanged(names), cases))
    asked = resolve.requirements([r for r in requirements if isinstance(r, LDiversity)], new.columns, new.table)
    said = [
        found
        for name, column in new.unchanged(names).items()
        if any(c.name == name and c.role == "sensitive" for c in new.columns)
        for found in _said(values(name, column), met, [r for r in asked if _is_on(r, name)], original.num_rows)
    ]
    return Verdict(
        findings=tuple(finding for finding in said if isinstance(finding, Finding)),
        notes=tuple(note for note in said if isinstance(note, Note)),
    )


def _is_on(requirement: Requirement, name: str) -> TypeGuard[LDiversity]:
    return isinstance(requirement, LDiversity) and requirement.on == name


def _agreeing(new: Mapping[str, Coded], old: Mapping[str, Coded], cases: Sequence[Case]) -> tuple[Integers, Integers]:
    """A number for each row of both releases, equal where the rows agree in all that both publish as it is."""
    rows = [case.table.num_rows for case in cases]
    number, count = np.zeros(sum(rows), np.int64), 1
    for name in sorted(new.keys() & old.keys()):
        both = matched(new[name], old[name])
        of_row = np.concatenate([both.published, both.original]).astype(np.int64)
        number, count = dense(number * both.count + of_row, count * both.count)
    return number[: rows[0]], number[rows[0] :]


class _Met:
    """People by their views of both releases: what is left of the new release when the old one is known."""

    def __init__(self, new: Views, old: Views, people: Integers, agreeing: tuple[Integers, Integers]) -> None:
        pairs, of = np.unique(new.of * np.int64(len(old.first)) + old.of, return_inverse=True)
        of_new, self._of_old = np.divmod(pairs, len(old.first))
        self.people = np.bincount(of, weights=people, minlength=len(pairs)).astype(np.int64)
        self._new, self._of_new, self._agreeing = new, of_new, agreeing[0]
        self._numbers = int(max(part.max(initial=0) for part in agreeing)) + 1
        row, view = old.rows(np.arange(len(old.first) - 1))
        self._of_views = np.unique(view * self._numbers + agreeing[1][row])
        self._unseen = old.lengths == 0

    def possible(self, code: Codes, count: int, *, alone: bool = False) -> Integers:
        """For each pair of views, how many of the values below ``count`` are in the rows that are left.

        ``alone``: if only the new release is known.
        """
        found = np.zeros(len(self.people), np.int64)
        piece = np.cumsum(self._new.lengths[self._of_new]) // _AT_ONCE
        for some in np.split(np.arange(len(piece)), np.flatnonzero(np.diff(piece)) + 1):
            row, place = self._new.rows(self._of_new[some])
            left = code[row] < count
            if not alone:
                left &= self._left(row, self._of_old[some][place])
            held = np.unique(place[left] * np.int64(count) + code[row[left]])
            found[some] = np.bincount(held // max(count, 1), minlength=len(some))
        return found

    def _left(self, row: Integers, view: Codes) -> NDArray[np.bool_]:
        """Which rows agree with one of the old view; a view without rows says nothing."""
        key = view * self._numbers + self._agreeing[row]
        at = np.searchsorted(self._of_views, key)
        found = np.append(self._of_views, -1)[at] == key
        return np.asarray(found | self._unseen[view])


def _said(on: Values, met: _Met, asked: Sequence[LDiversity], everybody: int) -> Iterator[Finding | Note]:
    """How many values stay possible, and whether these are as many as were asked for."""
    count = on.known + any(requirement.missing_is_sensitive for requirement in asked)
    alone, both = met.possible(on.code, count, alone=True), met.possible(on.code, count)
    anybody = np.zeros(len(on.code), np.int64)
    found, stays = met.possible(anybody, 1, alone=True) > 0, met.possible(anybody, 1) > 0
    if asked:
        yield _finding(on.name, both[stays], met.people[stays], max(ceil(requirement.l) for requirement in asked))
    figures = {
        "people": int(met.people[stays].sum()),
        "possible": _least(both[stays]),
        "of one value": int(met.people[stays & (both == 1)].sum()),
        "possible alone": _least(alone[stays]),
        "of one value alone": int(met.people[stays & (alone == 1)].sum()),
        "not in both": int(met.people[found & ~stays].sum()),
    }
    yield Note(on.name, _in_words(figures, met, everybody), {name: float(figure) for name, figure in figures.items()})


def _least(possible: Integers) -> int:
    """The least number of known values; who has none in all rows left has none to be found."""
    return int(possible[possible > 0].min(initial=np.iinfo(np.int64).max)) if (possible > 0).any() else 0


def _finding(name: str, both: Integers, people: Integers, least: int) -> Finding:
    below = both < least
    return Finding(
        "keeper",
        f"{least} values of {name} stay possible to someone who has both releases",
        holds=not below.any(),
        asked=least,
        reached=float(both.min()) if len(both) else None,
        classes=len(both),
        below=int(below.sum()),
        records=int(people[below].sum()),
    )


def _in_words(figures: Mapping[str, int], met: _Met, everybody: int) -> str:
    says = (
        f"to someone who has both releases, and knows the quasi-identifiers of a person, at least "
        f"{figures['possible']:,} value(s) stay possible, and only one for {figures['of one value']:,} of "
        f"{figures['people']:,} people; with this release alone at least {figures['possible alone']:,}, and only one "
        f"for {figures['of one value alone']:,}"
    )
    if figures["not in both"]:
        says += f"; {figures['not in both']:,} more cannot be in both"
    looked_for = int(met.people.sum())
    return says if looked_for == everybody else f"{says} ({looked_for:,} of all {everybody:,} were looked for)"
