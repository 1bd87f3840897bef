"""The bodies of streams and long polls, which wait for events after their request has given its place up.

A body is an iterator that the web server takes bytes from, and closes in any case: then its subscription ends.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from threading import BoundedSemaphore

import psycopg

from service.events.cursor import Cursor
from service.events.hub import Hub
from service.events.reading import Found
from service.events.subscription import Subscription

HEARTBEAT = 20.0
"""Seconds after which a stream sends something even if nothing has happened, so that nobody takes it for dead."""

_RETRY = (500, 1500)
"""The milliseconds after which a client connects again; everybody another time, so that not all come at once."""

_CATCHING_UP = BoundedSemaphore(2)
"""How many streams of a process read further pages of what they have missed at the same time."""

Page = Callable[[int], Found]
"""Reads the events after a position."""


class WaitingBody:
    """A response body with a subscription, which ends when the server closes the body."""

    def __init__(self, hub: Hub, subscription: Subscription, parts: Iterator[bytes]) -> None:
        self._hub, self._subscription, self._parts = hub, subscription, parts

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        return next(self._parts)

    def close(self) -> None:
        """End the subscription; the server calls this when the response was sent, or the client is gone."""
        self._hub.unsubscribe(self._subscription)


def stream(
    hub: Hub, subscription: Subscription, start: Cursor, found: Found, page: Page, *, is_reset: bool
) -> WaitingBody:
    """Return the body of a stream of server-sent events.

    Args:
        hub: where the subscription is.
        subscription: gets the events that come.
        start: the cursor that the stream begins at.
        found: the first events after it.
        page: reads further ones.
        is_reset: whether the client has to read everything again, because its own cursor is not valid.
    """
    return WaitingBody(hub, subscription, _stream(hub, subscription, start, found, page, is_reset=is_reset))


def _stream(
    hub: Hub, subscription: Subscription, start: Cursor, found: Found, page: Page, *, is_reset: bool
) -> Iterator[bytes]:
    epoch, sent = start
    head = f"retry: {random.randint(*_RETRY)}\nid: {start}\n"
    yield f'{head}event: reset\ndata: {{"id":"{start}"}}\n\n'.encode() if is_reset else f"{head}\n".encode()
    while True:
        if found.events:
            yield b"".join([_message(epoch, event.position, event.json(epoch, seat)) for event, seat in found.events])
        sent = found.reached
        if not found.has_more:
            break
        try:
            with _CATCHING_UP:
                found = page(sent)
        except psycopg.Error:  # the client connects again, and then gets the refusal
            return
    has_ended = False
    while not has_ended:
        reached, has_ended = hub.position, subscription.has_ended  # what came before its end is still sent
        taken = [each for each in subscription.take(HEARTBEAT) if each[0] > sent]
        if taken:
            sent = taken[-1][0]
            yield b"".join([_message(epoch, *each) for each in taken])
        elif not subscription.has_ended:
            sent = max(sent, reached)
            yield f"id: {epoch}-{sent}\n\n".encode()


def _message(epoch: str, position: int, rendered: bytes) -> bytes:
    return b"id: %s-%d\ndata: %s\n\n" % (epoch.encode(), position, rendered)


def long_poll(hub: Hub, subscription: Subscription, start: Cursor, seconds: float) -> WaitingBody:
    """Return the body that waits for the first events after a cursor, for `seconds` at most."""
    return WaitingBody(hub, subscription, _long_poll(subscription, start, seconds))


def _long_poll(subscription: Subscription, start: Cursor, seconds: float) -> Iterator[bytes]:
    until = time.monotonic() + seconds
    taken: list[tuple[int, bytes]] = []
    while not taken and not subscription.has_ended and (left := until - time.monotonic()) > 0:
        taken = [each for each in subscription.take(left) if each[0] > start.position]
    last = taken[-1][0] if taken else start.position
    yield listed([rendered for _, rendered in taken], Cursor(start.epoch, last), has_more=False)


def listed(events: list[bytes], following: Cursor, *, has_more: bool) -> bytes:
    """Return the JSON of a list of events, and of where to go on."""
    more = b"true" if has_more else b"false"
    return b'{"items":[%s],"after":"%s","more":%s}' % (b",".join(events), str(following).encode(), more)
