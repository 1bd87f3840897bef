"""File locks on a folder that are released when the processes that hold them end, however they end."""

import fcntl
import os
from pathlib import Path


def try_lock(path: Path) -> int | None:
    """Take the lock on a file, which is created if it does not exist, without waiting.

    Returns:
        A file descriptor, or None if another process holds the lock. The lock is held until every copy of the
        descriptor is closed, in this process and in those that inherited it.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    return descriptor
