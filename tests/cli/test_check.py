"""What `shoal check` finds, and what it says can be reached: held against anonymize itself."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal as package
from shoal._check import Findings, check
from shoal.errors import ShoalError
from tests.cli.conftest import Shoal

SCHEMA = package.Schema(quasi_identifying=["age"], sensitive=["ill"])


def plan(*require: object, suppress: float = 0.0, schema: package.Schema = SCHEMA, **more: object) -> package.Plan:
    return package.Plan(schema, list(require), suppress=suppress, **more)  # type: ignore[arg-type]


def table(ill: list[str | None]) -> pa.Table:
    return pa.table({"age": list(range(len(ill))), "ill": pa.array(ill, pa.string())})


def messages(found: Findings, *levels: str) -> list[str]:
    return [fault.says for fault in found.faults if fault.level in levels]


@settings(max_examples=60, deadline=None)
@given(
    ill=st.lists(st.sampled_from(["a", "b", "c", None]), max_size=12),
    k=st.integers(2, 5),
    l=st.sampled_from([1.5, 2, 3]),
    kind=st.sampled_from(["frequency", "distinct", "entropy"]),
    suppress=st.sampled_from([0.0, 0.3, 1.0]),
)
def test_check_says_what_anonymize_would_do(
    ill: list[str | None], k: int, l: float, kind: str, suppress: float
) -> None:
    l = int(l) + 1 if kind == "distinct" else l
    asked = plan(package.KAnonymity(k), package.LDiversity(l, "ill", kind), suppress=suppress)  # type: ignore[arg-type]
    found = check(asked, table(ill))
    try:
        package.anonymize(table(ill), asked)
        status = 0
    except ShoalError as error:
        status = error.exit_status
    assert found.exit_status == status


@settings(max_examples=60, deadline=None)
@given(ill=st.lists(st.sampled_from("abcd"), min_size=2, max_size=14))
def test_the_largest_l_and_k_can_be_kept_and_no_more(ill: list[str]) -> None:
    reach = {reach.what: reach for reach in check(plan(package.KAnonymity(2)), table(list(ill))).reach}
    largest = reach["l on ill"].largest
    assert largest == pytest.approx(len(ill) / max(map(ill.count, ill)))
    assert reach["l on ill"].commonest == pytest.approx(max(map(ill.count, ill)) / len(ill))
    assert reach["k = 2"].largest == len(ill)
    assert check(plan(package.KAnonymity(len(ill))), table(list(ill))).holds
    assert check(plan(package.KAnonymity(len(ill) + 1)), table(list(ill))).exit_status == 3
    if largest is not None and largest > 1:
        assert check(plan(package.LDiversity(largest, "ill")), table(list(ill))).holds
    assert check(plan(package.LDiversity((largest or 1) + 0.01, "ill")), table(list(ill))).exit_status == 3


@settings(max_examples=60, deadline=None)
@given(ill=st.lists(st.sampled_from(["a", "b", "c", None]), min_size=3, max_size=12), l=st.sampled_from([2, 2.5, 3]))
def test_as_many_as_are_said_must_be_left_out(ill: list[str | None], l: float) -> None:
    asked = package.LDiversity(l, "ill")
    [reach] = check(plan(asked), table(ill)).reach
    if reach.leave_out is None:
        assert check(plan(asked, suppress=1 - 1 / len(ill)), table(ill)).exit_status == 3
    else:
        enough, fewer = (max(reach.leave_out - less, 0) / len(ill) for less in (0, 1))
        assert check(plan(asked, suppress=enough), table(ill)).holds
        if reach.leave_out:
            assert check(plan(asked, suppress=fewer), table(ill)).exit_status == 3


def test_people_are_counted_where_rows_are_not_people() -> None:
    visits = pa.table({"who": ["a", "a", "b", "c"], "age": [1, 2, 3, 4], "ill": ["x", "y", "x", "y"]})
    schema = package.Schema(identifying=["who"], quasi_identifying=["age"], sensitive=["ill"])
    found = check(plan(package.KAnonymity(3), schema=schema), visits)
    assert (found.records, found.people, found.exit_status) == (4, 3, 0)
    assert check(plan(package.KAnonymity(4), schema=schema), visits).exit_status == 3
    assert check(plan(package.LDiversity(2), schema=schema), visits).exit_status == 2
    assert check(plan(package.LDiversity(2), schema=schema, person="row"), visits).exit_status == 0


def test_whoever_is_taken_for_one_person_is_said_until_the_plan_says_it() -> None:
    visits = pa.table({"visit": [1, 2, 3], "who": ["a", "a", "b"], "age": [1, 2, 3], "ill": ["x", "y", "x"]})
    schema = package.Schema(identifying=["visit", "who"], quasi_identifying=["age"], sensitive=["ill"])
    found = check(plan(package.KAnonymity(2), schema=schema), visits)
    assert found.people == 2
    assert any("who repeats values" in says for says in messages(found, "note"))
    found = check(plan(package.KAnonymity(2), schema=schema, person="who"), visits)
    assert not any("repeats values" in says for says in messages(found, "note"))


def test_extremes_that_few_hold_are_pointed_out_until_they_are_coded() -> None:
    ages = pa.table({"age": [30, 30, 30, 99], "ill": ["x", "y", "x", "y"]})
    assert any("say top" in says for says in messages(check(plan(package.KAnonymity(2)), ages), "note"))
    coded = package.Schema(quasi_identifying={"age": package.numeric(top=90)}, sensitive=["ill"])
    assert not any(
        "say top" in says for says in messages(check(plan(package.KAnonymity(2), schema=coded), ages), "note")
    )


def test_every_hierarchy_is_looked_over(shoal: Shoal, plan: Path, home: Path) -> None:
    for name in ("race", "sex"):
        file = home / "sample" / "hierarchies" / f"{name}.csv"
        file.write_text(file.read_text(encoding="utf-8").split("\n", 1)[1], encoding="utf-8")
    ran = shoal("check", plan, "--json")
    assert ran.status == 2
    wrong = [fault for fault in ran.json["faults"] if fault["level"] == "error"]
    assert {fault["where"] for fault in wrong} == {"columns.race", "columns.sex"}
    assert all("values of the table missing from the file: 1" in fault["says"] for fault in wrong)


def test_a_plan_alone_is_checked_without_a_table(shoal: Shoal, plan: Path) -> None:
    plan.write_text(plan.read_text(encoding="utf-8").replace('table = "adult.csv"', ""), encoding="utf-8")
    ran = shoal("check", plan, "--json")
    assert ran.status == 0
    assert ran.json["records"] is None
    assert any(fault["where"] == "table" and fault["level"] == "note" for fault in ran.json["faults"])


@pytest.mark.parametrize("text", ["k = ", "\x00", "[columns]\n", "x = 1"])
def test_what_is_no_plan_is_said_so(shoal: Shoal, tmp_path: Path, text: str) -> None:
    (tmp_path / "plan.toml").write_text(text)
    ran = shoal("check", tmp_path / "plan.toml", "--json")
    assert ran.status == 2
    assert ran.json["error"]["kind"] == "PlanError"
    assert shoal("check", tmp_path / "nowhere.toml").status == 2


def test_what_is_shown_can_be_asked_for(shoal: Shoal, plan: Path) -> None:
    shown = shoal("check", plan).out
    assert "7.102" in shown  # 7.1022…, rounded down
    text = plan.read_text(encoding="utf-8")
    for l, status in (("7.102", 0), ("7.11", 3)):
        plan.write_text(text.replace("\nl = 3", f"\nl = {l}"), encoding="utf-8")
        assert shoal("check", plan).status == status
