"""Published tables, the form in which they show classes, and what their columns mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from shoal.release.manifest import Layout, PublishedColumn


@dataclass(frozen=True, eq=False)
class Published:
    """All that an outsider has: the tables, and of the manifest the form and what the columns mean.

    ``options`` are the form's own, where the meaning of the tables depends on them; ``layouts`` says which columns
    stand together in which rows, where they do not in all.
    """

    tables: Mapping[str, pa.Table]
    columns: Sequence[PublishedColumn]
    form: str = "generalized"
    options: Mapping[str, Any] = field(default_factory=dict)
    layouts: Sequence[Layout] = ()

    def __repr__(self) -> str:
        return f"<Published: {self.form}, {', '.join(self.tables)}>"

    @property
    def rows(self) -> pa.Table:
        """The table in which each record has a row."""
        return next(iter(self.tables.values()))
