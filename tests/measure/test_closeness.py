"""The real closeness of a release: what its farthest class reaches, whether or not t was asked for."""

from __future__ import annotations

import pyarrow as pa
import pytest

import shoal
from shoal.privacy.requirements import Requirement

TREE = shoal.Hierarchy.from_nested({"*": {"air": ["flu", "asthma"], "gut": ["gastritis", "ulcer"]}})
TABLE = pa.table(
    {
        "age": [20, 20, 20, 20, 60, 60, 60, 60],
        "illness": ["flu", "flu", "asthma", "ulcer", "ulcer", "ulcer", "gastritis", "flu"],
        "pay": [1, 2, 3, 4, 5, 6, 7, 9],
    }
)


def plan_of(*require: Requirement, form: object = None, **sensitive: object) -> shoal.Plan:
    schema = shoal.Schema(quasi_identifying=["age"], sensitive=sensitive)
    return shoal.Plan(schema, list(require), form=form or shoal.Generalized(), person="row")  # type: ignore[arg-type]


@pytest.mark.parametrize("form", [shoal.Generalized(), shoal.Anatomy()])
def test_each_column_has_the_distances_of_its_values(form: object) -> None:
    """Two classes of four. Of ranks 0 to 7, all earth of one class is 4 places off: 1/2 of it, 4/7 away."""
    plan = plan_of(shoal.Size(4), form=form, illness=shoal.categorical(TREE), pay=None)
    scores = shoal.measure(shoal.anonymize(TABLE, plan), TABLE, plan=plan)
    assert scores.farthest["pay"]["ordered"] == pytest.approx(0.5 * 4 / 7)
    assert scores.farthest["pay"]["equal"] == pytest.approx(0.5)
    # The young: 2, 1, 0, 1 of four; everybody: 3, 1, 1, 3 of eight. A quarter goes from air to gut.
    assert scores.farthest["illness"] == {"equal": pytest.approx(0.25), "hierarchical": pytest.approx(0.25)}
    assert scores.as_dict()["farthest"]["pay"]["equal"] == pytest.approx(0.5)


def test_it_is_what_the_verdict_says_of_t() -> None:
    plan = plan_of(shoal.KAnonymity(2), shoal.TCloseness(0.4, "pay"), pay=None)
    release = shoal.anonymize(TABLE.drop_columns(["illness"]), plan)
    (reached,) = {
        f.reached for f in release.verdict.findings if f.requirement == shoal.TCloseness(0.4, "pay", "ordered")
    }
    assert shoal.measure(release).farthest["pay"]["ordered"] == reached


def test_a_hierarchy_that_does_not_know_the_values_gives_no_distance() -> None:
    published = TABLE.set_column(1, "illness", pa.array(["?"] * 8))
    plan = plan_of(shoal.KAnonymity(2), illness=shoal.categorical(TREE))
    scores = shoal.measure(published.drop_columns(["pay"]), plan=plan)
    assert scores.farthest == {"illness": {"equal": 0}}


def test_nothing_published_is_nowhere() -> None:
    plan = shoal.Plan(
        shoal.Schema(quasi_identifying=["age"], sensitive=["pay"]), [shoal.KAnonymity(9)], suppress=1.0, person="row"
    )
    release = shoal.anonymize(TABLE.drop_columns(["illness"]), plan)
    assert shoal.measure(release).farthest == {"pay": {"equal": 0, "ordered": 0}}
    none = shoal.Plan(shoal.Schema(quasi_identifying=["age"]), [shoal.KAnonymity(2)], person="row")
    assert shoal.measure(shoal.anonymize(TABLE.select(["age"]), none)).farthest == {}
