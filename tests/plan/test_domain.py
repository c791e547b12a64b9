"""The domain of a sensitive column: what a plan may say, and what a table is held to."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import shoal
from shoal.errors import DataError, PlanError, Unsupported

TOML = """
[columns]
age = "quasi-identifying"
pay = {{ role = "{role}", {says} }}
[require]
k = 2
"""


def _read(tmp_path: Path, says: str, role: str = "sensitive") -> shoal.Plan:
    path = tmp_path / "plan.toml"
    path.write_text(TOML.format(says=says, role=role))
    return shoal.Plan.read(path)


@pytest.mark.parametrize(
    ("says", "values"),
    [
        ("domain = [1, 2, 5]", (1, 2, 5)),
        ("domain = [0.5, 1]", (0.5, 1)),
        ('domain = ["low", "high"]', ("low", "high")),
        ("domain = { bottom = 10, top = 50, step = 20 }", (10, 30, 50)),
        ("domain = { bottom = 1, top = 3 }", (1, 2, 3)),
        ("domain = { bottom = 0, top = 1, step = 0.25 }", (0, 0.25, 0.5, 0.75, 1)),
    ],
)
def test_domains(says: str, values: tuple[Any, ...], tmp_path: Path) -> None:
    (column,) = _read(tmp_path, says).sensitive
    assert column.coarsening == shoal.domain(values)
    assert column.stays_text == isinstance(values[0], str)


@pytest.mark.parametrize(
    "says",
    [
        "domain = []",
        "domain = [1]",
        "domain = [2, 1]",
        "domain = [1, 1]",
        'domain = ["a", "a"]',
        'domain = [1, "a"]',
        "domain = [true, false]",
        'domain = "a"',
        "domain = { bottom = 1 }",
        "domain = { bottom = 1, top = 0 }",
        "domain = { bottom = 0, top = 1, step = 0.3 }",
        'domain = { bottom = 0, top = 1, step = "a" }',
        "domain = { bottom = 0, top = 9, step = 0 }",
        "domain = { bottom = 0, top = 9e9 }",
    ],
)
def test_what_is_no_domain(says: str, tmp_path: Path) -> None:
    with pytest.raises(PlanError) as caught:
        _read(tmp_path, says)
    assert [problem.key for problem in caught.value.problems] == ["columns.pay.domain"]


def test_a_domain_is_of_sensitive_columns_and_no_hierarchy_besides(tmp_path: Path) -> None:
    for role, says, key in (
        ("quasi-identifying", "domain = [1, 2]", "columns.pay.domain"),
        ("insensitive", "domain = [1, 2]", "columns.pay.domain"),
        ("sensitive", 'domain = [1, 2], hierarchy = { a = ["b"] }', "columns.pay"),
        ("sensitive", "domain = [1, 2], top = 3", "columns.pay.top"),
    ):
        with pytest.raises(PlanError) as caught:
            _read(tmp_path, says, role)
        assert key in [problem.key for problem in caught.value.problems]


def test_a_table_holds_no_other_values(tmp_path: Path) -> None:
    plan = _read(tmp_path, "domain = { bottom = 1, top = 4 }")
    for pay in ([1, 2, None, 4], [1.0, 2.0, 3.0, 3.0]):
        assert shoal.anonymize(pa.table({"age": [1, 2, 3, 4], "pay": pay}), plan).verdict.holds  # type: ignore[union-attr]
    for strange in ([1, 2, 3, 5], [1.5, 2, 3, 4], ["1", "2", "3", "4"]):
        with pytest.raises(DataError, match="not in the domain"):
            shoal.anonymize(pa.table({"age": [1, 2, 3, 4], "pay": strange}), plan)


def test_values_are_neither_shown_nor_pickled() -> None:
    held = shoal.domain(["a-secret", "another"])
    assert "secret" not in repr(held)
    assert copy.deepcopy(held) is held
    with pytest.raises(Unsupported):
        pickle.dumps(held)
