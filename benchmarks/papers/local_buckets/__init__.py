"""Li and He's figures: discernibility, loss and query error of local generalization and bucketization; and its cost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.papers.figures import Results
from benchmarks.papers.local_buckets import claims, tables
from benchmarks.papers.local_buckets.asking import queries
from benchmarks.papers.local_buckets.experiments import (
    DEFAULT,
    OURS,
    WAYS,
    Costs,
    by_density,
    by_l,
    costs,
    growth,
    sure_bounds,
)

_RECORDS, _QUERIES = 31_055, 1_000
KS = (5, 8, 10)


def measured(data: Path, *, quick: bool) -> Results:
    """All figures and claims."""
    table = tables.sample(data, 6_000 if quick else _RECORDS)
    ls = (5, 12) if quick else (5, 8, 10, 12, 15, 18, 20)
    ks = (5, 10) if quick else KS
    densities = (0.1, 0.4) if quick else (0.1, 0.2, 0.3, 0.4)
    asked = queries(table, 100 if quick else _QUERIES)
    masked = {share: tables.ticked(table, share) for share in densities}
    base = masked.get(0.2, masked[densities[0]])
    found = dict(costs(base, {**WAYS, **OURS}, ks, ls, asked))
    dense = {
        share: found if held is base else dict(costs(held, {"LGB_MDP": WAYS["LGB_MDP"]}, ks, ls, asked))
        for share, held in masked.items()
    }
    growing = growth((10_000, 30_000) if quick else (10_000, 100_000, 1_000_000))
    return Results(
        title="Local generalization and bucketization, measured again",
        paper="Li and He, *Local Generalization and Bucketization Technique for Personalized Privacy Preservation*, "
        "Journal of King Saud University - Computer and Information Sciences, 2023",
        setting=_SETTING.format(records=table.num_rows, queries=len(asked)),
        figures=[
            by_l("figure-5", "Discernibility (Figure 5)", "C_DM", found, "discernibility"),
            by_l("figure-6", "Loss (Figure 6)", "NCP_Xu", found, "ncp_xu"),
            by_l("figure-7", "Error of sums (Figure 7)", "relative error", found, "error", _JUMPS),
            by_density(dense),
            sure_bounds(found),
            growing,
        ],
        claims=[*claims.of(found, dense, ks, ls), *claims.ours(found, growing)],
        advice=list(_advice(found, ks, ls)),
    )


_SETTING = (
    "On {records:,} government employees of the American Community Survey 2018, drawn at random such that no "
    "occupation is held by more than one in 25: else none could be 20-diverse. Nine columns: region stands for the "
    "paper's relationship, which this table lacks; marital status, race, education and hours per week are "
    "quasi-identifying; sex, age and occupation are ticked at random by 20 % each; salary is sensitive. l holds on "
    "age, occupation and salary, t = 0.2 on sex. Education and marital status have two small hierarchies, occupation "
    "the prefixes of its codes. LGB_NCP is Algorithm 4: each record joins the side that then loses less, and what has "
    "too small a side stays whole. *Our default* cuts at medians first, lets each record join the side "
    "whose loss grows less, and moves the nearest to a side that is too small. Queries: {queries:,}, with four "
    "predicates each, as in Section 4.2, of those that ask for one in a thousand of all salaries at least. NCP is the "
    "mean over records and columns, not the sum."
)


_JUMPS = (
    "Algorithm 2 halves the salaries at the median as long as both halves are l-eligible: here into eight parts for "
    "l = 5, two up to 12, one from 15 on. Where there are fewer, the values of a bucket lie farther apart and the "
    "error jumps; in between it falls, since of fewer buckets fewer numbers are rounded."
)


def _advice(found: Costs, ks: Sequence[int], ls: Sequence[int]) -> Iterator[str]:
    wider = [found[DEFAULT, k, ls[-1]].sure / found[DEFAULT, k, ls[0]].sure for k in ks]
    yield "Take the default; median cuts (`mdp`) are faster and lose more, and keep the same promise."
    yield (
        f"Ask no more l than you need: by the default bounds that hold are {min(wider):.1f} to {max(wider):.1f} times "
        f"as far apart for l = {ls[-1]} as for l = {ls[0]}."
    )
    yield "The bounds of `shoal query` are sure and wide. Those of the paper are narrow, and are no bounds."
