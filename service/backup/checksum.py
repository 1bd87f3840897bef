"""The last line of a backup: a SHA-256 over all that stands before it, so that no changed byte is ever put back.

It follows the bytes of pg_dump, inside the encryption where there is one. pg_restore reads no further than the dump, so it
reads such a file as before.
"""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from _typeshed import SupportsRead

_LINE = b"\nnova-luna sha256 %s\n"
_FITS = re.compile(rb"\nnova-luna sha256 ([0-9a-f]{64})\n")
LENGTH = len(_LINE % (b"0" * 64))


class Sum(NamedTuple):
    """What the end of a backup says: `stated` is the checksum in it (None: there is none), `found` that of what is before."""

    stated: str | None
    found: str

    @property
    def holds(self) -> bool:
        """Return whether there is one, and it is right."""
        return self.stated == self.found


class Summing:
    """Takes a backup in, from its beginning to its end, and gives its `sum` then."""

    def __init__(self) -> None:
        self.length = 0
        self._digest = hashlib.sha256()
        self._held = b""

    def write(self, data: bytes) -> int:
        """Take in what follows; say that all of it was taken."""
        self.length += len(data)
        held = self._held + data
        self._digest.update(held[:-LENGTH])
        self._held = held[-LENGTH:]
        return len(data)

    def flush(self) -> None:
        """Do nothing; it is asked by those who are given any stream."""

    @property
    def sum(self) -> Sum:
        """What the bytes taken in so far say, if they were all."""
        found = _FITS.fullmatch(self._held)
        if found is None:
            whole = self._digest.copy()
            whole.update(self._held)
            return Sum(None, whole.hexdigest())
        return Sum(found[1].decode(), self._digest.hexdigest())


class Summed:
    """A stream that is read to its end, and after it the line with the checksum of what it gave."""

    def __init__(self, source: SupportsRead[bytes]) -> None:
        self._source = source
        self._digest = hashlib.sha256()
        self._line: bytes | None = None

    def read(self, size: int = -1) -> bytes:
        """Return up to so many bytes; none when all were given."""
        if self._line is None:
            data = self._source.read(size)
            if data or size == 0:
                self._digest.update(data)
                if size >= 0:
                    return data
            self._line = _LINE % self._digest.hexdigest().encode()
            if size < 0:
                line, self._line = self._line, b""
                return data + line
        size = len(self._line) if size < 0 else size
        given, self._line = self._line[:size], self._line[size:]
        return given
