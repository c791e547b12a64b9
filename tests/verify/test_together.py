"""What two releases leave possible, beside a slow search through rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.errors import DataError, Unsupported
from shoal.privacy.requirements import LDiversity
from shoal.privacy.verdict import Finding, Note, Verdict
from shoal.release.manifest import PublishedColumn
from shoal.verify import together, views
from shoal.verify.together import Party
from tests.verify.releases import INSENSITIVE, other, quasi

Row = dict[str, Any]


def covers(row: Row, person: Row, names: Sequence[str]) -> bool:
    """Whether a row with ranges, sets and exact values may be a person's."""
    for name in names:
        if f"{name}_min" in row:
            held = row[f"{name}_min"] <= person[name] <= row[f"{name}_max"]
        elif name in row:
            held = str(person[name]) in str(row[name]).strip("{}").split(", ")
        else:
            continue
        if not held:
            return False
    return True


def left(new: list[Row], old: list[Row], person: Row, names: Sequence[str], shared: Sequence[str]) -> tuple[Any, Any]:
    """The values of ``ill`` that are possible by the new release alone, and with the old; None if there is no row."""
    mine = [row for row in new if covers(row, person, names)]
    theirs = [row for row in old if covers(row, person, names)]
    agree = [row for row in mine if not theirs or any(all(row[n] == r[n] for n in shared) for r in theirs)]
    return tuple({row["ill"] for row in rows} - {None} if rows else None for rows in (mine, agree))


def the(verdict: Verdict, kind: type[Any]) -> Any:
    (found,) = verdict.findings if kind is Finding else verdict.notes
    return found


def released(people: pa.Table, low: np.ndarray[Any, Any], lands: Sequence[str], extra: bool) -> Party:
    """A release in ranges of age that may overlap, and sets of lands."""
    age = people["age"].to_numpy()
    width = 3 + low % 4
    start = age - low % width
    land = [next(s for s in lands if value in s) for value in people["land"].to_pylist()]
    table = pa.table(
        {"age_min": start, "age_max": start + width - 1, "land": land, "ill": people["ill"]}
        | ({"year": people["year"]} if extra else {})
    )
    columns: list[PublishedColumn] = [quasi("age", "bounds"), quasi("land", "set"), other("ill")]
    return Party(table, [*columns, *([other("year", INSENSITIVE)] if extra else [])], {})


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 10_000), st.booleans(), st.booleans(), st.integers(1, 3))
def test_what_stays_possible_is_what_a_search_through_rows_finds(seed: int, year: bool, few: bool, l: int) -> None:
    chance = np.random.default_rng(seed)
    n = int(chance.integers(1, 25))
    people = pa.table(
        {
            "age": chance.integers(20, 32, n),
            "land": pa.array(chance.choice(["a", "b", "c"], n)),
            "ill": pa.array(chance.choice(["flu", "cold", "cough", None], n)),
            "year": chance.integers(0, 2, n),
        }
    )
    new = released(people, chance.integers(0, 9, n), ["{a, b}", "c"], extra=True)
    held = chance.permutation(n)[: n - int(few and n > 3)]  # somebody may be missing from the old release
    old = released(people.take(pa.array(held)), chance.integers(0, 9, n)[held], ["a", "{b, c}"], extra=year)
    shared = ["ill", "year"] if year else ["ill"]
    verdict = together.judge(new, old, [LDiversity(l + 0.5, on="ill")], people, ())
    found = [
        left(new.table.to_pylist(), old.table.to_pylist(), person, ["age", "land"], shared)
        for person in people.to_pylist()
    ]
    stay = [both for _, both in found if both is not None]
    note: Note = the(verdict, Note)
    assert note.figures == {
        "people": len(stay),
        "possible": min((len(both) for both in stay if both), default=0),
        "of one value": sum(len(both) == 1 for both in stay),
        "possible alone": min((len(alone) for alone, both in found if both is not None and alone), default=0),
        "of one value alone": sum(len(alone) == 1 for alone, both in found if both is not None),
        "not in both": sum(alone is not None and both is None for alone, both in found),
    }
    finding: Finding = the(verdict, Finding)
    assert finding.asked == l + 1
    assert finding.reached == min(map(len, stay))
    assert finding.records == sum(len(both) <= l for both in stay)


OLD = pa.table({"age": ["[30, 39]"] * 2 + ["[40, 49]"] * 2, "ill": ["flu", "gout", "asthma", "ulcer"]})
NEW = pa.table({"age": ["[34, 44]"] * 2 + ["[30, 49]"] * 2, "ill": ["gout", "ulcer", "flu", "asthma"]})
PEOPLE = pa.table({"age": [31, 35, 44, 49], "ill": ["flu", "gout", "ulcer", "asthma"]})
PLAN = shoal.Plan(
    schema=shoal.Schema(quasi_identifying=["age"], sensitive=["ill"]),
    require=[shoal.KAnonymity(2), shoal.LDiversity(2, on="ill")],
)


def test_two_releases_that_hold_give_away_together_what_neither_does() -> None:
    assert shoal.verify(NEW, PLAN).holds
    assert shoal.verify(OLD, PLAN).holds
    verdict = shoal.verify(NEW, PLAN, PEOPLE, also=OLD)
    finding = next(finding for finding in verdict.findings if "both releases" in finding.what)
    assert (finding.holds, finding.reached, finding.records) == (False, 1, 2)  # who is 31, and who is 49
    assert not verdict.holds


def test_the_same_release_twice_gives_away_nothing_more() -> None:
    note = shoal.verify(OLD, PLAN, PEOPLE, also=OLD).notes[-1]
    assert note.figures["possible"] == note.figures["possible alone"] == 2


def test_what_one_release_shows_exactly_is_known_in_the_other() -> None:
    new = pa.table({"age": ["[31, 35]", "[31, 35]"], "ill": ["flu", "gout"]})
    old = pa.table({"age": [31, 35], "ill": ["flu", "gout"]})
    columns = Party(old, [other("age", INSENSITIVE), other("ill")], {})
    verdict = together.judge(Party(new, [quasi("age", "interval"), other("ill")], {}), columns, [], PEOPLE[:2], ())
    assert verdict.notes[0].figures["possible"] == 1


def test_without_l_it_is_said_but_not_judged() -> None:
    plan = shoal.Plan(schema=PLAN.schema, require=[shoal.KAnonymity(2)])
    verdict = shoal.verify(NEW, plan, PEOPLE, also=OLD)
    assert not [finding for finding in verdict.findings if "both releases" in finding.what]
    assert "only one for 2 of 4 people" in verdict.notes[-1].says


def test_of_many_people_some_are_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(views, "_PAIRS", 4)
    note = shoal.verify(NEW, PLAN, PEOPLE, also=OLD).notes[-1]
    assert "of all 4 were looked for" in note.says


def test_an_empty_release() -> None:
    verdict = shoal.verify(NEW, PLAN, PEOPLE, also=OLD.slice(0, 0))
    assert verdict.notes[-1].figures["possible"] == 2  # the old release says nothing


def test_what_cannot_be_said() -> None:
    with pytest.raises(DataError, match="give it too"):
        shoal.verify(NEW, PLAN, also=OLD)
    centres = shoal.anonymize(
        PEOPLE, shoal.Plan(schema=PLAN.schema, require=[shoal.KAnonymity(2)], form=shoal.Centres())
    )
    with pytest.raises(Unsupported, match="centres"):
        shoal.verify(NEW, PLAN, PEOPLE, also=centres)
