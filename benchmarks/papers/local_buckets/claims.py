"""What the figures say of the paper's claims, and of ours."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

import numpy as np

from benchmarks.papers.figures import Claim, Figure, Found
from benchmarks.papers.local_buckets.experiments import DEFAULT, WAYS, Costs


def of(found: Costs, dense: Mapping[float, Costs], ks: Sequence[int], ls: Sequence[int]) -> Iterator[Claim]:
    yield _of_discernibility(found, ks, ls)
    moved = [_spread([found[way, k, l].discernibility for l in ls]) for way in WAYS for k in ks]
    yield Claim(
        "Discernibility is hardly affected by l.",
        "reproduced" if max(moved) < 0.02 else "not",
        f"it differs by {max(moved):.2%} at most between values of l: which classes there are does not depend on them",
    )
    yield from _of_loss(found, ks, ls)
    yield from _of_error(found, ks, ls)
    shares = sorted(dense)
    means = [float(np.mean([c.error for (w, _, _), c in dense[s].items() if w == "LGB_MDP"])) for s in shares]
    falls = all(later < before for before, later in pairwise(means))
    told = ", ".join(f"{mean:.3g} at {share:.0%}" for share, mean in zip(shares, means, strict=True))
    yield Claim("The error falls as more values are ticked.", "reproduced" if falls else "not", f"the mean is {told}")


def _of_discernibility(found: Costs, ks: Sequence[int], ls: Sequence[int]) -> Claim:
    over = {k: found["LGB_MDP", k, ls[0]].discernibility / found["LGB_NCP", k, ls[0]].discernibility for k in ks}
    moving = {k: found["LGB_MDP", k, ls[0]].discernibility / found[DEFAULT, k, ls[0]].discernibility for k in ks}
    below = [ratio < 1 for ratio in over.values()]
    told = ", ".join(f"{ratio:.2f} for k = {k}" for k, ratio in over.items())
    other = ", ".join(f"{ratio:.2f}" for ratio in moving.values())
    result: Found = "reproduced" if all(below) else "in part" if any(below) else "not"
    numbers = f"C_DM of LGB_MDP is {told} times that of LGB_NCP, and {other} times that of our default"
    return Claim("Discernibility of LGB_MDP is much lower than that of LGB_NCP.", result, numbers)


def _of_loss(found: Costs, ks: Sequence[int], ls: Sequence[int]) -> Iterator[Claim]:
    """Of the paper's way and of ours, by the paper's NCP and by Shoal's."""
    settings = [(k, l) for k in ks for l in ls]
    theirs = [found["LGB_NCP", *at].ncp_xu / found["LGB_MDP", *at].ncp_xu for at in settings]
    yield Claim(
        "NCP of LGB_NCP is 14 % to 17 % lower than that of LGB_MDP, at every setting.",
        "reproduced" if max(theirs) <= 0.87 else "in part" if max(theirs) < 1 else "not",
        f"it is {_between(theirs)} times as large",
    )
    xu = [found[DEFAULT, *at].ncp_xu / found["LGB_MDP", *at].ncp_xu for at in settings]
    ours = [found[DEFAULT, *at].ncp / found["LGB_MDP", *at].ncp for at in settings]
    yield Claim(
        "NCP of our default is below that of LGB_MDP at every setting (our aim).",
        "reproduced" if max(*xu, *ours) < 1 else "not",
        f"{_between(xu)} times as large by NCP_Xu, the paper's formula, {_between(ours)} times by Shoal's NCP",
    )


def _between(ratios: Sequence[float]) -> str:
    return f"{min(ratios):.2f} to {max(ratios):.2f}"


def _of_error(found: Costs, ks: Sequence[int], ls: Sequence[int]) -> Iterator[Claim]:
    by_k = [found[w, ks[-1], l].error / found[w, ks[0], l].error for w in WAYS for l in ls]
    by_l = [found[w, k, ls[-1]].error / found[w, k, ls[0]].error for w in WAYS for k in ks]
    grows = np.mean(by_k) > 1, np.mean(by_l) > 1
    result: Found = "reproduced" if all(grows) and np.mean(by_k) > np.mean(by_l) else "in part" if any(grows) else "not"
    yield Claim(
        "The error of queries grows with k and with l, and more with k.",
        result,
        f"from k = {ks[0]} to {ks[-1]} by {np.mean(by_k) - 1:+.1%} in the mean, from l = {ls[0]} to {ls[-1]} by "
        f"{np.mean(by_l) - 1:+.1%}",
    )
    first, last = (
        np.mean([found["LGB_MDP", k, l].error / found["LGB_NCP", k, l].error for k in ks]) for l in (ls[0], ls[-1])
    )
    nearer = abs(last - 1) < abs(first - 1)
    result = "reproduced" if first < 1 and nearer else "in part" if first < 1 or nearer else "not"
    yield Claim(
        "For small l the error of LGB_MDP is lower than that of LGB_NCP; as l grows they come near each other.",
        result,
        f"it is {first:.2f} times as large for l = {ls[0]}, and {last:.2f} times for l = {ls[-1]}",
    )


def ours(found: Costs, growth: Figure) -> Iterator[Claim]:
    missed = [cost.missed for cost in found.values()]
    yield Claim(
        "The sum of a query lies between the paper's lower and upper bound.",
        "reproduced" if max(missed) == 0 else "not",
        f"of {min(missed):.0%} to {max(missed):.0%} of the queries, by setting, it does not: what is expected of a "
        "bucket may be far from what is so",
    )
    taken = {(str(row["series"]), int(row["x"])): float(row["y"]) for row in growth.rows}
    most = max(count for _, count in taken)
    mdp, ncp, move = (taken[name, most] / taken["mondrian", most] for name in ("LGB_MDP", "LGB_NCP", DEFAULT))
    yield Claim(
        "LGB_MDP takes no more than 5 times as long as Mondrian, with ncp no more than 30 times (our aim).",
        "reproduced" if mdp < 5 and max(ncp, move) < 30 else "not",
        f"{most:,} records by LGB_MDP take {mdp:.1f} times as long, by LGB_NCP {ncp:.1f} times, by our default "
        f"{move:.1f} times, from a table in memory to a judged release",
    )


def _spread(values: Sequence[float]) -> float:
    return (max(values) - min(values)) / max(min(values), 1)
