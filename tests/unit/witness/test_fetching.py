"""Reading a log over HTTP: its bounds of time and size, and what is tried again."""

import socket
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager

import pytest

from service.witness import fetching
from service.witness.errors import NotReached
from service.witness.fetching import Service
from tests.support.log_server import LogServer, serving
from tests.support.made_log import MadeLog


@pytest.fixture
def server() -> Iterator[LogServer]:
    log = MadeLog()
    log.batch()
    with serving(log) as running:
        yield running


@contextmanager
def raw(*chunks: bytes, forever: bytes = b"") -> Iterator[str]:
    """Serve one connection at a time that is sent these bytes after its request, the last of them again and again."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        stopped = threading.Event()

        def run() -> None:
            while not stopped.is_set():
                try:
                    connection, _ = listening.accept()
                except OSError:
                    return
                with connection:
                    connection.recv(65_536)
                    try:
                        for chunk in chunks:
                            connection.sendall(chunk)
                        while forever and not stopped.wait(0.005):
                            connection.sendall(forever)
                    except OSError:
                        pass  # the client has gone away

        thread = threading.Thread(target=run)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            stopped.set()
            listening.shutdown(socket.SHUT_RDWR)
            thread.join()


@pytest.mark.parametrize("start", [b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n", b"HTTP/1.1 200 OK\r\nX: "])
def test_answer_that_drips_is_cut(monkeypatch: pytest.MonkeyPatch, start: bytes) -> None:
    monkeypatch.setattr(fetching, "DEADLINE", 0.2)
    with raw(start, forever=b"a") as url, closing(Service(url)) as service, pytest.raises(NotReached):
        service.logs()


def test_silence_ends_after_the_timeout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetching, "TIMEOUT", 0.05)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        with closing(Service(url)) as service, pytest.raises(NotReached, match="timed out"):
            service.logs()


def test_endless_answer_is_read_no_further_than_its_bound() -> None:
    with raw(b"HTTP/1.1 200 OK\r\n\r\n", forever=b"a" * 65_536) as url, closing(Service(url)) as service:
        assert len(service.note(1)) == 65_537
        with pytest.raises(NotReached, match="does not have 64 bytes"):
            service.tile(1, 1, 0, 2)


@pytest.mark.parametrize("sent", [b"", b"nonsense\r\n\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nshort"])
def test_what_is_no_answer_is_said_so(sent: bytes) -> None:
    with raw(sent) as url, closing(Service(url)) as service, pytest.raises(NotReached):
        service.logs()


def test_connection_that_was_closed_meanwhile_is_opened_again(server: LogServer) -> None:
    with closing(Service(server.url)) as service:
        assert service.logs()
        connection = service._connection
        assert connection is not None and connection.sock is not None
        connection.sock.shutdown(socket.SHUT_RDWR)
        assert service.logs()


def test_service_that_asks_to_wait_is_waited_for(server: LogServer) -> None:
    pauses: list[float] = []
    answers = [(429, {"Retry-After": "7"}, b""), (503, {"Retry-After": "0"}, b"")]

    def answer() -> tuple[int, dict[str, str], bytes]:
        return answers.pop(0) if answers else (200, {}, b"note")

    server.answers["/v1/checkpoints/1/checkpoint"] = answer
    with closing(Service(server.url, pauses.append)) as service:
        assert service.note(1) == b"note"
        assert pauses == [7, 1]


@pytest.mark.parametrize("asked", ["", "61", "Sun, 29 Nov 2026 12:00:00 GMT", "-1", "9" * 30])
def test_service_that_asks_to_wait_too_long_is_not_waited_for(server: LogServer, asked: str) -> None:
    server.answers["/v1/checkpoints/1/checkpoint"] = lambda: (429, {"Retry-After": asked}, b"")
    pauses: list[float] = []
    with closing(Service(server.url, pauses.append)) as service, pytest.raises(NotReached, match="HTTP 429"):
        service.note(1)
    assert pauses == []


def test_service_that_asks_to_wait_for_ever_is_left(server: LogServer) -> None:
    server.answers["/v1/checkpoints/1/checkpoint"] = lambda: (429, {"Retry-After": "1"}, b"")
    pauses: list[float] = []
    with closing(Service(server.url, pauses.append)) as service, pytest.raises(NotReached, match="HTTP 429"):
        service.note(1)
    assert len(pauses) == 30
