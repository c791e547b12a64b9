"""Every table that could have been published so: slow, obvious, without the package's reading of cells.

A published record says of its age a range, of its job a set, and its pay exactly; any of these may be missing. In
anatomy the pays and the illnesses of a class are shuffled, in slices any of its columns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import permutations, product
from typing import NamedTuple

JOBS = ("baker", "clerk", "cook")


class Record(NamedTuple):
    age: int | None
    job: str | None
    pay: int | None
    ill: str | None = None


class Cell(NamedTuple):
    """A published record: the ages and jobs that it may have."""

    ages: tuple[int | None, ...]
    jobs: tuple[str, ...]
    pay: int | None
    ill: str | None = None


World = tuple[Record, ...]
Meets = Callable[[Record], bool]
Slices = tuple[tuple[str, ...], ...]


def of_cells(published: Sequence[Cell]) -> list[World]:
    """Each record is by itself any of those that its cell stands for."""
    rows = [[Record(age, job, cell.pay, cell.ill) for age, job in product(cell.ages, cell.jobs)] for cell in published]
    return list(product(*rows))


#: Which columns stand together: in anatomy, and in slices of two more kinds.
ANATOMY: Slices = (("age", "job"), ("pay",), ("ill",))
SLICES: tuple[Slices, ...] = (ANATOMY, (("age", "pay"), ("ill", "job")), (("age", "ill", "job", "pay"),))


def of_classes(classes: Sequence[Sequence[Cell]], slices: Sequence[Slices]) -> list[World]:
    """In each class the records of a slice may belong to those of the others in any way."""
    each = [_shuffled(held, of_it) for held, of_it in zip(classes, slices, strict=True)]
    return [tuple(record for part in joined for record in part) for joined in product(*each)]


def _shuffled(held: Sequence[Cell], slices: Slices) -> Iterator[World]:
    for orders in product(*(permutations(held) for _ in slices[1:])):
        parts = zip(held, *orders, strict=True)
        yield from of_cells([_joined(dict(zip(slices, cells, strict=True))) for cells in parts])


def _joined(parts: Mapping[tuple[str, ...], Cell]) -> Cell:
    """A record made of parts of others."""
    fields = {"age": "ages", "job": "jobs", "pay": "pay", "ill": "ill"}
    return Cell(**{fields[name]: getattr(cell, fields[name]) for names, cell in parts.items() for name in names})


def answers(worlds: Sequence[World], kind: str, column: str | None, meets: Meets) -> Iterator[Fraction | None]:
    """The answer in each world; None for the mean of nothing."""
    for world in worlds:
        met = [record for record in world if meets(record)]
        if column is None:
            yield Fraction(len(met))
            continue
        held = [Fraction(getattr(record, column)) for record in met if getattr(record, column) is not None]
        if kind == "SUM":
            yield sum(held, Fraction(0))
        else:
            yield sum(held, Fraction(0)) / len(held) if held else None
