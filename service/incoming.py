"""What a connection has brought so far, and whether that is a whole request. No I/O: bytes go in, an answer comes out.

The web server gives a request to a thread when the whole of it is there. Whoever sends slowly, or never the rest, then
holds no thread. What is whole is told by the end of the head, by Content-Length, or by the sizes of the chunks. Nothing
else is judged here: what breaks the rules of HTTP is handed on at once, for the parser to say what is wrong. So is what
is larger than the service takes, for the application to refuse as it refuses anything.
"""

import re

from service.api.bodies import MAX_BODY, READ_LIMIT

MOST_HEAD = 32 * 1024
"""Bytes of a request's line and headers together."""

_MOST_CHUNKED = 8 * MAX_BODY
"""Bytes of a chunked body with its framing, which could be far more than the body."""

_SHOWN_TOO_LARGE = READ_LIMIT + 1024
"""Bytes of a chunked body that the application can surely see to be too large: it reads up to READ_LIMIT, and gunicorn
reads a KiB at a time for it, or fails with what it has not got."""

_LONGEST_SIZE_LINE = 4096

_FRAMING = re.compile(rb"\r\n(content-length|transfer-encoding)[ \t]*:[ \t]*([^\r\n]*)")


class Incoming:
    """The bytes of one request.

    Attributes:
        data: all that came, which can be more than this request.
        complete: it can be handed on.
        whole: and all of it is there, so that the next one begins at its end.
        has_head: line and headers are there.
        closes: the client wants no other one on its connection.
        expects: the client waits for "100 Continue" before it sends the body.
    """

    __slots__ = ("_at", "_begins", "_length", "_taken", "closes", "complete", "data", "expects", "has_head", "whole")

    def __init__(self) -> None:
        self.data = bytearray()
        self.complete = self.whole = self.has_head = self.closes = self.expects = False
        self._length: int | None = 0  # of the body; None: it is chunked
        self._begins = 0  # where the body begins
        self._at = 0  # where the body, or the next chunk, begins; once all is there: where it ends
        self._taken = 0  # bytes in the chunks before that

    def feed(self, received: bytes) -> bool:
        """Takes what came; says whether the request is complete."""
        searched = len(self.data) - 3
        self.data += received
        if not self.has_head:
            end = self.data.find(b"\r\n\r\n", max(0, searched))
            if end < 0 or end > MOST_HEAD:
                self.complete = len(self.data) > MOST_HEAD
                return self.complete
            self.has_head = True
            self._begins = self._at = end + 4
            self._read_head(bytes(self.data[:end]).lower())
        if not self.complete:
            if self._length is None:
                self._follow_chunks()
            else:
                self._await_length(self._length)
        return self.complete

    @property
    def request(self) -> bytes:
        """The bytes of this request alone; of a head that is too long not its end, which may have come with it."""
        if self.whole:
            return bytes(self.data[: self._at])
        return bytes(self.data if self.has_head else self.data[:MOST_HEAD])

    @property
    def rest(self) -> bytes:
        """What came after it: the beginning of the next one."""
        return bytes(self.data[self._at :] if self.whole else b"")

    def asks_for(self, *lines: bytes) -> bool:
        """Whether the request's line begins in one of these ways."""
        return self.data.startswith(lines)

    def _read_head(self, head: bytes) -> None:
        self.closes = b"\r\nconnection: close" in head or b" http/1.0" in head
        if b"\r\ncontent-length" not in head and b"\r\ntransfer-encoding" not in head:
            return
        self.expects = b"\r\nexpect:" in head
        framing = _FRAMING.findall(head)
        if len(framing) != 1:  # the parser refuses it
            self.complete = True
            return
        [(name, value)] = framing
        if name == b"transfer-encoding":
            self._length = None
            self.complete = value.strip() != b"chunked"
        elif value.strip().isdigit() and len(value) < 20:
            self._length = int(value)
        else:
            self.complete = True

    def _await_length(self, length: int) -> None:
        end = self._at + length
        if length > MAX_BODY:
            self.complete = True
        elif len(self.data) >= end:
            self.complete = self.whole = True
            self._at = end

    def _follow_chunks(self) -> None:
        if len(self.data) > self._begins + _MOST_CHUNKED:
            self.complete = True
        while not self.complete:
            line_end = self.data.find(b"\r\n", self._at, self._at + _LONGEST_SIZE_LINE)
            if line_end < 0:
                self.complete = len(self.data) >= self._at + _LONGEST_SIZE_LINE
                return
            size = _size(bytes(self.data[self._at : line_end]))
            if size is None:
                self.complete = True
            elif size == 0:
                self._await_trailer(line_end)
                return
            elif self._taken + size > _SHOWN_TOO_LARGE:
                self.complete = len(self.data) >= line_end + 2 + _SHOWN_TOO_LARGE - self._taken
                return
            elif len(self.data) < line_end + 2 + size + 2:
                return
            else:
                self._taken += size
                self._at = line_end + 2 + size + 2

    def _await_trailer(self, line_end: int) -> None:
        end = self.data.find(b"\r\n\r\n", line_end)
        if end < 0:
            self.complete = len(self.data) > line_end + MOST_HEAD
        else:
            self.complete = self.whole = True
            self._at = end + 4


def _size(line: bytes) -> int | None:
    """The size that a chunk's first line gives; None: the parser refuses it."""
    digits = line.partition(b";")[0].strip()
    try:
        size = int(digits, 16) if len(digits) <= 16 else -1
    except ValueError:
        return None
    return size if size >= 0 else None
