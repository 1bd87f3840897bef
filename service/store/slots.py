"""Limit how much of something somebody has at a time, such as streams, with all processes together.

Each process writes down how many slots it has taken for whom, and every second that it still runs. The slots of a
process that has not done so for a while do not count. What is given back is written down a moment later, together with
whatever else was given back meanwhile; until then the process uses it for the next one who asks.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta
from threading import Event, Lock, Thread

import psycopg
import structlog
from sqlalchemy import text
from sqlalchemy.orm import Session

from service.access.secrets import digest
from service.ids import new_id
from service.store.autocommit_pool import Statements
from service.store.purging import deleted

STREAMS = "streams"
DOWNLOADS = "downloads"

WITHIN = "5 seconds"
"""The time after which a process that was not seen counts for nothing."""

_BEATS_EVERY = 1.0
_GATHERS = 0.05
"""Seconds in which what is given back is gathered."""

_ENDS_WITHIN = 1.0
"""Seconds for which the end of the process waits until everything is given back."""

_LINGERS = 30
"""The beats without slots after which a process is no longer written down."""

_TAKE = f"SELECT take_slot(%(key)s, %(process)s, %(most)s, interval '{WITHIN}')"
_BEAT = """
    WITH beat AS (UPDATE slot_processes SET seen_at = clock_timestamp() WHERE id = %(process)s RETURNING 1)
    SELECT count(*) FROM beat
"""
_WRITE_DOWN = """
    WITH own AS (SELECT key, value::integer AS amount FROM json_each_text(%(amounts)s::json)
    ), process AS (
        INSERT INTO slot_processes VALUES (%(process)s, clock_timestamp())
        ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at RETURNING 1
    ), others AS (
        DELETE FROM slots WHERE process = %(process)s AND key NOT IN (SELECT key FROM own) RETURNING 1
    ), held AS (
        INSERT INTO slots (key, process, amount)
        SELECT key, %(process)s, amount FROM own
        ON CONFLICT (key, process) DO UPDATE SET amount = excluded.amount RETURNING 1
    )
    SELECT (SELECT count(*) FROM process) + (SELECT count(*) FROM others) + (SELECT count(*) FROM held)
"""
_GIVE_BACK = """
    WITH back AS (SELECT key, value::integer AS amount FROM json_each_text(%(amounts)s::json)
    ), fewer AS (
        UPDATE slots SET amount = slots.amount - back.amount FROM back
         WHERE slots.key = back.key AND slots.process = %(process)s AND slots.amount > back.amount RETURNING 1
    ), none AS (
        DELETE FROM slots USING back
         WHERE slots.key = back.key AND slots.process = %(process)s AND slots.amount <= back.amount RETURNING 1
    )
    SELECT (SELECT count(*) FROM fewer) + (SELECT count(*) FROM none)
"""
_END = """
    WITH process AS (DELETE FROM slot_processes WHERE id = %(process)s RETURNING 1) SELECT count(*) FROM process
"""

COUNT = f"""
    SELECT coalesce(sum(amount), 0) FROM slots JOIN slot_processes ON id = process
     WHERE seen_at > clock_timestamp() - interval '{WITHIN}' AND key LIKE '{STREAMS}/%'
"""
"""The SQL of the number of open streams and waiting requests of all processes."""

_PURGE = text("""
    DELETE FROM slot_processes WHERE id = ANY (ARRAY(
           SELECT id FROM slot_processes WHERE seen_at <= :before ORDER BY seen_at LIMIT :most))
       AND seen_at <= :before
