"""Plans that are proposed: they pass the check as they are, and hold no value of the table."""

from __future__ import annotations

import random
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import csv, parquet

import shoal as package
from shoal._proposal import propose
from tests.cli.conftest import Shoal
from tests.schema import projects

NAMES = "name,patient_id,age,sex,zip,birth_date,diagnosis,salary,note,weight,visit_year,odd name,e-mail"


def people(count: int, *, persons: int | None = None, missing: str = "?") -> str:
    """A made-up table of patients with something of everything."""
    chance = random.Random(count)
    rows = [NAMES]
    for i in range(count):
        who = i if persons is None else i % persons
        cells = [
            f"Secretname {who}",
            f"SECRET{who}",
            str(107 if i == 0 else chance.randrange(18, 80)),
            chance.choice(["f", "m", missing]),
            str(chance.randrange(10_000, 99_999)),
            f"19{chance.randrange(30, 99)}-0{chance.randrange(1, 9)}-11",
            chance.choice(["secretflu", "secretcold", "secretangina", "secretgout", "secrethiv"]),
            str(chance.randrange(20_000, 90_000)),
            f"secret note {i} about somebody",
            f"{chance.gauss(75, 12):.5f}",
            "2020",
            chance.choice(["yes", "no"]),
            f"secret{who}@example.org",
        ]
        rows.append(",".join(cells))
    return "\n".join(rows) + "\n"


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def roles(ran_json: dict[str, object]) -> dict[str, str]:
    columns = ran_json["columns"]
    assert isinstance(columns, list)
    return {column["name"]: column["role"] for column in columns}


@pytest.mark.parametrize("persons", [None, 150])
def test_a_proposal_passes_the_check_as_it_is_and_quotes_nothing(shoal: Shoal, persons: int | None) -> None:
    Path("patients.csv").write_text(people(400, persons=persons), encoding="utf-8")
    shown = shoal("init", "patients.csv")
    assert shown.status == 0
    text = Path("plan.toml").read_text(encoding="utf-8")
    for said in (shown.out, text):
        assert "secret" not in said.lower()
        assert "107" not in said  # the oldest
    ran = shoal("check", "plan.toml", "--json")
    assert ran.status == 0, ran.out
    assert ran.json["people"] == (persons or 400)
    assert shoal("anonymize", "plan.toml", "--out", "released").status == 0


def test_roles_follow_from_names_and_from_how_values_repeat(shoal: Shoal) -> None:
    Path("patients.csv").write_text(people(400), encoding="utf-8")
    found = roles(shoal("init", "patients.csv", "--json").json)
    assert found == {
        "name": "identifying",
        "patient_id": "identifying",
        "age": "quasi-identifying",
        "sex": "quasi-identifying",
        "zip": "quasi-identifying",
        "birth_date": "quasi-identifying",
        "diagnosis": "sensitive",
        "salary": "sensitive",
        "note": "identifying",
        "weight": "quasi-identifying",
        "visit_year": "quasi-identifying",
        "odd name": "quasi-identifying",
        "e-mail": "identifying",
    }


def test_codes_of_places_keep_their_beginnings(shoal: Shoal) -> None:
    rows = ["zip,plz,postcode,age"] + [f"{10000 + i % 50},{i % 9:05},{i},{20 + i % 30}" for i in range(200)]
    Path("people.csv").write_text("\n".join(rows), encoding="utf-8")
    found = {column["name"]: column for column in shoal("init", "people.csv", "--json").json["columns"]}
    assert found["zip"]["prefixes"] is found["plz"]["prefixes"] is True
    assert "prefixes" not in found["postcode"]  # of many lengths
    assert shoal("check", "plan.toml").status == 0
    assert shoal("anonymize", "plan.toml", "--out", "released").status == 0


def test_a_value_that_most_have_is_asked_no_l_of(shoal: Shoal) -> None:
    rows = ["age,disease"] + [f"{20 + i % 40},{'flu' if i % 4 else 'gout'}" for i in range(100)]
    Path("people.csv").write_text("\n".join(rows), encoding="utf-8")
    ran = shoal("init", "people.csv", "--json")
    assert ran.json["require"] == {"k": 5, "l": {}}
    assert "held by 75% of the records" in ran.json["toml"]
    assert shoal("check", "plan.toml").status == 0


def test_rows_of_one_person_are_noticed(shoal: Shoal) -> None:
    Path("patients.csv").write_text(people(400, persons=150), encoding="utf-8")
    shoal("init", "patients.csv")
    text = Path("plan.toml").read_text(encoding="utf-8")
    assert 'person = "name"' in text or 'person = "patient_id"' in text
    assert "150 people in 400 rows" in text
    assert "\nl = " not in text  # which speaks of one value a person


def test_words_for_missing_are_proposed_where_they_occur(shoal: Shoal) -> None:
    for word in ("?", "NA", "n/a", "unknown"):
        Path("patients.csv").write_text(people(100, missing=word), encoding="utf-8")
        shoal("init", "patients.csv", "--force")
        assert package.Plan.read("plan.toml").read_options.missing == ("", word)
    Path("patients.csv").write_text(people(100, missing="x"), encoding="utf-8")
    shoal("init", "patients.csv", "--force")
    assert "[read]" not in Path("plan.toml").read_text(encoding="utf-8")


