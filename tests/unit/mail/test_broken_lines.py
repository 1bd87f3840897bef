"""Broken connections and slow relays, at the points where a client could lose a mail or send it twice."""

import socket
import struct
from threading import Event

import pytest

from service.mail.failures import TransientFailure
from service.mail.message import to_bytes
from service.mail.relay import Relay
from tests.support.mail import relay as relays
from tests.unit.mail.scripted_server import PATIENCE, Talk, serving
from tests.unit.mail.test_relay import MESSAGE

HELLO = b"250-hello\r\n250 STARTTLS\r\n"
UP_TO_CONTENT = (b"220 hello\r\n", HELLO, b"250 sender\r\n", b"250 recipient\r\n", b"354 go on\r\n")


def answer(connection: socket.socket, *answers: bytes) -> None:
    """Send these replies, the first at once, and keep reading after the last."""
    for each in answers:
        connection.sendall(each)
        connection.recv(1 << 16)


def reset(connection: socket.socket) -> None:
    """Reset the connection (RST)."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def in_the_content(connection: socket.socket) -> None:
    answer(connection, *UP_TO_CONTENT)
    reset(connection)


def no_tls_for_now(connection: socket.socket) -> None:
    answer(connection, b"220 hello\r\n", HELLO, b"454 4.7.0 TLS not available for now\r\n")


def in_the_handshake(connection: socket.socket) -> None:
    answer(connection, b"220 hello\r\n", HELLO, b"220 go on\r\n")
    reset(connection)


def another_protocol(connection: socket.socket) -> None:
    answer(connection, b"220 hello\r\n", HELLO, b"220 go on\r\n", b"500 what?\r\n")


@pytest.mark.parametrize(
    ("scheme", "talk", "why"),
    [
        ("smtp", in_the_content, "broke off"),
        ("smtp+starttls", no_tls_for_now, "454 4.7.0"),
        ("smtp+starttls", in_the_handshake, "broke off"),
        ("smtp+starttls", another_protocol, "SSLError"),
        ("smtps", lambda connection: answer(connection, b"220 hello\r\n"), "SSLError"),
    ],
    ids=["reset in the content", "no TLS for now", "reset in the handshake", "no TLS after all", "no TLS at all"],
)
def test_a_line_that_breaks_may_be_tried_again(scheme: str, talk: Talk, why: str) -> None:
    with serving(talk) as port, pytest.raises(TransientFailure, match=why) as broken:
        Relay.from_url(f"{scheme}://127.0.0.1:{port}", timeout=PATIENCE).deliver(MESSAGE)
    assert broken.value.mend == ("NOVALUNA_SMTP_URL" if why == "SSLError" else None)
    with relays.running() as relay:
        Relay.from_url(f"smtp://127.0.0.1:{relay.port}", timeout=PATIENCE).deliver(MESSAGE)
        assert relay.mails == [to_bytes(MESSAGE)]


def test_a_host_that_nobody_knows_may_be_mended(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*asked: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    with pytest.raises(TransientFailure, match="gaierror") as broken:
        Relay.from_url("smtp://mail.example.org").deliver(MESSAGE)
    assert broken.value.mend == "NOVALUNA_SMTP_URL"


def test_a_relay_slow_to_acknowledge_is_waited_for_to_avoid_doubles() -> None:
    patience = 1.0

    def slowly(connection: socket.socket) -> None:
        answer(connection, *UP_TO_CONTENT)
        Event().wait(1.5 * patience)
        answer(connection, b"250 taken\r\n")

    with serving(slowly) as port:
        Relay.from_url(f"smtp://127.0.0.1:{port}", timeout=patience).deliver(MESSAGE)


def test_what_a_relay_says_in_any_script_can_be_read() -> None:
    def politely(connection: socket.socket) -> None:
        answer(connection, *UP_TO_CONTENT[:-2], "451 boîte pleine, réessayez\r\n".encode())

    with serving(politely) as port, pytest.raises(TransientFailure, match="451 boîte pleine, réessayez"):
        Relay.from_url(f"smtp://127.0.0.1:{port}", timeout=PATIENCE).deliver(MESSAGE)
