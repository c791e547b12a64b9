"""The outsider's figures against dictionaries of lists, other people's programs, and linear programming."""

from __future__ import annotations

import contextlib
import io
import math
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import wasserstein_distance

from shoal.errors import DataError
from shoal.privacy.requirements import KAnonymity, LDiversity, Requirement, Size, TCloseness
from shoal.schema.hierarchy import Hierarchy
from shoal.verify import figures
from tests.privacy import oracle
from tests.verify.releases import INSENSITIVE, other, quasi, seen, the

Rows = list[tuple[Any, ...]]

TREE = Hierarchy.from_nested({"Heart": ["a", "b"], "Lung": ["c", "d"], "e": None})
COLUMNS = (quasi("x"), quasi("y"), other("s"), other("n"), other("z", INSENSITIVE))
KINDS = (pa.int16(), pa.dictionary(pa.int8(), pa.string()), pa.string(), pa.float64(), pa.bool_())

ROWS = st.lists(
    st.tuples(
        st.sampled_from([None, 1, 2, -3]),
        st.sampled_from([None, "", "u"]),
        st.sampled_from([None, "a", "b", "c", "d", "e"]),
        st.sampled_from([None, 0.0, -0.0, 1.5, 7.0, math.nan]),
        st.booleans(),
    ),
    min_size=1,
    max_size=25,
)


