"""Inputs that are wrong in a place where a value stands, so that a careless error would quote it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

import shoal
from shoal.plan.plan import Plan, Read
from shoal.privacy.requirements import KAnonymity, LDiversity, Requirement, TCloseness
from shoal.schema import arx
from shoal.schema.columns import Schema, categorical, numeric

__all__ = ["mishaps"]

Mishap = tuple[str, Callable[[], object]]


def mishaps(folder: Path, mark: str) -> Iterator[Mishap]:
    """What goes wrong, and a call in which it does; ``mark`` stands in the values, which are made below ``folder``."""
    home = folder / "mishaps"
    home.mkdir()
    yield from _of_files(home, f"{mark}-name-001")
    yield from _of_hierarchies(home, f"{mark}-name-001")
    yield from _of_tables(f"{mark}-name-001")
    yield from _of_frames(f"{mark}-name-001")


def _plan(
    require: tuple[Requirement, ...] = (KAnonymity(2),), how: Any = None, read: Read | None = None, **roles: Any
) -> Plan:
    schema = Schema(**roles) if roles else Schema(quasi_identifying={"x": how}, sensitive=["y"])
    return Plan(schema, require, read_options=read or Read())


def _of_files(home: Path, value: str) -> Iterator[Mishap]:
    def file(name: str, content: str | bytes) -> Path:
        path = home / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    plan = _plan()
    lines = f"x,y\n1,{value}\n2,{value},{value}\n"
    yield "a line with too many fields", lambda: shoal.anonymize(file("long.csv", lines), plan)
    yield "a line with too few fields", lambda: shoal.anonymize(file("short.csv", f"x,y\n{value}\n"), plan)
    unclosed = f'x,y\n1,"{value}\n2,b\n3,c\n'
    yield "a quote that is not closed", lambda: shoal.anonymize(file("quote.csv", unclosed), plan)
    foreign = f"x,y\n1,{value}é\n".encode("latin-1")
    yield "an encoding that is another", lambda: shoal.anonymize(file("latin.csv", foreign), plan)
    typed = _plan(read=Read(types={"y": "integer"}))
    yield "text where numbers are told", lambda: shoal.anonymize(file("typed.csv", f"x,y\n1,{value}\n"), typed)
    dated = _plan(read=Read(types={"y": "date"}))
    yield "text where dates are told", lambda: shoal.anonymize(file("dated.csv", f"x,y\n1,{value}\n"), dated)
    yield "a header of values", lambda: shoal.anonymize(file("none.csv", ""), plan)
    for name in ("torn.parquet", "torn.arrow", "torn.csv.gz"):
        yield f"the file {name}", lambda name=name: shoal.anonymize(file(name, f"PAR1{value}PAR1"), plan)  # type: ignore[misc]


def _of_hierarchies(home: Path, value: str) -> Iterator[Mishap]:
    def tree(name: str, content: str) -> Path:
        path = home / name
        path.write_text(content, encoding="utf-8")
        return path

    table = pa.table({"x": [value, "b"], "y": ["c", "d"]})
    files = {
        "lacking.csv": "b;*\n",
        "differing.csv": f"{value};a;*\n{value};c;*\nb;*\n",
        "holed.csv": f"{value};;*\nb;*\n",
        "unclosed.csv": f'"{value};*\nb;*\n',
    }
    for name, content in files.items():
        path = tree(name, content)
        yield f"the hierarchy {name}", lambda path=path: shoal.anonymize(table, _plan(how=categorical(path)))  # type: ignore[misc]
    yield "a hierarchy without rows", lambda: arx.read(tree("empty.csv", ""), column="x")


def _of_tables(value: str) -> Iterator[Mishap]:
    def table(**columns: Any) -> pa.Table:
        return pa.table(columns)

    words = table(x=[value, "b"], y=[value, value])
    yield "text where numbers are to be coded", lambda: shoal.anonymize(words, _plan(how=numeric(top=5)))
    yield "one sensitive value for all", lambda: shoal.anonymize(words, _plan((LDiversity(2, "y"),)))
    ordered = _plan((TCloseness(0.1, "y", "ordered"),))
    yield "an order of words", lambda: shoal.anonymize(table(x=[1, 2], y=[value, "b"]), ordered)
    yield "too few people", lambda: shoal.anonymize(words, _plan((KAnonymity(3),)))
    alone = _plan(quasi_identifying=["x"], insensitive=["y"])
    yield "a column that is unique", lambda: shoal.anonymize(table(x=[1, 2], y=[value, "b"]), alone)
    twice = _plan(identifying=["y", "z"], quasi_identifying=["x"])
    unclear = table(x=[1, 2], y=[value, value], z=[value, value])
    yield "people who cannot be told apart", lambda: shoal.anonymize(unclear, twice)
    nested = table(x=[1, 2], y=[[value], [value]])
    yield "lists of values", lambda: shoal.anonymize(nested, _plan())
    named = _plan(identifying=["x"], insensitive=["y"], quasi_identifying=["z"])
    repeated = table(x=[value, value, "b"], y=[value, value, "b"], z=[1, 2, 3])
    yield "a name under another title", lambda: shoal.anonymize(repeated, named)
    yield "a column without a role", lambda: shoal.anonymize(table(x=[1], y=[value], z=[value]), _plan())
    yield "what is no table", lambda: shoal.anonymize([value], _plan())


def _of_frames(value: str) -> Iterator[Mishap]:
    with contextlib.suppress(ImportError):
        import pandas as pd

        mixed = pd.DataFrame({"x": [1, 2, 3], "y": [value, 3, b"c"]})
        yield "a pandas column of mixed types", lambda: shoal.anonymize(mixed, _plan())
        odd = pd.DataFrame({"x": [1, 2], "y": [{value}, object()]})
        yield "a pandas column of objects", lambda: shoal.anonymize(odd, _plan())
    with contextlib.suppress(ImportError):
        import polars as pl

        things = pl.DataFrame({"x": [1, 2], "y": pl.Series([value, 3], dtype=pl.Object)})
        yield "a Polars column of objects", lambda: shoal.anonymize(things, _plan())
