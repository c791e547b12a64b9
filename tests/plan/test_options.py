"""What the options of methods and forms may be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import pytest

from shoal.plan.options import Number, options_of

_SHARE = Number(0, 1, above=True, words=("auto",), tried=(0.5, 1.0))


@dataclass(frozen=True)
class _Example:
    order: Literal["near", "far"] = "near"
    deep: bool = True
    share: Annotated[float | Literal["auto"], _SHARE] = 0.5
    bins: Annotated[int, Number(2, whole=True, tried=(4,))] = 4


OPTIONS = options_of(_Example)


@pytest.mark.parametrize(
    ("name", "allowed", "refused"),
    [
        ("order", ["near", "far"], ["Near", 1, None, True]),
        ("deep", [True, False], [1, 0, "true", None]),
        ("share", [0.1, 1, 1.0, "auto"], [0, -1, 1.5, True, "none", None, float("nan"), float("inf")]),
        ("bins", [2, 10**9], [1, 2.0, True, "2", None]),
    ],
)
def test_what_is_allowed(name: str, allowed: list[object], refused: list[object]) -> None:
    option = OPTIONS[name]
    assert all(option.allows(value) for value in (*allowed, *option.tried))
    assert not any(option.allows(value) for value in refused)


def test_what_is_expected_is_said() -> None:
    assert {name: option.expected for name, option in OPTIONS.items()} == {
        "order": "one of near, far",
        "deep": "one of false, true",
        "share": "a number above 0 and at most 1 or auto",
        "bins": "a whole number of at least 2",
    }
