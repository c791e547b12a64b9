"""The records of a table as one matrix of small integers, in random order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.errors import DataError
from shoal.plan.plan import Plan
from shoal.schema.columns import Column
from shoal.schema.hierarchy import Hierarchy
from shoal.table import domain as domains
from shoal.table.domain import Domain, smallest

#: A record is padded to whole words, so that a kernel can move it in one or two steps.
_WORD = 8


@dataclass(frozen=True, eq=False)
class Codes:
    """Row i of ``matrix`` is the record at ``rows[i]`` of the table.

    Its columns are the quasi-identifiers, then the sensitive, then the insensitive columns, each coded over the domain
    of the same place; the rows are in random order, so that no method ever sees the order of the input. ``people``
    numbers the person of each row, where rows are not people.
    """

    matrix: NDArray[np.unsignedinteger]
    rows: NDArray[np.uint32]
    domains: tuple[Domain, ...]
    quasi: int
    sensitive: int
    people: NDArray[np.uint32] | None = None

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        return f"<Codes: {len(self)} records, {len(self.domains)} columns>"

    @property
    def words(self) -> NDArray[np.uint64]:
        """The same memory, word by word."""
        return self.matrix.view(np.uint64)

    @property
    def sensitive_domains(self) -> tuple[Domain, ...]:
        return self.domains[self.quasi : self.quasi + self.sensitive]

    def place(self, name: str) -> int:
        """Which column of the matrix holds this column of the table."""
        return [domain.name for domain in self.domains].index(name)


def encode(table: pa.Table, plan: Plan, trees: Mapping[str, Hierarchy], rows: NDArray[np.uint32]) -> Codes:
    """The columns that a release speaks of, as codes; ``rows`` is the order, drawn by lot, in which methods see the records."""
    columns = (*plan.quasi_identifying, *plan.sensitive, *plan.insensitive)
    with ThreadPoolExecutor(2) as pool:
        coded = list(pool.map(lambda column: _column(table, column, trees), columns))
    for column, (codes, domain) in zip(columns, coded, strict=True):
        if column.role == "insensitive" and column.name not in plan.allow_unique:
            _refuse_unique(codes, domain)
    matrix = _matrix([codes for codes, _ in coded], [domain for _, domain in coded], rows)
    people = people_of(table, plan)
    return Codes(
        matrix,
        rows,
        tuple(domain for _, domain in coded),
        len(plan.quasi_identifying),
        len(plan.sensitive),
        None if people is None else people[rows],
    )


def _column(table: pa.Table, column: Column, trees: Mapping[str, Hierarchy]) -> tuple[domains.Codes1, Domain]:
    values = table.column(column.name)
    tree = trees.get(column.name)
    if tree is not None:
        tree = domains.tree_over(pa.array(domains.occurring(values)), tree, column.name)
    return domains.encode(values, column, tree=tree)


def _refuse_unique(codes: domains.Codes1, domain: Domain) -> None:
    alone = int((np.bincount(codes, minlength=1) == 1).sum())
    if alone * 2 > len(codes):
        raise DataError(
            f"the insensitive column {domain.name} would be published as it is, and is unique for {alone} of {len(codes)} "
            f'records: make it identifying or quasi-identifying, or say allow_unique = ["{domain.name}"]'
        )


def _matrix(
    columns: Sequence[domains.Codes1], held: Sequence[Domain], rows: NDArray[np.uint32]
) -> NDArray[np.unsignedinteger]:
    kind = smallest(max((len(domain) for domain in held), default=1))
    per_word = _WORD // np.dtype(kind).itemsize
    width = max(-(-len(columns) // per_word), 1) * per_word
    matrix = np.zeros((len(rows), width), dtype=kind)
    for place, codes in enumerate(columns):
        matrix[:, place] = codes
    return matrix.view(np.uint64)[rows].view(kind)


def people_of(table: pa.Table, plan: Plan) -> NDArray[np.uint32] | None:
    """The number of the person of each row; None where each row is a person.

    A missing name may be anybody's, so all rows without one count as one person.
    """
    column = person_column(table, plan)
    if column is None:
        return None
    codes, domain = domains.encode(table.column(column), Column(column, "identifying"), tree=None)
    return codes.astype(np.uint32) if len(domain) < table.num_rows else None


def person_column(table: pa.Table, plan: Plan) -> str | None:
    """The column that tells people apart, if rows may not: the plan's, or the one identifying column that repeats."""
    if plan.person == "row" or not plan.identifying:
        return None
    if plan.person is not None:
        return plan.person
    repeating = []
    for column in plan.identifying:
        values = table.column(column.name)
        if len(domains.occurring(values)) == table.num_rows:
            return None
        repeating.append(column.name)
    if len(repeating) == 1:
        return repeating[0]
    raise DataError(
        f"the identifying columns {', '.join(repeating)} all repeat values, so rows may not be people: say which tells "
        'people apart (person = "NAME"), or that each row stands alone (person = "row")'
    )
