"""What a release still gives away: adversaries as plain code, and what they come to believe.

:func:`linked` is the one whom the requirements speak of, who knows everybody's quasi-identifiers and joins them with
the release. :func:`minimal` knows besides how the classes were made, and asks which tables would have been published
so. :func:`exposed` is for releases with buckets, and knows of each person all that is not sensitive to that person.
What they come to believe is compared with the truth by whoever has it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from shoal.attack.beliefs import Beliefs
    from shoal.attack.linking import linked
    from shoal.attack.local_buckets import Exposure, exposed
    from shoal.attack.minimality import minimal

__all__ = ["Beliefs", "Exposure", "exposed", "linked", "minimal"]

_HOMES = {
    "Beliefs": "beliefs",
    "Exposure": "local_buckets",
    "exposed": "local_buckets",
    "linked": "linking",
    "minimal": "minimality",
}


def __getattr__(name: str) -> Any:
    """Each name, loaded when it is first used."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
