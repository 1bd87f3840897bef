"""Pass new events on to everybody who waits for them in this process: streams and long polls.

One thread listens for `service.store.events.CHANNEL`. A notification only says that there is something: what it is, and
in which order, is read from the table, by one statement for all who wait, after the last position that was read. So
nothing is lost while the connection is made anew, or if a notification is.

The thread runs while anybody waits, and a little longer. It also ends the streams of access tokens that are no longer
valid, and those of a private table for a player who has left it, after the event that says so.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from datetime import datetime
from threading import Event as Flag
from threading import Lock, Thread
from typing import Any
from weakref import WeakSet

import psycopg
import structlog
from psycopg import sql

from service.config import Settings
from service.events.cursor import Positions
from service.events.event import COLUMNS, Event
from service.events.subscription import Subscription
from service.store.callers import VALID
from service.store.connecting import WEB, connect_args
from service.store.events import CHANNEL, FOR_THE_TABLE, LEAVE
from service.store.slots import STREAMS, Slots
from service.store.timeouts import listening_class
from service.store.waking import PLACE

LOOKS_EVERY = 1.0
"""Seconds between looks for events that nobody announced."""

_LOOKS_UNTOLD = 0.2
"""The same where nothing can be announced: behind a pooler in transaction mode, and at a replica."""

CHECKS_EVERY = 10.0
"""Seconds between checks of the access tokens of those who wait."""

_LINGERS = 30.0
_AGAIN = 0.3
_PAGE = 200

_READ = f"""
SELECT epoch.value, event_positions.last, event_positions.deleted, {COLUMNS}, sitting.accounts, sitting.seats,
       CASE WHEN events.kind = 'message' THEN ARRAY(
            SELECT blocks.account FROM seats author JOIN blocks ON blocks.blocked = author.account
              JOIN seats reader ON reader.game = author.game AND reader.account = blocks.account
             WHERE author.game = events.game AND author.seat = events.seat) END
  FROM epoch CROSS JOIN event_positions
  LEFT JOIN (
       SELECT * FROM events WHERE position > %(after)s ORDER BY position LIMIT {_PAGE}
  ) AS events ON true
  LEFT JOIN tables ON tables.key = events.game
  LEFT JOIN LATERAL (
       SELECT array_agg(account) AS accounts, array_agg(seat) AS seats FROM seats
        WHERE seats.game = events.game AND account IS NOT NULL
  ) AS sitting ON true
 ORDER BY events.position