def test_a_plan_stands_beside_no_other_unless_forced(shoal: Shoal) -> None:
    Path("patients.csv").write_text(people(50), encoding="utf-8")
    assert shoal("init", "patients.csv", "--out", "mine.toml").status == 0
    assert shoal("init", "patients.csv", "--out", "mine.toml").status == 2
    assert shoal("init", "patients.csv", "--out", "mine.toml", "--force").status == 0
    printed = shoal("init", "patients.csv", "--out", "-")
    assert printed.out == Path("mine.toml").read_text(encoding="utf-8")
    assert shoal("init", "patients.csv", "--json", "--out", "other.toml").json["plan"] == "other.toml"


def test_paths_in_a_plan_are_relative_to_it(shoal: Shoal) -> None:
    Path("data").mkdir()
    Path("plans").mkdir()
    Path("data/patients.csv").write_text(people(50), encoding="utf-8")
    assert shoal("init", "data/patients.csv", "--out", "plans/plan.toml").status == 0
    assert shoal("check", "plans/plan.toml").status == 0


@pytest.mark.parametrize(
    "name", ["plain", "with space", 'quo"te', "ünï", "a.b", "a=b", "back\\slash", "#", "tab\there"]
)
def test_any_name_of_a_column_is_written_so_that_it_can_be_read(shoal: Shoal, name: str) -> None:
    table = pa.table({name: ["a", "b"] * 10, "age": list(range(20)), "disease": ["x", "y", "z", "v"] * 5})
    parquet.write_table(table, "people.parquet")
    assert shoal("init", "people.parquet").status == 0
    assert name in [column.name for column in package.Plan.read("plan.toml").columns]
    assert shoal("check", "plan.toml").status == 0


@pytest.mark.parametrize(
    ("table", "status"),
    [
        ({"age": [1]}, 2),
        ({"age": [1, 2]}, 0),
        ({"age": [1, 2, 3], "income": [None, None, None]}, 0),
        ({"age": pa.array([], pa.int64())}, 0),
        ({"age": [None, None, None]}, 0),
        ({"tags": [["a"], ["b"], []], "age": [1, 2, 3]}, 0),
        ({"blob": [b"a", b"b", b"c"], "age": [1, 2, 3]}, 0),
        ({"age": [1.5, float("nan"), float("inf"), 2.0] * 4}, 2),
        ({"age": [1.5, float("nan"), float("inf"), 2.0] * 4, "sex": ["f", "m"] * 8}, 0),
        ({"active": [True, False] * 5, "age": [10**15 + i for i in range(10)]}, 0),
        ({"who": ["a"] * 5, "patient_id": ["a"] * 5}, 2),
        ({"name": ["a", "b"], "email": ["c", "d"]}, 2),
        ({"patient_id": ["a", "a", "b", "c"], "code": ["a", "a", "b", "x"], "age": [1, 2, 3, 4]}, 0),
        ({"age": [1, 2] * 5, "age_min": [1, 2] * 5, "weight": [5.0] * 10}, 0),
    ],
)
def test_odd_tables_get_a_plan_that_passes_or_one_clear_error(
    shoal: Shoal, table: dict[str, list[object]], status: int
) -> None:
    parquet.write_table(pa.table(table), "odd.parquet")
    ran = shoal("init", "odd.parquet")
    assert ran.status == status, ran.err
    assert "unexpected" not in ran.err
    if status == 0:
        checked = shoal("check", "plan.toml")
        assert checked.status == 0, checked.out


def test_an_encoding_that_is_not_utf_8_is_found_and_named(shoal: Shoal) -> None:
    Path("people.csv").write_bytes("age,city\n30,Köln\n40,Köln\n".encode("cp1252"))
    assert shoal("init", "people.csv").status == 0
    assert package.Plan.read("plan.toml").read_options.encoding == "cp1252"
    assert shoal("check", "plan.toml").status == 0


def test_a_project_of_arx_is_unpacked(shoal: Shoal) -> None:
    projects.write(Path("project.deid"), config=projects.config((*projects.MODELS, "(0.1,0.2)-presence")))
    ran = shoal("init", "project.deid", "--out", "new/plan.toml")
    assert ran.status == 0
    assert "presence" in ran.err
    assert "input.csv" in ran.out
    assert shoal("check", "new/plan.toml").status == 0
    assert shoal("init", "project.deid", "--out", "new/plan.toml").status == 2
    again = shoal("init", "project.deid", "--out", "new/plan.toml", "--force", "--json")
    assert any("presence" in said for said in again.json["left_out"])
    assert shoal("init", "project.deid", "--out", "-").status == 2


def test_a_project_that_is_none_is_one_clear_error(shoal: Shoal) -> None:
    Path("project.deid").write_bytes(b"PK")
    ran = shoal("init", "project.deid", "--json")
    assert ran.status == 2
    assert ran.json["error"]["kind"] == "DataError"


def test_the_sample_gets_a_plan_with_its_missing_word(home: Path) -> None:
    proposal = propose(home / "sample" / "adult.csv")
    assert list(proposal.missing) == ["?"]
    assert csv.read_csv(home / "sample" / "adult.csv").num_rows == proposal.records
