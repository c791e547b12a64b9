"""`shoal query`, and the random counts of `shoal measure`."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from tests.cli.conftest import Shoal

STATES = ["Federal-gov", "Local-gov", "State-gov"]


@pytest.fixture
def released(shoal: Shoal, plan: Path) -> Path:
    assert shoal("anonymize", plan, "--out", "released").status == 0
    return Path("released")


def test_the_truth_lies_between_the_bounds(shoal: Shoal, released: Path, home: Path, plan: Path) -> None:
    people = pd.read_csv(home / "sample" / "adult.csv")
    conditions = ["--where", "age >= 60", "--where", "age < 70", "--where", "occupation in Sales, Adm-clerical"]
    ran = shoal("query", released, "COUNT(*)", *conditions, "--json")
    assert (ran.status, ran.err) == (0, "")
    found = people[people.age.between(60, 69) & people.occupation.isin(["Sales", "Adm-clerical"])]
    assert ran.json["low"] < len(found) < ran.json["high"]
    assert ran.json["low"] < ran.json["estimate"] < ran.json["high"]
    assert list(ran.json) == ["what", "where", "estimate", "low", "high", "records", "suppressed"]
    assert ran.json["where"] == conditions[1::2]
    assert (ran.json["records"], ran.json["suppressed"]) == (5000, 0)
    label = ["--where", "workclass = Public employee", "--plan", plan, "--json"]
    hours = shoal("query", released, "AVG(hours-per-week)", *label).json
    assert hours["low"] < people[people.workclass.isin(STATES)]["hours-per-week"].mean() < hours["high"]


def test_people_see_a_table(shoal: Shoal, released: Path) -> None:
    shown = shoal("query", released, "COUNT(*)", "--where", "salary-class = >50K")
    assert shown.status == 0
    heads, _, figures, *_ = shown.out.splitlines()
    assert heads.split() == ["estimate", "at", "least", "at", "most"]
    assert len(set(figures.split())) == 1  # published as it is
    assert "Of 5,000 published records." in shown.out
    endless = shoal("query", released, "SUM(age)")
    assert endless.out.splitlines()[2].split()[-1] == "–"  # ages are coded at the top


def test_records_that_were_left_out_are_told(shoal: Shoal, home: Path) -> None:
    Path("few.csv").write_text("age,ill\n30,flu\n31,flu\n32,gout\n90,cold\n")
    plan = '[columns]\nage = "quasi-identifying"\nill = "sensitive"\n[require]\nk = 3\nl = 1.5\nsuppress = 0.25\n'
    Path("few.toml").write_text(f'table = "few.csv"\nperson = "row"\n{plan}')
    assert shoal("anonymize", "few.toml", "--out", "out").status == 0
    found = shoal("query", "out", "COUNT(*)", "--json").json
    shown = shoal("query", "out", "COUNT(*)").out
    assert found["records"] + found["suppressed"] == 4
    assert ("were left out" in shown) == (found["suppressed"] > 0)


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["MEDIAN(age)"], "expected COUNT(*), SUM(column) or AVG(column)"),
        (["COUNT(*)", "--where", "age about 30"], "1 of 1 condition(s) cannot be read"),
        (["COUNT(*)", "--where", "height = 3"], "no column height"),
        (["COUNT(*)", "--where", "age = old"], "age is asked for what it cannot hold"),
        (["COUNT(*)", "--where", "sex = Male"], "sex is published by a hierarchy: give a plan"),
        (["COUNT(*)", "--where", "sex = Mole", "--plan", "sample/plan.toml"], "sex is asked for 1 value(s)"),
        (["SUM(occupation)"], "SUM and AVG take columns of numbers"),
    ],
)
def test_what_is_wrong_is_one_message(shoal: Shoal, released: Path, arguments: list[str], word: str) -> None:
    ran = shoal("query", released, *arguments)
    assert ran.status == 2
    assert ran.out == ""
    assert ran.err.count("shoal: ") == 1
    assert word in ran.err
    assert shoal("query", released, *arguments, "--json").json["error"]["message"] in ran.err


def test_measure_asks_random_counts(shoal: Shoal, released: Path, home: Path, plan: Path) -> None:
    beside = ["--original", home / "sample" / "adult.csv", "--plan", plan]
    asked = shoal("measure", released, *beside, "--queries", "50", "--json").json["queries"]
    assert asked["queries"] == 50
    assert 0 < asked["median"] < asked["bounded"]
    assert "Random counts" in shoal("measure", released, *beside, "--queries", "50").out
    assert shoal("measure", released, *beside, "--json").json["queries"] is None
    assert shoal("measure", released, "--queries", "50").status == 2


@pytest.mark.parametrize("verb", [["verify"], ["measure"], ["query", "COUNT(*)"]])
@pytest.mark.parametrize("with_plan", [True, False])
def test_what_is_not_there_is_said_to_be_missing(shoal: Shoal, plan: Path, verb: list[str], with_plan: bool) -> None:
    name, *more = verb
    ran = shoal(name, "nowhere", *more, *(["--plan", plan] if with_plan else []))
    assert ran.status == 2
    assert "there is neither a release nor a table called nowhere" in ran.err
