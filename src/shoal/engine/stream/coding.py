"""The records of a window as codes: sensitive columns over all values that may come, or that the window holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.kernels.shuffle import permutation
from shoal.partition.eligible import Counts
from shoal.plan.plan import Plan
from shoal.schema.columns import Column, Listed, Schema
from shoal.schema.hierarchy import Hierarchy
from shoal.table.chance import Chance
from shoal.table.codes import Codes, assembled, encode_column
from shoal.table.domain import Codes1, Domain, Kind, is_ordered, listed, smallest


def within(plan: Plan) -> Plan:
    """The plan for the records of one window: nobody is left out, and what is said of a whole table was checked."""
    schema = Schema.of([column for column in plan.columns if column.role != "identifying"])
    shown = [column.name for column in plan.insensitive]
    return replace(plan, schema=schema, person="row", suppress=0.0, allow_unique=shown)


def declared(column: Column, tree: Hierarchy | None) -> pa.Array | None:
    """All values that a sensitive column may hold, in order, as far as the plan says them."""
    if tree is not None:
        return pa.array(tree.leaves, pa.string())
    return listed(column.coarsening) if isinstance(column.coarsening, Listed) else None


class Coder:
    """Makes codes of records that are part of a window; ``plan`` is that for the records of one window."""

    def __init__(self, plan: Plan, trees: Mapping[str, Hierarchy], chance: Chance) -> None:
        self._plan = plan
        self._trees = trees
        self._chance = chance

    def codes(self, records: pa.Table, window: pa.Table) -> Codes:
        """Some records, in random order; ``window`` has the sensitive columns of all that they are compared with."""
        sensitive = [self._sensitive(column, records, window) for column in self._plan.sensitive]
        coded = [
            *(self._quasi(column, records) for column in self._plan.quasi_identifying),
            *((codes, domain) for codes, domain, _ in sensitive),
            *(encode_column(records, column, {}, self._plan.allow_unique) for column in self._plan.insensitive),
        ]
        rows = permutation(self._chance.words(records.num_rows))
        held = assembled(coded, records, self._plan, rows)
        return replace(held, whole=tuple(counts for _, _, counts in sensitive))

    def _quasi(self, column: Column, records: pa.Table) -> tuple[Codes1, Domain]:
        """Numbers are taken to have gaps, whether or not these have: every window is published in the same columns."""
        codes, domain = encode_column(records, column, self._trees, ())
        return codes, replace(domain, missing=domain.missing or domain.kind == "number")

    def _sensitive(self, column: Column, records: pa.Table, window: pa.Table) -> tuple[Codes1, Domain, Counts]:
        """The codes of the records, their domain, and how often each code occurs in the window."""
        whole, tree = window.column(column.name), self._trees.get(column.name)
        known = declared(column, tree)
        values = _occurring(whole) if known is None else known
        kind: Kind = "number" if is_ordered(values.type) else "category"
        domain = Domain(column.name, kind, values, whole.null_count > 0, tree, declared=known is not None)
        counts = np.bincount(_places(whole, values), minlength=len(domain)).astype(np.int64)
        return _places(records.column(column.name), values), domain, counts


def _occurring(column: pa.ChunkedArray) -> pa.Array:
    values = column.unique().drop_null()
    return values.take(pc.array_sort_indices(values))


def _places(column: pa.ChunkedArray, values: pa.Array) -> Codes1:
    """Where each value stands among these; missing after the last."""
    place = pc.index_in(column, values, skip_nulls=True).fill_null(len(values))
    return np.asarray(place.to_numpy(), dtype=smallest(len(values) + 1))
