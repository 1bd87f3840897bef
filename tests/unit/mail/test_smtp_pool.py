"""Connections to the relay that are kept open from one mail to the next."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from email.message import EmailMessage

import pytest
from aiosmtpd.smtp import SMTP, Envelope, Session

from service.mail import smtp_pool
from service.mail.failures import PermanentFailure, TransientFailure
from service.mail.message import Content, build
from service.mail.message import Envelope as Cover
from service.mail.relay import Relay
from service.mail.smtp_pool import SmtpConnectionPool
from tests.support.mail import relay as relays
from tests.support.running import eventually

PATIENCE = 60.0


class CountingRelay(relays.Relay):
    """A relay that counts the conversations that were started, and those that were ended with QUIT."""

    begun = 0
    ended = 0
    hangs_up = False

    async def handle_HELO(self, server: SMTP, session: Session, envelope: Envelope, hostname: str) -> str:
        session.host_name = hostname
        return "250 hello"

    async def handle_EHLO(
        self, server: SMTP, session: Session, envelope: Envelope, hostname: str, responses: list[str]
    ) -> list[str]:
        self.begun += 1
        session.host_name = hostname
        return responses

    async def handle_QUIT(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        self.ended += 1
        return "221 good bye"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        answer = await super().handle_DATA(server, session, envelope)
        if self.hangs_up:
            assert server.transport is not None
            server.loop.call_later(0.01, server.transport.close)
        return answer


@pytest.fixture
def relay() -> Iterator[CountingRelay]:
    counting = CountingRelay()
    with relays.running(counting):
        yield counting


@pytest.fixture
def kept(relay: CountingRelay) -> Iterator[SmtpConnectionPool]:
    kept = SmtpConnectionPool(Relay("smtp", "127.0.0.1", relay.port, timeout=PATIENCE), idle=PATIENCE)
    yield kept
    kept.close()


def mail(number: int) -> EmailMessage:
    content = Content(f"Mail {number}", "Text\n", "<p>HTML</p>")
    return build(
        content, Cover("n@example.org", "ann@example.org", f"code.{number}"), datetime(2026, 11, 27, tzinfo=UTC)
    )


def test_smtp_connection_is_reused_and_ends_with_quit(relay: CountingRelay, kept: SmtpConnectionPool) -> None:
    for number in range(5):
        kept.deliver(mail(number))
    assert (relay.begun, relay.ended, len(relay.mails)) == (1, 0, 5)
    kept.close()
    eventually(lambda: relay.ended == 1)


def test_a_conversation_ends_before_the_relay_has_enough(
    relay: CountingRelay, kept: SmtpConnectionPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(smtp_pool, "MOST_MAILS", 2)
    for number in range(5):
        kept.deliver(mail(number))
    assert (relay.begun, relay.ended, len(relay.mails)) == (3, 2, 5)


def test_each_of_those_who_deliver_at_once_has_its_own(relay: CountingRelay, kept: SmtpConnectionPool) -> None:
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(kept.deliver, map(mail, range(20))))
    assert relay.begun <= 4
    assert len(set(relay.mails)) == len(relay.mails) == 20


def test_one_that_the_relay_has_closed_is_not_used_and_no_mail_is_doubled(
    relay: CountingRelay, kept: SmtpConnectionPool
) -> None:
    relay.hangs_up = True
    for number in range(3):
        kept.deliver(mail(number))
        (line,) = kept._kept
        assert line.smtp.sock is not None
        assert line.smtp.sock.recv(1) == b""  # this side has noticed it too
    assert (relay.begun, len(relay.mails), len(set(relay.mails))) == (3, 3, 3)


def test_a_refused_mail_is_told_and_the_next_one_goes(relay: CountingRelay, kept: SmtpConnectionPool) -> None:
    kept.deliver(mail(0))
    relay.answer_rcpt = ["550 5.1.1 unknown", "451 4.7.1 Greylisted"]
    with pytest.raises(PermanentFailure, match="RCPT with 550"):
        kept.deliver(mail(1))
    with pytest.raises(TransientFailure, match="RCPT with 451"):
        kept.deliver(mail(2))
    kept.deliver(mail(3))
    assert len(relay.mails) == 2


def test_one_with_nothing_to_do_is_hung_up(relay: CountingRelay) -> None:
    kept = SmtpConnectionPool(Relay("smtp", "127.0.0.1", relay.port, timeout=PATIENCE), idle=0.05)
    kept.deliver(mail(0))
    eventually(lambda: relay.ended == 1)
    kept.deliver(mail(1))
    assert (relay.begun, len(relay.mails)) == (2, 2)
    kept.close()
