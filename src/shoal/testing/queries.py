"""Whether answers bound the truth: random queries of random releases, answered again record by record.

    from shoal.testing import check_queries

    def test_my_form() -> None:
        check_queries(MyForm)

The truth is that of the published records. It lies between the bounds, as does the estimate; what is asked of a single
column that is published as it is has one answer.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, Literal

from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

import shoal
from shoal.errors import ShoalError
from shoal.measure.queries.answering import Answer
from shoal.measure.queries.question import Between
from shoal.plan.forms import Form
from shoal.plan.plan import Plan
from shoal.release.release import Release
from shoal.schema.hierarchy import Hierarchy
from shoal.testing import oracle
from shoal.testing.cells import Original
from shoal.testing.contract import ROW, outcome, with_rows
from shoal.testing.plans import plans
from shoal.testing.tables import tables

__all__ = ["Asked", "check_queries", "truth"]

#: Sums of floats in another order differ in their last bits.
_NEAR = 1e-9
#: From here on, not every whole number is a float.
_LAST_EXACT = 1 << 53
_INCLUSIVE: tuple[Literal["both", "low", "high", "neither"], ...] = ("both", "low", "high", "neither")

Meets = Callable[[Original], bool]


@dataclass(frozen=True)
class Asked:
    """A query as it is put, and the same for single records."""

    kind: Literal["COUNT", "SUM", "AVG"]
    column: str | None
    where: Mapping[str, Any]
    meets: Mapping[str, Meets]

    @property
    def what(self) -> str:
        return "COUNT(*)" if self.column is None else f"{self.kind}({json.dumps(self.column)})"


def truth(asked: Asked, records: Sequence[oracle.Record]) -> tuple[Fraction | None, float]:
    """The answer of these records, None for the mean of none; and how large the numbers in it are in all."""
    met = [record for record in records if all(meets(record[name]) for name, meets in asked.meets.items())]
    if asked.column is None:
        return Fraction(len(met)), 0.0
    held = [Fraction(record[asked.column].value) for record in met if record[asked.column].value is not None]
    large = float(sum((abs(Fraction(r[asked.column].value or 0)) for r in records), Fraction(0)))
    if asked.kind == "SUM":
        return sum(held, Fraction(0)), large
    return (sum(held, Fraction(0)) / len(held) if held else None), large


def check_queries(form: type[Form], *, examples: int = 100) -> None:
    """Queries of releases in a form, whichever method made the classes, have answers that hold."""

    @settings(max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.data())
    def holds(data: st.DataObject) -> None:
        table = data.draw(tables(max_rows=60))
        table, plan = with_rows(table, data.draw(plans(table, form=form())))
        release = outcome(lambda: shoal.anonymize(table, plan))
        if isinstance(release, ShoalError):
            return
        event("a release")
        records = oracle.records_of(table, plan.read_options.missing)
        _check(data, release, plan, records)

    holds()


def _check(data: st.DataObject, release: Release, plan: Plan, records: Sequence[oracle.Record]) -> None:
    """Some queries at once, and one of them by itself."""
    rows = next(iter(release.arrow.values())).column(ROW).to_pylist()
    published = [records[row] for row in rows]
    kind, column = data.draw(_wanted(plan, records))
    some = data.draw(st.lists(questions(kind, column, plan, records), min_size=1, max_size=4))
    answers = shoal.query(release, some[0].what, [asked.where for asked in some], plan=plan)
    for asked, answer in zip(some, answers, strict=True):
        check_answer(answer, asked, published)
        assert answer.suppressed == len(records) - len(published)
        if _is_told(asked, release, published):
            assert answer.low == answer.high, "what is published as it is has one answer"
    assert shoal.query(release, some[0].what, some[0].where, plan=plan) == answers[0]


def check_answer(answer: Answer, asked: Asked, published: Sequence[oracle.Record]) -> None:
    """The truth and the estimate lie between the bounds."""
    expected, large = truth(asked, published)
    slack = _NEAR * (large + 1)
    assert answer.records == len(published)
    if answer.low is None or answer.high is None:
        assert asked.kind == "AVG", "only a mean may have no answer"
        assert expected is None, "records are asked for that the bounds do not know of"
        return
    for figure in (expected, answer.estimate):
        if figure is not None:
            assert answer.low - slack <= float(figure) <= answer.high + slack, (asked.what, answer, float(figure))


def _is_told(asked: Asked, release: Release, published: Sequence[oracle.Record]) -> bool:
    """Whether nothing is asked but one column that is published exactly, in numbers that a float tells apart."""
    names = {*asked.where, *([] if asked.column is None else [asked.column])}
    column = next((c for c in release.manifest.columns if names == {c.name}), None)
    if column is None or column.shown != "value" or (column.bottom, column.top) != (None, None):
        return False
    held = _values(published, column.name)
    return not _is_number(held) or all(abs(original.value) < _LAST_EXACT for original in held)


# -- random queries -----------------------------------------------------------------------------------------


@st.composite
def _wanted(draw: st.DrawFn, plan: Plan, records: Sequence[oracle.Record]) -> tuple[Any, str | None]:
    numeric = [name for name in _names(plan) if _is_number(_values(records, name)) and not _tree(plan, name)]
    kind = draw(st.sampled_from(["COUNT", "SUM", "AVG"] if numeric else ["COUNT"]))
    return kind, None if kind == "COUNT" else draw(st.sampled_from(numeric))


@st.composite
def questions(
    draw: st.DrawFn,
    kind: Literal["COUNT", "SUM", "AVG"],
    column: str | None,
    plan: Plan,
    records: Sequence[oracle.Record],
) -> Asked:
    """A query of up to three columns, often of the one that is summed up."""
    likely = _names(plan) if column is None else [*_names(plan), column, column]
    names = draw(st.lists(st.sampled_from(likely), max_size=3, unique=True))
    found = {name: draw(_conditions(_values(records, name), _tree(plan, name))) for name in names}
    where, meets = ({name: held[place] for name, held in found.items()} for place in (0, 1))
    return Asked(kind, column, where, meets)


def _names(plan: Plan) -> list[str]:
    return [column.name for column in plan.columns if column.role != "identifying"]


def _tree(plan: Plan, name: str) -> Hierarchy | None:
    return oracle.trees_of(plan).get(name)


def _values(records: Sequence[oracle.Record], name: str) -> list[Original]:
    return [record[name] for record in records if record[name].value is not None]


def _is_number(held: Sequence[Original]) -> bool:
    return bool(held) and all(
        isinstance(o.value, int | float | Decimal) and not isinstance(o.value, bool) for o in held
    )


@st.composite
def _conditions(draw: st.DrawFn, held: Sequence[Original], tree: Hierarchy | None) -> tuple[Any, Meets]:
    """What is asked of a column, as it is put and as it is meant."""
    if not held or draw(st.integers(0, 7)) == 0:
        return None, lambda original: original.value is None
    if tree is not None:
        return draw(_labels(tree))
    some = draw(st.lists(st.sampled_from(held), min_size=1, max_size=4))
    if not isinstance(some[0].value, str | bool) and draw(st.booleans()):
        return draw(_ranges(some))
    if draw(st.booleans()):
        return some[0].value, lambda original: original.text == some[0].text
    texts = {original.text for original in some} | ({None} if draw(st.booleans()) else set())
    values = [original.value for original in some] + [None] * (None in texts)
    return values, lambda original: original.text in texts


@st.composite
def _labels(draw: st.DrawFn, tree: Hierarchy) -> tuple[Any, Meets]:
    labels = draw(st.lists(st.sampled_from(tree.labels), min_size=1, max_size=3))
    below = frozenset[str]().union(*(tree.covers()[label] for label in labels))
    return labels[0] if len(labels) == 1 else labels, lambda original: original.text in below


@st.composite
def _ranges(draw: st.DrawFn, some: Sequence[Original]) -> tuple[Any, Meets]:
    ends = sorted(original.value for original in some[:2])
    low, high = ends[0], ends[-1]
    inclusive = draw(st.sampled_from(_INCLUSIVE))
    open_ended = draw(st.sampled_from(["neither", "low", "high"]))

    def meets(original: Original) -> bool:
        value = original.value
        if value is None:
            return False
        above = open_ended == "low" or (value >= low if inclusive in ("both", "low") else value > low)
        below = open_ended == "high" or (value <= high if inclusive in ("both", "high") else value < high)
        return bool(above and below)

    put = Between(None if open_ended == "low" else low, None if open_ended == "high" else high, inclusive)
    return put, meets
