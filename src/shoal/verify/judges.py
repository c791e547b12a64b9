"""Both judges, for every form: who looks at what is decided by the form alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from shoal.errors import DataError
from shoal.privacy.requirements import Requirement
from shoal.privacy.verdict import Verdict
from shoal.release.published import Published
from shoal.schema.hierarchy import Hierarchy
from shoal.verify import anatomy, bucket_records, buckets, keeper, outsider, randomized, slices
from shoal.verify.case import Kept

__all__ = ["Kept", "inside", "outside"]


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
        case "anatomy":
            return anatomy.outside(published, requirements, trees, persons_known=persons_known)
        case "slices":
            return slices.outside(published, requirements, trees, persons_known=persons_known)
        case "randomized":
            return randomized.outside(published, requirements, trees, persons_known=persons_known)
        case "buckets":
            return buckets.outside(published, requirements, trees, persons_known=persons_known)
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
        case "anatomy":
            return anatomy.inside(published, requirements, trees, kept)
        case "slices":
            return slices.inside(published, requirements, trees, kept)
        case "randomized":
            return randomized.inside(published, requirements, trees, kept)
        case "buckets":
            return bucket_records.inside(published, requirements, trees, kept)
    raise _unknown(published)


def _unknown(published: Published) -> DataError:
    return DataError(f"this version of Shoal cannot judge the form {published.form}")
