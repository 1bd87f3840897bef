"""Handing mail to a relay over real SMTP on the loopback interface, with everything that a relay may do."""

import socket
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

import pytest
import trustme

from service.mail.failures import PermanentFailure, RelayUnavailable, TransientFailure
from service.mail.message import Content, Envelope, build, to_bytes
from service.mail.relay import Relay
from tests.support.mail import relay as relays
from tests.unit.mail.scripted_server import PATIENCE, serving

AT = datetime(2026, 11, 27, 20, 56, tzinfo=UTC)
MESSAGE = build(
    Content("Your turn", "It is your turn.\n.\n..and a dot\nZoë\n", "<p>It is your turn.</p>"),
    Envelope("Nova Luna <nova-luna@example.org>", "ann@example.org", "turn.1", "Zoë"),
    AT,
)
insecure = pytest.mark.filterwarnings("ignore:Requiring AUTH while not requiring TLS")


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture(scope="module")
def trusting(authority: trustme.CA) -> ssl.SSLContext:
    """Return a context that verifies certificates as the default one does, with the tests' own authority."""
    context = ssl.create_default_context()
    authority.configure_trust(context)
    return context


@pytest.fixture(scope="module")
def certified(authority: trustme.CA) -> Callable[[str], ssl.SSLContext]:
    """Return a function that makes a server's context for a host name."""

    def make(host: str) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        authority.issue_cert(host).configure_cert(context)
        return context

    return make


def deliver(url: str, context: ssl.SSLContext | None = None, timeout: float = PATIENCE) -> None:
    Relay.from_url(url, timeout=timeout, context=context).deliver(MESSAGE)


def test_a_mail_arrives_as_it_was_built() -> None:
    with relays.running() as relay:
        deliver(f"smtp://127.0.0.1:{relay.port}")
    assert relay.mails == [to_bytes(MESSAGE)]
    assert relay.senders == ["nova-luna@example.org"] and relay.recipients == ["ann@example.org"]
    assert relay.secure == [False] and relay.logins == []


def test_starttls_and_smtps_encrypt(trusting: ssl.SSLContext, certified: Callable[[str], ssl.SSLContext]) -> None:
    with relays.running(starttls=certified("127.0.0.1")) as relay:
        deliver(f"smtp+starttls://127.0.0.1:{relay.port}", trusting)
        assert relay.secure == [True]
    with relays.running(smtps=certified("127.0.0.1")) as relay:
        deliver(f"smtps://127.0.0.1:{relay.port}", trusting)
        assert relay.secure == [True]


@pytest.mark.parametrize("scheme", ["smtp+starttls", "smtps"])
def test_a_certificate_of_another_host_or_authority_is_not_taken(
    scheme: str, trusting: ssl.SSLContext, certified: Callable[[str], ssl.SSLContext]
) -> None:
    for host, context in (("elsewhere.example.org", trusting), ("127.0.0.1", None)):
        own = certified(host)
        encrypted = relays.running(starttls=own) if scheme == "smtp+starttls" else relays.running(smtps=own)
        with encrypted as relay:
            with pytest.raises(TransientFailure, match="SSLCertVerificationError"):
                deliver(f"{scheme}://127.0.0.1:{relay.port}", context)
            assert relay.mails == []


def test_starttls_that_is_not_offered_is_no_reason_to_go_without() -> None:
    with relays.running() as relay:
        with pytest.raises(TransientFailure, match="SMTPNotSupportedError"):
            deliver(f"smtp+starttls://127.0.0.1:{relay.port}")
        assert relay.mails == []


@insecure
def test_user_and_password_are_decoded(trusting: ssl.SSLContext, certified: Callable[[str], ssl.SSLContext]) -> None:
    with relays.running(smtps=certified("127.0.0.1"), auth=True) as relay:
        deliver(f"smtps://ann%40example.org:p%2F%3A%20w@127.0.0.1:{relay.port}", trusting)
        assert relay.logins == [("ann@example.org", "p/: w")] and len(relay.mails) == 1


