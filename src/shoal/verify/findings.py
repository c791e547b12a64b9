"""What a judge says of one requirement."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.privacy import definitions
from shoal.privacy.definitions import Figures
from shoal.privacy.requirements import KAnonymity, LDiversity, Requirement, Size, TCloseness
from shoal.privacy.verdict import Finding, Judge


def finding(
    judge: Judge,
    requirement: Requirement,
    reached: Figures,
    sizes: NDArray[np.integer[Any]],
    *,
    what: str = "",
) -> Finding:
    """The weakest class, and how many do not keep the requirement. Without classes, it holds."""
    broken = ~definitions.keeps(requirement, reached)
    return Finding(
        judge=judge,
        what=what or str(requirement),
        holds=not broken.any(),
        asked=asked(requirement),
        reached=weakest(requirement, reached),
        classes=len(reached),
        below=int(broken.sum()),
        records=int(sizes[broken].sum()),
        requirement=requirement,
    )


def asked(requirement: Requirement) -> float:
    """The number in a requirement."""
    match requirement:
        case KAnonymity(k):
            return k
        case Size(size):
            return size
        case LDiversity(l=l):
            return l
        case TCloseness(t=t):
            return t


def weakest(requirement: Requirement, reached: Figures) -> float | None:
    """The figure of the class that is protected least."""
    if len(reached) == 0:
        return None
    return float(reached.max() if isinstance(requirement, TCloseness) else reached.min())


def figure_name(requirement: Requirement) -> str:
    """What a requirement's figure is called, without the number that was asked."""
    letter, _, rest = str(requirement).partition(f" = {asked(requirement):g}")
    return f"{letter}{rest}"
