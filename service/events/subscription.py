"""A reader who waits for events."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from threading import Event as Flag

MOST_WAITING = 1000
"""The events that may wait for a reader who takes them too slowly. Then it is ended, and can go on from its cursor."""


class Subscription:
    """The events that have come for a reader and that it has not taken yet.

    Attributes:
        owners: whom it counts for, an account or networks, each with the number of subscriptions that it may have in
            all processes; 0 for any number.
        account: the reader's account, or None.
        token: the hash of its access token, or None.
        table: the key of the table whose events it wants; None for those of all tables of the account.
    """

    __slots__ = ("__weakref__", "_changed", "_events", "_has_ended", "account", "owners", "table", "token")

    def __init__(
        self, owners: Sequence[tuple[str, int]], account: str | None, token: bytes | None, table: int | None
    ) -> None:
        self.owners = owners
        self.account = account
        self.token = token
        self.table = table
        self._events: deque[tuple[int, bytes]] = deque()
        self._has_ended = False
        self._changed = Flag()

    @property
    def has_ended(self) -> bool:
        """True if no more events come."""
        return self._has_ended

    def give(self, position: int, rendered: bytes) -> None:
        """Add an event with its position, as JSON."""
        if len(self._events) >= MOST_WAITING:
            self._has_ended = True
        else:
            self._events.append((position, rendered))
        self._changed.set()

    def end(self) -> None:
        """Tell the reader that no more events come."""
        self._has_ended = True
        self._changed.set()

    def take(self, seconds: float) -> list[tuple[int, bytes]]:
        """Wait until there are events or the subscription has ended, for `seconds` at most, and return the events."""
        self._changed.wait(0 if self._has_ended else seconds)
        self._changed.clear()
        taken = []
        while self._events:
            taken.append(self._events.popleft())
        return taken
