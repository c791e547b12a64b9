"""Local buckets: what others may know of a person is generalized, what that person holds private is bucketized.

Paper        Li, He: Local Generalization and Bucketization Technique for Personalized Privacy Preservation. Journal of
             King Saud University - Computer and Information Sciences 35, 2023.
Promises     k of what is generalized; l (by frequency) or t of each column that is bucketized.
Forms        buckets.
Reads        sensitive values for buckets only. Classes depend on what is generalized and on who hides which column.
Cost         n log n; around far records (``ncp``) each division looks at a record some five times, and there are few
             since medians are cut before. Not so by the paper's Algorithm 4 (``small="stop"``).
Why right    records of a class show the same and have the same columns hidden, so whoever knows all that is public of a
             person finds k records that may be that person's (Corollary 1). The values of a bucket are shuffled
             uniformly, and none of them has more than 1/l of it (Lemma 2); where records are of covered people, whose
             values an adversary may strike out, the rest of each bucket keeps l too.

The order is not the paper's: who is in which class is decided first, since a column that only some of a class hide is
shown of none of it, and its values then are in no bucket.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import cutting, seeding
from shoal.kernels.clustering import Axes
from shoal.partition.buckets import Codes1, Counts, Requirement, Wanted, bucketed, of_classes
from shoal.partition.eligible import asked, counts_of, eligible, judged_of
from shoal.partition.growing import axes_of, check_people
from shoal.partition.halving import Span, class_starts
from shoal.partition.mondrian import cut
from shoal.partition.patterns import BUCKETIZED, Groups, groups_of
from shoal.plan.methods import LocalBuckets
from shoal.plan.plan import Plan
from shoal.privacy.requirements import KAnonymity, LDiversity, TCloseness
from shoal.privacy.search import numbers
from shoal.table.chance import Chance
from shoal.table.classes import GENERALIZED, SUPPRESSED, Buckets, Classes
from shoal.table.codes import Codes

Flags = NDArray[np.bool_]
Places = NDArray[np.int64]

_KNOWN_WHOLE = 2.0**53
#: Seeds are sought among fewer records than twice so many, which are cut out at medians before. Far records among more
#: are outliers: few would gather around them, and all others be looked at again and again.
_NEAR = 1 << 9


def group(codes: Codes, plan: Plan, chance: Chance) -> Classes:
    """Classes of what is generalized, and the buckets of each column that is not."""
    check_people(codes, "local-buckets")
    places = eligible(codes, plan).places
    if not len(places):
        nothing = {domain.name: np.empty(0, np.int32) for domain in codes.protected_domains}
        return Classes(np.empty(0, np.uint32), np.zeros(1, np.int64), buckets=Buckets(nothing))
    least = max((r.k for r in plan.require if isinstance(r, KAnonymity)), default=1)
    wanted = _wanted(codes, plan)
    holds = np.zeros((len(places), 0), np.bool_) if codes.masks is None else codes.masks[places]
    hidden = _hidden(codes, plan, places, holds, wanted, chance)
    groups = groups_of(hidden, least, codes.matrix.dtype.type)
    parts = _classes(codes, plan, places, groups, least)
    buckets = {
        domain.name: _of_column(codes, places[parts.order], parts, j, wanted[domain.name], chance)
        for j, domain in enumerate(codes.protected_domains)
    }
    return Classes(places[parts.order].astype(np.uint32), parts.starts, buckets=Buckets(buckets))


def _wanted(codes: Codes, plan: Plan) -> dict[str, Wanted]:
    """What the buckets of each column must keep."""
    domains = codes.protected_domains
    found: dict[str, list[Requirement]] = {domain.name: [] for domain in domains}
    for requirement in asked(plan, domains):
        if isinstance(requirement, LDiversity | TCloseness):
            found[str(requirement.on)].append(requirement)
    return {domain.name: Wanted(domain, found[domain.name]) for domain in domains}


# -- who is hidden --------------------------------------------------------------------------------------------------


def _hidden(
    codes: Codes, plan: Plan, places: Places, holds: Flags, wanted: Mapping[str, Wanted], chance: Chance
) -> Flags:
    """Whose values are hidden: of all who hold them sensitive, and of some others, by lot, to cover for these."""
    hidden = holds.copy()
    for j, column in enumerate(plan.semi_sensitive):
        share = 0.0 if column.mask is None else column.mask.cover
        if share > 0 and holds[:, j].any():
            drawn = chance.words(len(places)) >> np.uint64(11) < np.uint64(share * _KNOWN_WHOLE)
            values = codes.matrix[places, codes.quasi + codes.sensitive + j].astype(np.int64)
            hidden[:, j] |= _bearable(values, drawn & ~holds[:, j], holds[:, j], wanted[column.name])
    return hidden


def _bearable(values: Places, drawn: Flags, holds: Flags, wanted: Wanted) -> Flags:
    """Those drawn without whom no value would be too common, were the values of all others who cover struck out.

    Of n values that are held sensitive, t of them v, so many may be added: (n - l t) / (l - 1).
    """
    size, kept = len(wanted.domain), drawn.copy()
    held = np.bincount(values[holds], minlength=size)
    for requirement in wanted.diversities:
        judged = judged_of(requirement, wanted.domain)
        room = np.floor((held[:judged].sum() - requirement.l * held) / (requirement.l - 1) + 1e-9)
        some = np.flatnonzero(kept)
        by_value = some[np.argsort(values[some], kind="stable")]
        ordered = values[by_value]
        rank = np.arange(len(ordered)) - np.searchsorted(ordered, ordered)
        kept[by_value] = (rank < room[ordered]) | (ordered >= judged)
    return kept


# -- classes --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Parts:
    """Records ``order[starts[c]:starts[c + 1]]`` are class c; ``state[c, j]`` says what it shows of column j."""

    order: Places
    starts: Places
    state: NDArray[np.int8]

    @property
    def of_record(self) -> Places:
        """The class of each record."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))


