"""The resources that every job works with."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import create_engine
from sqlalchemy.orm import Session, sessionmaker

from service.access.limits import Limiter
from service.config import Settings
from service.jobs.mail_pictures import MailPictures
from service.mail.transport import Transport
from service.store import closed_connections, primary, timeouts
from service.store.base import engine_url
from service.store.connecting import WORK, TimeoutPolicy, connect_args
from service.store.rate_limits import RateLimitStorage


@dataclass(frozen=True, slots=True)
class WorkerContext:
    """The resources that every job works with.

    Attributes:
        settings: the settings.
        sessions: creates sessions on the database, one transaction each.
        transport: delivers mails.
        clock: returns the time in UTC.
        pictures: renders the pictures of mails; None: they have none.
    """

    settings: Settings
    sessions: sessionmaker[Session]
    transport: Transport
    clock: Callable[[], datetime]
    pictures: MailPictures | None = None

    @contextmanager
    def session(self) -> Iterator[Session]:
        """Yield a session in which each statement is a transaction of its own, which saves two round trips.

        It is for jobs that only read, and for those that change one thing.
        """
        with self.sessions() as session:
            session.connection(execution_options={"isolation_level": "AUTOCOMMIT"})
            yield session
            session.commit()

    @property
    def limiter(self) -> Limiter:
        """The rate limits, counted in the database."""
        storage = RateLimitStorage(lambda: self.sessions.kw["bind"], self.clock)
        return Limiter(storage, self.settings.secret_keys[0], self.clock, storage.within)


def sessions(settings: Settings, concurrency: int, policy: TimeoutPolicy = WORK) -> sessionmaker[Session]:
    """Return a factory of sessions on the database of these settings, for a number of concurrent jobs.

    Errors leave out the parameters of a statement: they are logged, and parameters are addresses and names.
    """
    engine = create_engine(
        engine_url(settings.database_url),
        pool_size=concurrency,
        hide_parameters=True,
        connect_args=connect_args(settings, policy, "novaluna worker"),
    )
    timeouts.bind(engine, policy, timeouts.Circuit())
    closed_connections.watch(engine)
    primary.watch(engine, settings.database_url)
    return sessionmaker(engine, expire_on_commit=False)
