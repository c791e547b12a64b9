"""Promises about people, where a row is not a person or where some records were left out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.privacy import definitions
from shoal.privacy.requirements import KAnonymity, Requirement, Size, TCloseness
from shoal.privacy.verdict import Finding, Note
from shoal.verify import figures, resolve
from shoal.verify.case import Case
from shoal.verify.coding import coded
from shoal.verify.findings import finding
from shoal.verify.grouping import Classes
from shoal.verify.values import values


def counted(
    case: Case,
    classes: Classes,
    asked: Sequence[Requirement],
    person: str,
    link: NDArray[np.integer[Any]] | None,
) -> Iterator[Finding | Note]:
    """The size of each class in people: rows of one person are one, and so are all rows of nobody known."""
    sized = [requirement for requirement in asked if isinstance(requirement, KAnonymity | Size)]
    if link is None and sized:
        yield Note("people", f"people, by {person}, were not counted: nobody says which row is of which record")
    elif sized:
        reached = definitions.size(_people(case, classes, person, np.asarray(link))[:, None])
        for requirement in sized:
            what = f"{requirement} (people, by {person})"
            yield finding("keeper", requirement, reached, classes.sizes, what=what)


def _people(case: Case, classes: Classes, person: str, link: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
    """How many different people each class holds."""
    column = case.coded(person)
    number = np.arange(len(column.held))
    number[column.held.is_null().to_numpy(zero_copy_only=False)] = len(number)
    who = classes.arranged(number[column.code][link])
    group = np.repeat(np.arange(classes.count), classes.sizes)
    pairs = np.unique(group * (len(number) + 1) + who)
    return np.bincount(pairs // (len(number) + 1), minlength=classes.count)


def compared(case: Case, classes: Classes, asked: Sequence[Requirement]) -> Iterator[Finding]:
    """The distance of each class from the original, of which an outsider sees only what is published."""
    for requirement in asked:
        if isinstance(requirement, TCloseness):
            rows = coded(case.table.column(requirement.on), requirement.on)
            on = values(requirement.on, rows, case.coded(requirement.on))
            ground = resolve.ground(requirement, on, case.trees)
            reached = figures.closeness(ground, classes, on)
            what = f"{requirement} (against the original)"
            yield finding("keeper", requirement, reached, classes.sizes, what=what)
