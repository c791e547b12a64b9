"""Planted secrets stay where they are; and the search for them would find them."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Literal

import pyarrow as pa
import pytest
from pyarrow import parquet

import shoal
from shoal.cli import main
from shoal.errors import DataError
from shoal.plan.forms import FORMS
from shoal.plan.methods import METHODS
from shoal.plan.plan import Plan
from shoal.privacy.requirements import KAnonymity, TCloseness
from shoal.release.release import Release
from shoal.schema.columns import Schema, categorical
from shoal.testing import check_no_secrets
from shoal.testing.secrets import MARK, Scene, Secrets, check_mishap
from shoal.testing.unpacked import everything

SECRET = f"{MARK}-somebody"
SECRETS = Secrets(frozenset({SECRET}), frozenset({7_310_264_001}))


@pytest.mark.parametrize("form", FORMS)
def test_forms(form: str, tmp_path: Path) -> None:
    check_no_secrets(tmp_path, form=FORMS[form]())


@pytest.mark.parametrize("method", METHODS)
def test_methods(method: str, tmp_path: Path) -> None:
    made = METHODS[method]()
    check_no_secrets(tmp_path, method=made, form=FORMS[made.card.forms[0]]())


@pytest.mark.parametrize("held", [SECRET, SECRET.encode("utf-16"), "7310264001", (7_310_264_001).to_bytes(8, "little")])
def test_a_secret_is_found_in_any_spelling(held: bytes | str) -> None:
    assert SECRETS.within(held)
    assert not SECRETS.within(b"nothing" * 9)


def _found(folder: Path) -> list[str]:
    return [where for where, held in everything(folder) if SECRETS.within(held)]


def test_a_secret_is_found_in_a_file_name(tmp_path: Path) -> None:
    (tmp_path / f"{SECRET}.txt").write_text("nothing")
    assert _found(tmp_path)


@pytest.mark.parametrize("compression", ["zstd", "snappy", "none"])
def test_a_secret_is_found_inside_of_parquet(tmp_path: Path, compression: str) -> None:
    """In values and statistics, in metadata, and in a dictionary by which no value is meant any more."""
    rows = 5000  # enough to be packed
    words = pa.array([f"word {row % 7}" for row in range(rows)])
    cases = {
        "value": pa.table({"x": pa.concat_arrays([words, pa.array([SECRET])])}),
        "number": pa.table({"x": pa.array([*range(rows), 7_310_264_001])}),
        "metadata": pa.table({"x": words}).replace_schema_metadata({"note": SECRET}),
        "dictionary": pa.table({"x": pa.DictionaryArray.from_arrays(pa.array([0] * rows), pa.array(["a", SECRET]))}),
        "nothing": pa.table({"x": words}),
    }
    for name, table in cases.items():
        folder = tmp_path / name
        folder.mkdir()
        parquet.write_table(table, folder / "release.parquet", compression=compression)
        assert bool(_found(folder)) == (name != "nothing"), name


def test_a_secret_in_a_page_alone_is_found(tmp_path: Path) -> None:
    """Not in statistics, since the column has none, and not as bytes, since it is packed."""
    values = [SECRET if row == 2500 else f"{MARK}-some{row % 7}" for row in range(5000)]
    path = tmp_path / "release.parquet"
    parquet.write_table(pa.table({"x": values}), path, compression="zstd", write_statistics=False)
    assert SECRET.encode() not in path.read_bytes()
    assert any("packed" in where for where in _found(tmp_path))


def _quote() -> None:
    raise DataError(f"the value {SECRET} is not a number")


def _quote_a_cause() -> None:
    try:
        int(SECRET)
    except ValueError as error:
        raise DataError("a value is not a number") from error


def _quote_a_context() -> None:
    try:
        int(SECRET)
    except ValueError:
        raise DataError("a value is not a number")  # noqa: B904 - the fault that is looked for


@pytest.mark.parametrize("mishap", [_quote, _quote_a_cause, _quote_a_context])
def test_an_error_that_quotes_is_found(mishap: object) -> None:
    with pytest.raises(AssertionError, match="holds 1 secret"):
        check_mishap(SECRETS, "a mishap", mishap)  # type: ignore[arg-type]


def test_details_are_not_pickled() -> None:
    error = DataError("a value is not a number", details={"value": SECRET})
    assert not SECRETS.within(pickle.dumps(error))
    assert not SECRETS.within(str(error) + repr(error))


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    """Files with secrets in them, and in their names."""
    found = Scene.set_up(tmp_path)
    dict(found.given())
    (found.vault / f"{MARK}-plan.toml").write_text(PLAN.replace("TREE", f"{MARK}-hierarchy.csv"))
    return found


PLAN = """
allow_unique = ["note"]
[columns]
name = "identifying"
phone = "identifying"
income = "quasi-identifying"
job = { role = "quasi-identifying", hierarchy = "TREE" }
city = "quasi-identifying"
illness = "sensitive"
note = "insensitive"
[require]
k = 20
l = 2
suppress = 0.7
"""

COMMANDS = (
    "check PLAN TABLE",
    "anonymize PLAN TABLE --out OUT --force",
    "anonymize PLAN TABLE --out OUT --force --format csv",
    "anonymize PLAN TABLE --out OUT",
    "verify OUT",
    "verify OUT --plan PLAN --original TABLE",
    "measure OUT --plan PLAN --original TABLE",
    "init TABLE --out PROPOSAL",
)


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_commands_say_no_secret(
    scene: Scene, suffix: str, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    places = {
        "PLAN": scene.vault / f"{MARK}-plan.toml",
        "TABLE": scene.vault / f"{MARK}-table.{suffix}",
        "OUT": scene.folder / "out",
        "PROPOSAL": scene.folder / "proposal.toml",
    }
    statuses = []
    for command in COMMANDS:
        for more in ([], ["--json"]):
            words = [str(places.get(word, word)) for word in command.split()]
            statuses.append(main([*words, *more]))
            said = "".join(capfd.readouterr())
            assert said
            scene.values.refuse(f"what {command} says", said + caplog.text)
    assert statuses.count(2) <= 4, "but for what stands there already, all of this can be done"
    scene.values.refuse("the plan that is proposed", places["PROPOSAL"].read_bytes())
    for where, held in everything(scene.folder / "out"):
        scene.values.but(_notes(scene.folder / "out")).refuse(where, held)
        scene.names.refuse(where, held)


def _notes(folder: Path) -> list[str]:
    """What is published on purpose."""
    if not folder.exists():
        return []
    (published,) = Release.read(folder).arrow.values()
    notes: list[str] = published.column("note").to_pylist()
    return notes


BROKEN = {
    "more fields": f"name,age\nx,1\n{SECRET},2,3\n",
    "bad quote": f'name,age\nx,1\n"{SECRET},2\n',
    "no such leaf": f"name,age\nx,1\n{SECRET},2\nx,3\n",
}


@pytest.mark.parametrize("fault", BROKEN)
def test_commands_say_no_secret_of_broken_tables(
    fault: str, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    table, plan, tree = (tmp_path / name for name in ("table.csv", "plan.toml", "tree.csv"))
    table.write_text(BROKEN[fault])
    tree.write_text("x;*\ny;*\n")
    role = '{ role = "quasi-identifying", hierarchy = "tree.csv" }'
    plan.write_text(f'columns.name = {role}\ncolumns.age = "quasi-identifying"\nrequire.k = 2\n')
    for command in ("check PLAN TABLE", "anonymize PLAN TABLE --out OUT", "init TABLE --out NEW --force"):
        for more in ([], ["--json"]):
            places = {"PLAN": plan, "TABLE": table, "OUT": tmp_path / "out", "NEW": tmp_path / "new.toml"}
            status = main([*(str(places.get(word, word)) for word in command.split()), *more])
            assert status == 2 or command.startswith("init")
            said = "".join(capfd.readouterr())
            SECRETS.refuse(f"what {command} says", said)
            assert "Traceback" not in said


@pytest.mark.parametrize("distance", ["hierarchical", "ordered"])
def test_a_hierarchy_in_the_manifest_has_published_values_only(distance: Literal["hierarchical", "ordered"]) -> None:
    """A value that only those have who are left out does not stand there, nor a label above it alone."""
    tree = categorical({"common": ["flu", "cold"], f"{MARK}-branch": [SECRET]})
    table = pa.table({"age": [1, 2, 3], "ill": ["flu", "cold", SECRET]})
    schema = Schema(quasi_identifying=["age"], sensitive={"ill": tree})
    plan = Plan(schema, [KAnonymity(4), TCloseness(1.0, "ill", distance)], suppress=1.0)
    release = shoal.anonymize(table, plan)
    assert release.manifest.records == 0
    assert MARK not in release.manifest.encode().decode()
