"""What somebody may have meant who wrote a word that is not known."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def did_you_mean(given: object, known: Iterable[str]) -> str:
    """The known word that is most like the given one, as a question; nothing if none is."""
    near = difflib.get_close_matches(given, list(known), 1) if isinstance(given, str) else []
    return f"did you mean {near[0]}?" if near else ""


def also(hint: str) -> str:
    """A hint as the end of a longer sentence."""
    return f"; {hint}" if hint else ""
