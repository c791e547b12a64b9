"""At the end of a stream as few records are left out as can be: all choices are tried."""

from __future__ import annotations

import itertools
from collections import Counter

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.engine.stream.closeness import is_near, most
from shoal.engine.stream.coding import Coder, within
from shoal.engine.stream.flow import streamed
from shoal.table.chance import Chance
from tests.engine.stream_oracle import Distance, equal, ordered, two_levels

VALUES = ["a", "b", "c", "d"]
GROUPS = {"a": "ab", "b": "ab", "c": "cd", "d": "cd"}
WAYS: dict[str, tuple[object, Distance]] = {
    "ordered": (shoal.domain(VALUES), ordered(VALUES)),
    "equal": (None, equal),
    "hierarchical": ({"ab": ["a", "b"], "cd": ["c", "d"]}, two_levels(GROUPS)),
}


def _largest(left: Counter[str], whole: list[str], t: float, least: int, distance: Distance) -> int:
    """The size of the largest part of these records that is near the whole."""
    shares = {value: count / len(whole) for value, count in Counter(whole).items()}
    best = 0
    for counts in itertools.product(*(range(left[value] + 1) for value in VALUES)):
        size = sum(counts)
        if size >= max(least, 1) and size > best:
            part = {value: count / size for value, count in zip(VALUES, counts, strict=True)}
            best = size if distance(part, shares) < t - 1e-12 else best
    return best


@settings(max_examples=200, deadline=None)
@given(
    st.sampled_from(sorted(WAYS)),
    st.lists(st.sampled_from(VALUES), min_size=1, max_size=12),
    st.lists(st.sampled_from(VALUES), max_size=15),
    st.sampled_from([0.03, 0.11, 0.21, 0.37]),
    st.integers(1, 4),
)
def test_as_few_as_can_be(way: str, left: list[str], gone: list[str], t: float, least: int) -> None:
    how, distance = WAYS[way]
    named = None if way == "equal" else way
    schema = shoal.Schema(quasi_identifying=["x"], sensitive={"s": how})
    plan = shoal.Plan(schema, [shoal.TCloseness(t, "s", named or "equal")], person="row")  # type: ignore[arg-type]
    records = pa.table({"x": range(len(left)), "s": left})
    codes = Coder(within(plan), streamed(plan), Chance()).codes(records, pa.table({"s": left + gone}))
    kept = most(codes, within(plan), least)
    assert len(kept) == _largest(Counter(left), left + gone, t, least, distance)
    assert len(set(kept.tolist())) == len(kept)
    assert is_near(codes, within(plan)) == (_largest(Counter(left), left + gone, t, len(left), distance) > 0)


def test_without_t_all_are_near() -> None:
    plan = shoal.Plan(shoal.Schema(quasi_identifying=["x"], sensitive=["s"]), [shoal.KAnonymity(3)], person="row")
    for count, kept in ((2, 0), (3, 3), (7, 7)):
        records = pa.table({"x": range(count), "s": ["a"] * count})
        codes = Coder(within(plan), {}, Chance()).codes(records, records.select(["s"]))
        assert len(most(codes, within(plan), 3)) == kept


def test_two_columns_are_near_together() -> None:
    schema = shoal.Schema(quasi_identifying=["x"], sensitive=["s", "z"])
    require = [shoal.TCloseness(0.2, name, "equal") for name in ("s", "z")]
    plan = within(shoal.Plan(schema, require, person="row"))
    left = pa.table({"x": range(12), "s": ["a"] * 9 + ["b"] * 3, "z": ["c"] * 3 + ["d"] * 9})
    window = pa.table({"s": ["a", "b"] * 12, "z": ["c", "d"] * 12})
    codes = Coder(plan, {}, Chance()).codes(left, window)
    kept = left.take(pa.array(codes.rows[most(codes, plan, 2)]))
    assert kept.num_rows >= 9
    for name in ("s", "z"):
        shares = Counter(kept.column(name).to_pylist())
        assert max(shares.values()) / kept.num_rows <= 0.7
