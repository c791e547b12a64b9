"""Which parts the tables of each form have: one module a form, with a function ``answered``.

It takes what was published (:class:`~shoal.measure.queries.sheets.Sheets`), what is asked for, and the questions, and
gives back estimates and bounds, most often by :func:`shoal.measure.queries.counting.ask`.
"""

from __future__ import annotations

from collections.abc import Sequence

from shoal.errors import Unsupported
from shoal.measure.queries.counting import Bounded
from shoal.measure.queries.forms import anatomy, buckets, randomized, rows, slices
from shoal.measure.queries.question import Aggregate, Question
from shoal.measure.queries.sheets import Sheets

__all__ = ["ANSWERED", "answered"]

ANSWERED = {
    "generalized": rows,
    "centres": rows,
    "anatomy": anatomy,
    "slices": slices,
    "randomized": randomized,
    "buckets": buckets,
}


def answered(sheets: Sheets, what: Aggregate, asked: Sequence[Question]) -> Bounded:
    """What the form allows to be said."""
    form = ANSWERED.get(sheets.published.form)
    if form is None:
        raise Unsupported(
            f"queries are not answered from the form {sheets.published.form}, only from {', '.join(ANSWERED)}"
        )
    return form.answered(sheets, what, asked)
