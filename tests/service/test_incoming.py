"""When a request is whole, however its bytes come in."""

import pytest

from service.api.bodies import MAX_BODY, READ_LIMIT
from service.incoming import Incoming

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


def test_of_a_body_in_chunks_that_is_too_large_comes_what_shows_it() -> None:
    head = b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
    one = b"8000\r\n" + b"x" * 0x8000 + b"\r\n"
    assert not fed(head, one, one).complete
    endless = fed(head, one, one, b"ffffffff\r\n")
    assert not endless.complete
    assert endless.feed(b"x")
    assert not endless.whole
    assert len(endless.data) > READ_LIMIT
    assert fed(head, b"1\r\nx\r\n" * 2 * MAX_BODY).complete


def test_what_a_client_waits_for_is_seen() -> None:
    assert fed(b"POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n").expects
    assert fed(b"GET / HTTP/1.0\r\n\r\n").closes
    assert fed(b"GET / HTTP/1.1\r\nConnection: close\r\n\r\n").closes
    assert not fed(GET).closes
    assert fed(GET).asks_for(b"GET /v1/tiles ")
