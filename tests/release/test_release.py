"""Writing, reading back, and what is in the folder."""

from __future__ import annotations

import datetime as dt
import decimal
import json
import os
import pickle
import stat
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from shoal.errors import DataError, ShoalError, Unsupported, Violation
from shoal.privacy.requirements import KAnonymity, LDiversity, TCloseness
from shoal.privacy.verdict import Finding, Verdict
from shoal.release import files, place
from shoal.release.manifest import Manifest, Promise, PublishedColumn, Tree
from shoal.release.release import Judge, Release
from shoal.schema.hierarchy import Hierarchy

GOOD = Verdict([Finding("outsider", "k = 2", True, 2, 3, requirement=KAnonymity(2))], records=4)
BAD = Verdict([Finding("keeper", "every record is accounted for", False, says="1 is not")], records=4)


def manifest_of(table: pa.Table) -> Manifest:
    columns = [
        PublishedColumn(f.name, "insensitive", "value", (f.name,), (files.type_name(f.type),)) for f in table.schema
    ]
    promises = [Promise.of(KAnonymity(2), None), Promise.of(LDiversity(2, "s"), None)]
    return Manifest(
        shoal="0", form="generalized", method="mondrian", options={"ties": "strict"}, tables=["release"],
        columns=columns, require=promises, records=table.num_rows, suppressed=0,
    )  # fmt: skip


def release_of(table: pa.Table, judge: Judge = lambda tables: GOOD, *, seeded: bool = False) -> Release:
    return Release({"release": table}, manifest_of(table), judge=judge, seeded=seeded)


ODD = pa.table(
    {
        "text": pa.array(["a,b", 'q"q', "ü\n2", None], pa.string()).dictionary_encode(),
        "code": ["007", "1", "1.50", "true"],
        "whole": pa.array([1, None, -3, 2**40]),
        "small": pa.array([1, 2, 3, 4], pa.int8()),
        "real": [0.1, 1e300, None, -0.0],
        "single": pa.array([0.1, 0.2, None, 3], pa.float32()),
        "truth": [True, False, None, True],
        "day": [dt.date(2020, 2, 29), None, dt.date(1, 1, 1), dt.date(9999, 12, 31)],
        "moment": pa.array([1577840523000004, None, None, None], pa.timestamp("us")),
        "zoned": pa.array([1577840523000004, None, 0, 1], pa.timestamp("us", "Europe/Berlin")),
        "second": pa.array([1577840523, None, 0, 1], pa.timestamp("s")),
        "clock": pa.array([1, None, 0, 86_399], pa.time32("s")),
        "tick": pa.array([1, None, 0, 86_399_999_999_999], pa.time64("ns")),
        "while": pa.array([1, None, 0, -5], pa.duration("us")),
        "millions": pa.array([decimal.Decimal("1.50"), None, None, decimal.Decimal("-2.00")], pa.decimal256(50, 2)),
        "money": pa.array([decimal.Decimal("1.50"), None, None, decimal.Decimal("-2.00")], pa.decimal128(9, 2)),
    }
)


@pytest.mark.parametrize("form", ["parquet", "csv"])
def test_what_is_written_is_read_back(tmp_path: Path, form: files.Format) -> None:
    folder = release_of(ODD).write(tmp_path / "out", format=form)
    back = Release.read(folder)
    assert files.plain(back.arrow["release"]).equals(files.plain(ODD))
    assert sorted(entry.name for entry in folder.iterdir()) == ["README.txt", "manifest.json", f"release.{form}"]


def test_a_manifest_says_what_was_asked_and_reached(tmp_path: Path) -> None:
    said = json.loads((release_of(ODD).write(tmp_path / "out") / "manifest.json").read_text())
    assert said["require"][0] == {"kind": "k", "asked": 2, "reached": 3.0}
    assert set(said) == {
        "shoal", "form", "method", "options", "tables", "columns", "require", "records", "suppressed",
    }  # fmt: skip


def test_a_parquet_file_holds_no_metadata_of_the_input(tmp_path: Path) -> None:
    marked = ODD.replace_schema_metadata({"origin": "SECRET"})
    path = release_of(marked).write(tmp_path / "out") / "release.parquet"
    assert parquet.read_metadata(path).metadata is None
    assert b"SECRET" not in path.read_bytes()


def test_the_judges_see_the_files(tmp_path: Path) -> None:
    seen: list[pa.Table] = []

    def judge(tables: object) -> Verdict:
        seen.append(tables["release"])  # type: ignore[index]
        return GOOD

    release_of(ODD, judge).write(tmp_path / "out")
    assert files.plain(seen[0]).to_pylist() == files.plain(ODD).to_pylist()
    assert seen[0] is not ODD