@insecure
def test_a_wrong_password_may_be_mended_and_so_may_one_that_is_missing() -> None:
    with relays.running(auth=True) as relay:
        for url, said in ((f"ann:wrong@127.0.0.1:{relay.port}", "535"), (f"127.0.0.1:{relay.port}", "MAIL with 530")):
            with pytest.raises(TransientFailure, match=said) as wanted:
                deliver(f"smtp://{url}")
            assert wanted.value.mend == "NOVALUNA_SMTP_URL"


RETURN_PATH = "nova-luna+bounce-aaaaaaaaaaaaaaaaaaaaaaaa@example.org"


def deliver_to_return(relay: relays.Relay) -> None:
    Relay.from_url(f"smtp://127.0.0.1:{relay.port}", timeout=PATIENCE).deliver(MESSAGE, RETURN_PATH)


def test_what_can_not_be_delivered_later_comes_back_to_the_return_path() -> None:
    with relays.running() as relay:
        deliver_to_return(relay)
        assert relay.senders == [RETURN_PATH] and relay.mails == [to_bytes(MESSAGE)]


@pytest.mark.parametrize(
    ("step", "answer"),
    [
        ("mail", "553 5.1.8 no such sender here"),
        ("mail", "550 you are somebody else"),
        ("rcpt", "553 5.7.1 <n@example.org>: Sender address rejected: not owned by user nova"),
        ("rcpt", "550 5.1.7 bad reverse path"),
        ("data", "554 5.2.252 SendAsDenied; nova@example.org not allowed to send as another"),
        ("data", "554 Message rejected: Email address is not verified."),
        ("data", "553 Relaying disallowed as nova-luna+bounce-a@example.org"),
    ],
)
def test_a_relay_that_takes_no_sender_but_ours_gets_that_one(step: str, answer: str) -> None:
    with relays.running() as relay:
        getattr(relay, f"answer_{step}").append(answer)
        deliver_to_return(relay)
        assert relay.senders == ["nova-luna@example.org"] and relay.mails == [to_bytes(MESSAGE)]


@pytest.mark.parametrize(
    ("step", "answer", "failure"),
    [
        ("rcpt", "550 5.1.1 no such user", PermanentFailure),
        ("mail", "451 4.7.1 come back later", TransientFailure),
        ("rcpt", "450 4.7.1 sender unknown so far", TransientFailure),
        ("data", "554 5.7.1 spam", PermanentFailure),
    ],
)
def test_another_sender_is_not_tried_for_another_reason(step: str, answer: str, failure: type[Exception]) -> None:
    with relays.running() as relay:
        getattr(relay, f"answer_{step}").append(answer)
        with pytest.raises(failure):
            deliver_to_return(relay)
        assert relay.mails == []


def test_a_sender_that_is_refused_as_well_is_refused_for_good() -> None:
    with relays.running() as relay:
        relay.answer_mail += ["553 no", "553 5.7.1 nor this one"]
        with pytest.raises(PermanentFailure, match=r"MAIL with 553 5.7.1 nor this one"):
            deliver_to_return(relay)


@pytest.mark.parametrize("step", ["mail", "rcpt", "data"])
def test_a_4xx_may_pass_and_the_next_try_arrives(step: str) -> None:
    with relays.running() as relay:
        getattr(relay, f"answer_{step}").append("451 4.7.1 Greylisted, come back later")
        with pytest.raises(TransientFailure, match=f"{step.upper()} with 451 4.7.1 Greylisted"):
            deliver(f"smtp://127.0.0.1:{relay.port}")
        deliver(f"smtp://127.0.0.1:{relay.port}")
        assert relay.mails == [to_bytes(MESSAGE)]


