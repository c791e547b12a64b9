"""Putting a folder in its place whole, or not at all, whatever happens meanwhile.

A release is staged in a folder of its own beside the place where it will stand, readable by its owner only. A crash
leaves either the old release or the new one in place; what it leaves of the staging is removed by the next writing.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import fcntl
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from shoal.errors import DataError, ShoalError

MANIFEST, README = "manifest.json", "README.txt"
_EXCHANGE = 2
_AT_FDCWD = -100
_SWAP = 2


def check_free(target: Path, *, force: bool) -> None:
    """Refuse a place where something stands that must not be replaced."""
    if not target.exists():
        return
    if not target.is_dir():
        raise DataError(f"{target.name} is a file: a release is a folder")
    held = {entry.name for entry in target.iterdir()}
    if not held:
        return
    if MANIFEST not in held:
        raise DataError(f"the folder {target.name} holds something else than a release: choose another")
    if not force:
        raise _holds_a_release(target)
    if strange := sorted(name for name in held if not _is_of_a_release(name)):
        raise DataError(
            f"the folder {target.name} holds {len(strange)} file(s) beside its release, which would be lost: move them "
            "away, or choose another"
        )


def _is_of_a_release(name: str) -> bool:
    return name in (MANIFEST, README) or name.endswith((".parquet", ".csv"))


def _holds_a_release(target: Path) -> DataError:
    return DataError(f"the folder {target.name} holds a release already: choose another, or replace it with --force")


@contextlib.contextmanager
def staging(target: Path) -> Iterator[Path]:
    """A folder beside the target in which to prepare what will stand there; removed unless it was put in place."""
    target.parent.mkdir(parents=True, exist_ok=True)
    _remove_left_over(target)
    stage, lock = _locked(target)
    try:
        yield stage
    finally:
        os.close(lock)
        shutil.rmtree(stage, ignore_errors=True)


def put(stage: Path, target: Path, *, force: bool) -> None:
    """Move what was staged to its place in one step; with ``force``, what stood there is where the staging was then.

    Without it, somebody else's release stays that was put there meanwhile.
    """
    for entry in stage.iterdir():
        entry.chmod(0o666 & ~_umask())
        _sync(entry)
    stage.chmod(0o777 & ~_umask())
    _sync(stage)
    if force and target.exists():
        _exchange(stage, target)
    else:
        _rename(stage, target)
    _sync(target.parent)


def _rename(stage: Path, target: Path) -> None:
    """Where nothing stands, or an empty folder: all else the operating system refuses to replace."""
    try:
        stage.rename(target)
    except OSError as error:
        if error.errno in (errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR):
            raise _holds_a_release(target) from None
        raise


def _locked(target: Path) -> tuple[Path, int]:
    """A new staging folder and the lock on it, which the folder keeps until it is in its place or gone."""
    while True:
        stage = Path(tempfile.mkdtemp(prefix=_prefix(target), dir=target.parent))  # which is its owner's alone
        with contextlib.suppress(FileNotFoundError):  # another writer took it for left over: make a new one
            lock = os.open(stage, os.O_RDONLY)
            fcntl.flock(lock, fcntl.LOCK_EX)
            if stage.is_dir():
                return stage, lock
            os.close(lock)


def _prefix(target: Path) -> str:
    return f".{target.name}.staged-"


def _remove_left_over(target: Path) -> None:
    """Staging folders whose writer is gone: a living one holds its lock."""
    for stage in target.parent.iterdir():
        if not stage.name.startswith(_prefix(target)):
            continue
        with contextlib.suppress(FileNotFoundError):  # its writer has just put it in place
            lock = os.open(stage, os.O_RDONLY)
            with contextlib.suppress(BlockingIOError):
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(stage, ignore_errors=True)
            os.close(lock)


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _exchange(stage: Path, target: Path) -> None:
    """Swap two folders in one step of the file system; the old release is then where the staging was."""
    system = ctypes.CDLL(None, use_errno=True)
    one, other = os.fsencode(stage), os.fsencode(target)
    if sys.platform == "darwin" and hasattr(system, "renamex_np"):
        done = system.renamex_np(one, other, _SWAP) == 0
    else:
        done = hasattr(system, "renameat2") and system.renameat2(_AT_FDCWD, one, _AT_FDCWD, other, _EXCHANGE) == 0
    if not done:
        raise ShoalError(
            f"this file system cannot swap folders in one step, so {target.name} stays as it is: "
            "remove it, or write elsewhere"
        )
