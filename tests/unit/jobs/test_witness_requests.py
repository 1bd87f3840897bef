"""Requests to witnesses over HTTP: what they send is limited in size and time, and no redirect is followed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread

import pytest

from service.checkpoints.proofs import Consistency
from service.jobs import witnesses
from tests.support import made_log

Answer = Callable[[BaseHTTPRequestHandler, bytes], None]


@contextmanager
def _serving(answer: Answer) -> Iterator[str]:
    """Yield the URL of a server that answers each POST so."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            answer(self, self.rfile.read(int(self.headers["Content-Length"])))

        def log_message(self, *_: object) -> None:
            """Write no log."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/submit/add-checkpoint"
    server.shutdown()
    thread.join()
    server.server_close()


def _send(handler: BaseHTTPRequestHandler, status: int, body: bytes, **headers: str) -> None:
    handler.send_response(status)
    for name, value in headers.items():
        handler.send_header(name, value)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)


def test_the_body_is_sent_and_the_answer_returned() -> None:
    got = []

    def answer(handler: BaseHTTPRequestHandler, body: bytes) -> None:
        got.append((handler.path, body))
        _send(handler, 409, b"512\n")

    with _serving(answer) as url:
        assert witnesses.post(url, "old 256\n— x\n") == (409, b"512\n")
    assert got == [("/submit/add-checkpoint", "old 256\n— x\n".encode())]


def test_only_the_beginning_of_a_long_answer_is_read() -> None:
    with _serving(lambda handler, _: _send(handler, 200, b"x" * 100_000)) as url:
        assert witnesses.post(url, "") == (200, b"x" * 16_384)


def test_a_redirect_is_an_answer_like_others() -> None:
    with _serving(lambda handler, _: _send(handler, 302, b"", Location="http://127.0.0.1:1/")) as url:
        assert witnesses.post(url, "") == (302, b"")


def test_a_witness_that_sends_little_by_little_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(witnesses, "SECONDS", 0.5)
    is_over = Event()

    def answer(handler: BaseHTTPRequestHandler, _: bytes) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", "1000000")
        handler.end_headers()
        try:
            while not is_over.wait(0.05):
                handler.wfile.write(b"x")
        except OSError:  # as it should be
            pass

    with _serving(answer) as url:
        try:
            status, body = witnesses.post(url, "")
            assert (status, len(body) < 1000) == (200, True)
        except OSError:
            pass
        finally:
            is_over.set()


@pytest.mark.parametrize("url", ["ftp://w1.example/", "https:///x", "w1.example", "file:///etc/passwd"])
def test_only_http_addresses_are_asked(url: str) -> None:
    with pytest.raises(ValueError, match="begins with https"):
        witnesses.post(url, "")


def test_a_witness_that_names_another_size_is_asked_once_more() -> None:
    key = made_log.witness(1).public
    asked: list[int] = []

    def answer(url: str, body: str) -> tuple[int, bytes]:
        return 409, b"%d\n" % len(asked)

    def prove(old: int) -> Consistency:
        asked.append(old)
        return Consistency(old, (), "note\n")

    found = witnesses.ask(answer, key, "https://witness.example", 9, 0, prove)
    assert asked == [0, 1]
    assert found.line is None and not found.is_ahead and "does not take a proof" in found.problem
