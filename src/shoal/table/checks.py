"""Whether a table has the columns that a plan speaks of, and no others."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from shoal.errors import DataError
from shoal.plan.plan import Plan


def check_columns(names: Sequence[str], plan: Plan) -> None:
    """Every column has a role and every role a column; all differences in one message."""
    roles = {column.name for column in plan.columns}
    masks = {column.mask for column in plan.columns if column.mask}
    without_role = [name for name in names if name not in roles | masks]
    without_column = [name for name in (column.name for column in plan.columns) if name not in names]
    said = []
    if without_role:
        said.append(
            f"{len(without_role)} column(s) of the table have no role in the plan: {', '.join(without_role)}. Give each one: "
            "identifying columns are dropped, insensitive ones published as they are"
        )
    if without_column:
        said.append(
            f"{len(without_column)} column(s) of the plan are not in the table: "
            + ", ".join(name + _near(name, names) for name in without_column)
        )
    if said:
        raise DataError("; ".join(said))


def _near(name: str, names: Sequence[str]) -> str:
    near = difflib.get_close_matches(name, names, 1)
    return f" (did you mean {near[0]}?)" if near else ""
