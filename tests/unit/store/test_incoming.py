"""Each mail that comes in is kept once and read once, and then little of it is left."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.orm import Session, sessionmaker

from service.access.reply_addresses import Recipient, ToBounces, ToCode, ToInvitation, ToReading, ToService, ToTable
from service.store import incoming
from service.store.base import engine_url
from tests.support.at_once import at_once

NOW = datetime(2026, 11, 28, 12, tzinfo=UTC)
SERVICE = ToService()
DIGEST = bytes(range(32))
RAW = b"From: ann@example.org\r\n\r\n2 F\r\n\x00\xff"


@pytest.fixture
def sessions(database_url: str) -> Iterator[sessionmaker[Session]]:
    engine = create_engine(engine_url(database_url))
    yield sessionmaker(engine)
    engine.dispose()


def added(sessions: sessionmaker[Session], to: Recipient = SERVICE, digest: bytes = DIGEST) -> int | None:
    with sessions.begin() as session:
        return incoming.add(session, digest, to, "ann@example.org", {"spf": "pass"}, RAW, NOW)


EVERYONE: tuple[Recipient, ...] = (
    SERVICE,
    ToTable("TabLe2345678", 3, 2**24 - 1, leaving=False),
    ToTable("TabLe2345678", 0, 0, leaving=True),
    ToReading(ToTable("TabLe2345678", 2, 9, leaving=False), 3, 70),
    ToReading(ToTable("TabLe2345678", 2, 9, leaving=False), 0, 0),
    ToCode("TabLe2345678"),
    ToInvitation("TabLe2345678"),
    ToBounces("a" * 24),
)


def test_a_mail_comes_back_as_it_was_kept(sessions: sessionmaker[Session]) -> None:
    for number, to in enumerate(EVERYONE):
        id = added(sessions, to, bytes([number] * 32))
        assert id is not None
        with sessions.begin() as session:
            mail = incoming.hold(session, id)
        assert mail == incoming.Incoming(id, NOW, to, "ann@example.org", {"spf": "pass"}, RAW)


def test_the_same_digest_is_kept_once(sessions: sessionmaker[Session]) -> None:
    kept = at_once(*(lambda: added(sessions) for _ in range(8)))
    assert sorted(id is None for id in kept) == [False] + [True] * 7
    assert added(sessions, digest=bytes(32)) is not None


def test_mail_is_read_once_and_answered_once(sessions: sessionmaker[Session]) -> None:
    id = added(sessions)
    assert id is not None
    with sessions.begin() as session:
        incoming.answered(session, id, NOW)  # which needs the mail to have been read
    with sessions.begin() as session:
        assert incoming.outcome(session, id) is None
        assert incoming.hold(session, id) is not None
        incoming.read(session, id, {"played": 1}, NOW)
    with sessions.begin() as session:
        assert incoming.hold(session, id) is None
        incoming.read(session, id, {"played": 2}, NOW)
        assert incoming.outcome(session, id) == {"played": 1}
        assert session.execute(text("SELECT raw, sender FROM incoming")).one() == (None, None)
    with sessions.begin() as session:
        incoming.answered(session, id, NOW)
        assert incoming.outcome(session, id) is None
        assert session.execute(text("SELECT state, outcome FROM incoming")).one() == ("answered", None)


def test_what_was_undone_can_be_read_again(sessions: sessionmaker[Session]) -> None:
    id = added(sessions)
    assert id is not None
    with sessions() as session:
        assert incoming.hold(session, id) is not None
        incoming.read(session, id, None, NOW)
        session.rollback()
    with sessions.begin() as session:
        assert incoming.hold(session, id) is not None


def test_what_is_past_its_time_is_thrown_away(sessions: sessionmaker[Session]) -> None:
    for number in range(3):
        added(sessions, digest=bytes([number] * 32))
    late = NOW + incoming.KEPT
    with sessions.begin() as session:
        assert incoming.purge(session, late - timedelta(seconds=1), 10) == 0
        assert incoming.purge(session, late, 2) == 2
        assert incoming.purge(session, late, 2) == 1
