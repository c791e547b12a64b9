"""Bounds are those of all tables that could have been published so, and estimates their mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.measure.queries.answering import Answer, answers
from shoal.measure.queries.question import Between, aggregate, questions
from shoal.measure.queries.sheets import Sheets
from shoal.release.manifest import Layout, PublishedColumn
from shoal.release.published import Published
from tests.measure.queries import worlds
from tests.measure.queries.worlds import ANATOMY, JOBS, SLICES, Cell, Meets, Slices, World

AGE = PublishedColumn("age", "quasi-identifying", "bounds", ("age_min", "age_max", "age_missing"))
JOB = PublishedColumn("job", "quasi-identifying", "set", ("job",))
PAY = PublishedColumn("pay", "sensitive", "value", ("pay",))
ILL = PublishedColumn("ill", "sensitive", "value", ("ill",))
ADDED = [PublishedColumn(name, "added", name, (name,)) for name in ("class", "count")]  # type: ignore[arg-type]
ILLS = ("flu", "gout", None)

some_ages = st.tuples(st.integers(18, 21), st.integers(0, 2)).map(lambda a: tuple(range(a[0], a[0] + a[1] + 1)))
some_jobs = st.lists(st.sampled_from(JOBS), min_size=1, max_size=2, unique=True).map(tuple)
pays = st.one_of(st.none(), st.integers(-2, 3))
told = st.builds(Cell, some_ages, some_jobs, pays)
gaps = st.builds(Cell, st.one_of(some_ages, some_ages.map(lambda a: (*a, None)), st.just((None,))), some_jobs, pays)
exact = st.sampled_from([(18,), (19,), (None,)])
rounded = st.sampled_from([(18,), (19,), (18, 19), (None,)])


def classes_of(ages: st.SearchStrategy[tuple[int | None, ...]]) -> st.SearchStrategy[list[list[Cell]]]:
    """Up to two classes of people."""
    people = st.builds(Cell, ages, st.sampled_from(JOBS).map(lambda job: (job,)), pays, st.sampled_from(ILLS))
    return st.tuples(*(st.lists(people, max_size=most) for most in (3, 2))).map(
        lambda two: [held for held in two if held]
    )


Wish = tuple[dict[str, Any], Meets]


def sheets_of_cells(published: Sequence[Cell]) -> Sheets:
    table = columns_of(published).append_column("pay", pa.array([cell.pay for cell in published], pa.int64()))
    return Sheets(Published({"release": table}, [AGE, JOB, PAY]), {}, own=True)


def columns_of(published: Sequence[Cell]) -> pa.Table:
    known = [[age for age in cell.ages if age is not None] for cell in published]
    states = [
        "all" if not ages else "some" if None in cell.ages else "none"
        for ages, cell in zip(known, published, strict=True)
    ]
    return pa.table(
        {
            "age_min": pa.array([min(ages, default=None) for ages in known], pa.int16()),
            "age_max": pa.array([max(ages, default=None) for ages in known], pa.int16()),
            "age_missing": pa.array(states, pa.string()),
            "job": pa.array(["{" + ", ".join(cell.jobs) + "}" for cell in published], pa.string()),
        }
    )


def sheets_of_classes(classes: Sequence[Sequence[Cell]]) -> Sheets:
    rows = [(10 * number, cell) for number, held in enumerate(classes) for cell in held]
    numbers = pa.array([number for number, _ in rows], pa.int64())
    tables = {"qit": columns_of([cell for _, cell in rows]).append_column("class", numbers)}
    for column, kind in ((PAY, pa.int64()), (ILL, pa.string())):
        held = pa.array([getattr(cell, column.name) for _, cell in rows], kind)
        counted = (
            pa.table({"class": numbers, column.name: held})
            .group_by(["class", column.name])
            .aggregate([([], "count_all")])
        )
        tables[f"sat_{column.name}"] = counted.rename_columns(["class", column.name, "count"])
    return Sheets(Published(tables, [AGE, JOB, PAY, ILL, *ADDED], "anatomy"), {}, own=True)


def sheets_of_slices(buckets: Sequence[Sequence[Cell]], slices: Sequence[Slices]) -> Sheets:
    rows = [(number, cell) for number, held in enumerate(buckets, start=1) for cell in held]
    table = columns_of([cell for _, cell in rows]).append_column("bucket", pa.array([n for n, _ in rows], pa.int64()))
    for column, kind in ((PAY, pa.int64()), (ILL, pa.string())):
        table = table.append_column(column.name, pa.array([getattr(cell, column.name) for _, cell in rows], kind))
    layouts = [Layout(held, number, number) for number, held in enumerate(slices, start=1)]
    bucket = PublishedColumn("bucket", "added", "bucket", ("bucket",))
    return Sheets(Published({"release": table}, [bucket, AGE, JOB, PAY, ILL], "slices", {}, layouts), {}, own=True)


@st.composite
def wishes(draw: st.DrawFn, columns: Sequence[str]) -> Wish:
    """What is asked of some columns, and whether a record meets it."""
    where: dict[str, Any] = {}
    meets: list[Meets] = []
    for name in draw(st.lists(st.sampled_from(columns), unique=True)):
        if name in ("age", "pay") and draw(st.booleans()):
            ends = (18, 23) if name == "age" else (-2, 3)
            low, high = sorted(draw(st.tuples(st.integers(*ends), st.integers(*ends))))
            where[name] = Between(low, high)
            meets.append(lambda r, n=name, a=low, b=high: getattr(r, n) is not None and a <= getattr(r, n) <= b)
        else:
            pool = {"age": [18, 19, 20, 22, None], "pay": [-2, -1, 0, 3, None], "job": [*JOBS], "ill": [*ILLS]}[name]
            values = draw(st.lists(st.sampled_from(pool), min_size=1, unique=True))
            where[name] = values
            meets.append(lambda r, n=name, v=tuple(values): getattr(r, n) in v)
    return where, lambda record: all(one(record) for one in meets)


def check(answer: Answer, possible: Sequence[World], kind: str, column: str | None, meets: Meets, mean: bool) -> None:
    """The bounds are the least and the greatest answer of all worlds."""
    found = list(worlds.answers(possible, kind, column, meets))
    known = [one for one in found if one is not None]
    if not known:
        assert (answer.estimate, answer.low, answer.high) == (None, None, None)
        return
    assert answer.low == pytest.approx(float(min(known)))
    assert answer.high == pytest.approx(float(max(known)))
    if mean and kind != "AVG":
        assert answer.estimate == pytest.approx(float(sum(known) / len(known)))
    if mean and kind == "AVG":  # the ratio of both estimates
        total, count = (
            sum(worlds.answers(possible, part, of, lambda r: meets(r) and getattr(r, str(column)) is not None))  # type: ignore[arg-type]
            for part, of in (("SUM", column), ("COUNT", None))
        )
        assert answer.estimate == pytest.approx(float(total / count))


def ask(sheets: Sheets, what: str, where: Mapping[str, Any]) -> Answer:
    return answers(sheets, aggregate(what), questions(where), 0)[0]


@settings(max_examples=300)
@given(st.lists(told, max_size=3), wishes(["age", "job", "pay"]), st.sampled_from(["COUNT", "SUM", "AVG"]), st.data())
def test_cells(published: list[Cell], wish: Wish, kind: str, data: st.DataObject) -> None:
    column = None if kind == "COUNT" else data.draw(st.sampled_from(["age", "pay"]))
    answer = ask(sheets_of_cells(published), f"{kind}({column or '*'})", wish[0])
    check(answer, worlds.of_cells(published), kind, column, wish[1], mean=True)


@settings(max_examples=200)
@given(st.lists(gaps, max_size=3), wishes(["age", "job", "pay"]), st.sampled_from(["COUNT", "SUM", "AVG"]), st.data())
def test_cells_with_gaps(published: list[Cell], wish: Wish, kind: str, data: st.DataObject) -> None:
    """How many of a class are missing is not told, so the estimate is another."""
    column = None if kind == "COUNT" else data.draw(st.sampled_from(["age", "pay"]))
    answer = ask(sheets_of_cells(published), f"{kind}({column or '*'})", wish[0])
    check(answer, worlds.of_cells(published), kind, column, wish[1], mean=False)
    if answer.estimate is not None:
        assert answer.low is not None
        assert answer.high is not None
        assert answer.low - 1e-9 <= answer.estimate <= answer.high + 1e-9


@settings(max_examples=200)
@given(
    st.one_of(classes_of(exact), classes_of(rounded)),
    wishes(["age", "job", "pay", "ill"]),
    st.sampled_from(["COUNT", "SUM", "AVG"]),
    st.data(),
)
def test_classes(classes: list[list[Cell]], wish: Wish, kind: str, data: st.DataObject) -> None:
    column = None if kind == "COUNT" else data.draw(st.sampled_from(["age", "pay"]))
    answer = ask(sheets_of_classes(classes), f"{kind}({column or '*'})", wish[0])
    check(answer, worlds.of_classes(classes, [ANATOMY] * len(classes)), kind, column, wish[1], mean=True)


@settings(max_examples=200)
@given(
    st.one_of(classes_of(exact), classes_of(rounded)),
    wishes(["age", "job", "pay", "ill"]),
    st.sampled_from(["COUNT", "SUM", "AVG"]),
    st.data(),
)
def test_slices(buckets: list[list[Cell]], wish: Wish, kind: str, data: st.DataObject) -> None:
    """Each bucket may be sliced in its own way."""
    column = None if kind == "COUNT" else data.draw(st.sampled_from(["age", "pay"]))
    slices = [data.draw(st.sampled_from(SLICES)) for _ in buckets]
    answer = ask(sheets_of_slices(buckets, slices), f"{kind}({column or '*'})", wish[0])
    check(answer, worlds.of_classes(buckets, slices), kind, column, wish[1], mean=True)
