"""When a request is whole, however its bytes come in."""

import pytest
from gunicorn.config import Config
from gunicorn.http import RequestParser
from gunicorn.http.errors import NoMoreData
from werkzeug import Request

from service.api.bodies import MAX_BODY, READ_LIMIT
from service.incoming import MOST_HEAD, Incoming

GET = b"GET /v1/tiles HTTP/1.1\r\nHost: x\r\nX-Note: content-length: 7, transfer-encoding: chunked\r\n\r\n"
POST = b"POST /v1/games HTTP/1.1\r\nHost: x\r\ncontent-LENGTH: 12\r\n\r\n" + b'{"seats": 2}'
CHUNKED = (
    b"POST /v1/games HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
    b'5;ext="a\r\n{"sea\r\n7\r\nts": 2}\r\n0\r\nTrailer: \r\n\r\n'
)
NEXT = b"GET /next HTTP/1.1\r\n\r\n"


def fed(*pieces: bytes) -> Incoming:
    incoming = Incoming()
    for piece in pieces:
        incoming.feed(piece)
    return incoming


@pytest.mark.parametrize("request_", [GET, POST, CHUNKED], ids=["get", "post", "chunked"])
def test_it_is_whole_with_its_last_byte_and_not_before(request_: bytes) -> None:
    incoming = Incoming()
    for at in range(len(request_)):
        assert not incoming.complete
        assert not incoming.whole
        incoming.feed(request_[at : at + 1])
    assert incoming.complete
    assert incoming.whole
    assert (incoming.request, incoming.rest) == (request_, b"")


@pytest.mark.parametrize("request_", [GET, POST, CHUNKED], ids=["get", "post", "chunked"])
def test_what_comes_after_it_is_the_next_one_s(request_: bytes) -> None:
    incoming = fed(request_ + NEXT)
    assert (incoming.request, incoming.rest) == (request_, NEXT)
    assert fed(incoming.rest).whole


@pytest.mark.parametrize(
    "head",
    [
        b"Content-Length: x",
        b"Content-Length: -1",
        b"Content-Length: 1" + b"0" * 5000,
        b"Content-Length: 5\r\nContent-Length: 5",
        b"Content-Length: 5\r\nTransfer-Encoding: chunked",
        b"Transfer-Encoding: gzip",
        b"Content-Length: %d" % (MAX_BODY + 1),
        b"Transfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"Transfer-Encoding: chunked\r\n\r\n-5\r\n",
        b"Transfer-Encoding: chunked\r\n\r\n" + b"0" * 5000,
    ],
)
def test_what_is_wrong_or_too_large_is_handed_on_and_nothing_follows_it(head: bytes) -> None:
    incoming = fed(b"POST / HTTP/1.1\r\n" + head + b"\r\n\r\n")
    assert incoming.complete
    assert not incoming.whole
    assert incoming.rest == b""


def test_a_head_that_does_not_end_is_handed_on_once_it_is_too_long() -> None:
    assert not fed(b"GET / HTTP/1.1\r\n", b"a: b\r\n" * 100).complete
    for piece in (b"a: b\r\n" * 10_000, b"x" * 100_000):
        incoming = fed(b"GET / HTTP/1.1\r\n", piece)
        assert incoming.complete
        assert not incoming.has_head


@pytest.mark.parametrize("size", [1, 1000, MOST_HEAD, 64 * 1024])
def test_a_head_that_is_too_long_is_refused_as_that_though_its_end_came_with_it(size: int) -> None:
    sent = b"GET / HTTP/1.1\r\nHost: x\r\n" + b"".join(b"X-%d: %s\r\n" % (n, b"x" * 8000) for n in range(5)) + b"\r\n"
    incoming = Incoming()
    assert any(incoming.feed(sent[at : at + size]) for at in range(0, len(sent), size))
    assert not incoming.has_head and not incoming.whole
    with pytest.raises(NoMoreData):  # for which `service.web_connection` says that there is too much
        next(RequestParser(Config(), iter([incoming.request]), ("127.0.0.1", 1)))


@pytest.mark.parametrize("size", [7, 1000, 1024, 60_000, MAX_BODY, MAX_BODY + 1, READ_LIMIT + 1024, 1 << 31])
def test_of_a_body_in_chunks_that_is_too_large_comes_what_the_application_needs_to_see_it(size: int) -> None:
    chunk = b"%x\r\n" % size + b"x" * min(size, 2 * MAX_BODY) + b"\r\n"
    sent = b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk * (2 * MAX_BODY // size + 1)
    incoming = Incoming()
    assert any(incoming.feed(sent[at : at + 1]) for at in range(len(sent)))
    assert not incoming.whole
    parsed = next(RequestParser(Config(), iter([incoming.request]), ("127.0.0.1", 1)))
    asked = Request({"REQUEST_METHOD": "POST", "wsgi.input": parsed.body, "wsgi.input_terminated": True})
    asked.max_content_length = READ_LIMIT  # as Flask sets it
    assert asked.get_data() == b"x" * READ_LIMIT


def test_of_a_body_with_more_framing_than_content_no_more_is_kept_than_of_any() -> None:
    chunk = b"1;" + b"x" * 4000 + b"\r\nx\r\n"
    incoming = fed(b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n")
    while not incoming.feed(chunk):
        assert len(incoming.data) < 10 * MAX_BODY
    assert not incoming.whole


def test_what_a_client_waits_for_is_seen() -> None:
    assert fed(b"POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n").expects
    assert fed(b"GET / HTTP/1.0\r\n\r\n").closes
    assert fed(b"GET / HTTP/1.1\r\nConnection: close\r\n\r\n").closes
    assert not fed(GET).closes
    assert fed(GET).asks_for(b"GET /v1/tiles ")
