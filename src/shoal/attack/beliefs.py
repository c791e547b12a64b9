"""How strongly an adversary believes of each person in each value of a sensitive column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.verify.coding import coded, matched

Figures = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Beliefs:
    """Posterior beliefs. People of whom the adversary knows the same are believed to have the same values.

    Attributes:
        on: the sensitive column.
        values: its values as published, each once; a missing one is null.
        of: of each person, the number of its kind.
        shares: of each kind (down) the belief in each value (across); all 0 for those who cannot be in the release.
    """

    on: str
    values: pa.Array
    of: NDArray[np.integer[Any]]
    shares: Figures

    def __repr__(self) -> str:
        return f"<Beliefs: {len(self.of)} people, {len(self.values)} values of {self.on}>"

    @property
    def found(self) -> NDArray[np.bool_]:
        """Which people may be in the release."""
        return self.shares.any(axis=1)[self.of]

    @property
    def highest(self) -> Figures:
        """Of each person the strongest belief in a known value: l-diversity promises at most 1/l."""
        known = self.values.is_valid().to_numpy(zero_copy_only=False)
        return self.shares[:, known].max(axis=1, initial=0)[self.of]

    def in_truth(self, people: pa.Table) -> Figures:
        """Of each person the belief in the value that the person has; 0 in one that is not published."""
        held = pa.chunked_array([self.values])
        both = matched(coded(held, self.on), coded(people.column(self.on), self.on))
        place = np.full(both.count, len(self.values))
        place[both.published] = np.arange(len(self.values))
        padded = np.column_stack([self.shares, np.zeros(len(self.shares))])
        return padded[self.of, place[both.original]]
