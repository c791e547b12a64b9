"""Hierarchies against a tree that is written as what it is: the set of all paths."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import DataError
from shoal.schema.hierarchy import Hierarchy

Path = tuple[str, ...]

# Few labels, so that categories repeat in other branches and along a path, and are values too.
CATEGORIES = st.sampled_from(["A", "B", "*"])
VALUES = st.one_of(st.sampled_from(["A", "B", "*", "", "x", "y"]), st.integers(-3, 20).map(str))


@st.composite
def arx_rows(draw: st.DrawFn) -> list[list[str]]:
    """Rows of uneven length with several tops, padded with empty fields, some of them repeated."""
    paths = draw(st.dictionaries(VALUES, st.lists(CATEGORIES, max_size=4), min_size=1, max_size=12))
    rows = [[leaf, *path, *[""] * draw(st.integers(0, 2))] for leaf, path in paths.items() if leaf or path]
    rows += draw(st.lists(st.sampled_from(rows), max_size=3)) if rows else [["x"]]
    return rows


hierarchies = arx_rows().map(Hierarchy.from_rows)


@dataclass
class Paths:
    """The oracle: every node is its path from the root, and everything else is a search over all of them."""

    leaves: list[Path]
    nodes: set[Path]

    @classmethod
    def of(cls, rows: Sequence[Sequence[str]]) -> Paths:
        above = {}
        for row in rows:
            fields = list(row)
            while fields and not fields[-1]:
                fields.pop()
            above[fields[0]] = fields[:0:-1]
        tops = {path[0] if path else leaf for leaf, path in above.items()}
        root = tops.pop() if len(tops) == 1 and any(above.values()) else "*"
        rooted = {leaf: tuple(path) if path and path[0] == root else (root, *path) for leaf, path in above.items()}
        inner = {path[:end] for path in rooted.values() for end in range(1, len(path) + 1)}
        leaves = []
        for leaf, path in rooted.items():
            path = (*path, leaf)
            while path in inner:
                path = (*path, leaf)
            leaves.append(path)
        return cls(leaves, inner | set(leaves)).ordered()

    def ordered(self) -> Paths:
        """Each category stands where its first leaf does: the smallest, or the first in the file."""
        try:
            wanted = sorted(self.leaves, key=lambda path: float(path[-1]))
        except ValueError:
            wanted = self.leaves
        first = {node: min(map(wanted.index, self.below(node))) for node in self.nodes}
        leaves = sorted(self.leaves, key=lambda path: [first[path[:end]] for end in range(1, len(path) + 1)])
        return Paths(leaves, self.nodes)

    def below(self, node: Path) -> list[Path]:
        return [leaf for leaf in self.leaves if leaf[: len(node)] == node]

    def height(self, node: Path) -> int:
        return max(len(leaf) for leaf in self.below(node)) - len(node)

    def lowest(self, first: int, last: int) -> Path:
        run = self.leaves[first : last + 1]
        return max((node for node in self.nodes if all(leaf in self.below(node) for leaf in run)), key=len)


def paths_of(tree: Hierarchy) -> list[Path]:
    """The path of each node, found by climbing."""
    paths: list[Path] = []
    for node, label in enumerate(tree.labels):
        above = int(tree.parent[node])
        assert above < node
        paths.append((*paths[above], label) if above >= 0 else (label,))
    return paths


def fields_of(tree: Hierarchy) -> dict[str, Any]:
    return {
        "labels": tree.labels,
        "parent": tree.parent.tolist(),
        "height": tree.height.tolist(),
        "first": tree.first.tolist(),
        "last": tree.last.tolist(),
    }


@given(arx_rows())
def test_nodes_are_the_paths_of_the_file_and_runs_of_leaves(rows: list[list[str]]) -> None:
    tree, oracle = Hierarchy.from_rows(rows), Paths.of(rows)
    paths = paths_of(tree)
    assert len(set(paths)) == len(paths)
    assert set(paths) == oracle.nodes
    assert [paths[node] for node in tree.leaf_node] == oracle.leaves
    for node, path in enumerate(paths):
        assert oracle.leaves[tree.first[node] : tree.last[node]] == oracle.below(path)
        assert tree.height[node] == oracle.height(path)
        assert tree.depth[node] == len(path) - 1


@given(hierarchies)
def test_nodes_are_in_preorder(tree: Hierarchy) -> None:
    for node in range(1, len(tree.labels)):
        ancestors, above = set(), node - 1
        while above >= 0:
            ancestors.add(above)
            above = int(tree.parent[above])
        assert tree.parent[node] in ancestors


@given(arx_rows())
def test_a_value_is_a_leaf_once(rows: list[list[str]]) -> None:
    tree = Hierarchy.from_rows(rows)
    assert sorted(tree.leaves) == sorted({row[0] for row in rows})
    assert tree.leaves == tuple(tree.labels[node] for node in tree.leaf_node)
    assert [tree.position[leaf] for leaf in tree.leaves] == list(range(len(tree.leaves)))


@given(hierarchies)
def test_rows_come_back(tree: Hierarchy) -> None:
    again = Hierarchy.from_rows(tree.rows())
    assert fields_of(again) == fields_of(tree)
    assert again.rows() == tree.rows()


@given(arx_rows())
def test_lowest_is_the_deepest_node_that_covers_a_run(rows: list[list[str]]) -> None:
    tree, oracle = Hierarchy.from_rows(rows), Paths.of(rows)
    first, last = np.triu_indices(len(tree.leaves))
    paths = paths_of(tree)
    found = [paths[node] for node in tree.lowest(first, last)]
    assert found == [oracle.lowest(*run) for run in zip(first, last, strict=True)]


@given(arx_rows(), st.randoms())
def test_keep_leaves_the_rest_as_it_was(rows: list[list[str]], random: Any) -> None:
    tree = Hierarchy.from_rows(rows)
    chosen = set(random.sample(tree.leaves, random.randint(1, len(tree.leaves))))
    kept = tree.keep(chosen)
    assert kept.leaves == tuple(leaf for leaf in tree.leaves if leaf in chosen)
    assert kept.rows() == [row for row in tree.rows() if row[0] in chosen]
    height = dict(zip(paths_of(tree), tree.height.tolist(), strict=True))
    for node, path in enumerate(paths_of(kept)):
        assert kept.height[node] == height[path]
        below = [leaf for leaf in paths_of(kept) if leaf[: len(path)] == path and height[leaf] == 0]
        assert kept.leaves[kept.first[node] : kept.last[node]] == tuple(leaf[-1] for leaf in below)


@given(hierarchies)
def test_keep_all_changes_nothing(tree: Hierarchy) -> None:
    assert fields_of(tree.keep(tree.leaves)) == fields_of(tree)


@given(hierarchies)
def test_covers_is_what_any_node_of_the_label_may_mean(tree: Hierarchy) -> None:
    covers = tree.covers()
    assert set(covers) == set(tree.labels)
    assert len(covers) == len(set(tree.labels))
    for label in tree.labels:
        expected: set[str] = set()
        for node in range(len(tree.labels)):
            if tree.labels[node] == label:
                expected.update(tree.leaves[tree.first[node] : tree.last[node]])
        assert label in covers
        assert covers[label] == expected
    assert "no such label" not in covers
    with pytest.raises(KeyError):
        covers["no such label"]


def test_a_worked_example() -> None:
    tree = Hierarchy.from_rows(
        [["Federal", "Government", "*"], ["Private", "*"], ["State", "Government", "*"]],
    )
    assert fields_of(tree) == {
        "labels": ("*", "Government", "Federal", "State", "Private"),
        "parent": [-1, 0, 1, 1, 0],
        "height": [2, 1, 0, 0, 0],
        "first": [0, 0, 0, 1, 2],
        "last": [3, 2, 1, 2, 3],
    }
    assert tree.lowest(np.array([0, 0, 1, 2]), np.array([1, 2, 1, 2])).tolist() == [1, 0, 3, 4]
    assert tree.keep({"State"}).rows() == [["State", "Government", "*"]]


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        pytest.param([["a"], ["b"]], [["a", "*"], ["b", "*"]], id="values only"),
        pytest.param([["a"]], [["a", "*"]], id="one value only"),
        pytest.param([["*"]], [["*", "*"]], id="a value that looks like the root"),
        pytest.param([["a", "X"], ["b", "Y"]], [["a", "X", "*"], ["b", "Y", "*"]], id="two tops"),
        pytest.param([["a", "X"]], [["a", "X"]], id="a root of another name"),
        pytest.param([["a", "X", "*"], ["x", "x", "x"]], [["a", "X", "*"], ["x", "x", "x", "*"]], id="a stray row"),
        pytest.param([["a", "*", "", ""], [], ["", ""]], [["a", "*"]], id="padding and blank rows"),
        pytest.param([["Other", "Other", "*"]], [["Other", "Other", "*"]], id="a value named as its category"),
        pytest.param(
            [["bee", "Other", "*"], ["Other", "*"]],
            [["bee", "Other", "*"], ["Other", "Other", "*"]],
            id="a value that is a category",
        ),
        pytest.param([["a", "*"], ["b", "*"], ["a", "*"]], [["a", "*"], ["b", "*"]], id="a repeated row"),
        pytest.param(
            [["10", "hi", "*"], ["2", "lo", "*"], ["1", "lo", "*"]],
            [["1", "lo", "*"], ["2", "lo", "*"], ["10", "hi", "*"]],
            id="numbers",
        ),
        pytest.param(
            [["10", "*"], ["2.5", "*"], ["-1e1", "*"]],
            [["-1e1", "*"], ["2.5", "*"], ["10", "*"]],
            id="decimals",
        ),
        pytest.param(
            [["9007199254740993", "*"], ["9007199254740992", "*"]],
            [["9007199254740992", "*"], ["9007199254740993", "*"]],
            id="numbers beyond the precision of a float",
        ),
        pytest.param([["1_0", "*"], ["2", "*"]], [["1_0", "*"], ["2", "*"]], id="not all numbers"),
        pytest.param([["2", "*"], ["nan", "*"], ["1", "*"]], [["2", "*"], ["nan", "*"], ["1", "*"]], id="nan"),
        pytest.param([["", "X", "*"]], [["", "X", "*"]], id="an empty value"),
    ],
)
def test_rows_are_read_as(rows: list[list[str]], expected: list[list[str]]) -> None:
    assert Hierarchy.from_rows(rows).rows() == expected


def test_equal_labels_in_two_branches_are_two_nodes() -> None:
    tree = Hierarchy.from_rows([["a", "Other", "X", "*"], ["b", "Other", "Y", "*"], ["c", "Y", "*"]])
    assert tree.labels.count("Other") == 2
    assert tree.lowest(np.array([0]), np.array([1])).tolist() == [0]
    assert tree.covers()["Other"] == {"a", "b"}


@pytest.mark.parametrize(
    ("nested", "expected"),
    [
        (
            {"Government": ["Federal", "State"], "Private": None, "Odd": [], "Even": {}},
            ["Federal;Government;*", "State;Government;*", "Private;*", "Odd;*", "Even;*"],
        ),
        (
            {"Work": {"Government": ["Federal"], "Private": "Inc"}},
            ["Federal;Government;Work", "Inc;Private;Work"],
        ),
        ({"*": ["a", {"B": ["b"]}]}, ["a;*", "b;B;*"]),
        (["a", "b"], ["a;*", "b;*"]),
        ({"old": [9, 8], "young": [1.5, np.int64(2)]}, ["1.5;young;*", "2;young;*", "8;old;*", "9;old;*"]),
        ({"a": None}, ["a;*"]),
    ],
)
def test_nested_is_read_as(nested: Any, expected: list[str]) -> None:
    assert [";".join(row) for row in Hierarchy.from_nested(nested).rows()] == expected


@given(hierarchies)
def test_a_tree_written_as_nested_mappings_is_the_same(tree: Hierarchy) -> None:
    inner: list[list[Any]] = [[] for _ in tree.labels]
    for node in range(1, len(tree.labels)):
        below = {tree.labels[node]: inner[node]} if tree.height[node] else tree.labels[node]
        inner[tree.parent[node]].append(below)
    assert fields_of(Hierarchy.from_nested({tree.labels[0]: inner[0]})) == fields_of(tree)


@pytest.mark.parametrize("nested", [{"A": {"x", "y"}}, {"A": [True]}, {None: ["a"]}, {"A": [None]}, {"A": b"x"}])
def test_nested_of_another_kind_is_refused(nested: Any) -> None:
    with pytest.raises(DataError, match="nested hierarchy is made of"):
        Hierarchy.from_nested(nested)


def test_everything_that_is_wrong_is_said_at_once_without_values() -> None:
    rows = [["secret", "A", "*"], ["secret", "B", "*"], ["hidden", "", "*"]]
    with pytest.raises(DataError) as caught:
        Hierarchy.from_rows(rows)
    assert str(caught.value) == (
        "values with rows that differ: 1 (keep one row for each value); "
        "rows with an empty field between others: 1 (give it a label)"
    )
    assert caught.value.details == {"rows that differ": ["secret"], "empty fields": ["hidden"]}


@pytest.mark.parametrize("nothing", [[], [[]], [["", ""]]])
def test_no_rows_are_refused(nothing: list[list[str]]) -> None:
    with pytest.raises(DataError, match="there are no rows"):
        Hierarchy.from_rows(nothing)


def test_keep_refuses_values_that_it_does_not_know() -> None:
    tree = Hierarchy.from_nested(["a", "b"])
    with pytest.raises(DataError, match=r"missing from the hierarchy: 1 \(") as caught:
        tree.keep(["a", "secret"])
    assert "secret" not in str(caught.value)
    assert caught.value.details == {"values": ["secret"]}


def test_keep_nothing_is_a_root_alone() -> None:
    tree = Hierarchy.from_nested({"A": ["a", "b"]}).keep([])
    assert (tree.labels, tree.leaves, tree.rows(), tree.height.tolist()) == (("A",), (), [], [1])
    assert tree.lowest(np.array([], np.int64), np.array([], np.int64)).tolist() == []
    assert tree.covers()["A"] == frozenset()


@pytest.mark.parametrize("run", [(-1, 0), (0, 2), (1, 0)])
def test_lowest_refuses_runs_of_no_leaves(run: tuple[int, int]) -> None:
    with pytest.raises(IndexError, match="leaf positions 0 to 1"):
        Hierarchy.from_nested(["a", "b"]).lowest(np.array(run[:1]), np.array(run[1:]))


def test_a_hierarchy_shows_no_labels_cannot_change_and_travels() -> None:
    tree = Hierarchy.from_nested({"Secret": ["a", "b"]})
    assert repr(tree) == "Hierarchy(2 leaves, 3 nodes, height 1)"
    assert "Secret" not in repr(tree.covers())
    with pytest.raises(ValueError, match="read-only"):
        tree.parent[0] = 1
    assert fields_of(pickle.loads(pickle.dumps(tree))) == fields_of(tree)


def test_a_hundred_thousand_codes() -> None:
    rows = [[f"{code:05}", f"{code // 10:04}*", f"{code // 1000:02}***", "*****"] for code in range(100_000)]
    tree = Hierarchy.from_rows(reversed(rows))
    assert len(tree.labels) == 100_000 + 10_000 + 100 + 1
    assert tree.leaves == tuple(row[0] for row in rows)
    start = np.arange(0, 100_000, 10)
    assert (tree.height[tree.lowest(start, start + 9)] == 1).all()
    assert (tree.height[tree.lowest(start, start)] == 0).all()
