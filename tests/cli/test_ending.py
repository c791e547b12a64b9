"""How commands fail: the status, one message, and never a value of the table."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from pathlib import Path

import pytest

from shoal import _run
from shoal.cli import ending
from tests.cli.conftest import Shoal

SECRET = "Zyx9secret"
PLAN = """
table = "{table}"
{top}
[read]
missing = ["", "?"]
{read}
[columns]
name = "identifying"
age = {{ role = "quasi-identifying"{age} }}
town = {{ role = "quasi-identifying"{town} }}
ill = "sensitive"
seen = "insensitive"
[require]
{require}
"""


def write(
    rows: str,
    *,
    table: str = "people.csv",
    top: str = "",
    read: str = "",
    age: str = "",
    town: str = "",
    require: str = "k = 2",
) -> None:
    Path(table).write_text(rows, encoding="utf-8")
    Path("plan.toml").write_text(
        PLAN.format(table=table, top=top, read=read, age=age, town=town, require=require), encoding="utf-8"
    )


def people(count: int = 12, *, ill: str = "{i}", seen: str = "2020", age: str = "{i}") -> str:
    """A table in which every column holds the secret somewhere."""
    rows = ["name,age,town,ill,seen"]
    for i in range(count):
        told = (age.format(i=i), f"{SECRET}-{i % 2}", ill.format(i=i % 3) + SECRET, seen.format(i=i))
        rows.append(",".join((f"{SECRET}{i}", *told)))
    return "\n".join(rows) + "\n"


HIERARCHY = {
    "whole": f"{SECRET}-0;a;*\n{SECRET}-1;b;*\n",
    "torn": f"{SECRET}-0;a;*\n{SECRET}-0;b;*\n",
    "lacking": "x;*\n",
}

NAMED_TWICE = "name,age,town,ill,seen\n" + "".join(f"{SECRET}{i},{i},x,{SECRET}{i},y\n" for i in range(12))

#: What goes wrong, what is written, the exit status, and a word of the message.
WRONG = {
    "a field too many": (people() + "a,b,c,d,e,f\n", {}, 2, "fields"),
    "text for a number": (people(age=SECRET), {"age": ", top = 90"}, 2, "age"),
    "text read as a number": (people(age=SECRET + "{i}"), {"read": 'types = { age = "integer" }'}, 2, "age"),
    "a hierarchy that lacks values": (people(), {"town": ', hierarchy = "lacking.csv"'}, 2, "town"),
    "a hierarchy that contradicts itself": (people(), {"town": ', hierarchy = "torn.csv"'}, 2, "town"),
    "unique in an insensitive column": (people(seen=SECRET + "{i}"), {}, 2, "seen"),
    "l that is too large": (people(), {"require": "l = 7"}, 3, "l = 7"),
    "k that is too large": (people(), {"require": "k = 50"}, 3, "12"),
    "ordered t on text": (people(), {"require": 't = { ill = { max = 0.1, distance = "ordered" } }'}, 2, "ill"),
    "people with several rows, and l": (people() + people(12).split("\n", 1)[1], {"require": "l = 2"}, 2, "person"),
    "names under another title": (NAMED_TWICE, {}, 2, "ill repeats name"),
    "two columns of one name": (people().replace("seen", "ill", 1), {}, 2, "more than once"),
    "a column without a role": (people().replace("seen", "other", 1), {}, 2, "other"),
    "an unclosed quote": (people() + '"' + SECRET, {}, 2, "people.csv"),
    "no table": ("", {}, 2, "header"),
}


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in HIERARCHY.items():
        Path(f"{name}.csv").write_text(text)


@pytest.mark.parametrize("case", WRONG)
@pytest.mark.parametrize("command", ["check", "anonymize"])
def test_what_is_wrong_is_said_without_values(shoal: Shoal, command: str, case: str) -> None:
    rows, how, status, word = WRONG[case]
    write(rows, **how)
    arguments = [command, "plan.toml", *(["--out", "released"] if command == "anonymize" else [])]
    told, as_json = shoal(*arguments), shoal(*arguments, "--json")
    assert told.status == as_json.status == status
    assert word in (told.err if command == "anonymize" else told.out)
    assert word in as_json.json["error"]["message"]
    assert as_json.json["error"]["kind"] in {"DataError", "Unachievable", "Unsupported"}
    assert as_json.err == ""
    if command == "anonymize":
        assert told.out == ""
        assert set(as_json.json) == {"error"}
        assert set(as_json.json["error"]) == {"kind", "message"}
    for said in (*told[1:], *as_json[1:]):
        assert SECRET not in said
    assert not Path("released").exists()


def test_a_sound_plan_says_no_values_either(shoal: Shoal) -> None:
    write(people(24), town=', hierarchy = "whole.csv"', require="k = 2\nl = 2")
    for arguments in (
        ("check", "plan.toml"),
        ("anonymize", "plan.toml", "--out", "released"),
        ("verify", "released", "--original", "people.csv", "--plan", "plan.toml"),
        ("measure", "released", "--original", "people.csv", "--plan", "plan.toml"),
        ("init", "people.csv", "--out", "proposed.toml"),
    ):
        for more in ((), ("--json",), ()):
            ran = shoal(*arguments, *more, *(("--force",) if arguments[0] in {"init", "anonymize"} else ()))
            assert ran.status == 0
            assert SECRET not in ran.out + ran.err
    assert SECRET not in Path("proposed.toml").read_text(encoding="utf-8")


def test_a_plan_with_five_mistakes_lists_all_five(shoal: Shoal) -> None:
    write(
        people(),
        top='persn = "row"\n',
        age=", bottom = 9, top = 3",
        town=', hierarchy = "none.csv"',
        require="k = 1\nl = 0",
    )
    for arguments in (("check", "plan.toml"), ("anonymize", "plan.toml", "--out", "released")):
        said = shoal(*arguments, "--json").json["error"]["message"]
        assert [
            word for word in ("persn", "columns.age", "town.hierarchy", "require.k", "require.l") if word not in said
        ] == []
        shown = shoal(*arguments)
        assert shown.status == 2
    assert "5 mistakes" in shown.err


def test_check_goes_on_to_the_table_when_the_plan_has_mistakes(shoal: Shoal) -> None:
    write(people().replace("seen", "other", 1), require="k = 1", town=', hierarchy = "torn.csv"')
    faults = shoal("check", "plan.toml", "--json").json["faults"]
    assert {fault["where"] for fault in faults if fault["level"] == "error"} >= {"require.k", "table", "columns.town"}


@pytest.mark.parametrize("error", [ValueError(SECRET), KeyError(SECRET), RuntimeError(SECRET), AssertionError(SECRET)])
def test_an_unexpected_error_is_one_message_without_its_text(
    shoal: Shoal, error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.delenv("SHOAL_DEBUG", raising=False)
    monkeypatch.setattr(_run, "prepare", fail)
    write(people())
    ran = shoal("anonymize", "plan.toml", "--out", "released")
    assert ran.status == 2
    assert f"unexpected error of type {type(error).__name__}; please report; nothing was written" in ran.err
    assert SECRET not in ran.out + ran.err
    as_json = shoal("anonymize", "plan.toml", "--out", "released", "--json")
    assert as_json.json["error"]["kind"] == type(error).__name__
    assert SECRET not in as_json.out + as_json.err
    monkeypatch.setenv("SHOAL_DEBUG", "1")
    assert "Traceback" in shoal("anonymize", "plan.toml", "--out", "released").err


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written_is_said_plainly(shoal: Shoal) -> None:
    write(people())
    Path("closed").mkdir(mode=0o500)
    ran = shoal("anonymize", "plan.toml", "--out", "closed/released")
    assert ran.status == 2
    assert "Permission denied" in ran.err


def test_a_file_in_the_way_is_said_plainly(shoal: Shoal) -> None:
    write(people())
    ran = shoal("anonymize", "plan.toml", "--out", "people.csv/released")
    assert ran.status == 2
    assert "the operating system refused" in ran.err or "is a file" in ran.err
    assert "unexpected" not in ran.err


def test_an_interruption_is_no_traceback(shoal: Shoal, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(_run, "prepare", interrupt)
    write(people())
    ran = shoal("anonymize", "plan.toml", "--out", "released")
    assert ran.status == ending.INTERRUPTED
    assert ran.err == "shoal: interrupted; nothing was written\n"


def test_a_reader_who_has_seen_enough_is_no_error_and_no_success() -> None:
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {sys.executable} -m shoal methods | true"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    assert done.returncode == ending.UNREAD


def test_compressed_tables_are_read(shoal: Shoal) -> None:
    write(people(), table="people.csv")
    Path("people.csv.gz").write_bytes(gzip.compress(people().encode()))
    assert shoal("check", "plan.toml", "people.csv.gz").status == 0


def test_a_terminal_that_lacks_letters_is_no_error(tmp_path: Path) -> None:
    write(people().replace("town", "Straße", 1))
    plan = Path("plan.toml")
    plan.write_text(plan.read_text(encoding="utf-8").replace("\ntown", '\n"Straße"'), encoding="utf-8")
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    done = subprocess.run(
        [sys.executable, "-m", "shoal", "init", "people.csv", "--out", "proposed.toml"],
        capture_output=True,
        env=environment,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
