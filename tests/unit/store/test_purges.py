"""What is kept for a time goes when that is over, to the instant, and what is used longer stays."""

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from typing import NamedTuple

import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.orm import Session

from service.store import (
    accounts,
    bounces,
    deliveries,
    events,
    idempotency,
    incoming,
    invitations,
    mail_domains,
    rate_limits,
    reminders,
    signs,
    slots,
)
from service.store.base import engine_url
from tests.support import world
from tests.support.clock import NOW


class Purge(NamedTuple):
    """A purge, how long its rows are kept, and the statement that inserts one with a number and a time."""

    purge: Callable[[Session, datetime, int], int]
    kept: timedelta
    insert: str


_HASH = "decode(lpad(:number, 64, '0'), 'hex')"

PURGES = {
    "idempotency": Purge(
        idempotency.purge,
        timedelta(hours=24),
        "INSERT INTO idempotency (account, method, path, key, body_hash, created_at)"
        f" VALUES (:account, 'POST', '/', :number, {_HASH}, :at)",
    ),
    "tokens": Purge(
        accounts.purge_tokens,
        timedelta(0),
        f"INSERT INTO tokens (id, account, hash, created_at, expires_at) VALUES (:number, :account, {_HASH}, :at, :at)",
    ),
    "codes": Purge(
        accounts.purge_codes,
        timedelta(0),
        "INSERT INTO codes (id, purpose, email, created_at, expires_at)"
        " VALUES (:number, 'sign-in', 'ann@example.org', :at, :at)",
    ),
    "rate_limits": Purge(
        rate_limits.purge, timedelta(0), "INSERT INTO rate_limits (key, count, expires_at) VALUES (:number, 1, :at)"
    ),
    "deliveries": Purge(
        deliveries.purge,
        timedelta(days=90),
        "INSERT INTO deliveries (key, account, kind, state, queued_at, at)"
        " VALUES (:number, :account, 'turn', 'sent', :at, :at)",
    ),
    "bounces": Purge(
        bounces.purge,
        timedelta(days=30),
        "INSERT INTO bounces (address_hash, day, mail, status, at)"
        f" VALUES ({_HASH}, '2026-01-01', :number, '5.1.1', :at)",
    ),
    "incoming": Purge(
        incoming.purge,
        timedelta(days=35),
        "INSERT INTO incoming (digest, received_at, kind, sender, authentication, state, at)"
        f" VALUES ({_HASH}, :at, 'service', '', '{{}}', 'answered', :at)",
    ),
    "reminders": Purge(
        reminders.purge,
        timedelta(days=35),
        "INSERT INTO reminders (account, game, wait, round, which, due_at, sent_at)"
        " SELECT :account, key, 0, 0, :number, :at, :at FROM tables",
    ),
    "invitation_links": Purge(
        invitations.purge_links,
        timedelta(days=30),
        "INSERT INTO invitation_links (id, game, made_by, uses, created_at, expires_at)"
        " SELECT :number, key, :account, 1, :at, :at FROM tables",
    ),
    "slot_processes": Purge(
        slots.purge, timedelta(hours=1), "INSERT INTO slot_processes (id, seen_at) VALUES (:number, :at)"
    ),
    "mail_domains": Purge(
        mail_domains.purge,
        timedelta(days=1),
        "INSERT INTO mail_domains (domain, next_at) VALUES (:number, :at)",
    ),
    "events": Purge(
        events.purge,
        timedelta(days=30),
        "INSERT INTO events (position, game, kind, at, status, version, revision, head)"
        " SELECT CAST(:number AS integer), key, 'change', :at, 'open', 0, 0, '' FROM tables",
    ),
    "failures": Purge(
        signs.purge,
        timedelta(days=400),
        "INSERT INTO failures (part, began_at, ended_at, settled_at)"
        " VALUES (:number, CAST(:at AS timestamptz) - interval '1 hour', :at, :at)",
    ),
}


@pytest.fixture
def session(database_url: str) -> Iterator[Session]:
    engine = create_engine(engine_url(database_url))
    with Session(engine) as session:
        yield session
    engine.dispose()


@pytest.mark.parametrize("table", PURGES)
def test_a_row_goes_at_the_end_of_its_time_and_not_before(session: Session, table: str) -> None:
    purge, kept, insert = PURGES[table]
    account = world.account(session, "Ann")
    world.open_table(session, account)
    past = NOW.replace(microsecond=0) - kept
    for number, at in enumerate((past - timedelta(days=9), past, past + timedelta(milliseconds=1), NOW + timedelta(1))):
        session.execute(text(insert), {"number": str(number), "account": account, "at": at})
    assert purge(session, past + kept, 1) == 1
    assert purge(session, past + kept, 10) == 1
    assert purge(session, past + kept, 10) == 0
    assert session.scalar(text(f"SELECT count(*) FROM {table}")) == 2


def test_a_failure_stays_until_it_was_given_back(session: Session) -> None:
    purge, kept, insert = PURGES["failures"]
    session.execute(text(insert), {"number": "web", "at": NOW - kept})
    session.execute(text("UPDATE failures SET settled_at = NULL"))
    assert purge(session, NOW, 10) == 0


def test_a_token_without_an_end_stays(session: Session) -> None:
    insert = PURGES["tokens"].insert
    session.execute(text(insert), {"number": "1", "account": world.account(session, "Ann"), "at": NOW})
    session.execute(text("UPDATE tokens SET expires_at = NULL"))
    assert accounts.purge_tokens(session, NOW + timedelta(days=9999), 10) == 0


@pytest.mark.parametrize(("former", "days"), [(None, 0), ("old@example.org", 3)])
def test_a_code_stays_while_a_former_address_is_to_be_told(session: Session, former: str | None, days: int) -> None:
    session.execute(text(PURGES["codes"].insert), {"number": "1", "at": NOW})
    session.execute(text("UPDATE codes SET former_email = :former"), {"former": former})
    if days:
        assert accounts.purge_codes(session, NOW + timedelta(days=days, milliseconds=-1), 10) == 0
    assert accounts.purge_codes(session, NOW + timedelta(days=days), 10) == 1
