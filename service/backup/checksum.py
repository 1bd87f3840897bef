"""The last line of a backup: a SHA-256 checksum of everything before it, so that a damaged backup is never restored.

It follows the output of pg_dump, inside the encryption if there is one. pg_restore reads no further than the dump, so
it reads such a file as it is.
"""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from _typeshed import SupportsRead

_LINE = b"\nnova-luna sha256 %s\n"
_PATTERN = re.compile(rb"\nnova-luna sha256 ([0-9a-f]{64})\n")
LENGTH = len(_LINE % (b"0" * 64))


class Checksum(NamedTuple):
    """The checksum of a backup.

    Attributes:
        stated: the checksum at its end; None: there is none.
        found: the checksum of what stands before it.
    """

    stated: str | None
    found: str

    @property
    def is_valid(self) -> bool:
        """True if the backup states a checksum and it matches."""
        return self.stated == self.found


class ChecksumReader:
    """A writable stream that computes the `checksum` of the backup that is written to it from beginning to end."""

    def __init__(self) -> None:
        self.length = 0
        self._digest = hashlib.sha256()
        self._held = b""

    def write(self, data: bytes) -> int:
        """Add the next bytes of the backup; return how many there were."""
        self.length += len(data)
        held = self._held + data
        self._digest.update(held[:-LENGTH])
        self._held = held[-LENGTH:]
        return len(data)

    def flush(self) -> None:
        """Do nothing; callers that write to a stream expect this method."""

    @property
    def checksum(self) -> Checksum:
        """The checksum, if the bytes written so far are the whole backup."""
        found = _PATTERN.fullmatch(self._held)
        if found is None:
            whole = self._digest.copy()
            whole.update(self._held)
            return Checksum(None, whole.hexdigest())
        return Checksum(found[1].decode(), self._digest.hexdigest())


class ChecksummedStream:
    """A readable stream that returns the bytes of another one, followed by the line with their checksum."""

    def __init__(self, source: SupportsRead[bytes]) -> None:
        self._source = source
        self._digest = hashlib.sha256()
        self._line: bytes | None = None

    def read(self, size: int = -1) -> bytes:
        """Return up to `size` bytes (-1: all); empty at the end."""
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