def published(rows: Rows, chunks: int = 1) -> pa.Table:
    """The rows as a table, in chunks that each have a dictionary of their own."""
    size = -(-len(rows) // chunks)
    parts = []
    for first in range(0, len(rows), size):
        columns = zip(*rows[first : first + size], strict=True)
        arrays = [
            pa.array(column, pa.string()).dictionary_encode().cast(kind)
            if pa.types.is_dictionary(kind)
            else pa.array(column, kind, from_pandas=False)
            for column, kind in zip(columns, KINDS, strict=True)
        ]
        parts.append(pa.table(arrays, names=list("xysnz")))
    return pa.concat_tables(parts)


def grouped(rows: Rows, *by: int) -> list[Rows]:
    """The rows in classes."""
    found: defaultdict[tuple[str, ...], Rows] = defaultdict(list)
    for row in rows:
        found[tuple(map(repr, (row[at] for at in by)))].append(row)
    return list(found.values())


def is_missing(value: Any) -> bool:
    return value is None or value != value


def tally(rows: Rows, at: int, domain: Sequence[Any]) -> list[int]:
    """How many rows hold each value of a domain; None is for missing."""
    held = [None if is_missing(row[at]) else row[at] for row in rows]
    return [held.count(value) for value in domain]


def domain_of(rows: Rows, at: int) -> list[Any]:
    """The known values in order, then missing, if any is."""
    known = sorted({row[at] for row in rows if not is_missing(row[at])})
    return known + [None] * any(is_missing(row[at]) for row in rows)


def reached_l(requirement: LDiversity, rows: Rows, at: int) -> float:
    domain = domain_of(rows, at)
    if not requirement.missing_is_sensitive:
        domain = [value for value in domain if value is not None]
    counts = tally(rows, at, domain) or [0]
    match requirement.kind:
        case "frequency":
            return float(oracle.frequency(counts))
        case "distinct":
            return oracle.distinct(counts)
        case "entropy":
            return oracle.entropy(counts)
        case "recursive":
            return oracle.recursive(counts, requirement.c or 1)


@given(ROWS, st.integers(1, 3))
def test_the_size_of_the_smallest_class(rows: Rows, chunks: int) -> None:
    """A missing cell is a value: rows whose only quasi-identifier is missing are a class of their own."""
    sizes = [len(group) for group in grouped(rows, 0, 1)]
    verdict = seen(published(rows, chunks), COLUMNS, [KAnonymity(3), Size(2)])
    k = the(verdict, "k = 3")
    assert (k.reached, k.classes, verdict.classes) == (min(sizes), len(sizes), len(sizes))
    assert (k.below, k.records) == (sum(s < 3 for s in sizes), sum(s for s in sizes if s < 3))
    assert k.holds == (min(sizes) >= 3)
    assert the(verdict, "size = 2").holds == (min(sizes) >= 2)
    assert verdict.records == len(rows)


DIVERSITY = st.builds(
    LDiversity,
    st.integers(2, 3),
    st.sampled_from(["s", "n"]),
    st.sampled_from(["frequency", "distinct", "entropy"]),
    missing_is_sensitive=st.booleans(),
) | st.builds(
    LDiversity,
    st.integers(2, 3),
    st.just("s"),
    st.just("recursive"),
    st.sampled_from([0.5, 1.0, 3.0]),
    missing_is_sensitive=st.booleans(),
)


@given(ROWS, DIVERSITY)
def test_the_diversity_of_the_weakest_class(rows: Rows, requirement: LDiversity) -> None:
    at = "xysnz".index(str(requirement.on))
    least = min(reached_l(requirement, group, at) for group in grouped(rows, 0, 1))
    assert the(seen(published(rows), COLUMNS, [requirement]), "l = ").reached == pytest.approx(least)


@given(ROWS)
def test_figures_are_the_same_where_values_are_too_many_for_one_matrix(rows: Rows) -> None:
    """Each class then counts its own values only, in pieces of the table."""
    asked: list[Requirement] = [
        LDiversity(2, "n", kind, c=2 if kind == "recursive" else None, missing_is_sensitive=missing)  # type: ignore[arg-type]
        for kind in ("frequency", "distinct", "entropy", "recursive")
        for missing in (False, True)
    ]
    asked += [TCloseness(0.3, "n", "ordered"), TCloseness(0.3, "s", "equal"), TCloseness(0.3, "s", "hierarchical")]
    plain = seen(published(rows), COLUMNS, asked, {"s": TREE})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(figures, "_CELLS", 0)
        patch.setattr(figures, "_ROWS", 3)
        patch.setattr(figures, "_CELLS_A_ROW", 0)
        sparse = seen(published(rows), COLUMNS, asked, {"s": TREE})
    assert [f.reached for f in plain.findings] == pytest.approx([f.reached for f in sparse.findings])
    assert [n.figures for n in plain.notes] == [n.figures for n in sparse.notes]


@given(ROWS)
def test_ordered_distance_is_that_of_ranks(rows: Rows) -> None:
    domain = domain_of(rows, 3)
    far = 0.0
    for group in grouped(rows, 0, 1):
        held, whole = tally(group, 3, domain), tally(rows, 3, domain)
        ranks = range(len(domain))
        distance = wasserstein_distance(ranks, ranks, held, whole) / max(len(domain) - 1, 1)
        far = max(far, float(distance))
    assert the(seen(published(rows), COLUMNS, [TCloseness(0.3, "n")]), "(ordered)").reached == pytest.approx(far)


@given(ROWS, st.sampled_from(["equal", "hierarchical", "ordered"]))
def test_distances_of_categories_are_the_least_work(rows: Rows, distance: Any) -> None:
    domain = domain_of(rows, 2)
    tree = TREE.keep([value for value in TREE.leaves if value in domain])
    domain = [*tree.leaves, *domain[len(tree.leaves) :]]
    apart = {
        "equal": lambda i, j: float(i != j),
        "hierarchical": oracle.in_tree(tree),
        "ordered": lambda i, j: abs(i - j) / max(len(domain) - 1, 1),
    }[distance]
    whole = oracle.shares(tally(rows, 2, domain))
    far = max(oracle.emd(oracle.shares(tally(group, 2, domain)), whole, apart) for group in grouped(rows, 0, 1))
    verdict = seen(published(rows), COLUMNS, [TCloseness(0.3, "s", distance)], {"s": TREE})
    assert the(verdict, "t = 0.3").reached == pytest.approx(far, abs=1e-9)


@given(ROWS)
def test_an_adversary_who_knows_one_more_column(rows: Rows) -> None:
    requirement = LDiversity(2, "s", "distinct")
    verdict = seen(published(rows), COLUMNS, [requirement])
    before = verdict.findings[0].reached
    notes = {note.about: note.figures for note in verdict.notes if "knows" in note.says}
    for at, name in ((3, "n"), (4, "z")):
        finer = grouped([tuple(v + 0 if isinstance(v, float) else v for v in row) for row in _merged(rows)], 0, 1, at)
        k, l = min(map(len, finer)), min(reached_l(requirement, group, 2) for group in finer)
        weaker = k < min(len(group) for group in grouped(rows, 0, 1)) or l < (before or 0)
        assert notes.get(name) == ({"k": k, "l (distinct) on s": l} if weaker else None)


def _merged(rows: Rows) -> Rows:
    """NaN is missing in a column that is published as it is, and minus zero is zero."""
    return [tuple(None if is_missing(v) else 0.0 if v == 0 and isinstance(v, float) else v for v in r) for r in rows]


@given(ROWS)
def test_known_values_beside_missing_ones(rows: Rows) -> None:
    asked = LDiversity(2, "s", "distinct", missing_is_sensitive=True)
    verdict = seen(published(rows), COLUMNS, [asked, TCloseness(0.5, "s", "hierarchical")], {"s": TREE})
    notes = [note for note in verdict.notes if note.about == "s" and "knows" not in note.says]
    groups = grouped(rows, 0, 1)
    among_known = min(reached_l(LDiversity(2, "s", "distinct"), group, 2) for group in groups)
    found = [figure for note in notes for name, figure in note.figures.items() if name.startswith("l")]
    assert found == ([among_known] if any(row[2] is None for row in rows) else [])
    equal = the(seen(published(rows), COLUMNS, [TCloseness(0.5, "s", "equal")]), "t = ").reached
    assert {"t (equal) on s": equal} in [note.figures for note in notes]


@given(st.lists(st.tuples(st.integers(0, 2), st.sampled_from("uv"), st.sampled_from("abc")), min_size=2, max_size=30))
def test_pycanon_finds_the_same(rows: list[tuple[int, str, str]]) -> None:
    from pycanon import anonymity

    frame = pd.DataFrame(rows, columns=["x", "y", "s"])
    with contextlib.redirect_stdout(io.StringIO()):
        k, l = anonymity.k_anonymity(frame, ["x", "y"]), anonymity.l_diversity(frame, ["x", "y"], ["s"])
    table = pa.Table.from_pandas(frame, preserve_index=False)
    verdict = seen(table, COLUMNS[:3], [KAnonymity(2), LDiversity(2, kind="distinct")])
    assert [finding.reached for finding in verdict.findings] == [k, l]


@given(ROWS, st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(rows: Rows, chance: Any) -> None:
    asked = [KAnonymity(2), LDiversity(2), TCloseness(0.2, "n"), TCloseness(0.2, "s")]
    shuffled = chance.sample(rows, len(rows))
    figures_of = [
        [(f.what, f.reached, f.below, f.records) for f in seen(published(some), COLUMNS, asked).findings]
        for some in (rows, shuffled)
    ]
    for (what, one, *rest), (same, two, *others) in zip(*figures_of, strict=True):
        assert what == same
        assert one == pytest.approx(two)
        assert rest == others


def test_a_permuted_index_does_not_matter() -> None:
    """A peer joined classes to rows by label, and found l = 2 where it was 1."""
    frame = pd.DataFrame({"x": [1, 1, 2, 2], "s": ["a", "a", "b", "c"]}, index=[3, 0, 2, 1])
    verdict = seen(pa.Table.from_pandas(frame), (quasi("x"), other("s")), [LDiversity(2, kind="distinct")])
    assert the(verdict, "l = 2").reached == 1


def test_a_missing_quasi_identifier_is_a_class() -> None:
    """A peer dropped the row, and found k = 3 where it was 1."""
    table = pa.table({"x": [1, 1, 1, None]})
    assert the(seen(table, (quasi("x"),), [KAnonymity(2)]), "k").reached == 1


def test_a_value_that_a_class_lacks_counts() -> None:
    table = pa.table({"x": [1, 1, 2, 2], "s": ["a", "a", "b", "b"]})
    verdict = seen(table, (quasi("x"), other("s")), [TCloseness(0.4, "s")])
    assert the(verdict, "t = 0.4 (equal) on s").reached == 0.5


def test_hierarchical_distance_of_counts_beyond_32_bits() -> None:
    """A peer multiplied counts in 32 bits, and accepted 0.33 for 0.2 from a million records on."""
    tree = Hierarchy.from_nested({"A": ["a", "b"], "B": ["c", "d"]})
    size = 1_000_000
    small = ["a"] * (size // 2) + ["b"] * (size // 2)
    large = ["c"] * (size // 2) + ["d"] * (size // 2)
    table = pa.table({"x": np.repeat([1, 2], size), "s": pa.array(small + large).dictionary_encode()})
    verdict = seen(table, (quasi("x"), other("s")), [TCloseness(0.2, "s", "hierarchical")], {"s": tree})
    assert the(verdict, "t = 0.2").reached == pytest.approx(0.5)


def test_without_quasi_identifiers_all_rows_are_one_class() -> None:
    verdict = seen(pa.table({"s": ["a", "b", "b"]}), (other("s"),), [KAnonymity(3), LDiversity(2)])
    assert [finding.reached for finding in verdict.findings] == [3, 1.5]
    assert verdict.classes == 1


def test_an_empty_release_holds_and_says_so() -> None:
    table = pa.table({"x": pa.array([], pa.int64()), "s": pa.array([], pa.string())})
    verdict = seen(table, (quasi("x"), other("s")), [KAnonymity(5), LDiversity(2), TCloseness(0.1, "s")])
    assert verdict.holds
    assert (verdict.records, verdict.classes) == (0, 0)
    assert [finding.reached for finding in verdict.findings] == [None] * 3
    assert any("no records" in note.says for note in verdict.notes)


def test_rows_are_not_people_unless_somebody_knows() -> None:
    table = pa.table({"x": [1, 1]})
    assert any("rows were counted" in note.says for note in seen(table, (quasi("x"),), [KAnonymity(2)]).notes)
    assert not seen(table, (quasi("x"),), [KAnonymity(2)], persons_known=True).notes


def test_columns_that_nobody_decided_to_publish() -> None:
    table = pa.table({"x": [1, 1], "secret": [1, 2], "name": ["A", "B"]})
    verdict = seen(table, (quasi("x"), other("name", "identifying")), [KAnonymity(2)])
    assert not verdict.holds
    assert the(verdict, "has a role").says.endswith("secret")
    assert the(verdict, "identifying").says.endswith("name")


def test_equal_texts_are_equal_whatever_their_dictionary_says() -> None:
    twice = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2]), pa.array(["a", "a", None]))
    table = pa.table({"x": twice})
    assert [f.reached for f in seen(table, (quasi("x"),), [KAnonymity(2)]).findings] == [1]
    assert seen(table, (quasi("x"),), [KAnonymity(2)]).classes == 2


@pytest.mark.parametrize(
    ("requirement", "says"),
    [
        (LDiversity(2, "x"), "not a sensitive column"),
        (TCloseness(0.2, "nothing"), "not a sensitive column"),
        (TCloseness(0.2, "s", "ordered"), "needs a hierarchy"),
        (TCloseness(0.2, "s", "hierarchical"), "needs a hierarchy"),
    ],
)
def test_requirements_that_the_release_cannot_answer(requirement: Requirement, says: str) -> None:
    with pytest.raises(DataError, match=says):
        seen(pa.table({"x": [1, 1], "s": ["a", "b"]}), (quasi("x"), other("s")), [requirement])


def test_values_that_the_hierarchy_does_not_have_are_counted_and_not_quoted() -> None:
    table = pa.table({"x": [1, 1], "s": ["a", "Martian"]})
    with pytest.raises(DataError, match=r"1 value\(s\) of the published column s") as caught:
        seen(table, (quasi("x"), other("s")), [TCloseness(0.2, "s", "hierarchical")], {"s": TREE})
    assert "Martian" not in caught.value.message
    assert caught.value.details == {"values": ["Martian"]}


def test_every_sensitive_column_is_meant_unless_one_is_named() -> None:
    table = pa.table({"x": [1, 1], "s": ["a", "b"], "n": [1, 1]})
    verdict = seen(table, (quasi("x"), other("s"), other("n")), [LDiversity(2)])
    assert [(f.what, f.holds) for f in verdict.findings] == [("l = 2 on s", True), ("l = 2 on n", False)]


class TestSuppressedInPlace:
    """Other tools leave suppressed records in the table, with every quasi-identifier a star."""

    TABLE = pa.table(
        {
            "x": ["[20, 30[", "[20, 30[", "*", "*"],
            "y": ["u", "u", "*", "*"],
            "s": ["a", "b", "a", "NULL"],
            "n": ["1", "3", "2", "*"],
        }
    )
    COLUMNS = (quasi("x", "interval"), quasi("y", "set"), other("s"), other("n"))

    def test_they_are_in_the_distribution_and_are_a_class_of_their_own(self) -> None:
        asked = [KAnonymity(2), LDiversity(2, "s"), TCloseness(0.2, "n")]
        verdict = seen(self.TABLE, self.COLUMNS, asked, own=False)
        assert (verdict.records, verdict.suppressed, verdict.classes) == (2, 2, 1)
        assert the(verdict, "k = 2").reached == 2
        # Numbers beside a star are numbers: 1 and 3 against 1, 2 and 3, whose ranks are half apart.
        assert the(verdict, "t = 0.2 (ordered) on n").reached == pytest.approx(1 / 6)
        assert [note.figures["records"] for note in verdict.notes if note.about == "suppressed records"] == [2]
        in_place = {f.what: f for f in verdict.findings if f.what.endswith("of the records suppressed in place")}
        assert [f.reached for f in in_place.values()] == pytest.approx([2, 1, 1 / 3])
        # Whoever fits no class is one of them, and one value only is known of them.
        assert [f.holds for f in in_place.values()] == [True, False, False]
        assert not verdict.holds

    def test_of_whom_nothing_is_said_they_tell_nothing(self) -> None:
        silent = self.TABLE.set_column(2, "s", pa.array(["a", "b", "*", "*"])).set_column(
            3, "n", pa.array(["1", "3", "*", "*"])
        )
        verdict = seen(silent, self.COLUMNS, [KAnonymity(2), LDiversity(2, "s")], own=False)
        assert verdict.holds
        assert [f.what for f in verdict.findings] == ["k = 2", "l = 2 on s"]

    def test_one_record_alone_is_found_by_fitting_nowhere(self) -> None:
        verdict = seen(self.TABLE.slice(0, 3), self.COLUMNS, [KAnonymity(2)], own=False)
        assert [(f.reached, f.holds) for f in verdict.findings] == [(2, True), (1, False)]

    def test_in_a_release_of_our_own_they_are_a_class_like_any_other(self) -> None:
        verdict = seen(self.TABLE, self.COLUMNS, [KAnonymity(2)])
        assert (verdict.records, verdict.suppressed, verdict.classes) == (4, 0, 2)

    def test_what_stands_beside_a_star_may_be_text(self) -> None:
        for shown, hidden in (("old", "2"), ("2", "old")):
            table = self.TABLE.set_column(3, "n", pa.array(["1", shown, hidden, "*"]))
            verdict = seen(table, self.COLUMNS, [TCloseness(0.2, "n", "equal")], own=False)
            assert the(verdict, "t = 0.2 (equal) on n").reached == pytest.approx(1 / 3)

    def test_when_there_is_nothing_else_they_are_the_release(self) -> None:
        verdict = seen(self.TABLE.slice(2), self.COLUMNS, [KAnonymity(3)], own=False)
        assert the(verdict, "k = 3").reached == 2
        assert not verdict.holds