def test_a_release_that_fails_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(Violation, match="accounted"):
        release_of(ODD, lambda tables: BAD).write(tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_a_judge_that_breaks_leaves_the_old_release(tmp_path: Path) -> None:
    folder = release_of(ODD).write(tmp_path / "out")
    before = {entry.name: entry.read_bytes() for entry in folder.iterdir()}

    def judge(tables: object) -> Verdict:
        raise KeyError("bug")

    with pytest.raises(KeyError):
        release_of(ODD, judge).write(folder, force=True)
    assert {entry.name: entry.read_bytes() for entry in folder.iterdir()} == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["out"]


def test_a_release_is_replaced_only_on_purpose(tmp_path: Path) -> None:
    folder = release_of(ODD).write(tmp_path / "out")
    with pytest.raises(DataError, match="--force"):
        release_of(ODD).write(folder)
    release_of(ODD.slice(0, 2)).write(folder, force=True, format="csv")
    assert Release.read(folder).arrow["release"].num_rows == 2
    assert not (folder / "release.parquet").exists()
    assert [entry.name for entry in tmp_path.iterdir()] == ["out"]


def test_other_peoples_folders_are_never_replaced(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "thesis.txt").write_text("years of work")
    with pytest.raises(DataError, match="something else"):
        release_of(ODD).write(tmp_path / "out", force=True)
    assert (tmp_path / "out" / "thesis.txt").read_text() == "years of work"
    (tmp_path / "file").write_text("")
    with pytest.raises(DataError, match="is a file"):
        release_of(ODD).write(tmp_path / "file", force=True)


def test_a_release_that_was_put_there_meanwhile_stays(tmp_path: Path) -> None:
    """Two writers at once, and nobody who said that one may replace the other."""

    def judge(tables: object) -> Verdict:
        release_of(ODD.slice(0, 3)).write(tmp_path / "out")
        return GOOD

    with pytest.raises(DataError, match="holds a release already"):
        release_of(ODD, judge).write(tmp_path / "out")
    assert Release.read(tmp_path / "out").manifest.records == 3
    assert [entry.name for entry in tmp_path.iterdir()] == ["out"]


def test_what_somebody_put_beside_a_release_is_not_lost(tmp_path: Path) -> None:
    folder = release_of(ODD).write(tmp_path / "out")
    (folder / "notes.docx").write_text("hours of work")
    with pytest.raises(DataError, match="1 file"):
        release_of(ODD).write(folder, force=True)
    assert (folder / "notes.docx").exists()


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "link").symlink_to("there")
    release_of(ODD).write(tmp_path / "link")
    release_of(ODD.slice(0, 2)).write(tmp_path / "link", force=True)
    assert (tmp_path / "link").is_symlink()
    assert Release.read(tmp_path / "there").manifest.records == 2
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["link", "there"]


def test_an_empty_folder_is_a_free_place(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    assert Release.read(release_of(ODD).write(tmp_path / "out")).manifest.records == 4


def test_staging_is_its_owners_alone_and_the_release_as_others_expect(tmp_path: Path) -> None:
    modes: list[int] = []

    def judge(tables: object) -> Verdict:
        (stage,) = tmp_path.glob(".out.staged-*")
        modes.append(stat.S_IMODE(stage.stat().st_mode))
        return GOOD

    folder = release_of(ODD, judge).write(tmp_path / "out")
    assert modes == [0o700]
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o777 & ~mask


def test_what_a_killed_writer_left_is_removed_but_not_a_living_ones(tmp_path: Path) -> None:
    left = tmp_path / ".out.staged-dead"
    left.mkdir()
    (left / ".lock").touch()
    (left / "release.parquet").write_text("raw")
    with place.staging(tmp_path / "out") as living:
        (living / "x").touch()
        release_of(ODD).write(tmp_path / "out")
        assert (living / "x").exists()
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["out"]


def test_a_seeded_release_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(Unsupported, match="seed"):
        release_of(ODD, seeded=True).write(tmp_path / "out")


def test_a_release_read_back_is_not_written_again(tmp_path: Path) -> None:
    folder = release_of(ODD).write(tmp_path / "out")
    with pytest.raises(Unsupported, match="copy the folder"):
        Release.read(folder).write(tmp_path / "again")


def test_a_pickle_forgets_the_original(tmp_path: Path) -> None:
    original = pa.table({"name": ["SECRET"]})
    release = release_of(ODD, lambda tables: GOOD if original.num_rows else BAD)
    again = pickle.loads(pickle.dumps(release))
    assert again.table.equals(release.table)
    with pytest.raises(Unsupported):
        again.write(tmp_path / "out")


@pytest.mark.parametrize("damage", ["{", '{"tables": []}', ""])
def test_a_damaged_manifest_is_an_error(tmp_path: Path, damage: str) -> None:
    folder = release_of(ODD).write(tmp_path / "out")
    (folder / "manifest.json").write_text(damage)
    with pytest.raises(DataError, match="damaged"):
        Release.read(folder)


def test_a_manifest_that_points_elsewhere_is_an_error(tmp_path: Path) -> None:
    folder = release_of(ODD).write(tmp_path / "out")
    said = json.loads((folder / "manifest.json").read_text())
    said["tables"] = ["../secret.parquet"]
    (folder / "manifest.json").write_text(json.dumps(said))
    with pytest.raises(DataError, match="outside"):
        Release.read(folder)


def test_reading_what_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"manifest\.json"):
        Release.read(tmp_path)
    folder = release_of(ODD).write(tmp_path / "out")
    (folder / "release.parquet").write_bytes(b"PAR1")
    with pytest.raises(ShoalError, match="cannot be read"):
        Release.read(folder)


def test_an_empty_text_is_not_written_as_csv(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="empty texts"):
        release_of(pa.table({"a": ["", None]})).write(tmp_path / "out", format="csv")


def test_a_tree_survives_the_manifest() -> None:
    tree = Hierarchy.from_nested({"a": {"b": ["x", "y"], "c": ["z"]}, "d": None})
    promise = Promise.of(TCloseness(0.2, "s", "hierarchical"), tree)
    assert promise.tree is not None
    again = promise.tree.hierarchy()
    assert again.labels == tree.labels
    for name in ("parent", "height", "first", "last"):
        assert getattr(again, name).tolist() == getattr(tree, name).tolist(), name
    assert again.leaves == tree.leaves
    assert isinstance(promise.tree, Tree)
    assert promise.requirement() == TCloseness(0.2, "s", "hierarchical")
