"""Questions in, answers out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from shoal.errors import DataError
from shoal.measure.queries.counting import Bounded
from shoal.measure.queries.forms import answered
from shoal.measure.queries.question import Aggregate, Question
from shoal.measure.queries.sheets import Sheets

__all__ = ["Answer", "answers", "bounded"]


@dataclass(frozen=True)
class Answer:
    """What a release says of a query.

    Attributes:
        estimate: what is to be expected; None if nothing is known, or for a mean of no records.
        low: of the published records, no less than this is true; minus infinity if there is no bound.
        high: and no more than this.
        records: the records that are published, of which the answer speaks.
        suppressed: the records that were left out, of which it says nothing.
    """

    estimate: float | None
    low: float | None
    high: float | None
    records: int
    suppressed: int

    def as_dict(self) -> dict[str, Any]:
        """The same as plain values, for JSON; where there is no bound, None."""
        return {name: None if _is_endless(value) else value for name, value in asdict(self).items()}


def _is_endless(value: float | None) -> bool:
    return value is not None and math.isinf(value)


def answers(sheets: Sheets, what: Aggregate, asked: Sequence[Question], suppressed: int) -> list[Answer]:
    """One answer for each question."""
    found = bounded(sheets, what, asked)
    records = sheets.published.rows.num_rows
    whole = int if what.kind == "COUNT" else float
    return [
        Answer(_known(estimate), _known(low, whole), _known(high, whole), records, suppressed)
        for estimate, low, high in zip(found.estimate.tolist(), found.low.tolist(), found.high.tolist(), strict=True)
    ]


def _known(figure: float, kind: type[int] | type[float] = float) -> float | None:
    return None if math.isnan(figure) else kind(figure)


def bounded(sheets: Sheets, what: Aggregate, asked: Sequence[Question]) -> Bounded:
    """The same as figures; an error names at once all columns that there are not."""
    known = {column.name for column in sheets.columns}
    named = {name: None for question in asked for name in question}
    if what.column is not None:
        named = {what.column: None, **named}
    strange = [name for name in named if name not in known]
    if strange:
        raise DataError(f"the release has no column {', '.join(strange)}; it has {', '.join(sorted(known))}")
    return answered(sheets, what, asked)
