"""Suppressed records that another tool left in the table, every quasi-identifier a star, but with other values.

Whoever fits no other class is one of these records. So they are a class too, as soon as anything is said of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pyarrow.compute as pc

from shoal.privacy import definitions
from shoal.privacy.requirements import KAnonymity, LDiversity, Requirement, Size, TCloseness
from shoal.privacy.verdict import Finding, Note
from shoal.verify import resolve
from shoal.verify.findings import finding

if TYPE_CHECKING:
    from shoal.verify.outsider import Sight


def judged(sight: Sight, asked: Sequence[Requirement]) -> Iterator[Finding | Note]:
    """What the records reach as a class, unless nothing is said of them."""
    count = sight.release.hidden.num_rows
    if not count:
        return
    telling = [column.name for column in sight.columns if _says_something(sight, column.role, column.columns[0])]
    says = f"{count:,} record(s) were left in place with every quasi-identifier suppressed"
    if not telling:
        yield Note("suppressed records", f"{says}, and nothing else is said of them", {"records": float(count)})
        return
    says += (
        f", and with {', '.join(telling)}: whoever fits no other class is one of them, so they are judged as a "
        "class too; take them out, or these values"
    )
    yield Note("suppressed records", says, {"records": float(count)})
    for requirement in asked:
        reached = _reached(sight, requirement)
        if reached is not None:
            what = f"{requirement}, of the records suppressed in place"
            yield finding("outsider", requirement, np.array([reached]), np.array([count]), what=what)


def _says_something(sight: Sight, role: str, name: str) -> bool:
    return role in ("sensitive", "insensitive") and pc.any(sight.release.said(name).is_valid()).as_py() is True


def _reached(sight: Sight, requirement: Requirement) -> float | None:
    """The figure of the class; none where nothing is said of the column that is asked about."""
    if isinstance(requirement, KAnonymity | Size):
        return float(sight.release.hidden.num_rows)
    on = sight.release.hidden_values(str(requirement.on))
    counts = np.bincount(on.code, minlength=on.width)[None, :]
    if not counts[:, : on.known].any():
        return None
    match requirement:
        case LDiversity():
            return float(definitions.diversity(requirement, counts, on.known)[0])
        case TCloseness():
            ground = resolve.ground(requirement, on, sight.trees)
            return float(definitions.closeness(counts[:, ground.order], on.whole[ground.order], ground.distance)[0])
