"""Both judges of the form randomized: what holds, holds; and each lie that a publisher could tell is found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import msgspec
import numpy as np
import pyarrow as pa
import pytest

import shoal
from shoal.errors import DataError
from shoal.privacy.retention import diversity
from shoal.release.published import Published
from shoal.release.release import Release
from shoal.verify import judges
from tests.verify.test_anatomy import LIES as OF_ANATOMY
from tests.verify.test_anatomy import Tables, changed, fails


def original(records: int = 240) -> pa.Table:
    chance = np.random.default_rng(3)
    return pa.table(
        {
            "name": [f"person {i}" for i in range(records)],
            "age": chance.integers(18, 90, records),
            "town": pa.array(chance.choice(["a", "b", "c"], records)),
            "ill": pa.array(chance.choice(["flu", "cold", "gout", "croup", None], records)),
            "pay": chance.integers(0, 6, records),
            "year": chance.integers(2000, 2004, records),
        }
    )


PLAN = shoal.Plan(
    shoal.Schema(
        identifying=["name"], quasi_identifying=["age", "town"], sensitive=["ill", "pay"], insensitive=["year"]
    ),
    [shoal.LDiversity(1.5), shoal.Size(4)],
    form=shoal.Randomized(0.1),
)


@pytest.fixture(scope="module")
def release() -> Release:
    return shoal.anonymize(original(), PLAN, seed=1)


def of_anatomy(lie: Callable[[Tables], Tables]) -> Callable[[Tables], Tables]:
    """The same lie, told of the table of all records in its place here."""

    def told(tables: Tables) -> Tables:
        named = {("qit" if name == "release" else name): table for name, table in tables.items()}
        return {("release" if name == "qit" else name): table for name, table in lie(named).items()}

    told.__name__ = lie.__name__
    return told


def a_value_of_no_record(tables: Tables) -> Tables:
    return {**tables, "release": changed(tables["release"], "ill", {3: "plague"})}


LIES = [*map(of_anatomy, OF_ANATOMY), a_value_of_no_record]


def test_a_true_release_holds(release: Release) -> None:
    assert fails(release.judge(release.arrow)) == []
    assert fails(shoal.verify(release)) == []
    assert fails(shoal.verify(release, PLAN, original())) == []


@pytest.mark.parametrize("lie", LIES, ids=lambda lie: lie.__name__)
def test_lies_are_found(release: Release, lie: Callable[[Tables], Tables]) -> None:
    assert fails(release.judge(lie(dict(release.arrow))))


@pytest.mark.parametrize("lie", LIES, ids=lambda lie: lie.__name__)
def test_lies_are_found_without_a_link(release: Release, lie: Callable[[Tables], Tables]) -> None:
    told = Release(lie(dict(release.arrow)), release.manifest)
    assert fails(shoal.verify(told, PLAN, original()))


def inside(shown: list[str | None]) -> list[str]:
    """What the keeper finds wrong if the rows show these illnesses; row i is of record i."""
    table = original()
    columns = shoal.anonymize(table, PLAN, seed=1).manifest.columns
    number = np.arange(table.num_rows) // 40
    tables = {"release": table.drop_columns(["name"]).add_column(0, "class", pa.array(number))}
    tables["release"] = tables["release"].set_column(3, "ill", pa.array(shown, pa.string()))
    for name in ("ill", "pay"):
        held = pa.table({"class": number, name: table.column(name)}).group_by(["class", name])
        tables[f"sat_{name}"] = held.aggregate([([], "count_all")]).rename_columns({"count_all": "count"})
    kept = judges.Kept(table, PLAN.columns, link=np.arange(table.num_rows))
    verdict = judges.inside(Published(tables, columns, "randomized", {"retention": 0.1}), PLAN.require, {}, kept)
    return [what for what in fails(verdict) if what.startswith("values of ill are kept")]


def test_values_that_are_not_kept_as_said_are_found() -> None:
    """All are true; none is, which tells as much; and what a lot of another retention gives."""
    true = original().column("ill").to_pylist()
    others = {None: "flu", "flu": "cold", "cold": "gout", "gout": "croup", "croup": None}
    assert inside(true)
    assert inside([others[value] for value in true])
    chance = np.random.default_rng(0)
    for keeps, wrong in ((0.1, False), (0.9, True)):
        drawn = chance.choice(np.array(list(others)), len(true)).tolist()
        shown = [v if chance.random() < keeps else d for v, d in zip(true, drawn, strict=True)]
        assert bool(inside(shown)) == wrong


@pytest.mark.parametrize("drawn", ["the first", "the next"])
def test_draws_that_are_none_are_found(drawn: str) -> None:
    """As many are kept as should be; but what else is shown tells of the others whose it is not, or whose it is."""
    true = original().column("ill").to_pylist()
    values = ["cold", "croup", "flu", "gout", None]
    chance = np.random.default_rng(0)
    shown = [
        value
        if chance.random() < 0.1 + 0.9 / 5 * (drawn == "the next")
        else values[0 if drawn == "the first" else (values.index(value) + 1) % 5]
        for value in true
    ]
    assert inside(shown)


def test_a_class_that_leaves_too_little_to_guess_is_seen(release: Release) -> None:
    """The same tables, said to be randomized less: by frequency they are as diverse as before."""
    manifest = msgspec.structs.replace(release.manifest, options={**release.manifest.options, "retention": 0.4})
    verdict = shoal.verify(Release(release.arrow, manifest))
    findings = {finding.what: finding for finding in verdict.findings}
    assert not findings["l = 1.5 on ill"].holds
    counts: dict[int, list[int]] = {}
    missing = set()
    for row in release.arrow["sat_ill"].to_pylist():
        counts.setdefault(row["class"], []).extend([row["count"]] * (row["ill"] is not None))
        missing |= {row["class"]} if row["ill"] is None else set()
    reached = min(diversity(0.4, len(held) + (n in missing), sum(held), max(held)) for n, held in counts.items())
    assert findings["l = 1.5 on ill"].reached == pytest.approx(reached, rel=1e-12)


def test_a_manifest_that_does_not_say_the_retention_is_refused(release: Release) -> None:
    bare = msgspec.structs.replace(release.manifest, options={"ties": "strict"})
    with pytest.raises(DataError, match="with which retention"):
        shoal.verify(Release(release.arrow, bare))


def test_only_what_is_known_of_it_is_judged(release: Release) -> None:
    generalized = shoal.Plan(PLAN.schema, [shoal.TCloseness(0.5, "ill")])
    with pytest.raises(DataError, match="only l by frequency"):
        shoal.verify(release, generalized)
    asked = shoal.Plan(PLAN.schema, [shoal.KAnonymity(3)])
    finding = shoal.verify(release, asked).findings[-2]
    assert (finding.what, finding.holds, finding.reached) == ("k = 3", False, 1.0)


def test_what_columns_tell_of_each_other_is_said(release: Release) -> None:
    assert release.verdict is not None
    notes = {note.about: note for note in release.verdict.notes if "go together" in note.says}
    assert set(notes) == {"ill", "pay"}
    assert all(1 < note.figures["l"] < 1.5 for note in notes.values())
    alone = replace(PLAN, schema=shoal.Schema(quasi_identifying=["age"], sensitive=["ill"]))
    verdict = shoal.anonymize(original().select(["age", "ill"]), alone).verdict
    assert verdict is not None
    assert not any("go together" in note.says for note in verdict.notes)
