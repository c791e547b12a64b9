"""The contract that every method, form and requirement must pass, whatever the table.

    from shoal.testing import check_method

    def test_my_method() -> None:
        check_method(MyMethod)

Whatever table and plan: :func:`shoal.anonymize` returns a release or raises one clear error of Shoal's. A release
keeps its plan's promises in the eyes of both judges and of a slow oracle that shares nothing with them, every
published cell covers its record, every record is accounted for, and nothing of the input's order is left.
"""

from __future__ import annotations

import contextlib
import itertools
import pickle
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
from hypothesis import HealthCheck, Phase, event, given, settings
from hypothesis import strategies as st

import shoal
from shoal.errors import DataError, PlanError, ShoalError, Unachievable, Violation
from shoal.plan.forms import FORMS, Form
from shoal.plan.methods import METHODS, Method
from shoal.plan.options import options_of
from shoal.plan.plan import Plan
from shoal.privacy.requirements import KAnonymity, LDiversity, Requirement, Size
from shoal.release.release import Release
from shoal.schema.columns import Column, Schema
from shoal.testing import bucketized, numbered, oracle
from shoal.testing.plans import plans
from shoal.testing.tables import tables

__all__ = ["check_form", "check_method", "check_release", "check_requirement"]

#: The planted column that tells which record a published row is of.
ROW = "shoal: row"

#: What is wrong with a release, where its form is not such that the records of a class look alike.
_FAULTS = {
    "anatomy": numbered.anatomy,
    "slices": numbered.slices,
    "randomized": numbered.randomized,
    "buckets": bucketized.buckets,
}

Random = Callable[[Callable[..., None]], Callable[[], None]]


def _random(examples: int) -> settings:
    """As many examples as asked for, however slow the first call of a compiled kernel is."""
    return settings(
        max_examples=examples,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
        phases=[phase for phase in Phase if phase is not Phase.explain],
    )


def check_method(method: type[Method], *, examples: int = 100) -> None:
    """A method keeps the contract in all forms that it can be shown in, and cuts a table that is easy to cut."""

    @_random(examples)
    @given(st.data())
    def holds(data: st.DataObject) -> None:
        made = data.draw(st.sampled_from(_with_all_options(method)))
        table = data.draw(tables(unusual=data.draw(st.integers(0, 9)) == 0))
        _check(data, table, data.draw(plans(table, method=made)))

    holds()
    for made in _with_all_options(method):
        _check_usefulness(made)


def check_form(form: type[Form], *, examples: int = 100) -> None:
    """A form keeps the contract, whichever method made the classes that it shows."""

    @_random(examples)
    @given(st.data())
    def holds(data: st.DataObject) -> None:
        made = data.draw(st.sampled_from(_with_all_options(form)))
        table = data.draw(tables())
        _check(data, table, data.draw(plans(table, form=made)))

    holds()
    assert any(form.name in method.card.forms for method in METHODS.values()), "no method can be shown in this form"


def check_requirement(requirement: Requirement, *, examples: int = 50) -> None:
    """A requirement is kept, by itself and beside others, and breaks none of those that were there before.

    A column that it speaks of is made part of the tables.
    """
    on = getattr(requirement, "on", None)

    @_random(examples)
    @given(st.data())
    def holds(data: st.DataObject) -> None:
        table = data.draw(tables())
        if on is not None and on not in table.column_names:
            table = table.rename_columns([on, *table.column_names[1:]])
        alone = data.draw(plans(table, require=[requirement]))
        with contextlib.suppress(PlanError):  # some forms need to be asked more
            _check(data, table, replace(alone, require=[requirement]))
        _check(data, table, alone)

    holds()


def _check(data: st.DataObject, table: pa.Table, plan: Plan) -> None:
    """One example, with the same rows in another order beside it."""
    seed = data.draw(st.integers(0, 2**32 - 1))
    release = check_release(table, plan, seed=seed)
    event("no release" if release is None else "a release")
    if release is not None:
        check_order(table, plan, seed=seed)


def _with_all_options(kind: type[Any]) -> list[Any]:
    allowed = options_of(kind)
    combined = itertools.product(*(option.tried for option in allowed.values()))
    return [kind(**dict(zip(allowed, taken, strict=True))) for taken in combined]


# -- one release --------------------------------------------------------------------------------------------


def check_release(table: pa.Table, plan: Plan, *, seed: int | None = None) -> Release | None:
    """The contract for one table and one plan; None where the table was refused for a good reason."""
    table, plan = with_rows(table, plan)
    found = outcome(lambda: shoal.anonymize(table, plan, seed=seed))
    if isinstance(found, ShoalError):
        check_error(found)
        check_refusal(found, table, plan)
        return None
    check_promises(found, table, plan)
    return found