def _classes(codes: Codes, plan: Plan, places: Places, groups: Groups, least: int) -> _Parts:
    """Each group divided by what is generalized of it (Algorithm 3 or 4)."""
    table = _table(codes, places[groups.order], np.repeat(groups.state, np.diff(groups.starts), axis=0))
    method, starts = plan.method, groups.starts
    if isinstance(method, LocalBuckets) and method.partition == "ncp":
        domains = [*codes.domains[: codes.quasi], *codes.semi_sensitive_domains]
        if method.small == "move":
            starts = _neighbours(table, starts, least)
        starts = _around_seeds(table, axes_of(domains), starts, least, stop=method.small == "stop")
    else:
        starts = _cut(table, starts, least)
    group = np.searchsorted(groups.starts, starts[:-1], side="right") - 1
    return _Parts(groups.order[table.rows], starts, groups.state[group])


def _large(starts: Places, least: int) -> list[Span]:
    """The runs that can be divided."""
    places = np.flatnonzero(np.diff(starts) >= 2 * least)
    return list(zip(starts[places].tolist(), starts[places + 1].tolist(), strict=True))


def _cut(table: cutting.Table, starts: Places, least: int, *, relaxed: bool = False) -> Places:
    """Runs cut at medians while both sides hold so many (Algorithm 3)."""
    found = cut(table, numbers([KAnonymity(least)], {}), _large(starts, least), relaxed=relaxed)
    return np.unique(np.append(starts, found))


def _neighbours(table: cutting.Table, starts: Places, least: int) -> Places:
    """Runs so short that seeds in them are not far out; those of equal records are cut too."""
    for relaxed in (False, True):
        starts = _cut(table, starts, max(_NEAR, 2 * least), relaxed=relaxed)
    return starts


