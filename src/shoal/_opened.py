"""A published table as people have it: a release's folder, a file or a frame, with a plan or with its own manifest."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from shoal.errors import DataError
from shoal.plan.plan import Plan
from shoal.privacy.requirements import Requirement
from shoal.release.manifest import Manifest, PublishedColumn
from shoal.release.place import MANIFEST
from shoal.release.published import Published
from shoal.release.release import Release
from shoal.schema.columns import Categorical, Column, Numeric, Role
from shoal.schema.hierarchy import Hierarchy
from shoal.table import sources
from shoal.table.building import built, hierarchies
from shoal.table.counted import COUNT, spread
from shoal.verify import meaning


@dataclass(frozen=True, eq=False)
class Opened:
    """Published tables, what their columns mean, and what they are to keep."""

    published: Published
    require: Sequence[Requirement]
    trees: Mapping[str, Hierarchy]
    originals: tuple[Column, ...]
    own: bool
    suppressed: int
    plan: Plan | None

    @property
    def people_known(self) -> bool:
        """Whether the plan says what tells people apart."""
        return self.plan is not None and (self.plan.person is not None or bool(self.plan.identifying))

    @property
    def table(self) -> pa.Table:
        """The table in which each record has a row."""
        return self.published.rows

    def beside(self, original: pa.Table) -> Opened:
        """The same, with the hierarchies that the plan wants built: from the original, never from what is published."""
        return self if self.plan is None else replace(self, trees={**self.trees, **built(self.plan, original)})


def opened(published: Any, plan: Plan | None) -> Opened:
    """Whatever was published, ready to be judged and measured; a plan's word goes before a manifest's."""
    if isinstance(published, Release):
        return _release(published, plan or published.plan)
    if isinstance(published, str | os.PathLike) and (Path(published) / MANIFEST).is_file():
        return _release(Release.read(published), plan)
    if isinstance(published, str | os.PathLike) and Path(published).is_dir():
        raise DataError(f"the folder {Path(published).name} holds no release: there is no {MANIFEST} in it")
    if isinstance(published, str | os.PathLike) and not Path(published).exists():
        raise DataError(f"there is neither a release nor a table called {Path(published).name}")
    if plan is None:
        raise DataError("only a release made by Shoal says what its columns mean: give a plan with the roles")
    if plan.semi_sensitive:
        raise DataError(
            "of a table that is sensitive for some people only a release of Shoal's tells which cells are in buckets: "
            "give its folder"
        )
    as_text = [column.name for column in plan.quasi_identifying]
    table = sources.read(published, plan.read_options, as_text=as_text).table
    if COUNT in table.column_names and all(column.name != COUNT for column in plan.columns):
        table = spread(table)
    columns = meaning.of(table, plan.columns)
    published = Published({"release": table}, columns)
    return Opened(published, plan.require, hierarchies(plan), plan.columns, False, 0, plan)


def _release(release: Release, plan: Plan | None) -> Opened:
    manifest = release.manifest
    return Opened(
        Published(release.arrow, tuple(manifest.columns), manifest.form, manifest.options, manifest.layouts),
        [promise.requirement() for promise in manifest.require] if plan is None else plan.require,
        _trees(manifest) if plan is None else hierarchies(plan),
        _columns(manifest) if plan is None else plan.columns,
        True,
        manifest.suppressed,
        plan,
    )


def _trees(manifest: Manifest) -> dict[str, Hierarchy]:
    return {p.on: p.tree.hierarchy() for p in manifest.require if p.on is not None and p.tree is not None}


def _columns(manifest: Manifest) -> tuple[Column, ...]:
    """The original's columns, as far as a manifest tells."""
    return tuple(_column(column) for column in manifest.columns)


def _column(published: PublishedColumn) -> Column:
    role: Role = published.role  # type: ignore[assignment]
    if published.shown in ("bounds", "interval"):
        return Column(published.name, role, Numeric(published.bottom, published.top, published.step))
    if published.shown == "centre" and (published.bottom, published.top, published.step) != (None, None, None):
        return Column(published.name, role, Numeric(published.bottom, published.top, published.step))
    return Column(published.name, role, Categorical() if published.shown in ("node", "set") else None)
