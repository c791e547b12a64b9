"""Every command on the sample: what it says to people, to programs, and by its exit status."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import csv, parquet

from shoal.release.release import Release
from tests.cli.conftest import Shoal


def test_anonymize_writes_a_release_that_verify_finds_to_hold(shoal: Shoal, home: Path, plan: Path) -> None:
    ran = shoal("anonymize", plan, "--out", "released")
    assert ran.status == 0
    assert ran.err == ""
    assert {path.name for path in Path("released").iterdir()} == {"manifest.json", "README.txt", "release.parquet"}
    assert "It holds." in ran.out
    judged = shoal("verify", "released", "--original", home / "sample" / "adult.csv", "--plan", plan, "--json")
    assert judged.status == 0
    assert judged.json["holds"] is True
    assert {finding["judge"] for finding in judged.json["findings"]} == {"outsider", "keeper"}
    assert judged.json["records"] == 5000


def test_anonymize_takes_the_table_as_an_argument_and_writes_csv(shoal: Shoal, home: Path, plan: Path) -> None:
    rows = csv.read_csv(home / "sample" / "adult.csv").slice(0, 1000)
    parquet.write_table(rows, "part.parquet")
    ran = shoal("anonymize", plan, "part.parquet", "--out", "released", "--format", "csv", "--json")
    assert ran.status == 0
    assert ran.json["verdict"]["records"] == 1000
    assert ran.json["tables"] == ["release"]
    assert csv.read_csv("released/release.csv").num_rows == 1000


def test_a_release_is_replaced_only_with_force(shoal: Shoal, plan: Path) -> None:
    assert shoal("anonymize", plan, "--out", "released").status == 0
    before = Path("released/manifest.json").stat().st_mtime_ns
    refused = shoal("anonymize", plan, "--out", "released")
    assert refused.status == 2
    assert "--force" in refused.err
    assert Path("released/manifest.json").stat().st_mtime_ns == before
    assert shoal("anonymize", plan, "--out", "released", "--force").status == 0
    assert Path("released/manifest.json").stat().st_mtime_ns != before


def test_verify_ends_with_1_where_a_promise_is_broken(shoal: Shoal, plan: Path) -> None:
    shoal("anonymize", plan, "--out", "released")
    published = Release.read("released").arrow["release"]
    parquet.write_table(pa.concat_tables([published.slice(0, 1), published.slice(20)]), "released/release.parquet")
    ran = shoal("verify", "released", "--json")
    assert ran.status == 1
    assert ran.json["holds"] is False
    broken = [finding for finding in ran.json["findings"] if not finding["holds"]]
    assert any(finding["what"] == "k = 5" and finding["reached"] < 5 and finding["below"] >= 1 for finding in broken)
    shown = shoal("verify", "released")
    assert shown.status == 1
    assert "It does NOT hold." in shown.out


def test_measure_knows_loss_only_with_the_original(shoal: Shoal, home: Path, plan: Path) -> None:
    shoal("anonymize", plan, "--out", "released")
    alone = shoal("measure", "released", "--json")
    assert alone.status == 0
    assert alone.json["loss"]["whole"]["ncp"] is None
    table = home / "sample" / "adult.csv"
    whole = shoal("measure", "released", "--original", table, "--plan", plan, "--population", table, "--json")
    assert 0 < whole.json["loss"]["whole"]["ncp"] < 1
    assert set(whole.json["loss"]["columns"]) >= {"age", "race"}
    assert whole.json["risk"]["journalist"]["highest"] <= whole.json["risk"]["prosecutor"]["highest"]
    shown = shoal("measure", "released", "--original", table, "--plan", plan)
    assert "native-country" in shown.out
    assert "prosecutor" in shown.out


def test_measure_counts_rules_that_are_found_again(shoal: Shoal, home: Path, plan: Path) -> None:
    shoal("anonymize", plan, "--out", "released")
    given = ("measure", "released", "--original", home / "sample" / "adult.csv", "--plan", plan)
    assert shoal(*given, "--json").json["rules"] is None
    rules = shoal(*given, "--rules", "0.1", "0.6", "--json").json["rules"]
    assert 0 < rules["kept"] < rules["original"]
    shown = shoal(*given, "--rules", "0.1", "0.6").out
    assert f"{rules['original']:,} association rules" in " ".join(shown.split())
    wrong = shoal(*given, "--rules", "0", "0.6")
    assert wrong.status == 2
    assert "support" in wrong.err


def test_methods_lists_what_each_can_promise(shoal: Shoal) -> None:
    ran = shoal("methods", "--json")
    assert ran.status == 0
    [mondrian] = [method for method in ran.json["methods"] if method["name"] == "mondrian"]
    assert mondrian["promises"] == ["k", "l", "t", "size"]
    assert "mondrian" in shoal("methods").out


def test_demo_shows_rows_before_and_after_what_holds_and_what_it_cost(shoal: Shoal, home: Path) -> None:
    ran = shoal("demo", "--out", home / "shown")
    assert ran.status == 0
    assert max(map(len, ran.out.replace(str(home), "").splitlines())) <= 100
    assert "It holds." in ran.out
    assert "NCP" in ran.out
    heads = [i for i, line in enumerate(ran.out.splitlines()) if line.startswith("age ")]
    before, after = (ran.out.splitlines()[i + 2 : i + 7] for i in heads[:2])
    assert len(set(before)) == 5  # people who can be told apart
    assert len({line[: line.index("United-States")] for line in after if "United-States" in line}) <= 1
    assert shoal("verify", home / "shown" / "release").status == 0
    again = shoal("demo", "--out", home / "shown")
    assert again.status == 2
    kept = shoal("demo", "--json")
    assert kept.json["verdict"]["holds"] is True
    assert kept.json["measures"]["records"] == 5000
    assert (Path(kept.json["folder"]) / "release" / "manifest.json").is_file()


def test_the_version_is_that_of_the_package(shoal: Shoal) -> None:
    import shoal as package

    ran = shoal("--version")
    assert (ran.status, ran.out) == (0, f"shoal {package.__version__}\n")


@pytest.mark.parametrize(
    "arguments",
    [[], ["nothing"], ["check"], ["anonymize", "plan.toml"], ["verify"], ["init", "a.csv", "--no-such-option"]],
)
def test_wrong_use_ends_with_2(shoal: Shoal, arguments: list[str]) -> None:
    ran = shoal(*arguments)
    assert ran.status == 2
    assert ran.out == ""
    assert ran.err


def test_wrong_use_is_one_object_with_json(shoal: Shoal) -> None:
    ran = shoal("anonymize", "--json")
    assert ran.status == 2
    assert set(ran.json) == {"error"}
    assert set(ran.json["error"]) == {"kind", "message"}
    assert ran.err == ""


@pytest.mark.parametrize("help", ["--help", "-h"])
@pytest.mark.parametrize("command", ["demo", "init", "check", "anonymize", "verify", "measure", "methods"])
def test_every_command_explains_itself_and_has_json(shoal: Shoal, command: str, help: str) -> None:
    ran = shoal(command, help)
    assert ran.status == 0
    assert "--json" in ran.out


def test_help_loads_nothing_heavy() -> None:
    program = (
        "import sys; from shoal.cli import main; status = main(sys.argv[1:]);"
        "heavy = {'numba', 'pyarrow', 'numpy', 'rich.console', 'pandas', 'polars', 'altair'} & set(sys.modules);"
        "sys.exit(f'loaded: {sorted(heavy)}' if heavy else status)"
    )
    for arguments in (["--help"], ["anonymize", "--help"], ["--version"]):
        done = subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")


def test_the_installed_command_keeps_progress_and_colours_out_of_a_pipe(plan: Path) -> None:
    shoal = Path(sys.executable).parent / "shoal"
    environment = {name: value for name, value in os.environ.items() if name not in {"FORCE_COLOR", "SHOAL_DEBUG"}}
    done = subprocess.run(
        [shoal, "anonymize", plan, "--out", "released", "--json"],
        capture_output=True,
        text=True,
        env=environment,
        check=True,
    )
    assert json.loads(done.stdout)["verdict"]["holds"] is True
    assert done.stderr == ""
    again = subprocess.run(
        [sys.executable, "-m", "shoal", "verify", "released"],
        capture_output=True,
        text=True,
        env=environment,
        check=True,
    )
    assert "\x1b" not in again.stdout
    assert again.stderr == ""


def test_progress_goes_to_a_terminal_only(
    shoal: Shoal, plan: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    ran = shoal("anonymize", plan, "--out", "released", "--json")
    assert ran.json["verdict"]["holds"] is True
    stages = re.findall(r"K(\w+) …", ran.err)
    assert stages == ["reading", "encoding", "grouping", "publishing", "judging"]
    assert ran.err.endswith("\r\x1b[K")  # and nothing is left of it


def test_verify_says_what_two_releases_give_away_together(shoal: Shoal, home: Path, plan: Path) -> None:
    table = home / "sample" / "adult.csv"
    for folder, l in (("old", 3), ("new", 4)):
        finer = Path(plan).with_name(f"{folder}.toml")
        finer.write_text(re.sub(r"(?m)^l = .*$", f"l = {l}", Path(plan).read_text()))
        assert shoal("anonymize", finer, table, "--out", folder).status == 0
    ran = shoal("verify", "new", "--also", "old", "--original", table, "--plan", plan, "--json")
    (note,) = [note for note in ran.json["notes"] if "both releases" in note["says"]]
    assert note["figures"]["people"] == 5000
    assert note["figures"]["possible alone"] >= note["figures"]["possible"] >= 1
    refused = shoal("verify", "new", "--also", "old")
    assert refused.status == 2
    assert "give it too" in refused.err
