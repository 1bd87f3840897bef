"""Several relays: their shares, one that fails, and that no mail is given to two of them."""

import random
import socket
from contextlib import ExitStack
from datetime import UTC, datetime
from email.message import EmailMessage

import pytest
from aiosmtpd.smtp import SMTP as Server
from aiosmtpd.smtp import Envelope as SmtpEnvelope
from aiosmtpd.smtp import Session
from structlog.testing import capture_logs

from service.config import Settings
from service.mail.failures import PermanentFailure, RelayUnavailable, TransientFailure, Unacknowledged
from service.mail.message import Content, Envelope, build
from service.mail.relay import Relay
from service.mail.relay_group import LONGEST, SHORTEST, RelayGroup, WeightedRelay, relays
from service.mail.transport import make_transport
from tests.support.mail import relay as servers

PATIENCE = 60.0


class Now:
    """A clock that a test sets."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def a_mail() -> EmailMessage:
    envelope = Envelope("nova@example.org", "ann@example.org", "key")
    return build(Content("Subject", "Text", "<p>Text</p>"), envelope, datetime(2026, 11, 29, tzinfo=UTC))


def closed_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def group(*ports: int, weights: tuple[int, ...] = (1, 1), clock: Now | None = None, seed: int = 1) -> RelayGroup:
    members = [WeightedRelay(Relay("smtp", "127.0.0.1", port, timeout=PATIENCE), weight) for port, weight in zip(ports, weights, strict=True)]  # fmt: skip # noqa: E501
    return RelayGroup(members, random.Random(seed), clock or Now())


def test_mails_are_spread_by_weight() -> None:
    with servers.running() as often, servers.running() as seldom:
        relay = group(often.port, seldom.port, weights=(9, 1))
        assert all(relay.deliver(a_mail()) for _ in range(60))
        relay.close()
        assert len(often.mails) + len(seldom.mails) == 60
        assert 1 <= len(seldom.mails) <= 15


def test_one_that_is_away_is_left_out_and_comes_back() -> None:
    clock = Now()
    port = closed_port()
    with ExitStack() as stack, capture_logs() as logs:
        good = stack.enter_context(servers.running())
        relay = group(port, good.port, weights=(999, 1), clock=clock)
        for _ in range(5):
            assert relay.deliver(a_mail())
        assert len(good.mails) == 5
        assert [log["seconds"] for log in logs] == [SHORTEST]
        clock.now = SHORTEST
        assert relay.deliver(a_mail())
        assert [log["seconds"] for log in logs] == [SHORTEST, 2 * SHORTEST] and LONGEST > SHORTEST
        relay.close()


@pytest.mark.parametrize(
    ("command", "answer"),
    [
        ("mail", "421 4.3.2 going down"),
        ("mail", "450 4.3.0 later"),
        ("mail", "530 5.7.0 log in first"),
        ("mail", "554 5.7.1 <web.example[192.0.2.1]>: Client host rejected: Access denied"),
        ("rcpt", "450 4.7.25 Client host rejected: cannot find your hostname"),
        ("rcpt", "554 5.7.1 <web.example[192.0.2.1]>: Client host rejected: Access denied"),
        ("rcpt", "504 5.5.2 <nova>: Helo command rejected: need fully-qualified hostname"),
        ("rcpt", "553 5.7.1 <nova@example.org>: Sender address rejected: not owned by user nova"),
    ],
)
def test_one_that_takes_no_mail_at_all_gives_way_to_the_next(command: str, answer: str) -> None:
    with servers.running() as bad, servers.running() as good:
        getattr(bad, f"answer_{command}").extend([answer] * 2)
        relay = group(bad.port, good.port, weights=(999, 1))
        assert relay.deliver(a_mail())
        relay.close()
        assert (len(bad.mails), len(good.mails)) == (0, 1)


def test_if_all_are_away_the_mail_fails_for_now() -> None:
    relay = group(closed_port(), closed_port())
    for _ in range(2):
        with pytest.raises(RelayUnavailable):
            relay.deliver(a_mail())


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        ("550 5.1.1 nobody", PermanentFailure),
        ("554 5.7.1 <ann@example.org>: Recipient address rejected: Access denied", PermanentFailure),
        ("451 4.3.0 later", TransientFailure),
    ],
)
def test_what_is_said_of_the_recipient_is_not_asked_again_elsewhere(answer: str, kind: type[Exception]) -> None:
    with servers.running() as first, servers.running() as second:
        first.answer_rcpt = [answer]
        relay = group(first.port, second.port, weights=(999, 1))
        with pytest.raises(kind):
            relay.deliver(a_mail())
        relay.close()
        assert second.mails == []


class BreaksOff(Server):
    """A server that closes the connection at the command DATA, before it takes any content."""

    async def smtp_DATA(self, arg: str) -> None:
        assert self.transport is not None
        self.transport.close()


def test_one_that_breaks_off_before_the_content_gives_way_to_the_next() -> None:
    with servers.running(server=BreaksOff) as bad, servers.running() as good, capture_logs() as logs:
        relay = group(bad.port, good.port, weights=(999, 1))
        assert relay.deliver(a_mail()) and relay.deliver(a_mail())
        relay.close()
    assert len(good.mails) == 2
    assert [log["event"] for log in logs] == ["a mail server is left out for a while"]


class Swallows(servers.Relay):
    """A relay that takes the content, and closes the connection without a reply."""

    async def handle_DATA(self, server: Server, session: Session, envelope: SmtpEnvelope) -> str:
        answer = await super().handle_DATA(server, session, envelope)
        assert server.transport is not None
        server.transport.close()
        return answer


def test_one_that_acknowledges_nothing_is_left_out_but_its_mail_waits() -> None:
    with servers.running(Swallows()) as bad, servers.running() as good, capture_logs() as logs:
        relay = group(bad.port, good.port, weights=(999, 1))
        with pytest.raises(Unacknowledged):
            relay.deliver(a_mail())
        assert good.mails == [], "the first one may have it"
        assert relay.deliver(a_mail())
        relay.close()
    assert len(good.mails) == 1
    assert [log["event"] for log in logs] == ["a mail server is left out for a while"]


def test_a_mail_whose_content_was_given_away_goes_to_no_other() -> None:
    with servers.running() as first, servers.running() as second:
        first.answer_data = ["451 4.3.0 perhaps"]
        relay = group(first.port, second.port, weights=(999, 1))
        with pytest.raises(TransientFailure):
            relay.deliver(a_mail())
        relay.close()
        assert second.mails == []


def test_the_setting_names_relays_with_weights() -> None:
    urls = "smtps://u:p%20w@one.example?weight=3 smtp://two.example:2525"
    assert [(it.relay.host, it.relay.port, it.relay.password, it.weight) for it in relays(urls)] == [
        ("one.example", 465, "p w", 3),
        ("two.example", 2525, None, 1),
    ]
    settings = Settings(database_url="postgresql:///x", secret_keys=("k" * 32,), smtp_url=urls)
    assert isinstance(make_transport(settings), RelayGroup)
