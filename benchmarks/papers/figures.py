"""What a paper's experiments give: figures as rows of numbers, and claims with what was found of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

#: One measurement: where on the horizontal axis, of which series, how much; ``panel`` tells parts of a figure apart.
Row = Mapping[str, str | float]

Found = Literal["reproduced", "in part", "not"]


@dataclass(frozen=True)
class Figure:
    """Measurements that belong in one chart.

    ``rows`` have the keys ``x``, ``series``, ``y`` and, if the figure has parts, ``panel``. ``logarithmic`` is for
    values that differ by orders of magnitude.
    """

    name: str  # the file's stem, such as figure-1
    title: str
    x: str
    y: str
    rows: Sequence[Row]
    logarithmic: bool = False
    note: str = ""


@dataclass(frozen=True)
class Claim:
    """A sentence of the paper in our words, whether it was found to be so, and the numbers that say so."""

    says: str
    found: Found
    numbers: str


@dataclass(frozen=True)
class Results:
    """All that one paper's experiments gave, and on what."""

    title: str  # of the page
    paper: str  # author, title, venue, year
    setting: str  # the tables, and how they differ from the paper's
    figures: Sequence[Figure]
    claims: Sequence[Claim]
    advice: Sequence[str] = field(default=())  # what follows for people who use the method
