"""Hierarchy files as ARX writes them: reading, writing, and saying what is wrong with one.

A file has no header and one row for each value, from the value up to the root: ``34;30-34;30-39;*``. Files in
use come with other delimiters, encodings and line ends, with uneven rows, repeated values and values missing;
what can be read without guessing is read, and :func:`lint` counts the rest.
"""

from __future__ import annotations

import codecs
import csv
import io
import os
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, Literal

import numpy as np

from shoal.errors import DataError
from shoal.schema.hierarchy import ROOT, Hierarchy, trimmed

__all__ = ["Fault", "Level", "lint", "read", "write"]

Level = Literal["error", "warning", "note"]
"""An error keeps the file or the table from being used; a warning may not be what was meant."""

_DELIMITERS = (";", ",", "\t", "|")  # in the order in which a tie is decided
_SNIFFED = 1000  # rows that decide the delimiter
_SHOWN = 10  # values that a fault's details hold


@dataclass(frozen=True)
class Fault:
    """Something in a hierarchy file, counted. ``says`` has no values; ``details`` has up to ten."""

    kind: str
    count: int
    says: str
    details: Mapping[str, Any] = field(default_factory=dict, repr=False)
    level: Level = "warning"


def read(
    path: str | os.PathLike[str],
    *,
    column: str | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
) -> Hierarchy:
    """The hierarchy in a file; ``column`` says in an error what the file is for."""
    with _named(path, column):
        return Hierarchy.from_rows(_rows(path, delimiter, encoding))


def write(hierarchy: Hierarchy, path: str | os.PathLike[str]) -> None:
    """The hierarchy as a file that ARX, and :func:`read`, take as they are."""
    # Labels that bare would be misread: as the end of a line, a byte order mark, the sign of a delimiter.
    odd = any("\r" in label or "\ufeff" in label for label in hierarchy.labels)
    odd = odd or any(delimiter in hierarchy.labels[0] for delimiter in _DELIMITERS)
    with Path(path).open("w", encoding="utf-8", newline="") as file:
        csv.writer(
            file,
            delimiter=_DELIMITERS[0],
            lineterminator="\n",
            quoting=csv.QUOTE_ALL if odd else csv.QUOTE_MINIMAL,
        ).writerows(hierarchy.rows())


def lint(
    source: str | os.PathLike[str] | Sequence[Sequence[str]],
    values: Collection[str] | None = None,
    *,
    column: str | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
) -> list[Fault]:
    """What is wrong with a hierarchy, the worst first; ``values`` are those of the table, as text.

    A file that is not a table of text at all raises a :class:`DataError`, as it does in :func:`read`.
    """
    if isinstance(source, str | os.PathLike):
        with _named(source, column):
            source = list(_rows(source, delimiter, encoding))
    rows = [tuple(fields) for row in source if (fields := trimmed(row))]
    faults = [*_of_rows(rows), *_of_lengths(rows), *_of_tops(rows), *_of_tree(rows)]
    if values is not None:
        faults += _of_values({row[0]: None for row in rows}, dict.fromkeys(values))
    order = ("error", "warning", "note")
    return sorted(faults, key=lambda fault: order.index(fault.level))


def _of_rows(rows: Sequence[tuple[str, ...]]) -> Iterator[Fault]:
    """No rows, or rows that are repeated, contradict each other, or have empty fields."""
    if not rows:
        says = "there are no rows: write one for each value, from the value up to the root"
        yield Fault("no rows", 1, says, level="error")
    distinct = Counter(rows)
    if repeated := [row[0] for row, count in distinct.items() if count > 1]:
        count = len(rows) - len(distinct)
        says = f"rows that repeat an earlier one: {count:,}; they are read once, and can be removed"
        yield Fault("repeated rows", count, says, _shown(repeated))
    if torn := [leaf for leaf, count in Counter(row[0] for row in distinct).items() if count > 1]:
        says = f"values with rows that differ: {len(torn):,}; keep one row for each value"
        yield Fault("different paths", len(torn), says, _shown(torn), "error")
    if holed := [row[0] for row in rows if "" in row[1:]]:
        says = f"rows with an empty field between others: {len(holed):,}; give it a label"
        yield Fault("empty labels", len(holed), says, _shown(holed), "error")
    if empty := sum(not row[0] for row in rows):
        says = f"rows that begin with an empty field: {empty:,}; it is read as empty text, not as missing"
        yield Fault("empty value", empty, says)


