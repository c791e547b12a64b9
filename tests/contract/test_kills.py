"""A writer that is killed leaves the old release or the new one."""

from __future__ import annotations

from pathlib import Path

import pytest

from shoal.errors import ShoalError
from shoal.testing import check_kills
from shoal.testing.kills import check_place
from shoal.testing.victim import release


def test_kills(tmp_path: Path) -> None:
    assert check_kills(tmp_path, moments=15) > 20


def test_a_mixture_is_seen(tmp_path: Path) -> None:
    target = release("parquet").write(tmp_path / "release")
    check_place(target)
    (target / "release.csv").write_text("age\n1\n")
    with pytest.raises(AssertionError, match="mixture"):
        check_place(target)


def test_half_a_release_is_seen(tmp_path: Path) -> None:
    target = release("parquet").write(tmp_path / "release")
    file = target / "release.parquet"
    file.write_bytes(file.read_bytes()[:-100])
    with pytest.raises(ShoalError):
        check_place(target)


def test_what_others_can_read_is_seen(tmp_path: Path) -> None:
    target = release("parquet").write(tmp_path / "release")
    stage = tmp_path / ".release.staged-1"
    stage.mkdir(mode=0o700)
    (stage / "raw.csv").touch()
    check_place(target)
    stage.chmod(0o755)
    with pytest.raises(AssertionError, match="others can read"):
        check_place(target)
