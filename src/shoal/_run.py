"""The order of the stages: source → codes → classes → draft → release, judged.

Each stage turns one type into the next. Nothing leaves unjudged: :func:`anonymize` judges the tables as the user will
hold them, :meth:`shoal.release.release.Release.write` judges the files.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pyarrow as pa

from shoal import partition, publish
from shoal._version import __version__
from shoal.errors import PlanError
from shoal.kernels.shuffle import permutation
from shoal.partition.eligible import asked
from shoal.plan.plan import Plan, Read
from shoal.privacy.requirements import TCloseness
from shoal.privacy.verdict import Verdict
from shoal.publish.draft import Draft
from shoal.release.files import type_name
from shoal.release.manifest import Manifest, Promise, PublishedColumn
from shoal.release.published import Published
from shoal.release.release import Release, refuse, with_reached
from shoal.schema.hierarchy import Hierarchy
from shoal.table import sources
from shoal.table.building import built, hierarchies
from shoal.table.chance import Chance
from shoal.table.checks import check_columns
from shoal.table.codes import Codes, encode, person_column
from shoal.table.domain import occurring
from shoal.table.naming import check_nobody_named
from shoal.table.texts import texts
from shoal.verify import judges

#: Called as each stage begins, with its name and its place among all of them.
Progress = Callable[[str, int, int], None]
STAGES = ("reading", "encoding", "grouping", "publishing", "judging")


def anonymize(table: Any, plan: Plan, *, seed: int | None = None, progress: Progress | None = None) -> Release:
    """A release of this table that keeps the plan's promises, judged before it is returned.

    ``table`` is a path, or a pandas, Polars, PyArrow or DuckDB table; ``seed`` is for tests only, and a release made
    with one is refused by :meth:`~shoal.Release.write`.
    """
    release = prepare(table, plan, seed=seed, progress=progress)
    _say(progress, "judging")
    as_held = Read(missing=())  # an empty text that is published is a value: what is missing is null by now
    verdict = release.judge({name: sources.read(held, as_held).table for name, held in release.tables.items()})
    refuse(verdict)
    release.verdict = verdict
    release.manifest = with_reached(release.manifest, verdict)
    return release


def prepare(table: Any, plan: Plan, *, seed: int | None = None, progress: Progress | None = None) -> Release:
    """A release that is not judged yet; to be written, which judges it, and not to be handed out otherwise."""
    _say(progress, "reading")
    trees = hierarchies(plan)
    source = read(table, plan)
    check_columns(source.table.column_names, plan)
    check_nobody_named(source.table, plan)
    trees |= built(plan, source.table)
    _say(progress, "encoding")
    chance = Chance.seeded(seed)
    codes = encode(source.table, plan, trees, permutation(chance.words(source.table.num_rows)))
    _say(progress, "grouping")
    classes = partition.group(codes, plan, chance)
    _say(progress, "publishing")
    draft = publish.publish(codes, classes, plan, source.table, chance)
    manifest = describe(draft, codes, plan)

    def judge(tables: Mapping[str, pa.Table]) -> Verdict:
        return judged(tables, draft, source.table, plan, trees)

    return Release(
        draft.tables,
        manifest,
        judge=judge,
        give_back=source.give_back,
        plan=plan,
        seeded=chance.is_seeded,
    )


def read(table: Any, plan: Plan) -> sources.Source:
    """The table, given or named in the plan; labels of hierarchies and codes stay as they are written."""
    given = plan.table if table is None else table
    if given is None:
        raise PlanError("there is no table: name it in the plan (table = ...), or give it")
    as_text = [column.name for column in plan.columns if column.stays_text]
    return sources.read(given, plan.read_options, as_text=as_text)


def describe(draft: Draft, codes: Codes, plan: Plan) -> Manifest:
    """What the release says of itself."""
    trees = {
        domain.name: _published_part(domain.tree, domain.name, draft.tables)
        for domain in codes.protected_domains
        if domain.tree is not None
    }
    return Manifest(
        shoal=__version__,
        form=plan.form.name,
        method=plan.method.card.name,
        options={**vars(plan.method), **vars(plan.form)},
        tables=list(draft.tables),
        columns=[_typed(column, draft.tables) for column in draft.columns],
        layouts=list(draft.layouts),
        require=[
            Promise.of(requirement, trees.get(requirement.on) if isinstance(requirement, TCloseness) else None)
            for requirement in asked(plan, codes.protected_domains)
        ],
        records=draft.records,
        suppressed=draft.suppressed,
    )


def _published_part(tree: Hierarchy, name: str, tables: Mapping[str, pa.Table]) -> Hierarchy:
    """Of a sensitive column's hierarchy what speaks of published values: those of others stay at home."""
    held = next(table.column(name) for table in tables.values() if name in table.column_names)
    return tree.keep(texts(pa.array(occurring(held))).to_pylist())


def _typed(column: PublishedColumn, tables: Mapping[str, pa.Table]) -> PublishedColumn:
    types = {field.name: type_name(field.type) for table in tables.values() for field in table.schema}
    return PublishedColumn(
        column.name,
        column.role,
        column.shown,
        column.columns,
        tuple(types[name] for name in column.columns),
        column.bottom,
        column.top,
        column.step,
    )


def judged(
    tables: Mapping[str, pa.Table], draft: Draft, original: pa.Table, plan: Plan, trees: Mapping[str, Hierarchy]
) -> Verdict:
    """What both judges find."""
    published = Published(tables, draft.columns, plan.form.name, vars(plan.form), draft.layouts)
    told_apart = plan.person is not None or bool(plan.identifying)
    kept = judges.Kept(
        original,
        plan.columns,
        missing=tuple(plan.read_options.missing),
        link=draft.link,
        person=person_column(original, plan),
        suppress=plan.suppress,
        allow_unique=plan.allow_unique,
    )
    outside = judges.outside(published, plan.require, trees, persons_known=told_apart)
    return outside.and_also(judges.inside(published, plan.require, trees, kept))


def _say(progress: Progress | None, stage: str) -> None:
    if progress is not None:
        progress(stage, STAGES.index(stage), len(STAGES))