def with_rows(table: pa.Table, plan: Plan) -> tuple[pa.Table, Plan]:
    """The table with a number in each record, published with it, so that a row can be found again."""
    rows = pa.array(np.arange(table.num_rows))
    columns = (*plan.columns, Column(ROW, "insensitive"))
    planted = replace(plan, schema=Schema.of(columns), allow_unique=[*plan.allow_unique, ROW])
    return table.append_column(ROW, rows), planted


def outcome(make: Callable[[], Release]) -> Release | ShoalError:
    """A release, or the error in its place. Any other exception is a fault, and passes."""
    try:
        return make()
    except Violation as error:
        raise AssertionError(f"a release was made that does not hold: {error}") from error
    except ShoalError as error:
        return error


def check_promises(release: Release, table: pa.Table, plan: Plan) -> None:
    """What was promised of a release holds, in everybody's eyes."""
    published = next(iter(release.arrow.values()))
    case = oracle.case_of(table, release.arrow, release.manifest, plan, ROW)
    wrong = _FAULTS.get(plan.form.name, oracle.faults)(release.arrow, case)
    assert not wrong, "; ".join(wrong)
    manifest, verdict = release.manifest, release.verdict
    assert verdict is not None
    assert verdict.holds
    assert manifest.records == published.num_rows
    assert manifest.records + manifest.suppressed == table.num_rows
    assert next(iter(release.tables.values())).num_rows == published.num_rows
    assert shoal.verify(release).holds, "the release does not hold in the eyes of an outsider"
    again = shoal.verify(release, plan, table)
    assert again.holds, [finding.as_dict() for finding in again.findings if not finding.holds]


def check_error(error: ShoalError) -> None:
    """One clear message, that survives a pickle; the details do not."""
    assert error.message.strip()
    assert "Traceback" not in error.message
    again = pickle.loads(pickle.dumps(error))  # noqa: S301 - made on the line itself
    assert type(again) is type(error)
    assert again.message == error.message
    assert not again.details


def check_refusal(error: ShoalError, table: pa.Table, plan: Plan) -> None:
    """A table is not said to be unable to keep what it keeps as a single class of all its records."""
    assert not isinstance(error, PlanError), f"the plan was accepted, and refused later: {error}"
    if not isinstance(error, Unachievable):
        return
    records = oracle.records_of(table, plan.read_options.missing)
    trees = oracle.trees_of(plan)
    keeps = bucketized.keeps if plan.form.name == "buckets" else oracle.keeps
    broken = [r for r in plan.require if not keeps(r, records, records, records, plan, trees)]
    assert broken or not records, f"refused, though one class of all records would do: {error}"


# -- order --------------------------------------------------------------------------------------------------


def check_order(table: pa.Table, plan: Plan, *, seed: int | None = None) -> None:
    """Nothing of the order of the input is left: the same records in another order give the same release."""
    if not _is_decided_by_the_records(plan):
        return
    order = np.random.default_rng(seed).permutation(table.num_rows).tolist()
    shuffled = pa.concat_tables([table.slice(0, 0), *(table.slice(row, 1) for row in order)])
    one, other = (outcome(lambda rows=rows: shoal.anonymize(rows, plan)) for rows in (table, shuffled))  # type: ignore[misc]
    if isinstance(one, DataError) and isinstance(other, DataError):  # an insensitive column may be unique here
        return
    assert isinstance(one, Release)
    assert isinstance(other, Release)
    for name in one.arrow:
        assert one.tables[name].to_pylist() == other.tables[name].to_pylist(), "the order of the input shows"


def _is_decided_by_the_records(plan: Plan) -> bool:
    """Whether nothing falls by lot: no ties that are split, and nobody to be left out."""
    by_lot = plan.method.card.by_lot or getattr(plan.method, "ties", "strict") != "strict"
    return not by_lot and plan.form.name == "generalized" and not plan.suppress


# -- usefulness ---------------------------------------------------------------------------------------------


def _check_usefulness(method: Method) -> None:
    """Of 256 different records a method makes many classes, not one: k = 4 allows 64 of them."""
    chance, form = np.random.default_rng(1), FORMS[method.card.forms[0]]()
    table = pa.table({"x": chance.permutation(256), "y": chance.permutation(256), "z": np.arange(256) % 8})
    require: list[Requirement] = [KAnonymity(4)] if "k" in method.card.promises & form.promises else [Size(4)]
    if method.card.semi_sensitive:
        require.append(LDiversity(2, "z"))
    plan = Plan(Schema(quasi_identifying=["x", "y"], sensitive=["z"]), require, method, form)
    release = check_release(table, plan, seed=1)
    assert release is not None
    assert release.manifest.suppressed == 0
    published = next(iter(release.arrow.values()))
    told = [n for column in release.manifest.columns if column.shown in ("class", "bucket") for n in column.columns]
    told = told or [n for c in release.manifest.columns if c.role == "quasi-identifying" for n in c.columns]
    classes = {tuple(row[name] for name in told) for row in published.to_pylist()}
    assert len(classes) >= 16, f"{len(classes)} classes of 256 records are too few to be of use"
