"""What the columns of the form buckets say: of one column of the original, the part that is coarsened, and buckets."""

from __future__ import annotations

import msgspec

from shoal.release.manifest import PublishedColumn

__all__ = ["GENERAL", "NUMBER", "ROLES", "bucket_of", "general_of", "has_buckets", "published", "value_of"]

#: What follows a column's name in those of the columns that speak of it too.
NUMBER, GENERAL = "_bucket", "_general"
#: Roles of columns whose values are in buckets, for everybody or for some.
ROLES = ("sensitive", "semi-sensitive")


def published(name: str, role: str, general: PublishedColumn | None) -> PublishedColumn:
    """The meaning of a column with buckets, and of what is coarsened for those who do not hold it sensitive."""
    own = (name, f"{name}{NUMBER}")
    if general is None:
        return PublishedColumn(name, role, "bucketized", own)
    return msgspec.structs.replace(general, role=role, columns=(*general.columns, *own))


def has_buckets(column: PublishedColumn) -> bool:
    """Whether some values of this column are in buckets."""
    return column.role in ROLES and column.columns[-1] == f"{column.name}{NUMBER}"


def value_of(column: PublishedColumn) -> str:
    """The published column with a value for each record in a bucket."""
    return column.columns[-2]


def bucket_of(column: PublishedColumn) -> str:
    """The published column with the number of each record's bucket."""
    return column.columns[-1]


def general_of(column: PublishedColumn) -> PublishedColumn | None:
    """The published columns that coarsen it for those who do not hold it sensitive; None where everybody does."""
    if column.shown == "bucketized":
        return None
    types = column.types[:-2]
    return msgspec.structs.replace(column, role="quasi-identifying", columns=column.columns[:-2], types=types)
