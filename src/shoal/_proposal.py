"""A plan for a table that nobody has planned for yet: what it proposes, and why, as a file to read and correct."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from shoal.errors import DataError
from shoal.plan.plan import Read
from shoal.schema import suggest
from shoal.schema.columns import ROLES, Column, Numeric, Prefixes, Role
from shoal.schema.suggest import Proposed
from shoal.table import sources
from shoal.table.naming import repeated

#: The k that is proposed, and for a sensitive column that bears it, the l.
K, L = 5, 3

_HEADINGS: Mapping[Role, str] = {
    "identifying": "Identifying: dropped.",
    "quasi-identifying": "Quasi-identifying: what somebody may know of a person, and could find the record by.",
    "sensitive": "Sensitive: what must not be learnt about a person.",
    "insensitive": "Insensitive: published as they are. Whoever knows one of them can tell records apart by it.",
}


@dataclass(frozen=True)
class Diversity:
    """What is proposed for a sensitive column: an l, or none where the table cannot bear one; and why."""

    column: str
    l: int | None
    why: str


@dataclass(frozen=True)
class Proposal:
    """A plan for a table, each of its lines with a reason that names counts and shares only."""

    table: Path
    records: int
    columns: Sequence[Proposed]
    person: str | None
    why_person: str
    encoding: str | None
    missing: Mapping[str, int]
    k: int
    diversity: Sequence[Diversity]

    def toml(self, folder: Path) -> str:
        """The plan as a file that stands in ``folder``."""
        return "\n".join(_lines(self, folder)) + "\n"

    def as_dict(self) -> dict[str, Any]:
        return {
            "records": self.records,
            "person": self.person,
            "missing": list(self.missing),
            "columns": [
                {"name": p.column.name, "role": p.column.role, **_options(p), "why": p.why} for p in self.columns
            ],
            "require": {"k": self.k, "l": {d.column: d.l for d in self.diversity if d.l is not None}},
        }


def propose(table: str | os.PathLike[str]) -> Proposal:
    """What to do with the table in a file; to be corrected by somebody who knows it."""
    path = Path(table)
    held, encoding = _read(path, ("",))
    words = suggest.missing_words(held)
    if words:
        held, encoding = _read(path, ("", *words))
    columns = _without_copies(suggest.propose(held, K), held)
    if all(proposed.column.role == "identifying" for proposed in columns):
        raise DataError(f"every column of {path.name} would be dropped as identifying: nothing is left to publish")
    person, why_person, people = _person(columns, held)
    if people < 2 and held.num_rows:
        raise DataError(f"{path.name} has the records of {people} person: no plan can hide one person among others")
    return Proposal(
        path,
        held.num_rows,
        columns,
        person,
        why_person,
        encoding,
        words,
        min(K, people) if held.num_rows else K,
        [_diversity(p, held, people) for p in columns if p.column.role == "sensitive"],
    )


def _without_copies(columns: Sequence[Proposed], table: pa.Table) -> Sequence[Proposed]:
    """The proposals, where columns that hold what an identifying one holds are identifying too."""
    named = [p.column.name for p in columns if p.column.role == "identifying"]
    shown = [p.column.name for p in columns if p.column.role in ("sensitive", "insensitive")]
    copies = dict(repeated(table, named, shown))
    return [
        replace(p, column=Column(name, "identifying"), why=f"for most records it has what {_flat(copies[name])} has")
        if (name := p.column.name) in copies
        else p
        for p in columns
    ]


def _read(path: Path, missing: tuple[str, ...]) -> tuple[pa.Table, str | None]:
    """The table, and the encoding that must be named for it to be read."""
    try:
        return sources.read(path, Read(missing=missing)).table, None
    except DataError as error:
        if "encoding" not in error.message:
            raise
    return sources.read(path, Read(missing=missing, encoding="cp1252")).table, "cp1252"


def _person(columns: Sequence[Proposed], table: pa.Table) -> tuple[str | None, str, int]:
    """Which column tells people apart, the reason, and how many people there are."""
    records = table.num_rows
    naming = suggest.person(columns, records)
    if naming is not None:
        people = naming.distinct + (table.column(naming.column.name).null_count > 0)
        why = f'{people:,} people in {records:,} rows; "row" if each row is a person of its own'
        return naming.column.name, why if people < records else "different in every row, so rows are people", people
    return "row", "no column tells people apart, so each row is taken for one", records


def _diversity(proposed: Proposed, table: pa.Table, people: int) -> Diversity:
    """An l that the column can bear with something to spare."""
    name = proposed.column.name
    if people < table.num_rows:
        return Diversity(name, None, "l speaks of one value a person: keep one row each, then ask for it")
    values = table.column(name).drop_null()
    if pa.types.is_dictionary(values.type):
        values = values.cast(values.type.value_type)
    counts = np.asarray(values.value_counts().field("counts").to_numpy())
    if not len(counts):
        return Diversity(name, None, "no record has a value")
    share = counts.max() / counts.sum()
    said = f"the commonest of {len(counts):,} values is held by {100 * share:.2g}% of the records"
    if share > 1 / 2:
        return Diversity(name, None, f"{said}, so no l above {1 / share:.2f} can be kept")
    return Diversity(name, L if share <= 1 / (L + 1) else 2, said)


# -- the file ---------------------------------------------------------------------------------------------------


def _lines(proposal: Proposal, folder: Path) -> Iterator[str]:
    yield f"# A plan for {proposal.table.name}, proposed from the names of its columns and from how values repeat."
    yield "# Read every line and correct it: only you know what others may know. Then: shoal check THIS-FILE"
    yield ""
    yield f"table = {_text(os.path.relpath(proposal.table, folder))}"
    if proposal.person is not None:
        yield f"person = {_text(proposal.person)}  # {proposal.why_person}"
    if proposal.encoding or proposal.missing:
        yield ""
        yield from _reading(proposal)
    yield ""
    yield "[columns]"
    for role in ROLES:
        yield from _columns(role, [p for p in proposal.columns if p.column.role == role])
    if not any(p.column.role == "quasi-identifying" for p in proposal.columns):
        yield "# No column looks quasi-identifying. That is rare: think of what a neighbour knows, and of registers."
    yield ""
    yield from _require(proposal)
    yield ""
    yield "[method]"
    yield 'name = "mondrian"  # by name, so that another version of Shoal does not choose another'
    if taken := _taken(proposal.columns):
        yield ""
        yield "[publish]"
        yield f'ranges = "text"  # in one column, since the table has columns of the names {", ".join(taken)}'


def _reading(proposal: Proposal) -> Iterator[str]:
    yield "[read]"
    if proposal.encoding:
        yield f"encoding = {_text(proposal.encoding)}  # the file is not UTF-8"
    if proposal.missing:
        found = ", ".join(f"{_text(word)} in {columns} column(s)" for word, columns in proposal.missing.items())
        yield f'# Cells that look like "not known": {found}.'
        yield "# Take out what means something: a missing value makes no class diverse."
        yield f"missing = [{', '.join(map(_text, ['', *proposal.missing]))}]"


def _columns(role: Role, proposed: Sequence[Proposed]) -> Iterator[str]:
    if not proposed:
        return
    yield ""
    yield f"# {_HEADINGS[role]}"
    for one in proposed:
        options = _options(one)
        value = _text(role)
        if options:
            value = f"{{ role = {value}, {', '.join(f'{key} = {_bare(how)}' for key, how in options.items())} }}"
        yield f"{_key(one.column.name)} = {value}  # {one.why}"


def _require(proposal: Proposal) -> Iterator[str]:
    yield "[require]"
    yield f"k = {proposal.k}  # nobody can be told from fewer than {proposal.k - 1} others"
    kept = [d for d in proposal.diversity if d.l is not None]
    for diversity in proposal.diversity:
        yield f"# {_flat(diversity.column)}: {diversity.why}"
    if kept:
        yield "# l: no value is held by more than one in l of those who cannot be told apart. Close numbers count as"
        yield "# different, and all values of a class may be bad ones: t-closeness is stricter."
        yield f"l = {{ {', '.join(f'{_key(d.column)} = {d.l}' for d in kept)} }}"
    for diversity in proposal.diversity:
        if diversity.l is None and "one value a person" not in diversity.why:
            yield f"# t = {{ {_key(diversity.column)} = 0.3 }}  # bounds instead how far a class may be from the table"


def _taken(proposed: Sequence[Proposed]) -> list[str]:
    """Names that ranges in columns of their own would need, and that the table has already."""
    published = {one.column.name for one in proposed if one.column.role != "identifying"}
    quasi = [one.column.name for one in proposed if one.column.role == "quasi-identifying"]
    needed = [f"{name}_{end}" for name in quasi for end in ("min", "max", "missing")]
    return [_flat(name) for name in needed if name in published]


def _bare(value: object) -> str:
    return "true" if value is True else str(value)


def _options(proposed: Proposed) -> dict[str, float | bool]:
    how = proposed.column.coarsening
    if isinstance(how, Prefixes):
        return {"prefixes": True}
    if not isinstance(how, Numeric):
        return {}
    return {key: end for key in ("bottom", "top", "step") if (end := getattr(how, key)) is not None}


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _text(name)


def _text(value: str) -> str:
    """A text as TOML quotes it, which but for one character is how JSON does."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _flat(name: str) -> str:
    """A name within a comment, which ends with its line."""
    return " ".join(name.split())
