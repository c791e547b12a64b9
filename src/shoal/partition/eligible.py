"""Whether a table can keep a plan's requirements at all, and which records to leave out where that is allowed.

A requirement that the whole table breaks is broken by every grouping of it: k by too few people, l by a value that too
many hold. The second can be mended by leaving out some of those who hold it; which ones, falls by lot.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray

from shoal.errors import DataError, Unachievable, Unsupported
from shoal.plan.forms import Randomized
from shoal.plan.plan import Plan
from shoal.privacy import definitions
from shoal.privacy.distances import Equal, GroundDistance, Hierarchical, Ordered
from shoal.privacy.requirements import (
    KAnonymity,
    LDiversity,
    RandomizedDiversity,
    Requirement,
    Size,
    TCloseness,
    randomized,
    spelled_out,
)
from shoal.privacy.retention import largest_retention
from shoal.privacy.search import Numbers, SensitiveColumn, numbers
from shoal.table.codes import Codes
from shoal.table.domain import Domain, is_ordered

Counts = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Eligible:
    """The records that may be grouped, as places in the codes, and what each class of them must keep."""

    places: NDArray[np.int64]
    numbers: Numbers


def eligible(codes: Codes, plan: Plan, together: Sequence[Requirement] | None = None) -> Eligible:
    """The records to group; :class:`Unachievable` where no grouping keeps the plan's promises.

    ``together`` is what all records together must keep, where that is not what each class must.
    """
    return allowed(codes, asked(plan, codes.protected_domains), plan.suppress, together)


def allowed(
    codes: Codes, requirements: Sequence[Requirement], suppress: float, together: Sequence[Requirement] | None = None
) -> Eligible:
    """The same for these requirements, of which nothing is left unsaid, when so many records may be left out."""
    _check_people(codes, requirements)
    together = requirements if together is None else together
    kept = _diverse(codes, together, int(suppress * len(codes) + 1e-9))
    if not _enough(codes, kept, requirements):
        if suppress < 1 and len(codes):
            raise Unachievable(_too_few(codes, requirements))
        kept = kept[:0]
    published = counts_of(codes, kept)
    original = counts_of(codes, None) if codes.whole is None else list(codes.whole)
    if len(kept):
        _check_closeness(requirements, codes.protected_domains, original, published)
    compared = published if codes.whole is None else original
    return Eligible(kept, _numbers(codes, requirements, original, compared))


def asked(plan: Plan, sensitive: Sequence[Domain]) -> list[Requirement]:
    """The plan's requirements with every default filled in, as they are to be understood in its form."""
    found = spelled_out(plan.require, {domain.name: is_ordered(domain.values.type) for domain in sensitive})
    if isinstance(plan.form, Randomized):
        found = randomized(found, plan.form.retention)
    for requirement in found:
        if isinstance(requirement, TCloseness) and requirement.distance == "ordered":
            _check_order(next(domain for domain in sensitive if domain.name == requirement.on))
    return found


def _check_people(codes: Codes, requirements: Sequence[Requirement]) -> None:
    if codes.people is not None and any(isinstance(r, LDiversity | TCloseness) for r in requirements):
        raise Unsupported(
            "a person has several rows, and l and t speak of one value a person: keep one row each (for example the "
            'latest), or say person = "row" if every row stands alone'
        )


def _check_order(domain: Domain) -> None:
    if not is_ordered(domain.values.type) and domain.tree is None and len(domain):
        raise DataError(
            f"t on {domain.name} is asked with the ordered distance, but its values are text without an order: "
            "give it a hierarchy, whose leaves have one, or ask for the equal distance"
        )
    if is_ordered(domain.values.type) and not np.array_equal(
        pc.array_sort_indices(domain.values), np.arange(domain.known)
    ):
        raise DataError(
            f"t on {domain.name} is asked with the ordered distance, and the hierarchy of its numbers puts them in "
            "another order than their own: change its categories, leave it out, or ask for the hierarchical distance"
        )


def distance_of(requirement: TCloseness, domain: Domain) -> GroundDistance:
    """How far apart the values of a domain are."""
    if requirement.distance == "hierarchical" and domain.tree is not None:
        return Hierarchical(domain.tree)
    return Ordered(domain.declared) if requirement.distance == "ordered" else Equal()


def counts_of(codes: Codes, kept: NDArray[np.int64] | None) -> list[Counts]:
    """How often each value of each protected column occurs among those of these records that hold it sensitive."""
    found = []
    for place, domain in enumerate(codes.protected_domains, start=codes.quasi):
        holds = codes.holders(domain.name)
        column = codes.matrix[:, place] if kept is None else codes.matrix[kept, place]
        if holds is not None:
            column = column[holds if kept is None else holds[kept]]
        found.append(np.bincount(column, minlength=len(domain)).astype(np.int64))
    return found


