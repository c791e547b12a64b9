"""The records of a table as one matrix of small integers, in random order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.errors import DataError
from shoal.plan.plan import Plan
from shoal.schema.columns import Column
from shoal.schema.hierarchy import Hierarchy
from shoal.table import domain as domains
from shoal.table.distinct import distinct, smallest
from shoal.table.domain import Domain
from shoal.table.masks import held_sensitive

#: A record is padded to whole words, so that a kernel can move it in one or two steps.
_WORD = 8


@dataclass(frozen=True, eq=False)
class Codes:
    """Row i of ``matrix`` is the record at ``rows[i]`` of the table.

    Its columns are the quasi-identifiers, then the sensitive, then the semi-sensitive, then the insensitive columns,
    each coded over the domain of the same place; the rows are in random order, so that no method ever sees the order of
    the input. ``people`` numbers the person of each row, where rows are not people. ``whole`` says how often each code
    of each sensitive column occurs in the table that classes are compared with, where these records are a part of it:
    of a window those that are not published yet. ``masks[i, j]`` says whether row i holds its value of the semi-
    sensitive column j sensitive.
    """

    matrix: NDArray[np.unsignedinteger[Any]]
    rows: NDArray[np.uint32]
    domains: tuple[Domain, ...]
    quasi: int
    sensitive: int
    people: NDArray[np.uint32] | None = None
    whole: tuple[NDArray[np.int64], ...] | None = None
    masks: NDArray[np.bool_] | None = None

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

    @property
    def semi(self) -> int:
        """How many columns are semi-sensitive."""
        return 0 if self.masks is None else self.masks.shape[1]

    @property
    def semi_sensitive_domains(self) -> tuple[Domain, ...]:
        return self.domains[self.quasi + self.sensitive :][: self.semi]

    @property
    def protected_domains(self) -> tuple[Domain, ...]:
        """Those of which l and t speak."""
        return self.sensitive_domains + self.semi_sensitive_domains

    def holders(self, name: str) -> NDArray[np.bool_] | None:
        """Who holds the value of a column sensitive; None where everybody does."""
        semi = [domain.name for domain in self.semi_sensitive_domains]
        return self.masks[:, semi.index(name)] if self.masks is not None and name in semi else None

    def place(self, name: str) -> int:
        """Which column of the matrix holds this column of the table."""
        return [domain.name for domain in self.domains].index(name)


def encode(table: pa.Table, plan: Plan, trees: Mapping[str, Hierarchy], rows: NDArray[np.uint32]) -> Codes:
    """The columns that a release speaks of, as codes; methods see the records in the order of ``rows``, by lot."""
    columns = (*plan.quasi_identifying, *plan.sensitive, *plan.semi_sensitive, *plan.insensitive)
    with ThreadPoolExecutor(2) as pool:
        coded = list(pool.map(lambda column: encode_column(table, column, trees, plan.allow_unique), columns))
    return assembled(coded, table, plan, rows)


def assembled(
    coded: Sequence[tuple[domains.Codes1, Domain]], table: pa.Table, plan: Plan, rows: NDArray[np.uint32]
) -> Codes:
    """The encoded columns, in the order of their roles in :class:`Codes`, as one matrix in the order of ``rows``."""
    matrix = _matrix([codes for codes, _ in coded], [domain for _, domain in coded], rows)
    people = people_of(table, plan)
    return Codes(
        matrix,
        rows,
        tuple(domain for _, domain in coded),
        len(plan.quasi_identifying),
        len(plan.sensitive),
        None if people is None else people[rows],
        masks=_masks(table, plan.semi_sensitive, rows),
    )


def _masks(table: pa.Table, columns: Sequence[Column], rows: NDArray[np.uint32]) -> NDArray[np.bool_] | None:
    return np.column_stack([held_sensitive(table, column)[rows] for column in columns]) if columns else None


def encode_column(
    table: pa.Table, column: Column, trees: Mapping[str, Hierarchy], allow_unique: Sequence[str]
) -> tuple[domains.Codes1, Domain]:
    """One column as codes; :class:`DataError` where it is not what the plan says, or should not be published."""
    codes, domain = domains.encode(table.column(column.name), column, tree=trees.get(column.name))
    if column.role == "insensitive" and column.name not in allow_unique:
        _refuse_unique(codes, domain)
    return codes, domain


def _refuse_unique(codes: domains.Codes1, domain: Domain) -> None:
    alone = int((np.bincount(codes, minlength=1) == 1).sum())
    if alone * 2 > len(codes):
        raise DataError(
            f"the insensitive column {domain.name} would be published as it is, and is unique for {alone} of "
            f'{len(codes)} records: make it identifying or quasi-identifying, or say allow_unique = ["{domain.name}"]'
        )


def _matrix(
    columns: Sequence[domains.Codes1], held: Sequence[Domain], rows: NDArray[np.uint32]
) -> NDArray[np.unsignedinteger[Any]]:
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
    numbers = _numbers(table.column(column))
    if numbers is None:
        raise DataError(
            f"the column {column} cannot tell people apart: it holds lists, or values of other kinds together"
        )
    return numbers if _repeat(numbers) else None


def person_column(table: pa.Table, plan: Plan) -> str | None:
    """The column that tells people apart, if rows may not: the plan's, or the one identifying column that repeats.

    Where one column repeats and another does not, the first decides: visits have numbers of their own too, and people
    of the same name are taken for one, which protects them no less.
    """
    if plan.person == "row" or not plan.identifying:
        return None
    if plan.person is not None:
        return plan.person
    numbered = ((column.name, _numbers(table.column(column.name))) for column in plan.identifying)
    repeating = [name for name, numbers in numbered if numbers is not None and _repeat(numbers)]
    if len(repeating) < 2:
        return repeating[0] if repeating else None
    raise DataError(
        f"the identifying columns {', '.join(repeating)} all repeat values, so rows may not be people: say which tells "
        'people apart (person = "NAME"), or that each row stands alone (person = "row")'
    )


def _numbers(column: pa.ChunkedArray) -> NDArray[np.uint32] | None:
    """A number for each different value, a missing one too; None of values that cannot be compared.

    An identifying column is dropped, so it may hold anything.
    """
    try:
        codes, _ = distinct(column)
    except pa.ArrowNotImplementedError:
        return None
    return codes.astype(np.uint32)


def _repeat(numbers: NDArray[np.uint32]) -> bool:
    """Whether two rows have the same number."""
    return bool((np.bincount(numbers, minlength=1) > 1).any())
