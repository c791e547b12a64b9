"""Small releases by hand, with the original and the link, for the judges to look at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa

from shoal.privacy.requirements import KAnonymity, Requirement
from shoal.privacy.verdict import Finding, Verdict
from shoal.release.manifest import PublishedColumn
from shoal.schema.columns import Column
from shoal.schema.hierarchy import Hierarchy
from shoal.verify import keeper, outsider

QUASI, SENSITIVE, INSENSITIVE = "quasi-identifying", "sensitive", "insensitive"


def quasi(name: str, shown: Any = "value", **how: Any) -> PublishedColumn:
    ends = (f"{name}_min", f"{name}_max")
    return PublishedColumn(name, QUASI, shown, ends if shown == "bounds" else (name,), **how)


def other(name: str, role: str = SENSITIVE) -> PublishedColumn:
    return PublishedColumn(name, role, "value", (name,))


def seen(
    table: pa.Table,
    columns: Sequence[PublishedColumn],
    requirements: Sequence[Requirement],
    trees: Mapping[str, Hierarchy] | None = None,
    **how: Any,
) -> Verdict:
    """What the outsider says."""
    return outsider.judge(table, columns, requirements, trees or {}, **how)


def the(verdict: Verdict, what: str) -> Finding:
    """The one finding of which this is said."""
    (found,) = [f for f in verdict.findings if what in f.what and "suppressed in place" not in f.what]
    return found


@dataclass(frozen=True, eq=False)
class Release:
    """A release and all that the keeper knows of it."""

    table: pa.Table
    columns: tuple[PublishedColumn, ...]
    original: pa.Table
    link: np.ndarray[Any, Any] | None
    plan: tuple[Column, ...]
    require: tuple[Requirement, ...] = (KAnonymity(2),)
    trees: Mapping[str, Hierarchy] = field(default_factory=dict)

    def kept(self, **how: Any) -> Verdict:
        """What the keeper says."""
        terms = {"missing": ("",), "link": self.link, "person": None, "suppress": 0.0} | how
        return keeper.judge(self.table, self.columns, self.require, self.original, self.plan, self.trees, **terms)

    def change(self, name: str, rows: Any, values: Any) -> Release:
        """The same, with other values in some rows of a published column."""
        held = self.table.column(name).to_pylist()
        for row, value in zip(np.atleast_1d(rows).tolist(), values, strict=True):
            held[row] = value
        at = self.table.column_names.index(name)
        return replace(self, table=self.table.set_column(at, name, pa.array(held, self.table.column(name).type)))

    def rows(self, rows: Any) -> Release:
        """The same, with these rows of the table and of the link."""
        at = np.asarray(rows)
        return replace(self, table=self.table.take(pa.array(at)), link=None if self.link is None else self.link[at])


JOBS = Hierarchy.from_nested({"Public": ["Federal", "State"], "Private": ["Firm", "Farm"]})


def example(records: int = 60, seed: int = 0) -> Release:
    """Records in classes by decade, half of the country and kind of job; the release in random order."""
    chance = np.random.default_rng(seed)
    age = chance.integers(20, 60, records)
    land = chance.integers(0, 4, records)
    job = chance.integers(0, 4, records)
    ill = chance.choice(["flu", "cold", "cough", None], records)
    year = chance.integers(2000, 2004, records)
    leaves = np.array(JOBS.leaves)
    original = pa.table(
        {
            "name": [f"person {i}" for i in range(records)],
            "age": age,
            "land": pa.array(np.array(list("abcd"))[land]),
            "job": pa.array(leaves[job]),
            "ill": pa.array(ill),
            "year": year,
        }
    )
    link = chance.permutation(records)
    halves = np.array(["{a, b}", "{c, d}"])
    above = np.where(np.isin(leaves, ["Federal", "State"]), "Public", "Private")
    table = pa.table(
        {
            "age_min": age[link] // 10 * 10,
            "age_max": age[link] // 10 * 10 + 9,
            "land": pa.array(halves[land[link] // 2]),
            "job": pa.array(above[job[link]]),
            "ill": pa.array(ill[link]),
            "year": year[link],
        }
    )
    columns = (
        quasi("age", "bounds"),
        quasi("land", "set"),
        quasi("job", "node"),
        other("ill"),
        other("year", INSENSITIVE),
    )
    plan = (Column("name", "identifying"), *(Column(c.name, c.role) for c in columns))  # type: ignore[arg-type]
    return Release(table, columns, original, link, plan, trees={"job": JOBS})
