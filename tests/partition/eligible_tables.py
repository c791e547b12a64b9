"""Random tables that can be l-diverse, as the methods see them that draw classes from blocks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from hypothesis import assume
from hypothesis import strategies as st

from shoal.kernels.shuffle import permutation
from shoal.partition.blocks import Blocks, Search, searched
from shoal.plan.forms import Anatomy
from shoal.plan.methods import Method, RefiningPartition
from shoal.plan.plan import Plan
from shoal.privacy import definitions
from shoal.privacy.requirements import LDiversity, Requirement, Size
from shoal.schema.columns import Schema
from shoal.table.chance import Chance
from shoal.table.codes import Codes, encode


@dataclass(frozen=True, eq=False)
class Case:
    """A table and a plan for it, and the records as codes: quasi-identifying ones, then those of the column s."""

    plan: Plan
    codes: Codes
    l: int

    @property
    def search(self) -> Search:
        return searched(self.codes, self.plan, "test")

    @property
    def records(self) -> list[tuple[int, ...]]:
        return [tuple(row[: self.codes.quasi]) for row in self.codes.matrix.tolist()]

    @property
    def secret(self) -> list[int]:
        return [row[self.codes.quasi] for row in self.codes.matrix.tolist()]


def case_of(
    columns: dict[str, Sequence[Any]], method: Method, *require: Requirement, secret: Sequence[str] = "s"
) -> Case:
    """All columns but the secret ones are quasi-identifying."""
    quasi = [name for name in columns if name not in secret]
    form = Anatomy() if "anatomy" in method.card.forms else None
    plan = Plan(Schema(quasi_identifying=quasi, sensitive=list(secret)), list(require), method, form, person="row")
    table = pa.table({name: pa.array(values) for name, values in columns.items()})
    codes = encode(table, plan, {}, permutation(Chance.seeded(1).words(table.num_rows)))
    asked = [int(r.l) for r in require if isinstance(r, LDiversity)]
    return Case(plan, codes, max(asked, default=1))


@st.composite
def cases(draw: st.DrawFn, method: Method | None = None, most: int = 120, columns: int = 3) -> Case:
    """Tables of up to so many records and quasi-identifying columns, and an l that they allow."""
    chance = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    records = draw(st.one_of(st.integers(2, 12), st.integers(2, most)))
    found: dict[str, list[Any]] = {}
    for place in range(draw(st.integers(1, columns))):
        codes = chance.integers(0, draw(st.sampled_from([1, 2, 4, 30])), records)
        found["abc"[place]] = codes.tolist() if draw(st.booleans()) else [f"v{code:02}" for code in codes]
    weights = np.arange(1, draw(st.integers(2, 9)) + 1) ** -draw(st.sampled_from([0.0, 0.5, 1.0]))
    found["s"] = chance.choice(len(weights), records, p=weights / weights.sum()).tolist()
    l = records // max(Counter(found["s"]).values())
    assume(l >= 2)
    return case_of(found, method or RefiningPartition(), LDiversity(draw(st.integers(2, l))))


def members(blocks: Blocks) -> list[list[int]]:
    """The records of each block, in the order in which they lie."""
    return [part.tolist() for part in np.split(blocks.rows.astype(np.int64), blocks.starts[1:-1])]


def keeps(case: Case, held: Sequence[int]) -> bool:
    """Whether these records keep the plan as one class, by the definitions."""
    codes, sizes = case.codes, [r.size for r in case.plan.require if isinstance(r, Size)]
    holds = len(held) >= max(sizes, default=1)
    for requirement in case.plan.require:
        for domain in codes.sensitive_domains if isinstance(requirement, LDiversity) else ():
            if requirement.on in (None, domain.name):
                column = codes.matrix[list(held), codes.place(domain.name)]
                counts = np.bincount(column, minlength=len(domain))[None, :]
                reached = definitions.diversity(requirement, counts, domain.known)
                holds = holds and bool(definitions.keeps(requirement, reached)[0])
    return holds
