"""A release before it is judged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.release.manifest import Layout, PublishedColumn


@dataclass(frozen=True, eq=False)
class Draft:
    """Tables and their meaning; row i of the first table speaks of record ``link[i]`` of the original.

    The link is for the keeper alone, and is forgotten once the release is judged. Where rows are shown in slices, there
    is a link for each: slice s of row i is that of record ``link[s, i]``, by the layout of its bucket.
    """

    tables: Mapping[str, pa.Table]
    columns: tuple[PublishedColumn, ...]
    link: NDArray[np.uint32]
    suppressed: int
    layouts: tuple[Layout, ...] = ()

    def __repr__(self) -> str:
        return f"<Draft: {self.records} records, {self.suppressed} suppressed>"

    @property
    def records(self) -> int:
        """How many records are published."""
        return self.link.shape[-1]
