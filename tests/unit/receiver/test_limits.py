"""Clients that ask too much, are too slow, or send garbage are refused, and hold up nobody."""

import random
import re
import socket
from collections.abc import Callable

import pytest

from service.receiver import limits
from service.receiver.session import LmtpConnection, SmtpConnection
from tests.support.running import eventually
from tests.unit.receiver.conftest import Place, Start
from tests.unit.receiver.lmtp_relay import Gone, LmtpRelay
from tests.unit.receiver.sample_mails import mail

_ANSWER = re.compile(rb"(?:[2345]\d\d[ -][^\r\n]*\r\n)*\Z")
_WORDS = (
    b"LHLO x", b"EHLO x", b"MAIL FROM:<>", b"MAIL FROM:<ann@example.org> SIZE=5",
    b"RCPT TO:<nova-luna@play.example.org>", b"DATA", b"RSET", b"NOOP", b"QUIT", b"VRFY x", b"HELP", b"AUTH PLAIN AAAA",
    b"STARTTLS", b"BDAT 5 LAST", b".", b"..", b"", b"MAIL FROM:<a@b> SMTPUTF8", b"From: a", b"\r", b"\0", b"\xff\xfe",
    b"\xc3\xa9", b"<", b">", b'"', b"(", b"@", b":", b"[",
)  # fmt: skip


def still_takes(place: Place, number: int) -> bool:
    with LmtpRelay(place.port) as client:
        return client.bring("ann@example.org", [place.own], mail(number=number))[0].code == 250


def answers(place: Place, sent: bytes) -> bytes:
    """Send these bytes and nothing more, and return all that comes back."""
    with place.socket() as connection:
        said = b""
        try:
            connection.sendall(sent)
            connection.shutdown(socket.SHUT_WR)
            while more := connection.recv(65536):
                said += more
        except (ConnectionError, OSError) as error:
            assert not isinstance(error, TimeoutError)
        return said


@pytest.mark.drill
@pytest.mark.parametrize("kind", [LmtpConnection, SmtpConnection])
def test_any_bytes_end_in_an_answer(start: Start, amount: Callable[[int], int], kind: type[SmtpConnection]) -> None:
    place = start(kind)
    chance = random.Random(kind.__name__)
    greeting = _WORDS[issubclass(kind, LmtpConnection) is False]
    sayings = 0
    for _ in range(amount(1000)):
        lines = [greeting] * chance.randint(0, 1) + [
            chance.choice(_WORDS) + chance.choice((b"", b"", b" ", chance.randbytes(chance.randint(1, 40))))
            for _ in range(chance.randint(0, 12))
        ]
        sent = chance.choice((b"\r\n", b"\r\n", b"\n")).join(lines) + chance.choice((b"", b"\r\n"))
        said = answers(place, sent)
        assert said.startswith(b"220 ")
        assert _ANSWER.match(said), (sent, said)
        assert b"Traceback" not in said and b"Error(" not in said
        sayings += said.count(b"\r\n")
    assert sayings > 2 * amount(1000)


def test_what_is_cut_off_anywhere_is_not_stored(start: Start) -> None:
    place = start()
    whole = f"LHLO x\r\nMAIL FROM:<>\r\nRCPT TO:<{place.own}>\r\nDATA\r\n".encode() + mail() + b".\r\n"
    for at in range(0, len(whole), 7):
        said = answers(place, whole[:at])
        assert _ANSWER.match(said)
        assert said.splitlines()[-1].startswith(b"421 4.4.2 ")
    assert place.rows() == []
    # The client gets an answer even when it can send nothing more.
    assert b"250 2.0.0 It is kept" in answers(place, whole)
    assert len(place.rows()) == 1


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        (b"x" * 100_000 + b"\r\n", b"500 5.5.0"),
        (b"MAIL FROM:<" + b"x" * 600 + b"@example.org>\r\n", b"500 5.5.0"),
        (b"LHLO x\r\nMAIL FROM:<ann@example.org> XYZ=1\r\n", b"555 5.5.0"),
        (b"LHLO x\r\nDATA\r\n", b"503 5.5.1"),
        (b"LHLO x\r\nRCPT TO:<nova-luna@play.example.org>\r\n", b"503 5.5.0"),
        (b"EHLO x\r\n", b"500 5.5.1"),
        (b"secret\x07\r\n", b"500 5.5.1 There is no such command"),
        (b"VRFY nova-luna@play.example.org\r\n", b"252 2.5.2"),
        (b"\xff\xff\r\n", b"500 5.5.0"),
        (b"AUTH PLAIN AGEAYg==\r\n", b"503 5.5.0"),
        (b"a\r\n" * 5, b"502 5.5.1"),
        (b"NOOP\r\n" * (limits.COMMANDS["*"] + 1), b"421 4.7.0"),
    ],
)
def test_what_is_no_command_in_its_place_is_refused(start: Start, sent: bytes, code: bytes) -> None:
    said = [line for line in answers(start(), sent).split(b"\r\n") if not line.startswith(b"421 4.4.2")]
    assert said[-2].startswith(code)


