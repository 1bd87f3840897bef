"""The log file of an embedded Postgres."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

_LARGEST = 5_000_000


class ServerLog:
    """A log file that is appended to, and renamed when it has grown large.

    Args:
        path: the file; its folder must exist when the file is opened.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._start = 0

    @contextmanager
    def open(self) -> Iterator[IO[bytes]]:
        """Open the file for a process to write to; `tail` then returns what was written since."""
        if self.path.exists() and self.path.stat().st_size > _LARGEST:
            self.path.rename(self.path.with_name(self.path.name + ".1"))
        descriptor = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            self._start = os.fstat(descriptor).st_size
            yield file

    def tail(self) -> str:
        """Return the last lines that were written since the file was opened, under a heading that names the file."""
        with self.path.open("rb") as file:
            file.seek(self._start)
            lines = file.read().decode(errors="replace").splitlines()[-8:]
        return "\n".join([f"The end of {self.path}:", *lines])