@pytest.mark.parametrize(
    ("step", "answer"),
    [
        ("mail", "530 5.7.0 Authentication Required. Learn more at our site"),
        ("mail", "530 5.7.57 Client not authenticated to send mail."),
        ("mail", "530 5.7.0 Must issue a STARTTLS command first"),
        ("rcpt", "530 SMTP authentication is required."),
        ("rcpt", "534 5.7.9 Please log in with your web browser"),
        ("mail", "535 5.7.8 Authentication credentials invalid"),
        ("rcpt", "538 5.7.11 Encryption required for requested authentication mechanism"),
        ("data", "530 5.7.57 SMTP; Client was not authenticated to send anonymous mail during MAIL FROM"),
        ("rcpt", "554 5.7.1 <ann@example.org>: Relay access denied"),
        ("rcpt", "554 5.7.1 <ann@example.org>: Recipient address rejected: Relay access denied"),
        ("rcpt", "550 relay not permitted"),
        ("rcpt", "550 5.7.1 <ann@example.org>... Relaying denied. Proper authentication required."),
        ("rcpt", "550 5.7.1 Unable to relay for ann@example.org"),
        ("rcpt", "550 5.7.54 SMTP; Unable to relay recipient in non-accepted domain"),
        ("rcpt", "553 sorry, that domain isn't in my list of allowed rcpthosts (#5.7.1)"),
        ("rcpt", "550 Relaying to <ann@example.org> prohibited by administrator"),
        ("rcpt", "550-we do not relay without a login\r\n550 go away"),
        ("rcpt", "550 You are not allowed to relay through this server"),
        ("mail", "550 5.7.1 Invalid credentials for relay [192.0.2.1]. The IP address does not match"),
        ("mail", "503 Error: need EHLO and AUTH first !"),
        ("mail", "550 Unauthenticated senders not allowed"),
        ("rcpt", "553 5.7.1 <nova-luna@example.org>: Sender address rejected: not logged in"),
        ("rcpt", "550 authentication required"),
        ("rcpt", "503 This mail server requires authentication when attempting to send to a non-local e-mail address."),
    ],
)
def test_a_login_that_the_host_forgot_costs_no_mail(step: str, answer: str) -> None:
    with relays.running() as relay:
        getattr(relay, f"answer_{step}").extend([answer] * 2)
        with pytest.raises(TransientFailure, match=f"{step.upper()} with 5.*: it wants another login") as wanted:
            deliver_to_return(relay)
        assert wanted.value.mend == "NOVALUNA_SMTP_URL" and "@" not in str(wanted.value)
        for rest in (relay.answer_mail, relay.answer_rcpt, relay.answer_data):
            rest.clear()
        deliver_to_return(relay)
        assert relay.mails == [to_bytes(MESSAGE)]


@pytest.mark.parametrize(
    ("step", "answer"),
    [
        ("rcpt", "550 5.1.1 no such user here, said relay.example.org"),
        ("rcpt", "550 5.1.1 smtp-relay: mailbox not found"),
        ("rcpt", "550 5.1.1 relay1.example.net[192.0.2.1] said: account disabled, access denied"),
        ("rcpt", "550 5.7.1 RESOLVER.RST.AuthRequired; authentication required"),
        ("rcpt", "550 5.2.1 the author of this mailbox is gone"),
        ("data", "550 5.7.26 This mail is unauthenticated, which poses a security risk: SPF or DKIM is required"),
        ("data", "550 5.7.1 Unauthenticated email is not accepted due to the domain's DMARC policy"),
    ],
)
def test_what_only_sounds_like_a_login_is_for_good(step: str, answer: str) -> None:
    with relays.running() as relay:
        getattr(relay, f"answer_{step}").extend([answer] * 2)
        with pytest.raises(PermanentFailure):
            deliver_to_return(relay)


_AGAINST_THE_SERVICE = (
    "450 4.7.25 Client host rejected: cannot find your hostname, [192.0.2.1]",
    "450 4.7.1 Client host rejected: cannot find your reverse hostname, [192.0.2.1]",
    "450 4.7.1 <nova.example>: Helo command rejected: Host not found",
    "450 4.1.8 <nova@example.org>: Sender address rejected: Domain not found",
    "451 4.7.1 Service unavailable - try again later",
    "554 5.7.1 <web.example[192.0.2.1]>: Client host rejected: Access denied",
    "550 5.7.25 Client host rejected: cannot find your hostname, [192.0.2.1]",
    "554 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using dnsbl.example",
    "504 5.5.2 <nova>: Helo command rejected: need fully-qualified hostname",
    "550 5.1.8 <nova@example.org>: Sender address rejected: Domain not found",
    "553 5.7.1 <nova@example.org>: Sender address rejected: not owned by user nova",
)