"""

_VALID_TOKENS = (
    f"SELECT hash FROM tokens WHERE hash = ANY (%(hashes)s) AND {VALID.format(now='%(now)s')} AND NOT suspended"
)

_LISTENING = listening_class(WEB)
_NO_LISTENING = (psycopg.errors.ReadOnlySqlTransaction, psycopg.errors.FeatureNotSupported)

_log = structlog.get_logger(__name__)

_hubs: WeakSet[Hub] = WeakSet()


class Hub:
    """The subscriptions of a process, and the thread that gives them their events.

    Args:
        settings: the settings of the database.
        clock: returns the time by which access tokens expire.
        slots: limits the subscriptions of an owner, those of other processes included.
    """

    def __init__(self, settings: Settings, clock: Callable[[], datetime], slots: Slots) -> None:
        self._settings = settings
        self._slots = slots
        self._clock = clock
        self._lock = Lock()
        self._thread: Thread | None = None
        self._over = Flag()
        self._all: set[Subscription] = set()
        self._of_account: dict[str, set[Subscription]] = defaultdict(set)
        self._of_table: dict[int, set[Subscription]] = defaultdict(set)
        self._epoch = ""
        self._position: int | None = None
        _hubs.add(self)

    @property
    def position(self) -> int:
        """The position up to which all subscriptions have got their events."""
        return self._position or 0

    def subscribe(self, subscription: Subscription, now: Positions) -> bool:
        """Pass on to the subscription all events after the positions that were read just before.

        It may get some of those, too, and what it does not get is there to be read once this returns.

        Args:
            subscription: the reader.
            now: the positions that were read just before.

        Returns:
            False if an owner has as many subscriptions already as it may have.
        """
        if not self._slots.take_all(STREAMS, subscription.owners):
            return False
        with self._lock:
            if self._position is not None and self._epoch != now.epoch:
                self._end(self._all)
                self._position = None
            if self._position is None:
                self._epoch, self._position = now.epoch, now.last
            self._all.add(subscription)
            index, key = self._index(subscription)
            index[key].add(subscription)
            if self._over.is_set():
                subscription.end()
            elif self._thread is None or not self._thread.is_alive():
                self._thread = Thread(target=self._run, name="events", daemon=True)
                self._thread.start()
        return True

    def unsubscribe(self, subscription: Subscription) -> None:
        """Forget a subscription; it may be forgotten already."""
        with self._lock:
            if subscription not in self._all:
                return
            self._all.remove(subscription)
            index, key = self._index(subscription)
            index[key].discard(subscription)
            if not index[key]:
                del index[key]
        self._slots.give_back_all(STREAMS, subscription.owners)

    def close(self) -> None:
        """End all subscriptions, those that come later at once, and the thread."""
        self._over.set()
        with self._lock:
            self._end(self._all)
        self._slots.close()

    def _index(self, subscription: Subscription) -> tuple[dict[Any, set[Subscription]], str | int]:
        """Return the index that a subscription is in, and its key there."""
        if subscription.table is not None:
            return self._of_table, subscription.table
        return self._of_account, subscription.account or ""

    def _end(self, subscriptions: Iterable[Subscription]) -> None:
        for subscription in subscriptions:
            subscription.end()

    def _run(self) -> None:
        idle_since: float | None = None
        while not self._over.is_set():
            try:
                with self._connected() as connection:
                    can_listen = self._listen(connection)
                    checked = time.monotonic()
                    while not self._over.is_set():
                        with self._lock:
                            if self._all:
                                idle_since = None
                            else:
                                self._position = None
                                idle_since = idle_since or time.monotonic()
                                if time.monotonic() - idle_since > _LINGERS:
                                    self._thread = None
                                    return
                        self._pass_on(connection)
                        if time.monotonic() - checked > CHECKS_EVERY:
                            self._check_tokens(connection)
                            checked = time.monotonic()
                        self._wait(connection, can_listen)
            except (psycopg.Error, OSError) as error:
                _log.warning("events cannot be read at the moment", why=type(error).__name__)
                self._over.wait(_AGAIN)
            except Exception as error:  # noqa: BLE001  (without this thread nobody would hear of anything)
                _log.error("streams were ended", exc_info=error)
                with self._lock:
                    self._end(self._all)
                    self._position = None
                self._over.wait(_AGAIN)

    def _connected(self) -> psycopg.Connection[Any]:
        told = connect_args(self._settings, WEB, "novaluna events")
        return _LISTENING.connect(self._settings.database_url, autocommit=True, **told)

    def _listen(self, connection: psycopg.Connection[Any]) -> bool:
        """Listen for notifications; return False if there can be none."""
        if self._settings.database_pooler == "transaction":
            return False
        try:
            connection.execute(sql.SQL("LISTEN {}").format(sql.Identifier(CHANNEL)))
        except _NO_LISTENING:
            return False
        return True

    def _wait(self, connection: psycopg.Connection[Any], can_listen: bool) -> None:
        """Wait for a notification, or for a while; place what nobody has announced meanwhile."""
        if not can_listen:
            self._over.wait(_LOOKS_UNTOLD)
        elif any(connection.notifies(timeout=LOOKS_EVERY, stop_after=1)):
            return
        try:
            connection.execute(PLACE)
        except psycopg.errors.ReadOnlySqlTransaction:
            return  # at a replica; the others place them

    def _pass_on(self, connection: psycopg.Connection[Any]) -> None:
        """Read the new events and give them to the subscriptions."""
        while (after := self._position) is not None:
            rows = connection.execute(_READ, {"after": after}).fetchall()
            epoch, last, _ = rows[0][:3]
            with self._lock:
                if epoch != self._epoch or last < after:  # the service was restored to an earlier state
                    self._end(self._all)
                    self._position = None
                    return
                for row in rows if rows[0][3] is not None else ():
                    accounts, seats, deaf = row[-3:]
                    sitting = dict(zip(accounts or (), seats or (), strict=True))
                    self._give(
                        Event._make(row[3:-3]), {a: seat for a, seat in sitting.items() if a not in (deaf or ())}
                    )
                if self._position is None:
                    return
                self._position = rows[-1][3] if len(rows) == _PAGE else last
                if len(rows) < _PAGE:
                    return

    def _give(self, event: Event, seats: dict[str, int]) -> None:
        """Give an event to those who may see it; `seats` are the accounts at its table that may, with their seats."""
        rendered: dict[int | None, bytes] = {}

        def give(subscription: Subscription, seat: int | None) -> None:
            if seat not in rendered:
                rendered[seat] = event.json(self._epoch, seat)
            subscription.give(event.position, rendered[seat])

        for account in seats if event.account is None else (event.account,):
            for subscription in self._of_account.get(account, ()):
                give(subscription, seats.get(account))
        if event.account is not None:
            if event.kind == LEAVE and not event.is_public and event.account not in seats:
                for subscription in self._of_table.get(event.key, ()):  # that its reader may no longer see
                    if subscription.account == event.account:
                        give(subscription, None)
                        subscription.end()
            return
        for subscription in self._of_table.get(event.key, ()):
            seat = seats.get(subscription.account or "")
            if seat is not None or (event.is_public and event.kind not in FOR_THE_TABLE):
                give(subscription, seat)

    def _check_tokens(self, connection: psycopg.Connection[Any]) -> None:
        with self._lock:
            holders = [each for each in self._all if each.token is not None]
        if not holders:
            return
        given = {"hashes": list({each.token for each in holders}), "now": self._clock()}
        valid = {bytes(row[0]) for row in connection.execute(_VALID_TOKENS, given)}
        self._end(each for each in holders if each.token not in valid)


def end_all() -> None:
    """End all streams and long polls of this process, because it is about to end."""
    for hub in list(_hubs):
        hub.close()
