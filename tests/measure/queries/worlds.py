"""Every table that could have been published so: slow, obvious, without the package's reading of cells.

A published record says of its age a range, of its job a set, and its pay exactly; any of these may be missing. In
anatomy the pays and the illnesses of a class are shuffled.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
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


def of_cells(published: Sequence[Cell]) -> list[World]:
    """Each record is by itself any of those that its cell stands for."""
    rows = [[Record(age, job, cell.pay, cell.ill) for age, job in product(cell.ages, cell.jobs)] for cell in published]
    return list(product(*rows))


def of_classes(classes: Sequence[Sequence[Cell]]) -> list[World]:
    """In each class anybody may besides have anybody's pay, and anybody's illness."""
    return [tuple(record for part in joined for record in part) for joined in product(*map(_shuffled, classes))]


def _shuffled(held: Sequence[Cell]) -> list[World]:
    return [
        world
        for pays in permutations([cell.pay for cell in held])
        for ills in permutations([cell.ill for cell in held])
        for world in of_cells(
            [cell._replace(pay=pay, ill=ill) for cell, pay, ill in zip(held, pays, ills, strict=True)]
        )
    ]


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
