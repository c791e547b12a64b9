"""Where randomness comes from: the operating system, except in tests that ask for a seed."""

from __future__ import annotations

import os
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Chance:
    """A source of random 64-bit words. Whatever hides a link draws from here; a seed forbids writing a release."""

    generator: np.random.Generator | None = None

    @classmethod
    def seeded(cls, seed: int | None) -> Chance:
        return cls(None if seed is None else np.random.default_rng(seed))

    @property
    def is_seeded(self) -> bool:
        return self.generator is not None

    def words(self, count: int) -> NDArray[np.uint64]:
        data = os.urandom(8 * count) if self.generator is None else self.generator.bytes(8 * count)
        return np.frombuffer(data, dtype=np.uint64)