def _holders(codes: Codes, name: str, kept: NDArray[np.int64]) -> NDArray[np.int64]:
    """Those of some records that hold the value of a column sensitive."""
    holds = codes.holders(name)
    return kept if holds is None else kept[holds[kept]]


def strongest(requirement: LDiversity, counts: Counts, known: int) -> float:
    """The largest l that a table with these counts can keep."""
    return float(definitions.diversity(requirement, counts[None, :], known)[0])


def _diverse(codes: Codes, requirements: Sequence[Requirement], allowance: int) -> NDArray[np.int64]:
    """The records that are left when few are left out, and every l is possible.

    What one requirement leaves out may take from a value that another counts on: they are asked in turn until none
    leaves out any more.
    """
    kept, before = np.arange(len(codes)), len(codes) + 1
    while 0 < len(kept) < before:
        before = len(kept)
        for requirement in requirements:
            if isinstance(requirement, LDiversity) and len(kept):
                kept = _diverse_in(codes, kept, requirement, allowance)
    return kept


def _diverse_in(codes: Codes, kept: NDArray[np.int64], requirement: LDiversity, allowance: int) -> NDArray[np.int64]:
    """The records that are left when, of those who hold one column sensitive, few are left out."""
    holders = _holders(codes, str(requirement.on), kept)
    left = _capped(codes, holders, requirement, allowance, len(codes) - len(kept)) if len(holders) else holders
    if len(left) == len(holders):
        return kept
    gone = np.zeros(len(codes), np.bool_)
    gone[holders] = True
    gone[left] = False
    return kept[~gone[kept]]


def _capped(
    codes: Codes, kept: NDArray[np.int64], requirement: LDiversity, allowance: int, gone: int
) -> NDArray[np.int64]:
    """Those of some records that are left when no value of one column is held by too many; ``gone`` are out already."""
    place = codes.place(str(requirement.on))
    domain, column = codes.domains[place], codes.matrix[kept, place]
    counts = np.bincount(column, minlength=len(domain)).astype(np.int64)
    cap = cap_of(requirement, counts, domain.known)
    judged = judged_of(requirement, domain)
    if cap is None or gone + beyond(cap, counts[:judged]) > allowance:
        if gone + len(kept) <= allowance:
            return kept[:0]
        all_of_them = codes.holders(domain.name) is None
        raise Unachievable(
            _not_diverse(requirement, counts, domain, allowance, gone, all_of_them=all_of_them),
            details=_commonest(counts, domain),
        )
    return kept[(_rank(column, _burden(codes, kept, place)) < cap) | (column >= judged)]


def judged_of(requirement: LDiversity, domain: Domain) -> int:
    """How many of a domain's codes count for diversity: those of known values, and missing where it is sensitive."""
    return len(domain) if requirement.missing_is_sensitive else domain.known


def beyond(cap: int, counts: Counts) -> int:
    """How many records must be left out for no value to be held by more than ``cap``."""
    return int(np.maximum(counts - cap, 0).sum())


def cap_of(requirement: LDiversity, counts: Counts, known: int) -> int | None:
    """How many records may hold one value at the most, for the table to be diverse; None if no number helps."""

    def holds(cap: int) -> bool:
        capped = counts.copy()
        judged = len(counts) if requirement.missing_is_sensitive else known
        capped[:judged] = np.minimum(capped[:judged], cap)
        reached = definitions.diversity(requirement, capped[None, :], known)
        return bool(definitions.keeps(requirement, reached)[0])

    most = int(counts.max(initial=0))
    if holds(most):
        return most
    low, high = 0, most  # a lower cap only evens the counts out: it holds below some point
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low if low and holds(low) else None


def _rank(column: NDArray[np.unsignedinteger[Any]], burden: NDArray[np.int64]) -> NDArray[np.int64]:
    """For each record, how many that hold the same value go before it: by burden, then by lot, as they lie."""
    order = np.lexsort((burden, column))
    ordered = column[order]
    rank = np.empty(len(column), dtype=np.int64)
    rank[order] = np.arange(len(column)) - np.searchsorted(ordered, ordered)
    return rank


def _burden(codes: Codes, kept: NDArray[np.int64], place: int) -> NDArray[np.int64]:
    """How common the values are that each record holds in the other sensitive columns: the commonest can be spared."""
    burden = np.zeros(len(kept), np.int64)
    for other in range(codes.quasi, codes.quasi + codes.sensitive):
        if other != place:
            column = codes.matrix[kept, other]
            burden += np.bincount(column)[column]
    return burden