def test_nothing_but_dots_and_line_ends_without_end_is_no_mail(start: Start) -> None:
    place = start()
    begin = f"LHLO x\r\nMAIL FROM:<>\r\nRCPT TO:<{place.own}>\r\nDATA\r\n".encode()
    for endless in (b"\r\n" * 10_000, b"." * 10_000, b"\r\n..\r\n" * 10_000):
        assert answers(place, begin + endless).splitlines()[-1].startswith(b"554 5.6.0")
    assert still_takes(place, 1)


def test_connections_are_bounded_by_peer_and_in_all(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    place = start()
    for name, most in (("CONNECTIONS_BY_PEER", 3), ("CONNECTIONS", 2)):
        monkeypatch.setattr(limits, name, most)
        clients = [LmtpRelay(place.port) for _ in range(most)]
        for _ in range(20):
            with place.socket() as refused:
                assert refused.makefile("rb").read().startswith(b"421 4.3.2 ")
        for client in clients:
            assert client.bring("ann@example.org", [place.own], mail(number=most))[0].code == 250
            client.__exit__(None, None, None)
        eventually(lambda: place.receiver.connections == 0)
    assert still_takes(place, 9)


def test_a_slow_client_is_told_so_and_holds_up_nobody(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    place = start()
    begin = f"LHLO x\r\nMAIL FROM:<>\r\nRCPT TO:<{place.own}>\r\n".encode()
    sayings = (b"", b"LHLO", b"LHLO x\r\nNOOP", begin, begin + b"DATA\r\n", begin + b"DATA\r\n" + mail())
    with monkeypatch.context() as hasty:
        hasty.setattr(limits, "IDLE_SECONDS", 0.3)
        slow = [place.socket() for _ in sayings]
        heard = [connection.makefile("rb") for connection in slow]
        assert all(lines.readline().startswith(b"220 ") for lines in heard)
    with monkeypatch.context() as hasty:
        hasty.setattr(limits, "DATA_SECONDS", 0.3)
        for connection, said in zip(slow, sayings, strict=True):
            connection.sendall(said)
        for lines in heard:
            assert lines.read().splitlines()[-1].startswith(b"421 4.4.2 That took too long")
            lines.close()
    for connection in slow:
        connection.close()
    assert place.rows() == []
    assert still_takes(place, 1)


def test_one_that_reads_no_answers_holds_up_nobody_and_is_let_go(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "LINGER_SECONDS", 0.1)
    place = start()
    with monkeypatch.context() as hasty:
        hasty.setattr(limits, "IDLE_SECONDS", 1.0)
        deaf = place.socket()
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
        assert deaf.recv(4) == b"220 "
    deaf.setblocking(False)
    try:
        while True:
            deaf.send(b"\r\n" * 30_000)
    except BlockingIOError:
        pass
    assert still_takes(place, 1)
    eventually(lambda: place.receiver.connections == 0)
    deaf.close()


def test_a_connection_that_is_old_begins_no_further_mail(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    place = start()
    with LmtpRelay(place.port) as client:
        assert client.bring("ann@example.org", [place.own], mail())[0].code == 250
        monkeypatch.setattr(limits, "CONNECTION_SECONDS", 0.0)
        assert client.say("MAIL FROM:<>").code == 451
        assert client.heard().code == 421
        with pytest.raises(Gone):
            client.heard()
