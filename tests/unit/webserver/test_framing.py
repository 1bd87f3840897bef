"""Where requests end, how long they may be, and what their headers cannot claim, over real connections."""

import json
import os
from collections.abc import Iterator
from contextlib import ExitStack, closing
from email.utils import parsedate_to_datetime
from functools import partial
from pathlib import Path

import pytest
from gevent.socket import socketpair
from gunicorn.http.errors import LimitRequestHeaders

from service.webserver.connection import MOST_HEAD, HttpConnection
from tests.support.at_once import at_once
from tests.support.running import free_port
from tests.unit.webserver.environ_app import ADDRESS
from tests.unit.webserver.web_server import TILES, Server, read_all, serve

pytestmark = pytest.mark.xdist_group("web server")


@pytest.fixture(scope="module")
def telling(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Run a server whose application answers with what it was told."""
    yield from serve(tmp_path_factory.mktemp("telling"), free_port(), app="tests.unit.webserver.environ_app:app")


GET = b"GET /v1/tiles HTTP/1.1\r\nHost: x\r\nX-Note: content-length: 7, transfer-encoding: chunked\r\n\r\n"
POST = b"POST /v1/games HTTP/1.1\r\nHost: x\r\ncontent-LENGTH: 12\r\n\r\n" + b'{"seats": 2}'
CHUNKED = (
    b"POST /v1/games HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
    b'5;ext="a"\r\n{"sea\r\n7\r\nts": 2}\r\n0\r\nX-Note: y\r\n\r\n'
)


@pytest.mark.parametrize(("sent", "body"), [(GET, ""), (POST, '{"seats": 2}'), (CHUNKED, '{"seats": 2}')])
def test_a_request_may_come_in_pieces_and_others_right_behind(telling: Server, sent: bytes, body: str) -> None:
    with telling.connect() as connection:
        for byte in sent[:-1]:
            connection.sendall(bytes([byte]))
        assert telling.ask()[0] == 200
        connection.sendall(sent[-1:] + sent + b"GET /last HTTP/1.0\r\n\r\n")
        answers = read_all(connection)
    assert [status for status, _ in answers] == [200] * 3
    assert [told["body"] for _, told in answers] == [body, body, ""]
    assert answers[-1][1]["PATH_INFO"] == "/last"


FRAMINGS = [
    b"Content-Length: x",
    b"Content-Length: -1",
    b"Content-Length: +5",
    b"Content-Length: 5_0",
    b"Content-Length: 0x5",
    b"Content-Length: 5, 5",
    b"Content-Length: 1" + b"0" * 5000,
    b"Content-Length: 5\r\nContent-Length: 5",
    b"Content-Length: 5\r\nContent-Length: 0",
    b"Content-Length : 5",
    b"Content-Length:\r\n 5",
    b"Content-Length: 5\r\nTransfer-Encoding: chunked",
    b"Transfer-Encoding: chunked\r\nContent-Length: 5",
    b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
    b"Transfer-Encoding: gzip",
    b"Transfer-Encoding: chunked, identity",
    b"Transfer-Encoding: xchunked",
    b"Transfer-Encoding : chunked",
    b"Transfer-Encoding:\x0bchunked",
    b"Transfer-Encoding: chunked\n",
    b"X: y\nTransfer-Encoding: chunked",
]
CHUNKS = [
    b"zz\r\n",
    b"-5\r\n",
    b"0x5\r\n",
    b"5_0\r\n",
    b"\r\n",
    b"1\r\nxy\r\n",
    b"1\nx\n",
    b"1;a\rb\r\nx\r\n",
]


@pytest.mark.parametrize(
    "head",
    [*FRAMINGS, *(b"Transfer-Encoding: chunked\r\n\r\n" + chunk for chunk in CHUNKS)],
    ids=lambda head: repr(head[:60]),
)
def test_what_leaves_open_where_a_request_ends_is_refused_for_good(telling: Server, head: bytes) -> None:
    [(status, problem)] = telling.tell(b"POST / HTTP/1.1\r\nHost: x\r\n" + head + b"\r\n\r\nhello" + TILES)
    assert (status, problem["code"]) == (400, "bad_request")


@pytest.mark.parametrize("size", [1, 1000, 64 * 1024])
@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"GET /%s HTTP/1.1\r\n\r\n" % (b"x" * 9000), 414),
        (b"GET / HTTP/1.1\r\n" + b"".join(b"X-%d: y\r\n" % n for n in range(65)) + b"\r\n", 431),
        (b"GET / HTTP/1.1\r\n" + b"".join(b"X-%d: %s\r\n" % (n, b"x" * 8000) for n in range(5)) + b"\r\n", 431),
        (b"GET / HTTP/1.1\r\nX: %s\r\n\r\n" % (b"x" * 9000), 431),
    ],
    ids=["line", "fields", "all", "field"],
)
def test_a_head_that_is_too_long_is_refused(telling: Server, sent: bytes, status: int, size: int) -> None:
    with telling.connect() as connection:
        for at in range(0, len(sent), size):
            connection.sendall(sent[at : at + size])
        [(answered, problem)] = read_all(connection)
    assert answered == status
    assert problem["status"] == status


@pytest.mark.parametrize(
    ("head", "status"),
    [
        (b"GET /v1/tiles HTTP/1.1\r\n", 400),
        (b"GET /v1/tiles HTTP/1.1\r\nHost: x\r\nHost: x\r\n", 400),
        (b"GET /v1/tiles HTTP/1.0\r\nHost: x\r\nhost: y\r\n", 400),
        (b"GET /v1/tiles HTTP/1.0\r\n", 200),
        (b"GET /v1/tiles HTTP/1.1\r\nHost:\r\nConnection: close\r\n", 200),
    ],
    ids=["none", "twice", "two", "none needed", "empty"],
)
def test_a_request_names_one_host(telling: Server, head: bytes, status: int) -> None:
    answers = telling.tell(head + b"\r\n")
    assert [each for each, _ in answers] == [status]


def test_a_refusal_without_the_application_has_an_id_that_is_logged(telling: Server) -> None:
    with telling.connect() as connection:
        connection.sendall(b"GET / HTTP/1.1\r\n\r\n")
        head = b"".join(iter(partial(connection.recv, 65_536), b"")).partition(b"\r\n\r\n")[0].decode()
    headers = dict(line.split(": ", 1) for line in head.splitlines()[1:])
    assert headers["Cache-Control"] == "no-store" and parsedate_to_datetime(headers["Date"])
    logged = [json.loads(line) for line in telling.log.read_text().splitlines()]
    [line] = [each for each in logged if each.get("request") == headers["X-Request-Id"]]
    assert (line["event"], line["status"]) == ("unreadable request", 400)


@pytest.mark.parametrize("before", [1, 24 * 1024 + 1, MOST_HEAD - 1])
def test_no_byte_beyond_the_longest_head_is_read_however_it_arrives(before: int) -> None:
    near, far = socketpair()
    with closing(near), closing(far):
        connection = HttpConnection(near, {})
        far.sendall(b"x" * before)
        while connection.received < before:
            connection.recv(8192)
        far.sendall(b"x" * MOST_HEAD)
        with pytest.raises(LimitRequestHeaders):
            while True:
                connection.recv(8192)
        assert connection.received == MOST_HEAD


OBEYED = [
    "SCRIPT_NAME",
    "SCRIPT-NAME",
    "HTTP_SCRIPT_NAME",
    "X-SCRIPT-NAME",
    "X-FORWARDED-PREFIX",
    "X_FORWARDED_PREFIX",
    "PATH_INFO",
    "PATH-INFO",
    "REQUEST_URI",
    "X-ORIGINAL-URL",
    "X-REWRITE-URL",
    "X-FORWARDED-PATH",
    "X-FORWARDED-URI",
    "REMOTE_USER",
    "REMOTE-USER",
    "REMOTE_ADDR",
    "REMOTE-ADDR",
    "X-FORWARDED-FOR",
    "X_FORWARDED_FOR",
    "X-REAL-IP",
    "X-CLIENT-IP",
    "FORWARDED",
    "X-FORWARDED-HOST",
    "X-FORWARDED-PORT",
    "X-FORWARDED-PROTO",
    "X-FORWARDED-PROTOCOL",
    "X-FORWARDED-SSL",
    "X-FORWARDED-SCHEME",
    "X-SCHEME",
    "FRONT-END-HTTPS",
    "HTTPS",
    "X-URL-SCHEME",
    "SERVER_NAME",
    "SERVER_PORT",
    "REQUEST_METHOD",
    "X-HTTP-METHOD-OVERRIDE",
    "X-HTTP-METHOD",
    "X-METHOD-OVERRIDE",
    "QUERY_STRING",
    "CONTENT_LENGTH",
    "CONTENT_TYPE",
    "HTTP_HOST",
    "AUTH_TYPE",
    "WSGI.URL_SCHEME",
    "PROXY",
    "X-SENDFILE-TYPE",
    "X-ACCEL-MAPPING",
    "UPGRADE",
    "HTTP2-SETTINGS",
]


@pytest.mark.parametrize("value", ["/v1", "https", "on", "DELETE", "10.1.2.3"])
def test_no_header_changes_a_request_s_path_method_or_sender(telling: Server, value: str) -> None:
    def asked(**headers: str) -> dict[str, str]:
        status, told = telling.ask("GET", "/v1/tiles?a=b", **headers)
        assert status == 200
        return {
            name: said
            for name, said in told.items()
            if (name != "REMOTE_PORT" and name[:5] != "HTTP_") or name == "HTTP_HOST"
        }

    plain = asked()
    assert (plain["PATH_INFO"], plain["SCRIPT_NAME"], plain["REMOTE_ADDR"]) == ("/v1/tiles", "", "127.0.0.1")
    assert plain["wsgi.url_scheme"] == "http"
    for name in OBEYED:
        assert asked(**{name: value}) == plain, name


def spent(server: Server) -> float:
    """Return the seconds of CPU time that the server's processes have used."""
    told = [Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split() for pid in server.processes()]
    return sum(int(each[11]) + int(each[12]) for each in told) / os.sysconf("SC_CLK_TCK")


def test_a_body_of_tiny_chunks_costs_little_and_holds_nobody_up(telling: Server) -> None:
    bomb = b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n" + b"1\r\nx\r\n" * 80_000 + b"0\r\n\r\n"
    before = spent(telling)
    with ExitStack() as stack:
        bombs = [stack.enter_context(telling.connect()) for _ in range(4)]
        answers = []
        at_once(*[partial(each.sendall, bomb) for each in bombs], lambda: answers.append(telling.ask()))
        assert answers[0][0] == 200
        for connection in bombs:
            [(_, told)] = read_all(connection)
            assert len(told["body"]) > 64 * 1024  # which the application says is too large
    assert spent(telling) - before < 4 * 0.2


def test_a_body_in_small_chunks_that_is_no_attack_is_read(telling: Server) -> None:
    for size, length in ((1, 5000), (64, 65_536), (1024, 65_536), (65_536, 65_536)):
        status, told = telling.ask("POST", "/", iter([b"x" * size] * (length // size)))
        assert (status, told["body"]) == (200, "x" * (length // size * size))


def test_what_goes_wrong_is_json_with_its_reason_and_no_more(telling: Server) -> None:
    for sent in (b"GET /crash?secret=sauce HTTP/1.0\r\nX: hidden\r\n\r\n", b"GET /crash?secret=sauce HIDDEN\r\n\r\n"):
        telling.tell(sent)
    lines = telling.log.read_text()
    events = [json.loads(line) for line in lines.splitlines()]
    assert all({"event", "level", "logger", "timestamp"} <= event.keys() for event in events)
    reasons = [
        link["text"] for event in events for link in event.get("error", []) if link["kind"] == "builtins.OSError"
    ]
    assert reasons == [
        f"[Errno 28] No space left on device: '… {where}'" for where in ("greenlet", "thread", "request")
    ]
    assert any(event["logger"] == "py.warnings" for event in events)
    for private in (ADDRESS, "sauce", "idden", "127.0.0.1"):
        assert private.lower() not in lines.lower()