def _enough(codes: Codes, kept: NDArray[np.int64], requirements: Sequence[Requirement]) -> bool:
    people = len(kept) if codes.people is None else len(np.unique(codes.people[kept]))
    return len(codes) == 0 or people >= _least(requirements)


def _least(requirements: Sequence[Requirement]) -> int:
    sizes = [r.k if isinstance(r, KAnonymity) else r.size for r in requirements if isinstance(r, KAnonymity | Size)]
    return max(sizes, default=1)


def _too_few(codes: Codes, requirements: Sequence[Requirement]) -> str:
    people = len(codes) if codes.people is None else len(np.unique(codes.people))
    return (
        f"classes of {_least(requirements)} people are asked for, and the table has {people}: "
        f"the largest k that it allows is {people}"
    )


def _commonest(counts: Counts, domain: Domain) -> dict[str, Any]:
    known = counts[: domain.known]
    return {"value": domain.values[int(known.argmax())].as_py()} if known.any() else {}


def _not_diverse(
    requirement: LDiversity, counts: Counts, domain: Domain, allowance: int, gone: int, *, all_of_them: bool
) -> str:
    known = counts[: domain.known]
    total = int(known.sum())
    most = strongest(requirement, counts, domain.known)
    summed = requirement.kind == "entropy" or isinstance(requirement, RandomizedDiversity)
    limit = f"{math.floor(most * 1000) / 1000:g}" if summed else f"{int(most)}"
    who = "the records" if all_of_them else "those who hold it sensitive"
    if not total:
        why = f"none of {who} has a known value"
    else:
        share = known.max() / total
        why = f"it has {int((known > 0).sum())} known value(s), the commonest held by {share:.1%} of {who}"
    missing = int(counts[domain.known :].sum())
    without = f" ({missing} records have none)" if missing and not requirement.missing_is_sensitive else ""
    after = f"after {gone} records were left out for it and others, " if gone else ""
    shown, all_of_it, instead = "", "the table", "for t-closeness instead"
    if isinstance(requirement, RandomizedDiversity):
        shown, all_of_it = f" with retention = {requirement.retention:g}", "a class of all records"
        instead = _less_retention(requirement, counts, domain)
    return (
        f"{requirement} cannot be kept{shown}: {after}of the column {domain.name}, {why}{without}. The largest l that "
        f"{all_of_it} allows is {limit}; ask for that, {instead}, or let more records be left out than the {allowance} "
        "that suppress allows"
    )


def _less_retention(requirement: RandomizedDiversity, counts: Counts, domain: Domain) -> str:
    """The largest retention with which all records together would keep l."""
    judged = counts[: judged_of(requirement, domain)]
    hidden, commonest = int(judged.sum()), int(judged.max(initial=0))
    found = largest_retention(requirement.l, int((counts > 0).sum()), hidden, commonest) if hidden else None
    if found is None:
        return "for another form, since no retention keeps it"
    return f"for a retention of at most {found:g} (the largest that keeps it)"


def _check_closeness(
    requirements: Sequence[Requirement],
    domains: Sequence[Domain],
    original: Sequence[Counts],
    published: Sequence[Counts],
) -> None:
    """What is published must be as close to the original as each class is to be."""
    for requirement in requirements:
        if not isinstance(requirement, TCloseness):
            continue
        for domain, whole, left in zip(domains, original, published, strict=True):
            if domain.name != requirement.on:
                continue
            reached = definitions.closeness(left[None, :], whole, distance_of(requirement, domain))
            if not definitions.keeps(requirement, reached)[0]:
                raise Unachievable(
                    f"{requirement} cannot be kept: leaving out the records that others cannot bear takes the "
                    f"table itself {reached[0]:.4g} away from the original; ask for no less than that"
                )


def _numbers(
    codes: Codes, requirements: Sequence[Requirement], original: Sequence[Counts], published: Sequence[Counts]
) -> Numbers:
    """What is published is compared with itself, which is all that an outsider has, and with the original."""
    columns = {}
    for domain, whole, left in zip(codes.protected_domains, original, published, strict=True):
        wholes = [whole] if np.array_equal(whole, left) else [left, whole]
        distances = {
            r: distance_of(r, domain) for r in requirements if isinstance(r, TCloseness) and r.on == domain.name
        }
        columns[domain.name] = SensitiveColumn(domain.known, wholes, distances)
    return numbers(requirements, columns)
