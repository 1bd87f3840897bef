"""One of three relays fails while many mails are sent: none is lost or sent twice, and the weights come back."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from email import message_from_bytes
from email.message import EmailMessage

import pytest
from aiosmtpd.smtp import SMTP as Server
from aiosmtpd.smtp import Envelope, Session
from structlog.testing import capture_logs

from service.mail import message
from service.mail.failures import DomainOverloaded, TransientFailure
from service.mail.relay import Relay
from service.mail.relay_group import LONGEST, SHORTEST, RelayGroup, WeightedRelay
from tests.support.mail import relay as servers

WEIGHTS = (2, 1, 1)
MAILS, AFTERWARDS = 60, 200
AT_ONCE = 8
PATIENCE, PATIENCE_WITH_ONE_THAT_HANGS = 30.0, 1.0
_IN_LINE = {"421": "421 4.3.2 closing down", "4.7.1": "451 4.7.1 too much from you"}


class Failing(servers.Relay):
    """A relay that fails in one way until it is told to work."""

    fails = ""

    async def handle_MAIL(
        self, server: Server, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if self.fails == "reset" and server.transport is not None:
            server.transport.close()
        if self.fails == "hang":
            await asyncio.Event().wait()
        return _IN_LINE.get(self.fails) or await super().handle_MAIL(server, session, envelope, address, options)

    async def handle_RCPT(
        self, server: Server, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if self.fails == "4.7.1 after RCPT":
            return _IN_LINE["4.7.1"]
        return await super().handle_RCPT(server, session, envelope, address, options)

    async def handle_DATA(self, server: Server, session: Session, envelope: Envelope) -> str:
        if self.fails == "reset in DATA" and server.transport is not None:
            server.transport.close()
            return "451 gone"
        return await super().handle_DATA(server, session, envelope)


class Now:
    """A clock that a test sets."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def a_mail(number: int) -> EmailMessage:
    envelope = message.Envelope("nova@example.org", f"p{number}@example.org", f"mail.{number}")
    return message.build(
        message.Content("Subject", "Text", "<p>Text</p>"), envelope, datetime(2026, 11, 29, tzinfo=UTC)
    )


def try_all(group: RelayGroup, numbers: list[int]) -> dict[int, TransientFailure]:
    """Try to send mails, several at once as a worker does; return why those that are to be tried again failed."""

    def send(number: int) -> TransientFailure | None:
        try:
            assert group.deliver(a_mail(number))
        except TransientFailure as failure:
            return failure
        return None

    with ThreadPoolExecutor(AT_ONCE) as threads:
        outcomes = threads.map(send, numbers)
        return {number: failure for number, failure in zip(numbers, outcomes, strict=True) if failure is not None}


def received(relays: list[Failing]) -> Counter[str]:
    return Counter(str(message_from_bytes(mail)["To"]) for relay in relays for mail in relay.mails)


@pytest.mark.slow
@pytest.mark.parametrize("fails", ["reset", "hang", "421", "4.7.1", "4.7.1 after RCPT", "reset in DATA"])
def test_no_mail_is_lost_or_sent_twice_and_the_weights_come_back(fails: str) -> None:
    clock = Now()
    with (
        servers.running(Failing()) as bad,
        servers.running(Failing()) as second,
        servers.running(Failing()) as third,
        capture_logs(),
    ):
        relays = [relay for relay in (bad, second, third) if isinstance(relay, Failing)]
        relays[0].fails = fails
        patience = PATIENCE_WITH_ONE_THAT_HANGS if fails == "hang" else PATIENCE
        members = [
            WeightedRelay(Relay("smtp", "127.0.0.1", relay.port, timeout=patience), weight)
            for relay, weight in zip(relays, WEIGHTS, strict=True)
        ]
        group = RelayGroup(members, random.Random(1), clock)
        later = try_all(group, list(range(MAILS)))
        if fails in ("4.7.1 after RCPT", "reset in DATA"):  # the relay may have told of the mail itself, or have it
            assert later and relays[0].mails == []
            overloaded = {isinstance(failure, DomainOverloaded) for failure in later.values()}
            assert overloaded == {fails == "4.7.1 after RCPT"}
        else:
            assert later == {}
        relays[0].fails = ""
        clock.now += LONGEST
        assert try_all(group, list(later)) == {}
        assert received(relays) == {f"p{number}@example.org": 1 for number in range(MAILS)}
        before = [len(relay.mails) for relay in relays]
        assert try_all(group, list(range(MAILS, MAILS + AFTERWARDS))) == {}
        shares = [(len(relay.mails) - had) / AFTERWARDS for relay, had in zip(relays, before, strict=True)]
        group.close()
    assert received(relays) == {f"p{number}@example.org": 1 for number in range(MAILS + AFTERWARDS)}
    assert all(abs(share - weight / sum(WEIGHTS)) < 0.1 for share, weight in zip(shares, WEIGHTS, strict=True)), shares


def test_a_relay_that_fails_costs_one_wait_each_time_it_is_tried() -> None:
    clock = Now()
    with servers.running(Failing()) as bad, servers.running(Failing()) as good, capture_logs() as logs:
        assert isinstance(bad, Failing)
        bad.fails = "421"
        members = [
            WeightedRelay(Relay("smtp", "127.0.0.1", relay.port, timeout=PATIENCE), weight)
            for relay, weight in ((bad, 999), (good, 1))
        ]
        group = RelayGroup(members, random.Random(1), clock)
        for tried in range(7):
            assert try_all(group, list(range(10 * tried, 10 * tried + 10))) == {}
            clock.now += LONGEST
        group.close()
    told = [log["seconds"] for log in logs if log["event"] == "a mail server is left out for a while"]
    assert told == [min(SHORTEST * 2**number, LONGEST) for number in range(7)]
