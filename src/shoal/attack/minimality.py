"""The adversary who knows besides how the classes were made.

A method that reads the sensitive values gives something away by what it does: that two classes were not cut apart says
that a part would have broken the promise. Wong, Fu, Wang and Pei found this ("Minimality Attack in Privacy Preserving
Data Publishing", VLDB 2007). The adversary thinks of every way in which the published values can belong to the people,
has the method publish each, and keeps those that give the very release; these are taken for equally likely.

It is the exact belief, found by trying all worlds, so only for few people; and for methods whose classes are decided by
the records alone. Where nothing reads the sensitive values, it is that of :func:`shoal.attack.linked` for everybody who
fits one class only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from math import factorial, prod
from typing import Any

import numpy as np
import pyarrow as pa

from shoal.attack.beliefs import Beliefs
from shoal.errors import ShoalError, Unsupported
from shoal.release.cells import distinct

Tables = Mapping[str, pa.Table]

#: As many worlds are tried.
_MOST = 20_000


def minimal(published: Tables, people: pa.Table, on: str, remake: Callable[[pa.Table], Tables]) -> Beliefs:
    """What is believed of each of these people, all of whom are in the release.

    ``people`` has all columns that the release was made from but the sensitive one, ``on``; others that are sensitive
    are taken to be known. ``remake`` publishes a table by the same method; what it refuses was not the original.
    """
    held = _held(published, on)
    if len(held) != people.num_rows:
        raise Unsupported(
            "this adversary knows that everybody is in the release: leave out whom the release leaves out"
        )
    code, values = distinct(pa.chunked_array([held]), on)
    times = Counter(code.tolist())
    worlds = factorial(len(code)) // prod(factorial(count) for count in times.values())
    if worlds > _MOST:
        raise Unsupported(f"there are {worlds:,} worlds, and at most {_MOST:,} are tried: take fewer people")
    said = _said(published)
    believed = np.zeros((people.num_rows, len(values)))
    for world in _arrangements(times, len(code)):
        if _is_published(people.append_column(on, values.take(pa.array(world, pa.int64()))), remake, said):
            believed[np.arange(len(world)), world] += 1
    total = believed.sum(axis=1, keepdims=True)
    shares = np.divide(believed, total, out=believed, where=total > 0)
    return Beliefs(on, values, np.arange(people.num_rows), shares)


def _is_published(world: pa.Table, remake: Callable[[pa.Table], Tables], said: Counter[Any]) -> bool:
    try:
        return _said(remake(world)) == said
    except ShoalError:
        return False


def _arrangements(times: Counter[int], length: int) -> Iterator[list[int]]:
    """All different orders of some values, given how often each occurs."""
    if length == 0:
        yield []
        return
    for value in [value for value, count in times.items() if count]:
        times[value] -= 1
        yield from ([value, *rest] for rest in _arrangements(times, length - 1))
        times[value] += 1


def _held(published: Tables, on: str) -> pa.Array:
    """The sensitive values of all records, in any order."""
    apart = published.get(f"sat_{on}")
    if apart is None:
        return next(iter(published.values())).column(on).combine_chunks()
    column = apart.column(on).combine_chunks()
    return column.take(pa.array(np.repeat(np.arange(len(column)), apart.column("count").to_numpy())))


def _said(published: Tables) -> Counter[Any]:
    """What is published, whatever the order of rows and the numbers of classes."""
    rows = {name: table.to_pylist() for name, table in published.items()}
    first = next(iter(rows.values()))
    if len(rows) == 1:
        return Counter(repr(row) for row in first)
    classes: dict[int, list[str]] = {}
    for name, held in rows.items():
        for row in held:
            classes.setdefault(row.pop("class"), []).append(f"{name} {row!r}")
    return Counter(tuple(sorted(told)) for told in classes.values())
