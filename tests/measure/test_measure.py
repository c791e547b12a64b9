"""Every figure equals what the oracle finds record by record, on random publications, truthful or not."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, astuple
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.measure import Adversary
from tests.measure.oracle import COLOURS, JOBS, Oracle, Original, Published, Range
from tests.measure.tables import Ranges, measured

ages = st.none() | st.integers(0, 12)
originals = st.builds(
    Original,
    age=ages,
    job=st.none() | st.sampled_from(JOBS.leaves),
    colour=st.none() | st.sampled_from(COLOURS),
)
bounds = st.tuples(st.integers(0, 12), st.integers(0, 12)).map(sorted)
publications = st.builds(
    Published,
    age=st.none() | st.builds(lambda ends, missing: Range(*ends, missing), bounds, st.booleans()),
    job=st.none() | st.sampled_from(JOBS.labels),
    colour=st.frozensets(st.none() | st.sampled_from(COLOURS), min_size=1),
)
repeated = st.lists(st.tuples(publications, st.integers(1, 4)), max_size=6).map(
    lambda classes: [record for record, times in classes for _ in range(times)]
)
oracles = st.builds(
    Oracle,
    published=repeated,
    original=st.lists(originals, max_size=12),
    suppressed=st.integers(0, 3),
    bottom=st.none() | st.integers(0, 4),
    top=st.none() | st.integers(8, 12),
)
populations = st.builds(
    lambda *values: [Original(*person) for person in product(*values)],
    st.lists(ages, max_size=6),
    st.lists(st.none() | st.sampled_from(JOBS.leaves), max_size=5),
    st.lists(st.none() | st.sampled_from(COLOURS), max_size=4),
)
either = st.sampled_from(["bounds", "interval"])


@given(oracles, either)
def test_loss(oracle: Oracle, ranges: Ranges) -> None:
    loss = measured(oracle, ranges).loss
    expected = {"age": (oracle.age(),) * 3, "job": oracle.job(), "colour": oracle.colour()}
    for name, costs in expected.items():
        assert astuple(loss.columns[name]) == pytest.approx(costs)
    assert astuple(loss.whole) == pytest.approx([sum(costs) / 3 for costs in zip(*expected.values(), strict=True)])
    assert loss.reason is None


@given(oracles, either, st.none() | st.integers(2, 5))
def test_classes(oracle: Oracle, ranges: Ranges, k: int | None) -> None:
    scores = measured(oracle, ranges, k=k)
    classes = oracle.classes()
    records = len(oracle.published)
    assert (scores.records, scores.suppressed, scores.classes) == (records, oracle.suppressed, len(classes))
    assert scores.suppression == (oracle.suppressed / oracle.every if oracle.every else 0)
    assert scores.discernibility == oracle.discernibility()
    assert scores.class_size == pytest.approx(records / len(classes) if classes else 0)
    assert scores.c_avg == (None if k is None else pytest.approx(scores.class_size / k))


@given(oracles, either)
def test_smallest_classes(oracle: Oracle, ranges: Ranges) -> None:
    smallest = measured(oracle, ranges).smallest
    sizes = oracle.sizes()
    assert smallest.size == min(sizes, default=0)
    assert smallest.share == (sizes.count(min(sizes)) / len(sizes) if sizes else 0)
    for found in smallest.sizes:
        assert found.records == sum(found.least <= size <= (found.most or math.inf) for size in sizes)
    assert sum(found.records for found in smallest.sizes) == len(sizes)


@given(oracles, either, st.none() | st.integers(2, 5))
def test_prosecutor_and_marketer(oracle: Oracle, ranges: Ranges, k: int | None) -> None:
    risk = measured(oracle, ranges, k=k).risk
    check_adversary(risk.prosecutor, oracle.sizes(), k)
    classes = len(oracle.classes())
    assert risk.marketer == pytest.approx(classes / len(oracle.published) if classes else 0)
    assert risk.journalist is None


@given(oracles, either, populations, st.none() | st.integers(2, 5))
def test_journalist(oracle: Oracle, ranges: Ranges, population: list[Original], k: int | None) -> None:
    risk = measured(oracle, ranges, k=k, population=population).risk
    assert risk.journalist is not None
    check_adversary(risk.journalist, oracle.crowds(population), k)
    assert risk.journalist.short == oracle.short(population)
    assert risk.marketer == risk.journalist.average
    check_adversary(risk.prosecutor, oracle.sizes(), k)


def check_adversary(found: Adversary, crowds: list[int], k: int | None) -> None:
    """``crowds`` says of each record among how many people it hides."""
    risks = [1 / crowd for crowd in crowds]
    records = len(risks)
    assert found.highest == max(risks, default=0)
    assert found.average == pytest.approx(math.fsum(risks) / records if records else 0)
    assert found.at_highest == (risks.count(max(risks)) / records if records else 0)
    assert [above.threshold for above in found.above] == ([0.2] if k is None else [0.2, 1 / k])
    for above in found.above:
        assert above.records == sum(risk > above.threshold for risk in risks)
        assert above.share == (above.records / records if records else 0)


@given(oracles, either)
def test_scores_are_json(oracle: Oracle, ranges: Ranges) -> None:
    scores = measured(oracle, ranges, k=3, population=oracle.original)
    read = json.loads(json.dumps(scores.as_dict(), allow_nan=False))
    assert read["loss"]["columns"]["age"]["ncp"] == scores.loss.columns["age"].ncp
    assert read["loss"]["whole"] == asdict(scores.loss.whole)
    assert read["risk"]["prosecutor"]["above"][1]["threshold"] == 1 / 3
    assert len(read["smallest"]["sizes"]) == 8
