"""The middleware that compresses, around small applications: which responses, and what becomes of their headers."""

import gzip
from collections.abc import Iterable
from typing import Any

import pytest

from service.api.compression import LEAST, MOST, Compression


class Body(list[bytes]):
    """A body that notes that it was closed."""

    is_closed = False

    def close(self) -> None:
        self.is_closed = True


class Sent:
    """A response as the web server gets it from an application that answers with this size, status and type."""

    def __init__(
        self,
        size: int,
        *,
        status: str = "200 OK",
        kind: str = "application/json",
        path: str = "/v1/tiles",
        method: str = "GET",
        more: Iterable[tuple[str, str]] = (),
        accept: str = "gzip",
    ) -> None:
        self.plain = Body([b"a" * (size // 2), b"b" * (size - size // 2)])
        headers = [("Content-Type", kind), ("Content-Length", str(size)), *more]

        def app(environ: Any, start_response: Any) -> Iterable[bytes]:
            start_response(status, headers)
            return self.plain

        environ = {"REQUEST_METHOD": method, "PATH_INFO": path, "HTTP_ACCEPT_ENCODING": accept}
        self.status, self.headers = "", dict[str, str]()
        middleware: Any = Compression(app)
        self.body = b"".join(middleware(environ, self._start))

    def _start(self, status: str, headers: list[tuple[str, str]], *_: object) -> None:
        assert len(dict(headers)) == len(headers), "no header is there twice"
        self.status, self.headers = status, dict(headers)

    @property
    def is_compressed(self) -> bool:
        if "Content-Encoding" not in self.headers:
            assert self.body == b"".join(self.plain)
            return False
        assert self.headers["Content-Encoding"] == "gzip" and gzip.decompress(self.body) == b"".join(self.plain)
        assert self.headers["Content-Length"] == str(len(self.body)) and self.plain.is_closed
        return True


@pytest.mark.parametrize(
    ("size", "is_compressed"), [(LEAST - 1, False), (LEAST, True), (20_000, True), (MOST, True), (MOST + 1, False)]
)
def test_only_sizes_that_are_worth_it_are_compressed(size: int, is_compressed: bool) -> None:
    sent = Sent(size)
    assert sent.is_compressed == is_compressed and ("Vary" in sent.headers) == is_compressed


@pytest.mark.parametrize(
    ("more", "is_compressed"),
    [
        ({"status": "201 CREATED"}, True),
        ({"method": "POST"}, True),
        ({"kind": "text/html; charset=utf-8", "path": "/docs"}, True),
        ({"status": "422 UNPROCESSABLE CONTENT"}, False),
        ({"method": "PUT"}, False),
        ({"kind": "image/png"}, False),
        ({"path": "/games/x"}, True),
        ({"path": "/tables"}, False),
        ({"path": "/v1/tokens"}, False),
        ({"path": "/v1/me/calendar"}, False),
        ({"more": [("Content-Encoding", "br")]}, None),
    ],
)
def test_what_is_compressed_depends_on_status_method_type_and_path(
    more: dict[str, Any], is_compressed: bool | None
) -> None:
    sent = Sent(5000, **more)
    if is_compressed is None:
        assert sent.headers["Content-Encoding"] == "br" and sent.body == b"".join(sent.plain)
    else:
        assert sent.is_compressed == is_compressed


def test_a_response_that_might_be_compressed_varies_by_that_too() -> None:
    sent = Sent(5000, more=[("Vary", "Authorization")], accept="br")
    assert not sent.is_compressed and sent.headers["Vary"] == "Authorization, Accept-Encoding"


def test_an_unchanged_response_varies_like_the_one_that_is_still_valid() -> None:
    assert Sent(0, status="304 NOT MODIFIED").headers["Vary"] == "Accept-Encoding"
    assert "Vary" not in Sent(0, status="304 NOT MODIFIED", path="/v1/games/x/board.png").headers
    assert Sent(0, status="304 NOT MODIFIED").status == "304 NOT MODIFIED"


def test_the_same_large_body_has_the_same_bytes() -> None:
    assert Sent(50_000).body == Sent(50_000).body != Sent(50_002).body