def _of_lengths(rows: Sequence[tuple[str, ...]]) -> Iterator[Fault]:
    """Rows of uneven length: a tree of uneven depth, or a mistake."""
    lengths = Counter(map(len, rows))
    if len(lengths) > 1:
        usual = lengths.most_common(1)[0][0]
        uneven = [row[0] for row in rows if len(row) != usual]
        says = (
            f"rows that do not have {usual} fields like most: {len(uneven):,}; they are aligned at the "
            "root, which is the last field: right for uneven depth, wrong where a field was forgotten"
        )
        yield Fault("uneven rows", len(uneven), says, _shown(uneven) | {"lengths": dict(lengths)})


def _of_tops(rows: Sequence[tuple[str, ...]]) -> Iterator[Fault]:
    """A root that is several, missing, or not the usual one."""
    tops = Counter(row[-1] for row in rows)
    if rows and all(len(row) == 1 for row in rows):
        says = f"the file has values only, no levels: they are put below a root {ROOT}"
        yield Fault("no levels", 1, says)
    elif len(tops) > 1:
        below = "the others are put below it" if ROOT in tops else "they are put below one"
        says = (
            f"labels at the top, where one root {ROOT} should stand: {len(tops):,}; {below}, which can "
            "make the tree higher and all its distances smaller: correct or remove the rows that do not end "
            "in the root"
        )
        yield Fault("several tops", len(tops), says, _shown([top for top, _ in reversed(tops.most_common())]))
    elif tops and ROOT not in tops:
        says = f"the root is not {ROOT}: what is generalized in full is published with the root's own label"
        yield Fault("root label", 1, says, _shown(list(tops)), "note")


def _of_tree(rows: Sequence[tuple[str, ...]]) -> Iterator[Fault]:
    """Labels that mean two things, and levels that mean nothing, in as much of the file as can be read."""
    sound = {row[0]: row for row in reversed(rows) if "" not in row[1:]}  # of rows that differ, the first
    if not sound:
        return
    tree = Hierarchy.from_rows(reversed(sound.values()))
    inner = np.flatnonzero(tree.height > 0)
    standing = Counter((int(tree.depth[node]), tree.labels[node]) for node in inner.tolist())
    if twice := [label for (_, label), count in standing.items() if count > 1]:
        says = (
            f"labels that stand below different parents at one level: {len(twice):,}; each is taken for "
            "different categories, which a reader of the release cannot tell apart: rename them"
        )
        yield Fault("two parents", len(twice), says, _shown(twice))
    children = np.bincount(tree.parent[1:], minlength=len(tree.labels))
    wider = np.bincount(tree.depth, weights=children != 1)
    if idle := np.flatnonzero(wider == 0).tolist():
        says = (
            f"levels that generalize nothing, since each label has one below it: {len(idle):,}; they count "
            "in the distances of the tree, and can be removed"
        )
        yield Fault("idle levels", len(idle), says, {"levels below the root": idle[:_SHOWN]})


