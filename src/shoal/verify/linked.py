"""The release record by record, by a link that says which record each row is of: a claim, checked like any other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.privacy.verdict import Finding
from shoal.release.cells import is_ordered
from shoal.verify import threads
from shoal.verify.case import Case, Quasi
from shoal.verify.coding import coded, matched

Link = NDArray[np.integer[Any]]
#: One link for all columns, or where rows are shown in slices one for each.
Links = Link | Mapping[str, Link]

#: Rows by which it is told whether a column repeats an identifying one.
_SAMPLE = 10_000


def is_link(case: Case, link: Link) -> Finding:
    """Each row speaks of one record, and no two rows of the same."""
    what = "every row is one record of the original"
    if len(link) != case.table.num_rows:
        says = f"the link speaks of {len(link):,} rows, the release has {case.table.num_rows:,}"
        return Finding("keeper", what, holds=False, says=says)
    outside = int(((link < 0) | (link >= case.original.num_rows)).sum())
    if outside:
        says = f"{outside:,} row(s) are of no record"
        return Finding("keeper", what, holds=False, records=outside, says=says)
    seen = np.zeros(case.original.num_rows, np.bool_)
    seen[link] = True
    repeated = len(link) - int(np.count_nonzero(seen))
    says = f"{repeated:,} row(s) repeat a record" if repeated else ""
    return Finding("keeper", what, holds=repeated == 0, records=repeated, says=says)


def judged(case: Case, link: Link) -> Iterator[Finding]:
    """What can be said of every row, given a sound link."""
    yield covered(case, link)
    yield unchanged(case, link)
    yield nobody_named(case)


def covered(case: Case, links: Links) -> Finding:
    """Each published cell covers its record's value."""

    def uncovered(quasi: Quasi) -> NDArray[np.bool_]:
        value = _of_record(quasi.original.code, _link_of(links, quasi.column.name))
        return np.logical_not(quasi.cover.covers(quasi.cells.code, value))

    wrong = dict(zip((q.column.name for q in case.quasi), threads.each(uncovered, case.quasi), strict=True))
    return _of_rows("every cell covers the value of its record", wrong)


def unchanged(case: Case, links: Links) -> Finding:
    """What is published as it is, is as it was."""

    def changed(name: str) -> NDArray[np.bool_]:
        both = case.unchanged[name]
        return np.not_equal(both.published, _of_record(both.original, _link_of(links, name)))

    wrong = dict(zip(case.unchanged, threads.each(changed, case.unchanged), strict=True))
    return _of_rows("sensitive and insensitive values are those of their records", wrong)


def _link_of(links: Links, name: str) -> Link:
    return links[name] if isinstance(links, Mapping) else links


def _of_record(values: NDArray[Any], link: Link) -> NDArray[Any]:
    return np.take(values, link, mode="clip")  # the link is within bounds, and clipping is what makes this fast


def _of_rows(what: str, wrong: dict[str, NDArray[np.bool_]]) -> Finding:
    """A finding on rows, with the columns in which they are wrong."""
    counts = {name: int(np.count_nonzero(rows)) for name, rows in wrong.items()}
    counts = {name: count for name, count in counts.items() if count}
    says = ", ".join(f"{name} in {count:,} row(s)" for name, count in counts.items())
    rows = np.logical_or.reduce([wrong[name] for name in counts]) if counts else np.zeros(0, np.bool_)
    return Finding(
        "keeper",
        what,
        holds=not counts,
        records=int(np.count_nonzero(rows)),
        says=f"not so: {says}" if says else "",
    )


def nobody_named(case: Case) -> Finding:
    """No column that is published as it is repeats an identifying one, whatever it is called."""
    records = case.original.num_rows
    rows = np.linspace(0, records - 1, min(records, _SAMPLE)).astype(np.int64)
    telling = [c.name for c in case.plan_columns if c.role == "identifying"]
    names = [
        f"{name} repeats {who}"
        for name in (column.name for column in case.of_role("sensitive", "insensitive"))
        for who in telling
        if who in case.original.column_names and _repeats(case, name, who, rows)
    ]
    says = ", ".join(names)
    return Finding("keeper", "no identifying value is published", holds=not names, says=says)


def _repeats(case: Case, name: str, who: str, records: NDArray[np.int64]) -> bool:
    """Whether most of some records have their identifying value in this column too, which is published unchanged."""
    shown, named = (
        coded(case.original.column(column).take(pa.array(records)), column, case.missing) for column in (name, who)
    )
    if is_ordered(shown.held.type) != is_ordered(named.held.type):
        return False
    both = matched(shown, named)
    known = named.held.is_valid().to_numpy(zero_copy_only=False)[named.code]
    same = (both.published == both.original) & known
    return len(np.unique(both.original[known])) > 1 and 2 * int(same.sum()) > int(known.sum())
