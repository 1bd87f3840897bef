"""Stream records to a client as lines of JSON (ndjson), or their moves as CSV.

A stream reads a few records at a time, and holds neither a connection to the database nor a slot of admission control
while its client takes its time.
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Iterator, Sequence

from service.api.application_context import Context
from service.api.export_forms import ExportForm
from service.queries import exports
from service.store.callers import SUSPENDED, Bearer, Caller

LONGEST = 600.0
"""The seconds after which a stream is cut off; the client can resume it."""

_LEVEL = 3
_GZIP = 31


class Export:
    """The body of a response: the records or moves of a player's games, and a last line that says they are complete.

    Args:
        context: the context of the application.
        caller: the caller, whose access is read again for each window of games.
        player: the player whose games they are; None for the caller.
        status: the status of the games; None for all that have started.
        after: the key of the game after which the stream begins.
        form: how the games are written.
        counted_as: the caller for the limit of streams at once.
        is_gzip: whether to compress the body.
    """

    def __init__(
        self,
        context: Context,
        caller: Caller,
        player: str | None,
        status: str | None,
        after: int,
        form: ExportForm,
        *,
        counted_as: Sequence[tuple[str, int]],
        is_gzip: bool,
    ) -> None:
        context.downloads.enter(counted_as)
        self._counted_as: Sequence[tuple[str, int]] | None = counted_as
        self._context, self._caller = context, caller
        self._player, self._status, self._after, self._form = player, status, after, form
        parts = self._pages()
        self._parts = _compressed(parts) if is_gzip else parts

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        return next(self._parts)

    def close(self) -> None:
        """Close the stream at any point; the WSGI server calls this after each response."""
        if self._counted_as is not None:
            self._context.downloads.leave(self._counted_as)
            self._counted_as = None

    def _pages(self) -> Iterator[bytes]:
        ends_at, number, unreadable, after = time.monotonic() + LONGEST, 0, 0, self._after
        pool = self._context.pool
        if self._form.head:
            yield self._form.head
        while True:
            caller = self._caller._replace(now=self._context.clock())
            found = exports.window(pool, caller, self._player, self._status, after)
            if isinstance(caller, Bearer) and caller.token is not None and found.account in (None, SUSPENDED):
                return  # the access token was revoked, or the account suspended, meanwhile
            if found.end is None:
                yield self._form.end(number, unreadable)
                return
            for first in range(0, len(found.keys), self._form.page):
                keys = found.keys[first : first + self._form.page]
                lines = exports.lines(pool, keys, self._form.write)
                number, unreadable = number + len(lines), unreadable + len(keys) - len(lines)
                yield b"".join(lines)
                if time.monotonic() > ends_at:
                    return
            after = found.end


def _compressed(parts: Iterator[bytes]) -> Iterator[bytes]:
    """Return parts of a gzip stream, each of which can be decompressed as soon as it has come."""
    compressor = zlib.compressobj(_LEVEL, zlib.DEFLATED, _GZIP)
    for part in parts:
        yield compressor.compress(part) + compressor.flush(zlib.Z_SYNC_FLUSH)
    yield compressor.flush()
