"""A copy of the sample to work on, and a command run in this process."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from shoal import sample
from shoal.cli import main


class Ran(NamedTuple):
    """What a command left: its exit status, and what it wrote."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one object on standard output; anything else there is an error."""
        return json.loads(self.out)


Shoal = Callable[..., Ran]


@pytest.fixture
def shoal(capsys: pytest.CaptureFixture[str]) -> Shoal:
    def run(*arguments: object) -> Ran:
        capsys.readouterr()
        status = main([str(argument) for argument in arguments])
        return Ran(status, *capsys.readouterr())

    return run


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of one's own, with the sample in it."""
    shutil.copytree(sample.folder(), tmp_path / "sample")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    return tmp_path


@pytest.fixture
def plan(home: Path) -> Path:
    return home / "sample" / "plan.toml"
