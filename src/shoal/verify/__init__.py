"""Does it hold? Two judges look at a release: an outsider, who sees what is published, and the keeper.

They share the definitions of :mod:`shoal.privacy` with the search that made the release, and nothing else: a
fault in how it encodes or groups must not be seen as right here too.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from shoal.verify.keeper import judge as as_keeper
    from shoal.verify.meaning import of as meaning_of
    from shoal.verify.outsider import judge as as_outsider

__all__ = ["as_keeper", "as_outsider", "meaning_of"]

_WHERE = {"as_keeper": ("keeper", "judge"), "as_outsider": ("outsider", "judge"), "meaning_of": ("meaning", "of")}


def __getattr__(name: str) -> Any:
    """The judges, loaded when called upon: PyArrow's compute functions take their time."""
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, function = _WHERE[name]
    return getattr(import_module(f"{__name__}.{module}"), function)
