"""A small table to try Shoal on: 5,000 records of Adult, their hierarchies, and a plan that fits them.

Where the records come from, and on which terms, is in `LICENSE.txt` beside them.
"""

from __future__ import annotations

import importlib.resources
import pathlib


def folder() -> pathlib.Path:
    """The folder with `adult.csv`, `plan.toml` and `hierarchies/`: read it, copy it, do not write to it."""
    return pathlib.Path(str(importlib.resources.files(__name__)))
