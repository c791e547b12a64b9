"""Whether a table has the columns that a plan speaks of, and no others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from shoal.errors import DataError
from shoal.plan.plan import Plan
from shoal.plan.spelling import did_you_mean
from shoal.schema.columns import Column


def check_columns(names: Sequence[str], plan: Plan) -> None:
    """Every column has a role and every role a column; all differences in one message."""
    if said := differences(names, plan.columns):
        raise DataError("; ".join(said))


def differences(names: Sequence[str], columns: Sequence[Column]) -> list[str]:
    """What table and plan have that the other lacks, in words."""
    roles = dict.fromkeys(column.name for column in columns)
    masks = dict.fromkeys(name for column in columns for name in sorted(column.mask_columns))
    without_role = [name for name in names if name not in roles | masks]
    without_column = [name for name in roles | masks if name not in names]
    said = []
    if without_role:
        said.append(
            f"{len(without_role)} column(s) of the table have no role in the plan: {', '.join(without_role)}. Give "
            "each one: identifying columns are dropped, insensitive ones published as they are"
        )
    if without_column:
        said.append(
            f"{len(without_column)} column(s) of the plan are not in the table: "
            + ", ".join(name + _near(name, names) for name in without_column)
        )
    return said


def _near(name: str, names: Sequence[str]) -> str:
    hint = did_you_mean(name, names)
    return f" ({hint})" if hint else ""


def check_names(names: Sequence[str]) -> None:
    """Every column can be spoken of: it has a name, and no other has the same."""
    repeated = [name for name, times in Counter(names).items() if times > 1 and name]
    nameless = [str(place) for place, name in enumerate(names, 1) if not name]
    said = []
    if repeated:
        said.append(f"{len(repeated)} column name(s) stand more than once in the table: {', '.join(repeated)}")
    if nameless:
        said.append(
            f"{len(nameless)} column(s) of the table have no name, counted from the left: {', '.join(nameless)} (a "
            "column of row numbers, or a delimiter at the end of each line?)"
        )
    if said:
        raise DataError("; ".join(said))
