"""`shoal stream`: what it prints, and where."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Shoal

PLAN = """
person = "row"
[columns]
age = "quasi-identifying"
disease = { role = "sensitive", domain = ["flu", "gout"] }
[require]
k = 2
t = { disease = 0.5 }
"""
SECRET = "a-planted-secret"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plan.toml").write_text(PLAN)
    lines = [f"{20 + row},{'gout' if row % 2 else 'flu'}" for row in range(40)]
    (tmp_path / "in.csv").write_text("\n".join(["age,disease", *lines]) + "\n")
    return tmp_path


def test_standard_streams(place: Path) -> None:
    command = [sys.executable, "-m", "shoal", "stream", "plan.toml", "--window", "10", "--advance", "5"]
    with (place / "in.csv").open("rb") as given:
        ran = subprocess.run(command, stdin=given, capture_output=True, text=True, check=True)
    assert ran.stdout.startswith('"batch","window","age_min","age_max","age_missing","disease"\n')
    assert len(ran.stdout.splitlines()) == 41
    assert ran.stderr == "40 records in 8 windows: 40 published, 0 left out at the end, 0 not taken\n"


WINDOWS = ("--window", 10, "--advance", 5)


def test_from_a_file_to_a_folder(place: Path, shoal: Shoal) -> None:
    ends = ("--from", "in.csv", "--to", "out", "--state", "state")
    ran = shoal("stream", "plan.toml", *WINDOWS, *ends, "--json")
    assert ran.status == 0
    assert ran.json == {"records": 40, "published": 40, "suppressed": 0, "refused": 0, "windows": 8}
    assert shoal("stream", "plan.toml", *WINDOWS, "--state", "state", "--where").out == "41\n"
    ran = shoal("verify", "out", "--plan", "plan.toml", "--original", "in.csv", *WINDOWS, "--json")
    assert ran.status == 0
    assert {finding["what"] for finding in ran.json["findings"]} >= {"every record left before it expired", "k = 2"}
    (place / "short.csv").write_text("".join((place / "in.csv").read_text().splitlines(keepends=True)[:-1]))
    assert shoal("verify", "out", "--plan", "plan.toml", "--original", "short.csv", *WINDOWS).status == 1
    assert shoal("stream", "plan.toml", *WINDOWS, "--where").status == 2


def test_no_value_is_in_a_message(place: Path, shoal: Shoal) -> None:
    (place / "bad.csv").write_text(f"age,disease\n31,flu\n{SECRET},flu\n32,{SECRET}\n31,flu,{SECRET}\n")
    (place / "typed.toml").write_text(PLAN + '[read]\ntypes = { age = "integer" }\n')
    ran = shoal("stream", "typed.toml", *WINDOWS, "--from", "bad.csv", "--to", "out")
    assert ran.status == 2
    assert ran.err.startswith("shoal: the record at 3 of the input cannot be taken (age: expected integer): ")
    ran = shoal("stream", "typed.toml", *WINDOWS, "--from", "bad.csv", "--to", "out", "--dead-letters", "dead")
    assert ran.status == 0
    assert "1 left out at the end, 3 not taken" in ran.out
    assert SECRET not in ran.out + ran.err
    assert [json.loads(line)["place"] for line in (place / "dead").read_text().splitlines()] == [3, 4, 5]
    assert (place / "dead").stat().st_mode & 0o077 == 0


def test_mistakes(place: Path, shoal: Shoal) -> None:
    assert "whole multiple of the advance" in shoal("stream", "plan.toml", "--window", 7, "--advance", 5).err
    redis = ("--from", "redis://localhost/0?key=a")
    assert "give --state DIR too" in shoal("stream", "plan.toml", *WINDOWS, *redis).err
    (place / "empty.csv").write_text("")
    assert "expected a header" in shoal("stream", "plan.toml", *WINDOWS, "--from", "empty.csv").err
    (place / "other.csv").write_text("age,illness\n1,flu\n")
    assert "have no role" in shoal("stream", "plan.toml", *WINDOWS, "--from", "other.csv").err
    assert "No such file" in shoal("stream", "plan.toml", *WINDOWS, "--from", "none.csv").err
    assert "give both their size" in shoal("verify", "in.csv", "--plan", "plan.toml", "--window", 10).err
    assert "no recorded stream" in shoal("verify", "in.csv", "--plan", "plan.toml", *WINDOWS).err