def _around_seeds(table: cutting.Table, axes: Axes, starts: Places, least: int, *, stop: bool) -> Places:
    """Runs divided around far records (Algorithm 4)."""

    def divide(lo: int, hi: int, cuts: int) -> Places:
        scratch, found = seeding.scratch(axes, table.words, hi - lo, least), np.empty((hi - lo) // least + 1, np.int64)
        held = table.codes, table.words, table.rows
        return found[: seeding.divide(axes, *held, lo, hi, least, stop, scratch, cuts, found)]

    return np.unique(np.append(starts, class_starts(len(table.rows), divide, _large(starts, least))))


def _table(codes: Codes, places: Places, state: NDArray[np.int8]) -> cutting.Table:
    """A copy of the records that a search may move about; of a column that is hidden all have the same code."""
    domains = [*codes.domains[: codes.quasi], *codes.semi_sensitive_domains]
    kind, first = codes.matrix.dtype, codes.quasi + codes.sensitive
    words = np.zeros((len(places), max(-(-len(domains) * kind.itemsize // 8), 1)), np.uint64)
    matrix = words.view(kind)
    held = codes.matrix[places]
    matrix[:, : codes.quasi] = held[:, : codes.quasi]
    matrix[:, codes.quasi : len(domains)] = held[:, first : first + codes.semi] * (state == GENERALIZED)
    position = [domain.position() for domain in domains]
    return cutting.Table(
        matrix,
        words,
        np.arange(len(places), dtype=np.uint32),
        np.empty(0, np.uint32),
        np.concatenate([*position, np.empty(0)]),
        np.cumsum([0, *map(len, position)]).astype(np.int64),
        np.zeros(1, np.int64),
    )


# -- buckets --------------------------------------------------------------------------------------------------------


def _of_column(codes: Codes, rows: Places, parts: _Parts, j: int, wanted: Wanted, chance: Chance) -> NDArray[np.int32]:
    """The bucket of each record in one column, or what stands in its place."""
    semi = j - codes.sensitive
    state = np.full(len(parts.starts) - 1, BUCKETIZED, np.int8) if semi < 0 else parts.state[:, semi]
    found = state[parts.of_record].astype(np.int32)
    some = np.flatnonzero(found == BUCKETIZED)
    values = codes.matrix[rows[some], codes.quasi + j]
    holds = np.ones(len(some), np.bool_) if codes.masks is None or semi < 0 else codes.masks[rows[some], semi]
    original = counts_of(codes, None)[j]
    stays = _left(values, holds, parts.of_record[some], wanted, original)
    found[some[~stays]] = SUPPRESSED
    some, values, holds = some[stays], values[stays], holds[stays]
    if not len(some):
        return found
    holders = replace(wanted, wholes=_wholes(values[holds], original, wanted))
    if holds.all():
        found[some] = bucketed(values, holders, chance)
    else:
        every = replace(wanted, wholes=_wholes(values, original, wanted)[:1])
        close = [requirement for requirement in wanted.require if isinstance(requirement, TCloseness)]
        found[some] = of_classes(values, holds, parts.of_record[some], every, replace(holders, require=close))
    return found


def _wholes(values: Codes1, original: Counts, wanted: Wanted) -> list[Counts]:
    """What buckets are compared with: all that is shown of the column, and if that is less, all there was."""
    shown = np.bincount(values, minlength=len(wanted.domain)).astype(np.int64)
    return [shown] if np.array_equal(shown, original) else [shown, original]


def _left(values: Codes1, holds: Flags, classes: Places, wanted: Wanted, original: Counts) -> Flags:
    """The values that can be put into buckets after all, now that some are shown of nobody.

    Where the rest has lost too many others of a common value, classes that hold most of it are left out too.
    """
    stays = np.ones(len(values), np.bool_)
    while stays.any():
        found = [
            _surplus(values, holds, stays, classes, requirement.l, judged_of(requirement, wanted.domain))
            for requirement in wanted.diversities
        ]
        more = max(found, key=np.sum, default=np.zeros(1))
        if more.sum() <= 0:
            break
        order = np.argsort(-more, kind="stable")
        enough = int(np.argmax(np.cumsum(more[order]) >= more.sum())) + 1
        stays &= ~np.isin(classes, order[:enough])
    if stays.any():
        shown = replace(wanted, wholes=_wholes(values[stays & holds], original, wanted))
        stays &= shown.keeps(values[stays & holds])
    return stays


def _surplus(values: Codes1, holds: Flags, some: Flags, classes: Places, l: float, judged: int) -> NDArray[np.float64]:
    """By how much each class adds to the surplus of a value that is too common among some; nothing if none is."""
    count = int(classes.max(initial=-1)) + 1
    mine, others = (some & who & (values < judged) for who in (holds, ~holds))
    held, added = (np.bincount(values[who], minlength=judged) for who in (mine, others))
    left = np.divide(held.sum() + added, held + added, out=np.full(judged, np.inf), where=held + added > 0)
    if not some.any() or (mine.any() and left.min() >= l):
        return np.zeros(count)
    if not mine.any():
        return np.bincount(classes[some], minlength=count).astype(np.float64)
    common = values == left.argmin()
    same, own, beside = (
        np.bincount(classes[who], minlength=count) for who in ((mine | others) & common, mine, others & common)
    )
    return l * same - own - beside