_ASKED_THE_RECIPIENTS_SERVER = (
    "<ann@example.net>: Recipient address rejected: undeliverable address: host mx.example.net[192.0.2.2] said: "
    "554 5.7.1 Client host rejected: Access denied (in reply to RCPT TO command)"
)


@pytest.mark.parametrize("answer", _AGAINST_THE_SERVICE)
def test_what_a_relay_has_against_all_mails_is_no_fault_of_a_domain(answer: str) -> None:
    with relays.running() as relay:
        relay.answer_rcpt.append(answer)
        with pytest.raises(RelayUnavailable):
            deliver(f"smtp://127.0.0.1:{relay.port}")
        relay.answer_rcpt.append(answer)
        asked = Relay.from_url(f"smtp://127.0.0.1:{relay.port}")
        assert str(asked.reason_against("nova@example.org")).startswith("the relay answered RCPT with ")
        assert asked.reason_against("nova@example.org") is None


@pytest.mark.parametrize(
    "answer",
    [
        "550 5.1.1 no such user",
        "450 4.2.0 <nova@example.org>: Recipient address rejected: Greylisted",
        f"550 5.1.1 {_ASKED_THE_RECIPIENTS_SERVER}",
        f"450 4.1.1 {_ASKED_THE_RECIPIENTS_SERVER}",
    ],
)
def test_the_refusal_of_its_own_address_is_no_failure_of_the_relay(answer: str) -> None:
    with relays.running() as relay:
        relay.answer_rcpt.append(answer)
        assert Relay.from_url(f"smtp://127.0.0.1:{relay.port}").reason_against("nova@example.org") is None


@pytest.mark.parametrize("host", ["mx1..example.org", f"{'x' * 64}.example.org"])
def test_a_host_that_is_no_name_is_a_relay_that_is_away(host: str) -> None:
    with pytest.raises(RelayUnavailable):
        Relay("smtp", host, 25).connect()
    assert Relay("smtp", host, 25).reason_against("nova@example.org") is not None


@pytest.mark.parametrize("step", ["mail", "rcpt", "data"])
def test_a_5xx_is_for_good_and_its_reason_names_nobody(step: str) -> None:
    with relays.running() as relay:
        getattr(relay, f"answer_{step}").append("550 5.1.1 <ann@example.org>: user Ann@Example.org unknown")
        with pytest.raises(PermanentFailure) as refused:
            deliver(f"smtp://127.0.0.1:{relay.port}")
        assert str(refused.value) == (
            f"the relay answered {step.upper()} with 550 5.1.1 <address>: user <address> unknown"
        )
        assert relay.mails == []


@pytest.mark.parametrize(
    ("step", "answer"),
    [
        ("rcpt", "550 5.1.1 <ann@example.org>: Recipient address rejected: User unknown in virtual mailbox table"),
        ("rcpt", "554 5.7.1 <ann@example.org>: Recipient address rejected: Access denied"),
        ("rcpt", f"550 5.1.1 {_ASKED_THE_RECIPIENTS_SERVER}"),
        ("rcpt", "550 5.7.1 rejected due to content restrictions"),
        ("data", "554 5.7.1 Spam message rejected"),
        ("data", "554 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using dnsbl.example"),
    ],
)
def test_a_5xx_about_the_recipient_or_the_content_is_for_good(step: str, answer: str) -> None:
    with relays.running() as relay:
        getattr(relay, f"answer_{step}").extend([answer] * 2)
        with pytest.raises(PermanentFailure):
            deliver_to_return(relay)
        assert relay.mails == []


def test_a_relay_that_is_away_may_come_back() -> None:
    with socket.socket() as nobody:  # bound and not listening: refuses
        nobody.bind(("127.0.0.1", 0))
        with pytest.raises(TransientFailure, match="ConnectionRefusedError"):
            deliver(f"smtp://127.0.0.1:{nobody.getsockname()[1]}")