def _of_values(leaves: dict[str, None], values: dict[str, None]) -> Iterator[Fault]:
    """Values that the table has and the file lacks, or has in another spelling; and the other way round."""
    missing = [value for value in values if value not in leaves]
    if missing:
        says = f"values of the table missing from the file: {len(missing):,}; add a row for each"
        yield Fault("missing values", len(missing), says, _shown(missing), "error")
    spelled = {_spelling(leaf): leaf for leaf in reversed(leaves)}
    meant = {value: spelled[key] for value in missing if (key := _spelling(value)) in spelled}
    if meant:
        blanks = sum("".join(value.split()) == "".join(leaf.split()) for value, leaf in meant.items())
        says = (
            f"missing values that the file has in another spelling: {len(meant):,}; {blanks:,} differ by "
            "blanks only, the others by capital letters: make the spellings equal"
        )
        yield Fault("other spelling", len(meant), says, {"meant": dict(islice(meant.items(), _SHOWN))})
    if unused := [leaf for leaf in leaves if leaf not in values]:
        says = f"values of the file that the table does not have: {len(unused):,}; nothing needs to be done"
        yield Fault("unused values", len(unused), says, _shown(unused), "note")


def _spelling(value: str) -> str:
    """The value without what is easily mistyped."""
    return "".join(value.split()).casefold()


def _shown(values: Sequence[str]) -> dict[str, Any]:
    return {"values": list(values[:_SHOWN])}


@contextmanager
def _named(path: str | os.PathLike[str], column: str | None) -> Iterator[None]:
    """Errors within say which file they are about."""
    try:
        yield
    except DataError as error:
        purpose = f"the hierarchy of {column}" if column else f"the hierarchy {Path(path).name}"
        raise DataError(f"{purpose}: {error.message}", details=error.details) from None


def _rows(path: str | os.PathLike[str], delimiter: str | None, encoding: str | None) -> Iterator[list[str]]:
    """The rows of a file. Errors of the csv module may quote what it could not read, so they are replaced."""
    text = _text(path, encoding)
    try:
        rows = _split(text, delimiter or _delimiter(text))
    except (TypeError, ValueError):
        raise DataError("the delimiter must be a single character, such as ; or a comma") from None
    try:
        yield from rows
    except csv.Error:
        raise DataError(
            f"line {rows.line_num:,} is not CSV: a quote is not closed, or text follows a closing quote "
            '(a quote within a quoted field is written "")'
        ) from None


def _split(text: str, delimiter: str) -> Any:
    # strict: else an unclosed quote swallows the rest of the file as one field, in silence
    return csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)


def _text(path: str | os.PathLike[str], encoding: str | None) -> str:
    """The text of a file in the encoding given, or that of its byte order mark, or UTF-8, or Windows' own."""
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        reason = error.strerror or "the operating system refused"
        raise DataError(f"the file cannot be opened: {reason}", details={"path": os.fspath(path)}) from None
    marked = "utf-16" if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "utf-8"
    # latin-1 takes any byte: cp1252 is the same text but for a few undefined bytes
    for candidate in [encoding] if encoding else [marked, "cp1252", "latin-1"]:
        try:
            return content.decode(candidate).removeprefix("\ufeff")
        except UnicodeDecodeError:
            continue
        except LookupError:
            raise DataError("the encoding asked for is not known: try utf-8 or cp1252") from None
    raise DataError("the file is not in the encoding asked for: leave that out to have it found")


def _delimiter(text: str) -> str:
    """The delimiter under which rows agree most on their last field, which is the root.

    Where another delimiter is part of the labels, the last fields still have parts of other labels in them.
    """
    agreement = {delimiter: _agreement(text, delimiter) for delimiter in _DELIMITERS}
    return max(agreement, key=lambda delimiter: agreement[delimiter])


def _agreement(text: str, delimiter: str) -> tuple[float, bool]:
    """The share of rows with the commonest last field, and whether it is ``*``; 0 if most rows have one."""
    try:
        rows = [fields for row in islice(_split(text, delimiter), _SNIFFED) if (fields := trimmed(row))]
    except csv.Error:  # quotes that make no sense under this delimiter
        return 0.0, False
    last = Counter(row[-1] for row in rows if len(row) > 1)
    if 2 * last.total() <= len(rows):
        return 0.0, False
    [(label, count)] = last.most_common(1)
    return count / len(rows), label == ROOT
