"""A published column, as something that questions can be put to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from shoal.measure.queries.question import Condition

Codes = NDArray[np.integer[Any]]
Flags = NDArray[np.bool_]
Figures = NDArray[np.float64]
States = NDArray[np.uint8]

#: What a cell says of a question: nothing that it may stand for is asked for, some of it, or all. ``&`` joins columns.
NEVER, PERHAPS, SURELY = 0, 1, 3

Asked = Sequence[tuple[Condition, ...]]


@dataclass(frozen=True, eq=False)
class Met:
    """What each cell (across) says of each question (down).

    Attributes:
        state: whether never, perhaps or surely.
        share: of equally likely values, how many are asked for; None if every state is never or surely.
    """

    state: States
    share: Figures | None

    @property
    def shares(self) -> Figures:
        return (self.state == SURELY).astype(np.float64) if self.share is None else self.share


@dataclass(frozen=True, eq=False)
class Amounts:
    """Of the numbers that each cell (across) may stand for and each question (down) asks for: the ends and the mean.

    Where there are none, any numbers stand there.
    """

    low: Figures
    high: Figures
    mean: Figures


class Axis(Protocol):
    """One column: the number of each row's cell, and what the cells say of questions."""

    @property
    def code(self) -> Codes:
        """Of each row, the number of its distinct cell."""

    @property
    def steady(self) -> bool:
        """Whether cells keep the order of their ends, whatever is asked."""

    def __len__(self) -> int:
        """How many distinct cells there are."""

    def meets(self, asked: Asked) -> Met:
        """What the cells say of these questions; conditions of one question must all hold."""

    def amounts(self, asked: Asked) -> Amounts:
        """The numbers behind the cells; a :class:`~shoal.errors.DataError` if they are none."""


def settled(known: States, missing: Flags, gone: Flags, gaps_will_do: Flags) -> States:
    """States with missing values thought of, given those of the known values.

    ``missing`` cells may stand for a missing value, ``gone`` ones for nothing else, and ``gaps_will_do`` says of each
    question whether it asks for them.
    """
    gaps = np.where(gaps_will_do, SURELY, NEVER).astype(np.uint8)[:, None]
    mixed = np.where(known == gaps, known, PERHAPS)
    return np.where(gone, gaps, np.where(missing, mixed, known)).astype(np.uint8)