@contextmanager
def scripted(*answers: bytes | None) -> Iterator[int]:
    """Run a server that sends these replies, one for each line (the content counts as one), and yield its port.

    None closes the connection. After the last reply it sends nothing more, and keeps the connection open.
    """

    def talk(connection: socket.socket) -> None:
        with connection.makefile("rwb") as stream:
            in_content = False
            for answer in answers:
                if answer is None:
                    return
                stream.write(answer + b"\r\n")
                stream.flush()
                line = stream.readline()
                while in_content and line not in (b".\r\n", b""):
                    line = stream.readline()
                in_content = line.upper() == b"DATA\r\n" or (in_content and line != b".\r\n")
            connection.recv(1)

    with serving(talk) as port:
        yield port


GREETED = (b"220 hello", b"250 hello")


@pytest.mark.parametrize(
    "answers",
    [(), GREETED, (*GREETED, b"250 sender", b"250 recipient", b"354 go on")],
    ids=["before its greeting", "after MAIL", "after the content"],
)
def test_a_relay_that_hangs_is_given_up(answers: tuple[bytes, ...]) -> None:
    with scripted(*answers) as port, pytest.raises(TransientFailure, match="broke off"):
        deliver(f"smtp://127.0.0.1:{port}", timeout=0.2)


@pytest.mark.parametrize(
    "answers",
    [(None,), (*GREETED, None), (*GREETED, b"250 sender", b"250 recipient", b"354 go on", None)],
    ids=["at once", "after MAIL", "after the content"],
)
def test_a_line_that_is_cut_may_be_tried_again(answers: tuple[bytes | None, ...]) -> None:
    with scripted(*answers) as port, pytest.raises(TransientFailure):
        deliver(f"smtp://127.0.0.1:{port}")


@pytest.mark.parametrize(
    ("farewell", "timeout"),
    [((), 1.0), ((None,), PATIENCE), ((b"421 not now",), PATIENCE)],
    ids=["hangs", "cut", "refused"],
)
def test_what_comes_after_the_acknowledgment_undoes_nothing(farewell: tuple[bytes | None, ...], timeout: float) -> None:
    taken = (*GREETED, b"250 sender", b"250 recipient", b"354 go on", b"250 taken")
    with scripted(*taken, *farewell) as port:
        deliver(f"smtp://127.0.0.1:{port}", timeout=timeout)


@pytest.mark.parametrize("yes", [b"200 taken", b"251 will forward", b"259-taken,\r\n259 in two lines"])
def test_any_2xx_acknowledges_so_that_nothing_is_sent_again(yes: bytes) -> None:
    with scripted(*GREETED, yes, yes, b"354 go on", yes, b"221 bye") as port:
        deliver(f"smtp://127.0.0.1:{port}")


def test_a_yes_before_the_content_was_sent_acknowledges_nothing() -> None:
    with scripted(*GREETED, b"250 sender", b"250 recipient", b"250 what?") as port, pytest.raises(TransientFailure):
        deliver(f"smtp://127.0.0.1:{port}")


def test_a_relay_that_greets_with_a_refusal_may_be_mended() -> None:
    with scripted(b"554 go away") as port, pytest.raises(TransientFailure, match="554 go away"):
        deliver(f"smtp://127.0.0.1:{port}")


@pytest.mark.parametrize(
    ("url", "security", "port"),
    [("smtp://h", "smtp", 25), ("smtp+starttls://h", "smtp+starttls", 587), ("smtps://h", "smtps", 465),
    ("smtp://h:2525", "smtp", 2525)],
)  # fmt: skip
def test_the_port_follows_from_the_scheme(url: str, security: str, port: int) -> None:
    assert Relay.from_url(url) == Relay(security, "h", port)


@pytest.mark.parametrize(
    "url",
    ["http://h:secret@h", "smtp://:secret@", "smtp://h:secret", "smtp://h/secret", "smtp://h?secret", "secret:25"],
)
def test_a_wrong_url_is_refused_without_being_repeated(url: str) -> None:
    with pytest.raises(ValueError, match="an SMTP URL is") as refused:
        Relay.from_url(url)
    assert "secret" not in str(refused.value)
