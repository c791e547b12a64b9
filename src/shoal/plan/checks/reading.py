"""What can be wrong with where the table is, and how it is to be read."""

from __future__ import annotations

import codecs
from collections.abc import Iterator, Mapping
from pathlib import Path

from shoal.errors import Problem
from shoal.plan.checks.known import Known
from shoal.plan.plan import TYPES, Read
from shoal.plan.spelling import also, did_you_mean
from shoal.plan.values import are_texts
from shoal.schema.columns import Prefixes


def of_table(table: object) -> Iterator[Problem]:
    if table is not None and not isinstance(table, Path):
        yield Problem("table", "expected the path of a file")


def of_reading(read: object, known: Known) -> Iterator[Problem]:
    if not isinstance(read, Read):
        yield Problem("read", "expected shoal.Read(...)")
        return
    if read.delimiter is not None and not _is_delimiter(read.delimiter):
        yield Problem("read.delimiter", "expected one character that is not a quote, a letter or a digit")
    if read.encoding is not None and not _is_encoding(read.encoding):
        yield Problem("read.encoding", 'expected the name of an encoding, such as "latin-1"')
    if read.decimal not in (None, ".", ","):
        yield Problem("read.decimal", 'expected "." or ","')
    elif read.decimal is not None and read.decimal == read.delimiter:
        yield Problem("read.decimal", "is the delimiter too: a field would end where a number's fraction begins")
    if not are_texts(read.missing):
        yield Problem("read.missing", 'expected a list of texts, such as ["", "?", "NA"]')
    yield from _of_types(read.types, known)


def _of_types(types: object, known: Known) -> Iterator[Problem]:
    if not isinstance(types, Mapping):
        yield Problem("read.types", 'expected a table such as { zip = "text" }')
        return
    named = {*known.roles, *(name for column in known.columns for name in column.mask_columns)}
    for name, kind in types.items():
        if name not in named and not known.doubts(name):
            hint = did_you_mean(name, known.roles)
            yield Problem(f"read.types.{name}", "is not a column of the plan" + also(hint))
        elif kind != "text" and any(c.name == name and isinstance(c.coarsening, Prefixes) for c in known.columns):
            yield Problem(f"read.types.{name}", "prefixes are made of text, in which leading zeros stay: leave it out")
        elif kind not in TYPES:
            yield Problem(f"read.types.{name}", f"expected one of {', '.join(TYPES)}{also(did_you_mean(kind, TYPES))}")


def _is_delimiter(value: object) -> bool:
    plain = isinstance(value, str) and len(value) == 1 and value.isascii()
    return plain and not str(value).isalnum() and value not in ('"', "\n", "\r", "\0")


def _is_encoding(value: object) -> bool:
    try:
        return isinstance(value, str) and codecs.lookup(value)._is_text_encoding
    except (LookupError, ValueError):
        return False
