"""What a release cost, and how small its classes are: loss, discernibility, class sizes, closeness, risk, queries.

:func:`measure` takes a publication, Shoal's or anybody's, and what its columns mean; it returns
:class:`Scores`. Loss is counted against the original and is therefore an internal figure: together with the
release it says something of the suppressed records.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from shoal.measure.kept import Correspondence, Correspondences, Phi
    from shoal.measure.loss import Loss, Losses
    from shoal.measure.measuring import measure
    from shoal.measure.query_error import QueryError, Workload
    from shoal.measure.ranges import ColumnRange, ColumnRatio, Ranges, Ratios
    from shoal.measure.risk import Above, Adversary, Bin, Journalist, Risk, Smallest
    from shoal.measure.rules import Rules
    from shoal.measure.scores import Scores

__all__ = [
    "Above",
    "Adversary",
    "Bin",
    "ColumnRange",
    "ColumnRatio",
    "Correspondence",
    "Correspondences",
    "Journalist",
    "Loss",
    "Losses",
    "Phi",
    "QueryError",
    "Ranges",
    "Ratios",
    "Risk",
    "Rules",
    "Scores",
    "Smallest",
    "Workload",
    "measure",
]

_HOMES = {
    "ColumnRange": "ranges",
    "ColumnRatio": "ranges",
    "Correspondence": "kept",
    "Correspondences": "kept",
    "Loss": "loss",
    "Losses": "loss",
    "Phi": "kept",
    "QueryError": "query_error",
    "Ranges": "ranges",
    "Ratios": "ranges",
    "Rules": "rules",
    "Scores": "scores",
    "Workload": "query_error",
    "measure": "measuring",
}


def __getattr__(name: str) -> Any:
    """Each name, loaded when it is first used: NumPy and PyArrow take their time."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES.get(name, 'risk')}"), name)
