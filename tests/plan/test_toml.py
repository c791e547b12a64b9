"""A plan in a file means what the same plan in Python means."""

from __future__ import annotations

from pathlib import Path

import pytest

import shoal
from shoal.errors import PlanError
from shoal.plan.plan import Plan
from shoal.plan.toml import read_parts
from shoal.schema.columns import Categorical
from shoal.schema.hierarchy import Hierarchy

FULL = """
table = "people.csv"
person = "name"
allow_unique = ["visit"]

[read]
delimiter = ";"
encoding = "latin-1"
decimal = ","
missing = ["", "?"]
types = { zip = "text" }

[columns]
name = "identifying"
age = { role = "quasi-identifying", bottom = 18, top = 90, step = 5 }
zip = "quasi-identifying"
town = { role = "quasi-identifying", hierarchy = { North = ["Aa", "Bb"], South = ["Cc"] } }
job = { role = "sensitive", hierarchy = "trees/job.csv" }
pay = "sensitive"
visit = "insensitive"

[require]
k = 5
l = { job = { min = 4, kind = "recursive", c = 2, missing_is_sensitive = true }, pay = 3 }
t = { job = { max = 0.2, distance = "hierarchical" }, pay = 0.3 }
size = 10
suppress = 0.05

[method]
name = "mondrian"
ties = "relaxed"

[publish]
form = "generalized"
ranges = "text"
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "trees").mkdir()
    (tmp_path / "trees" / "job.csv").write_text("a;*\nb;*\n")
    return tmp_path


def written(folder: Path, text: str) -> Path:
    path = folder / "plan.toml"
    path.write_bytes(text.encode())
    return path


def meaning(plan: Plan) -> dict[str, object]:
    """All that a plan says, hierarchies as rows."""
    told = {**vars(plan), "schema": None}
    for column in plan.columns:
        how = column.coarsening
        if isinstance(how, Categorical) and isinstance(how.hierarchy, Hierarchy):
            how = tuple(map(tuple, how.hierarchy.rows()))  # type: ignore[assignment]
        told[f"columns.{column.name}"] = (column.role, how, column.mask)
    return told


def test_a_file_means_what_python_means(folder: Path) -> None:
    same = shoal.Plan(
        schema=shoal.Schema(
            identifying=["name"],
            quasi_identifying={
                "age": shoal.numeric(bottom=18, top=90, step=5),
                "zip": None,
                "town": {"North": ["Aa", "Bb"], "South": ["Cc"]},
            },
            sensitive={"job": folder / "trees" / "job.csv", "pay": None},
            insensitive=["visit"],
        ),
        require=[
            shoal.KAnonymity(5),
            shoal.LDiversity(4, "job", "recursive", 2, missing_is_sensitive=True),
            shoal.LDiversity(3, "pay"),
            shoal.TCloseness(0.2, "job", "hierarchical"),
            shoal.TCloseness(0.3, "pay"),
            shoal.Size(10),
        ],
        method=shoal.Mondrian(ties="relaxed"),
        form=shoal.Generalized(ranges="text"),
        suppress=0.05,
        person="name",
        allow_unique=["visit"],
        table=folder / "people.csv",
        read_options=shoal.Read(";", "latin-1", ",", ["", "?"], {"zip": "text"}),
    )
    assert meaning(shoal.Plan.read(written(folder, FULL))) == meaning(same)


def test_defaults_are_those_of_python(tmp_path: Path) -> None:
    plan = shoal.Plan.read(written(tmp_path, '[columns]\nage = "quasi-identifying"\n[require]\nk = 2\n'))
    assert meaning(plan) == meaning(shoal.Plan(shoal.Schema(quasi_identifying=["age"]), [shoal.KAnonymity(2)]))


def test_one_figure_for_all_sensitive_columns(tmp_path: Path) -> None:
    text = '[columns]\nage = "quasi-identifying"\njob = "sensitive"\npay = "sensitive"\n[require]\nl = 3\nt = 0.2\n'
    assert shoal.Plan.read(written(tmp_path, text)).require == (
        shoal.LDiversity(3),
        shoal.TCloseness(0.2, "job"),
        shoal.TCloseness(0.2, "pay"),
    )


@pytest.mark.parametrize(
    "change", [lambda text: "\ufeff" + text, lambda text: text.replace("\n", "\r\n")], ids=["byte order mark", "CRLF"]
)
def test_files_as_editors_leave_them(change: object, folder: Path) -> None:
    assert callable(change)
    plain = meaning(shoal.Plan.read(written(folder, FULL)))
    assert meaning(shoal.Plan.read(written(folder, change(FULL)))) == plain


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[columns]\nage = quasi", r"plan\.toml is not TOML: .*line 2"),
        ("[columns]\nage = 'sensitive'\nage = 'sensitive'\n", r"not TOML: .*line 3"),
        ("k = " + "9" * 5000, r"not TOML"),
        ("k = " + "[" * 5000, r"not TOML"),
    ],
    ids=["syntax", "twice", "long number", "deep"],
)
def test_what_is_not_toml(text: str, says: str, tmp_path: Path) -> None:
    with pytest.raises(PlanError, match=says):
        shoal.Plan.read(written(tmp_path, text))


def test_what_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match=r"cannot read the plan none\.toml: No such file"):
        shoal.Plan.read(tmp_path / "none.toml")
    with pytest.raises(PlanError, match="cannot read the plan"):
        shoal.Plan.read(tmp_path)
    with pytest.raises(PlanError, match="cannot read the plan"):
        shoal.Plan.read("a\0b")
    with pytest.raises(PlanError, match="not a dict"):
        shoal.Plan.read({})  # type: ignore[arg-type]
    (tmp_path / "plan.toml").write_bytes("table = 'ä'".encode("utf-16"))
    with pytest.raises(PlanError, match="not UTF-8"):
        shoal.Plan.read(tmp_path / "plan.toml")


def test_the_parts_of_a_plan_with_mistakes_elsewhere(folder: Path) -> None:
    parts = read_parts(written(folder, FULL.replace("k = 5", "k = 0").replace('pay = "sensitive"', 'pay = "sensible"')))
    assert parts.named == ("name", "age", "zip", "town", "job", "pay", "visit")
    assert {column.name for column in parts.columns} == {*parts.named} - {"pay"}
    assert parts.table == folder / "people.csv"
    assert parts.read_options.delimiter == ";"
    assert read_parts(written(folder, FULL.replace('";"', '";;"'))).read_options == shoal.Read()
