"""Both judges, for every form: who looks at what is decided by the form alone."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.errors import DataError
from shoal.privacy.requirements import Requirement
from shoal.privacy.verdict import Verdict
from shoal.release.published import Published
from shoal.schema.columns import Column
from shoal.schema.hierarchy import Hierarchy
from shoal.verify import keeper, outsider


@dataclass(frozen=True, eq=False)
class Kept:
    """What the keeper has beside the release.

    ``link[i]`` is the record of row i, if anybody says so. ``person`` names the column of the original that tells
    people apart; None and ``"row"`` say that each row is a person. Text in ``missing`` means that nothing is known.
    """

    original: pa.Table
    plan_columns: Sequence[Column]
    missing: tuple[str, ...] = ()
    link: NDArray[np.integer[Any]] | None = None
    person: str | None = None
    suppress: float = 0.0
    allow_unique: Collection[str] = field(default=())


def outside(
    published: Published,
    requirements: Sequence[Requirement],
    trees: Mapping[str, Hierarchy],
    *,
    persons_known: bool = False,
    own: bool = True,
) -> Verdict:
    """What an outsider finds."""
    match published.form:
        case "generalized" | "centres":
            return outsider.judge(
                published.rows, published.columns, requirements, trees, persons_known=persons_known, own=own
            )
    raise _unknown(published)


def inside(
    published: Published,
    requirements: Sequence[Requirement],
    trees: Mapping[str, Hierarchy],
    kept: Kept,
    *,
    own: bool = True,
) -> Verdict:
    """What the keeper finds."""
    match published.form:
        case "generalized" | "centres":
            return keeper.judge(
                published.rows,
                published.columns,
                requirements,
                kept.original,
                kept.plan_columns,
                trees,
                missing=kept.missing,
                link=kept.link,
                person=kept.person,
                suppress=kept.suppress,
                allow_unique=kept.allow_unique,
                own=own,
            )
    raise _unknown(published)


def _unknown(published: Published) -> DataError:
    return DataError(f"this version of Shoal cannot judge the form {published.form}")
