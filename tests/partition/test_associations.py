"""Which values go together, against the paper told on lists of records."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.kernels.shuffle import permutation
from shoal.partition import associations as module
from shoal.partition.associations import Associations, Vertices, associations
from shoal.plan.methods import LocalSlicing
from shoal.plan.plan import Plan
from shoal.privacy.requirements import Size
from shoal.schema import building
from shoal.schema.columns import Categorical, Schema
from shoal.schema.hierarchy import Hierarchy
from shoal.table.chance import Chance
from shoal.table.codes import Codes, encode
from tests.partition.associations_oracle import Node, Paths, Search, Vertex

#: A leaf below the root, and labels that say twice the same.
TREE = Hierarchy.from_rows([["a", "ab", "ab", "*"], ["b", "ab", "ab", "*"], ["c", "cd", "c or d", "*"], ["e", "*"]])
JOBS = Hierarchy.from_nested({"office": ["clerk", "lawyer"], "field": ["cook", "smith"]})

rows = st.tuples(
    st.sampled_from([18, 19, 25, 31, 44, 60, None]),
    st.sampled_from("abce"),
    st.sampled_from(["x", "y", None]),
    st.sampled_from(["clerk", "lawyer", "cook"]),
    st.sampled_from(["p", "q", "r"]),
)
tables = st.lists(
    st.lists(rows, min_size=1, max_size=3).flatmap(lambda few: st.sampled_from([few, few * 4])), min_size=1, max_size=8
)
methods = st.builds(
    LocalSlicing, st.sampled_from([0.05, 0.2, 0.34]), st.sampled_from([0, 0.5, 0.8, 1]), st.integers(2, 4)
)


def coded(records: Sequence[tuple[object, ...]]) -> Codes:
    schema = Schema(
        quasi_identifying={"age": None, "b": Categorical(TREE), "c": None},
        sensitive={"job": Categorical(JOBS), "s": None},
    )
    table = pa.table([pa.array(column) for column in zip(*records, strict=True)], ["age", "b", "c", "job", "s"])
    table = table.set_column(2, "c", table.column("c").cast(pa.string())).set_column(
        0, "age", table.column("age").cast(pa.int64())
    )
    plan = Plan(schema, [Size(2)], LocalSlicing(), person="row")
    return encode(table, plan, {"b": TREE, "job": JOBS}, permutation(Chance.seeded(1).words(len(records))))


def paths_of(codes: Codes) -> list[Paths]:
    """Of each column's codes the ways up, read off the rows of a hierarchy file."""
    found: list[Paths] = []
    for domain in codes.domains:
        tree = domain.tree
        if tree is None and domain.kind == "number":
            tree = building.intervals(domain.values)
        rows = [[*map(str, [code]), "*"] for code in range(domain.known)] if tree is None else tree.rows()
        held: dict[object, tuple[object, ...]] = {code: tuple(row) for code, row in enumerate(rows)}
        if domain.missing:
            held[domain.known] = ("missing", "*")
        found.append(held)
    return found


def told(found: Associations, vertices: Vertices) -> list[tuple[Vertex, float]]:
    nodes = found.nodes
    return [
        (
            tuple(
                Node(int(nodes.column[i]), int(nodes.first[i]), int(nodes.last[i]) - 1, float(nodes.level[i]))
                for i in row
                if i >= 0
            ),
            float(importance),
        )
        for row, importance in zip(vertices.nodes, vertices.importance, strict=True)
    ]


@settings(max_examples=60, deadline=None)
@given(tables, methods)
def test_vertices_are_those_of_the_oracle(drawn: list[list[tuple[object, ...]]], method: LocalSlicing) -> None:
    codes = coded([record for few in drawn for record in few])
    found = associations(codes, np.arange(len(codes)), [3, 4], method)
    records = [[int(code) for code in row[:5]] for row in codes.matrix]
    search = Search(records, paths_of(codes), 3, method.support, method.confidence, method.widest)
    for ours, expected in zip((found.with_sensitive, found.others), search.found(), strict=True):
        assert dict(told(found, ours)) == pytest.approx(expected)
        assert len(ours) == len(expected)
        assert all(np.diff(ours.importance) <= 1e-12)


def test_what_the_paper_calls_relatively_maximum_levels() -> None:
    """Of {clerk, x} and {office, x} only the first is kept, and {lawyer, x} beside it, which shares no record."""
    rows = [(18, "a", "x", "clerk", "p")] * 4 + [(18, "a", "x", "lawyer", "p")] * 4 + [(60, "e", "y", "cook", "q")] * 4
    codes = coded(rows)
    found = associations(codes, np.arange(len(codes)), [3], LocalSlicing(support=0.2, confidence=0.4, widest=2))
    pairs = [{(n.column, n.first, n.last) for n in vertex} for vertex, _ in told(found, found.with_sensitive)]
    with_c = [pair for pair in pairs if any(column == 2 for column, _, _ in pair)]
    assert sorted(sorted(pair) for pair in with_c) == [
        [(2, 0, 0), (3, 0, 0)],
        [(2, 0, 0), (3, 1, 1)],
        [(2, 1, 1), (3, 2, 2)],
    ]


def test_nothing_goes_together_in_nothing() -> None:
    codes = coded([(18, "a", "x", "clerk", "p")])
    found = associations(codes, np.arange(1), [3, 4], LocalSlicing())
    assert len(found.nodes) == len(found.with_sensitive) == len(found.others) == 0
    assert found.with_sensitive.nodes.shape == (0, 4)


def test_of_too_many_sets_the_commonest_are_searched_further(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that are left out are left out in silence: what goes together is a means, and promises nothing."""
    monkeypatch.setattr(module, "_MOST", 5)
    chance = np.random.default_rng(1)
    held = [("abce"[i], "xy"[j], ("clerk", "cook")[k]) for i, j, k in chance.integers(0, 2, (60, 3))]
    codes = coded([(18 + i % 3 * 20, b, c, job, "p") for i, (b, c, job) in enumerate(held)])
    few = associations(codes, np.arange(60), [3, 4], LocalSlicing(support=0.05, confidence=0.0))
    monkeypatch.undo()
    every = associations(codes, np.arange(60), [3, 4], LocalSlicing(support=0.05, confidence=0.0))
    ours, all_of_them = ({v for v, _ in told(found, found.others)} for found in (few, every))
    assert 0 < len(ours) < len(all_of_them)