""")

KEPT = timedelta(hours=1)
"""The time for which a process that ended without saying so is kept."""

_log = structlog.get_logger(__name__)


class Slots:
    """The slots of a process, and the thread that writes down what becomes of them.

    Where the database only reads, as at a replica, the process limits what it has itself.

    Args:
        store: runs statements, each as a transaction of its own.
        key: a secret key. Whose slots they are is stored only as an HMAC made with it.
    """

    def __init__(self, store: Statements, key: str) -> None:
        self._store = store
        self._key = key
        self._lock, self._beginning = Lock(), Lock()
        self._used: Counter[str] = Counter()
        self._held: Counter[str] = Counter()  # what the database has, less what is owed to it
        self._owed: Counter[str] = Counter()
        self._taking = 0
        self._process = ""
        self._thread: Thread | None = None
        self._changed, self._over = Event(), Event()

    def take(self, kind: str, owner: str, most: int) -> bool:
        """Take a slot for an owner; return False if there is none left.

        Args:
            kind: `STREAMS` or `DOWNLOADS`.
            owner: an account, or a network.
            most: the number that an owner may have at a time; 0 for any number.

        Raises:
            psycopg.Error: the database is away.
        """
        slot = self._slot(kind, owner)
        with self._lock:
            if self._over.is_set() or self._held[slot] > self._used[slot]:
                self._used[slot] += 1
                return True
            self._taking += 1
        try:
            is_taken = self._take_shared(slot, most)
            with self._lock:
                if is_taken:
                    self._held[slot] += 1
                    self._used[slot] += 1
            return is_taken
        except psycopg.errors.ReadOnlySqlTransaction:
            return self._take_alone(slot, most)
        finally:
            with self._lock:
                self._taking -= 1

    def take_all(self, kind: str, owners: Sequence[tuple[str, int]]) -> bool:
        """Take a slot for each owner, given with its number; if one has none left, take none and return False.

        Raises:
            psycopg.Error: the database is away; none is taken.
        """
        taken: list[str] = []
        try:
            for owner, most in owners:
                if not self.take(kind, owner, most):
                    break
                taken.append(owner)
            return len(taken) == len(owners)
        finally:
            if len(taken) < len(owners):
                for owner in taken:
                    self.give_back(kind, owner)

    def give_back_all(self, kind: str, owners: Sequence[tuple[str, int]]) -> None:
        """Give back what `take_all` took."""
        for owner, _ in owners:
            self.give_back(kind, owner)

    def give_back(self, kind: str, owner: str) -> None:
        """Give a slot back."""
        slot = self._slot(kind, owner)
        with self._lock:
            self._used[slot] -= 1
            if self._used[slot] <= 0:
                del self._used[slot]
        self._changed.set()

    def close(self) -> None:
        """Give everything back, because the process is about to end; wait a moment for that to be written down."""
        self._over.set()
        self._changed.set()
        if self._thread is not None:
            self._thread.join(_ENDS_WITHIN)

    def _slot(self, kind: str, owner: str) -> str:
        return f"{kind}/{digest(self._key, 'limit', owner).hex()}"

    def _take_shared(self, slot: str, most: int) -> bool:
        asked = {"key": slot, "process": self._begun(), "most": most}
        try:
            return bool(self._store.write(_TAKE, asked, wakes=False)[0])
        except psycopg.errors.ForeignKeyViolation:  # Postgres crashed, and the process is no longer written down
            self._write_down(self._process)
            return bool(self._store.write(_TAKE, asked, wakes=False)[0])

    def _take_alone(self, slot: str, most: int) -> bool:
        with self._lock:
            if most and self._used[slot] >= most:
                return False
            self._used[slot] += 1
            return True

    def _begun(self) -> str:
        """Return the id by which this process is written down; begin with the first slot, and so after any fork."""
        with self._beginning:
            if not self._process:
                process = new_id()
                self._write_down(process)
                self._process = process
                self._thread = Thread(target=self._run, name="slots", daemon=True)
                self._thread.start()
            return self._process

    def _write_down(self, process: str) -> None:
        """Replace this process's rows by what it holds."""
        with self._lock:
            held = +self._held
        self._store.write(_WRITE_DOWN, _arguments(process, held), wakes=False)

    def _run(self) -> None:
        process, idle, is_doubtful = self._process, 0, False
        while not self._has_ended(process, idle):
            try:
                self._give_back_spare(process)
                if is_doubtful or not self._store.write(_BEAT, {"process": process}, wakes=False)[0]:
                    self._write_down(process)
                is_doubtful = False
            except psycopg.Error as error:
                if not is_doubtful:  # once, not at every beat while the database is away
                    _log.warning("could not write slots; will retry", why=type(error).__name__)
                is_doubtful = True
                self._owed.clear()  # as everything is written down again
            idle = 0 if self._used else idle + 1
            if self._changed.wait(_BEATS_EVERY):
                self._over.wait(_GATHERS)
                self._changed.clear()
        try:
            self._store.write(_END, {"process": process}, wakes=False)
        except psycopg.Error as error:
            _log.warning("could not release slots", why=type(error).__name__)

    def _has_ended(self, process: str, idle: int) -> bool:
        with self._beginning, self._lock:
            is_idle = idle > _LINGERS and not (self._used or +self._held or self._taking)
            if is_idle and self._process == process:
                self._process = ""
            return is_idle or self._over.is_set()

    def _give_back_spare(self, process: str) -> None:
        with self._lock:
            spare = self._held - self._used
            self._held = self._held - spare  # which drops those without slots
        self._owed += spare
        if self._owed:
            self._store.write(_GIVE_BACK, _arguments(process, self._owed), wakes=False)
            self._owed.clear()


def _arguments(process: str, amounts: Counter[str]) -> dict[str, object]:
    return {"process": process, "amounts": json.dumps(amounts)}


def purge(session: Session, now: datetime, most: int) -> int:
    """Delete at most `most` processes that ended without saying so, with their slots; return how many were deleted."""
    return deleted(session, _PURGE, before=now - KEPT, most=most)
