"""What is true of a release beside what was asked, and a steward should know."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from shoal.privacy.definitions import Figures
from shoal.privacy.requirements import LDiversity, Requirement, TCloseness
from shoal.privacy.verdict import Note
from shoal.verify import figures, threads
from shoal.verify.findings import figure_name, weakest
from shoal.verify.grouping import dense
from shoal.verify.values import Values

if TYPE_CHECKING:
    from shoal.verify.outsider import Sight

Reached = Sequence[tuple[Requirement, Figures]]


def of(sight: Sight, reached: Reached, *, persons_known: bool) -> Iterator[Note]:
    """Every note that says something of this release."""
    if sight.classes.rows == 0:
        yield Note("records", "the release has no records, so every requirement holds of it")
    if not persons_known:
        yield Note("people", "rows were counted, not people: nothing tells whether several rows are one person")
    if sight.classes.rows:
        yield from _otherwise_asked(sight, [requirement for requirement, _ in reached])
        if sight.joined:
            yield from _known_too(sight, reached)


def _otherwise_asked(sight: Sight, asked: Sequence[Requirement]) -> Iterator[Note]:
    """The figure beside a figure that is easily reached."""
    for requirement in asked:
        if isinstance(requirement, LDiversity) and requirement.missing_is_sensitive:
            on = sight.values[str(requirement.on)]
            stricter: Requirement = replace(requirement, missing_is_sensitive=False)
            says = "missing was counted as a sensitive value; among known values the release reaches"
            if on.known == on.width:
                continue
        elif isinstance(requirement, TCloseness) and requirement.distance == "hierarchical":
            stricter = replace(requirement, distance="equal")
            says = "a deep hierarchy makes t easy; with any two values 1 apart, the release reaches"
        else:
            continue
        reached = {figure_name(stricter): weakest(stricter, sight.reached(stricter)) or 0.0}
        yield Note(str(requirement.on), f"{says} {_listed(reached)}", reached)


def on_column(sight: Sight, requirement: Requirement, figure: Figures, beside: Mapping[str, Values]) -> Iterator[Note]:
    """The same of one requirement, whose column has classes of its own and these other values in its rows."""
    if sight.classes.rows:
        yield from _otherwise_asked(sight, [requirement])
    if not sight.classes.rows or not isinstance(requirement, LDiversity):
        return
    before = weakest(requirement, figure) or 0.0
    for name, extra in beside.items():
        after = {figure_name(requirement): _if_known(sight, extra, [requirement])[figure_name(requirement)]}
        if after[figure_name(requirement)] < before:
            says = f"to an adversary who knows {name} too, the release reaches {_listed(after)}"
            yield Note(name, says, after)


def _known_too(sight: Sight, reached: Reached) -> Iterator[Note]:
    """What an adversary finds who knows one more published column of the person sought."""
    others = [column for column in sight.columns if column.role in ("sensitive", "insensitive")]
    before = {figure_name(requirement): weakest(requirement, figure) for requirement, figure in reached}
    before["k"] = float(sight.classes.sizes.min())
    for column in others:
        if column.role == "sensitive" and len(others) == 1:
            continue  # there is nothing left to find out
        asked = [r for r, _ in reached if isinstance(r, LDiversity) and r.on != column.name]
        after = _if_known(sight, sight.values[column.name], asked)
        if any(figure < (before[name] or 0) for name, figure in after.items()):
            says = f"to an adversary who knows {column.name} too, the release reaches {_listed(after)}"
            yield Note(column.name, says, after)


def _if_known(sight: Sight, extra: Values, asked: Sequence[LDiversity]) -> dict[str, float]:
    """The weakest figures when classes are told apart by one more column."""
    classes = sight.classes
    known = classes.arranged(extra.code)
    sought = [sight.values[str(requirement.on)] for requirement in asked]
    codes = [classes.arranged(on.code) for on in sought]

    def of_piece(piece: slice) -> list[float]:
        group, rows = figures.members(classes, piece)
        finer, count = dense(group * extra.width + known[rows], (piece.stop - piece.start) * extra.width)
        found = [
            figures.diversity_of(requirement, finer, count, code[rows], on)
            for requirement, on, code in zip(asked, sought, codes, strict=True)
        ]
        return [float(np.bincount(finer).min()), *(float(figure.min()) for figure in found)]

    least = np.min(threads.each(of_piece, figures.by_rows(classes)), axis=0)
    return dict(zip(["k", *map(figure_name, asked)], least.tolist(), strict=True))


def _listed(reached: Mapping[str, float]) -> str:
    return ", ".join(f"{name} = {figure:.4g}" for name, figure in reached.items())
