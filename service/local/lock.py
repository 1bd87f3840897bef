"""Locks on a folder that end with the processes that hold them, however these end."""

import fcntl
import os
from pathlib import Path


def try_lock(path: Path) -> int | None:
    """Takes the lock that this file stands for.

    Returns:
        A descriptor: the lock is held until every copy of it is closed, in this process and in those that it was passed
        on to. None when somebody else holds it.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    return descriptor
