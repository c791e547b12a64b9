"""Columns whose cells stand for one of several published values, some more likely than others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.measure.queries.axes import NEVER, PERHAPS, SURELY, Amounts, Asked, Axis, Codes, Figures, Met
from shoal.measure.queries.sets import Members

__all__ = ["Mixture"]


@dataclass(frozen=True, eq=False)
class Mixture:
    """Cells as values of another axis, one of which each record has.

    Attributes:
        code: of each row, the number of its cell.
        values: the axis whose cells these values are.
        members: which of them each cell may stand for.
        weight: of each member, how likely it is: of those of a cell, 1 in all.
    """

    code: Codes
    values: Axis
    members: Members
    weight: Figures

    def __len__(self) -> int:
        return len(self.members.first) - 1

    @property
    def steady(self) -> bool:
        return bool((self.members.sizes <= 1).all()) and self.values.steady

    def meets(self, asked: Asked) -> Met:
        met = self.values.meets(asked)
        surely, possibly = (
            self.members.reduced(np.add, (met.state >= least).astype(np.int32), 0) for least in (SURELY, PERHAPS)
        )
        state = np.where(surely == self.members.sizes, SURELY, np.where(possibly > 0, PERHAPS, NEVER))
        return Met(state.astype(np.uint8), self._weighted(met.shares))

    def amounts(self, asked: Asked) -> Amounts:
        within, met = self.values.amounts(asked), self.values.meets(asked)
        possibly = met.state >= PERHAPS
        low = self.members.reduced(np.minimum, np.where(possibly, within.low, np.inf), np.inf)
        high = self.members.reduced(np.maximum, np.where(possibly, within.high, -np.inf), -np.inf)
        share = self._weighted(met.shares)
        total = self._weighted(np.where(met.shares > 0, met.shares * np.where(met.shares > 0, within.mean, 0), 0))
        return Amounts(low, high, np.divide(total, share, out=np.zeros(share.shape), where=share > 0))

    def _weighted(self, figures: Figures) -> Figures:
        """What is known of each value, weighted within each cell."""
        each = Members(np.arange(len(self.weight)), self.members.first)
        return each.reduced(np.add, figures[:, self.members.value] * self.weight, 0)
