"""Store the counters of rate limits, for the `limits` library, in an unlogged table that all processes share.

A hit either commits by itself on a connection of its own, and counts even if the request is refused afterwards, or it
is part of a transaction and counts if that commits.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime, timedelta

from limits.storage import Storage
from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from service.store.purging import deleted

_HIT = text("""
    INSERT INTO rate_limits AS counter (key, count, expires_at) VALUES (:key, :amount, :expires_at)
    ON CONFLICT (key) DO UPDATE SET
        count = CASE WHEN counter.expires_at <= :now THEN excluded.count ELSE counter.count + excluded.count END,
        expires_at = CASE WHEN counter.expires_at <= :now THEN excluded.expires_at ELSE counter.expires_at END
    RETURNING count
""")

_GIVE_BACK = text("""
    UPDATE rate_limits SET count = greatest(count + :amount, 0) WHERE key = :key AND expires_at > :now RETURNING count
""")

_READ = text("SELECT count, expires_at FROM rate_limits WHERE key = :key AND expires_at > :now")


class RateLimitStorage(Storage):
    """Fixed windows that begin with the first hit.

    Args:
        engine: returns the process's database engine. It is called for each hit, because a fork changes the engine.
        clock: returns the time, in UTC.
        session: the session in whose transaction hits count; None to commit each hit by itself.
    """

    STORAGE_SCHEME = None

    def __init__(
        self, engine: Callable[[], Engine], clock: Callable[[], datetime], session: Session | None = None
    ) -> None:
        super().__init__()
        self._engine = engine
        self._clock = clock
        self._session = session

    def within(self, session: Session) -> "RateLimitStorage":
        """Return the same counters, as the transaction of this session sees and changes them."""
        return RateLimitStorage(self._engine, self._clock, session)

    @property
    def base_exceptions(self) -> type[Exception]:
        """The errors of this storage."""
        return SQLAlchemyError

    def _connect(self) -> AbstractContextManager[Connection]:
        if self._session is not None:
            return nullcontext(self._session.connection())
        return self._engine().connect().execution_options(isolation_level="AUTOCOMMIT")

    def incr(self, key: str, expiry: int, amount: int = 1) -> int:
        """Count a hit, and return the count of the current window of `expiry` seconds.

        A negative `amount` takes hits back if the window is not over.
        """
        now = self._clock()
        if amount < 0:
            with self._connect() as connection:
                return connection.scalar(_GIVE_BACK, {"key": key, "amount": amount, "now": now}) or 0
        values = {"key": key, "amount": amount, "now": now, "expires_at": now + timedelta(seconds=expiry)}
        with self._connect() as connection:
            return int(connection.execute(_HIT, values).scalar_one())

    def get(self, key: str) -> int:
        """Return the count of the current window."""
        with self._connect() as connection:
            row = connection.execute(_READ, {"key": key, "now": self._clock()}).first()
        return int(row[0]) if row else 0

    def get_expiry(self, key: str) -> float:
        """Return when the current window ends, in seconds since 1970; now if there is none."""
        now = self._clock()
        with self._connect() as connection:
            row = connection.execute(_READ, {"key": key, "now": now}).first()
        return float((row[1] if row else now).timestamp())

    def check(self) -> bool:
        """Return whether the table can be read."""
        with self._connect() as connection:
            return connection.execute(text("SELECT count(*) FROM rate_limits WHERE false")).first() is not None

    def reset(self) -> int:
        """Delete all counters, and return how many there were."""
        with self._connect() as connection:
            return len(connection.execute(text("DELETE FROM rate_limits RETURNING key")).all())

    def clear(self, key: str) -> None:
        """Delete one counter."""
        with self._connect() as connection:
            connection.execute(text("DELETE FROM rate_limits WHERE key = :key"), {"key": key})


_PURGE = text("""
    DELETE FROM rate_limits WHERE expires_at <= :now
       AND ctid = ANY (ARRAY(SELECT ctid FROM rate_limits WHERE expires_at <= :now LIMIT :most))
""")


def purge(session: Session, now: datetime, most: int) -> int:
    """Delete at most `most` counters whose window is over, and return how many were deleted."""
    return deleted(session, _PURGE, now=now, most=most)
