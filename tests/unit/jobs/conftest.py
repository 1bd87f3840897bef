"""A worker context whose mail goes into a Maildir, and a session to set things up with.

All tests here share one database, which saves creating one for each. Before a test, the queue and what people can set
are emptied, all accounts are forgotten, and every table is closed. (Set-ups and logs stay, because nothing can remove
them.)
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest
from flask import Flask
from psycopg import sql
from sqlalchemy.orm import Session, sessionmaker

from service import metrics
from service.config import Settings
from service.jobs.worker_context import WorkerContext, sessions
from service.local.postgres import Postgres
from service.mail.maildir import Maildir
from service.mail.transport import Transport
from tests.support import world
from tests.support.clock import NOW, Clock
from tests.support.databases import as_service
from tests.support.mail import relay as relays
from tests.support.web import opened
from tests.support.world import KEYS
from tests.unit.jobs.looking import Looking
from tests.unit.jobs.slow_relay import SlowRelay


@pytest.fixture
def clock() -> Clock:
    return Clock()


_EMPTIED = """
    procrastinate_jobs procrastinate_events procrastinate_periodic_defers codes tokens invitations never_mail
    idempotency rate_limits former_addresses notifications game_notifications deliveries bounces blocks messages
    listeners notes incoming schedules clock_words reminders service_signs failures pending_outages
    procrastinate_workers slots slot_processes mail_domains
"""

# Hardly anything is in these tables, so to delete it takes half the time of TRUNCATE. They are emptied in any order.
_FORGET = f"""
SET session_replication_role = replica;
{"".join(f"DELETE FROM {table};" for table in _EMPTIED.split())}
RESET session_replication_role;
UPDATE accounts SET email = NULL, name = NULL, mail_stopped_at = NULL
    WHERE email IS NOT NULL OR name IS NOT NULL OR mail_stopped_at IS NOT NULL;
UPDATE tables SET closed_at = now() WHERE closed_at IS NULL;
"""


@pytest.fixture(scope="package")
def shared_url(postgres: Postgres, template: str) -> Iterator[str]:
    """Yield the URL of the database of all these tests, for the role that the service uses."""
    name = sql.Identifier("jobs")
    with psycopg.connect(postgres.url, autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(name, sql.Identifier(template)))
        yield as_service(postgres.url_of("jobs"))
        connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(name))


@pytest.fixture(scope="package")
def tables_owner(postgres: Postgres, shared_url: str) -> Iterator[psycopg.Connection[tuple[object, ...]]]:
    """Yield a connection to the same database, for the role that owns its tables."""
    with psycopg.connect(postgres.url_of("jobs"), autocommit=True) as connection:
        yield connection


@pytest.fixture(scope="package")
def make_session(shared_url: str) -> Iterator[sessionmaker[Session]]:
    """Yield the worker's factory of sessions; new connections for each test would take a sixth of its time."""
    made = sessions(Settings(database_url=shared_url, secret_keys=KEYS), 2)
    yield made
    made.kw["bind"].dispose()


@pytest.fixture
def context(
    tables_owner: psycopg.Connection[tuple[object, ...]],
    make_session: sessionmaker[Session],
    shared_url: str,
    tmp_path: Path,
    clock: Clock,
) -> WorkerContext:
    settings = Settings(
        database_url=shared_url,
        secret_keys=KEYS,
        base_url="https://nova-luna.example.org",
        mail_from="Nova Luna by post <nova-luna@example.org>",
        data_dir=tmp_path,
    )
    tables_owner.execute(_FORGET)
    return WorkerContext(settings, make_session, Maildir(tmp_path / "mail"), clock)


@pytest.fixture
def session(context: WorkerContext) -> Iterator[Session]:
    with context.sessions() as session:
        yield session


@pytest.fixture
def looking(context: WorkerContext, session: Session, clock: Clock) -> Looking:
    return Looking(context, session, clock)


def sending_by(context: WorkerContext, post: Transport) -> WorkerContext:
    """Return the same context with another transport."""
    return replace(context, transport=post)


@pytest.fixture
def relay() -> Iterator[SlowRelay]:
    slow = SlowRelay()
    with relays.running(slow):
        yield slow
        slow.go_on.set()


@pytest.fixture
def app(context: WorkerContext) -> Iterator[Flask]:
    with opened(context.settings, lambda: NOW) as app:
        yield app


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[tuple[object, ...]]:
    """Return the counted events: the name of each function of `metrics` that is called, and its arguments."""
    found: list[tuple[object, ...]] = []
    for name in ("mail", "bounce", "set_aside", "clock_steps", "reminders"):
        monkeypatch.setattr(metrics, name, lambda *facts, name=name: found.append((name, *facts)))
    return found


@pytest.fixture
def table(session: Session) -> str:
    """Return the id of a match whose first turn is to be mailed."""
    table = world.match(session, world.account(session, "Ann"), world.account(session, "Ben"))
    session.commit()
    return table
