"""Write files that appear under their name only when they are complete and on disk.

Each run writes to a part of its own, so that several runs with the same target do not disturb each other: the last one
to end replaces the file. A run holds a lock on its part, which tells it from one that a killed run has left.
"""

from __future__ import annotations

import fcntl
import glob
import os
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

_LENGTH = 16
"""The number of random hex digits in the name of a part, `FILE.<digits>.part`."""


@contextmanager
def replacing(target: Path, mode: int) -> Iterator[IO[bytes]]:
    """Open a part for writing, which replaces the target if the block ends normally, and is deleted if it does not.

    Args:
        target: the path of the file; one that is there stays as it is until the new one is complete.
        mode: the permissions of the new file, from which the umask is taken.

    Raises:
        OSError: the file cannot be written.
    """
    _delete_abandoned(target)
    part, descriptor = _create(target, mode)
    try:
        with os.fdopen(descriptor, "wb") as out:
            yield out
            out.flush()
            os.fsync(descriptor)
            part.rename(target)  # while it is locked, or another run would take it for abandoned
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    _sync_folder(target.parent)


def _create(target: Path, mode: int) -> tuple[Path, int]:
    """Create a part that no other run has, and lock it."""
    while True:
        part = target.with_name(f"{target.name}.{secrets.token_hex(_LENGTH // 2)}.part")
        descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
        try:
            if _lock(descriptor) and os.fstat(descriptor).st_nlink:
                return part, descriptor
        except BaseException:
            os.close(descriptor)
            part.unlink(missing_ok=True)
            raise
        os.close(descriptor)  # another run took it for abandoned before it was locked


def _delete_abandoned(target: Path) -> None:
    """Delete the parts of the target that killed runs have left."""
    name = re.compile(rf"{re.escape(target.name)}\.[0-9a-f]{{{_LENGTH}}}\.part")
    for part in target.parent.glob(f"{glob.escape(target.name)}.*.part"):
        if name.fullmatch(part.name):
            try:
                descriptor = os.open(part, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
            except OSError:  # it has just been completed, or belongs to somebody else
                continue
            try:
                if _lock(descriptor):
                    part.unlink(missing_ok=True)
            except OSError:  # this file system has no locks, or the folder is somebody else's
                continue
            finally:
                os.close(descriptor)


def _lock(descriptor: int) -> bool:
    """Lock an open file without waiting, and return whether no other process had locked it."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
