"""No request costs the application more than half a second of CPU, whatever its body, query and headers contain."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from flask import Flask
from flask.testing import FlaskClient

from service.api.requests import MAX_BODY
from tests.drills.worst.cost import MOST, cpu
from tests.drills.worst.units import ALL, LETTERS, filled
from tests.support.http_games import Game
from tests.support.web import Person

pytestmark = pytest.mark.drill

_HEAD = 30 * 1024
"""The bytes of one header: as many as a web server might accept."""

_TEXT = MAX_BODY - 100

_DEEP = 30_000
BODIES: dict[str, bytes] = {
    "arrays": b"[" * _DEEP + b"]" * _DEEP,
    "arrays that don't end": b"[" * _TEXT,
    "objects": b'{"a":' * 12_000 + b"1" + b"}" * 12_000,
    "objects that don't end": b'{"a":' * 13_000,
    "a digit": b"9" * _TEXT,
    "a number": b'{"expected_version":' + b"9" * 64_000 + b"}",
    "a fraction": b'{"expected_version":0.' + b"9" * 64_000 + b"}",
    "an exponent": b'{"expected_version":1e' + b"9" * 64_000 + b"}",
    "numbers": b'{"a":[' + b"1e400," * 10_000 + b"1]}",
    "four thousand digits": b'{"a":[' + (b"9" * 4_299 + b",") * 14 + b"1]}",
    "members": b"{" + b",".join(b'"%d":1' % n for n in range(6_000)) + b"}",
    "members with long names": b"{" + b",".join(b'"%s%d":1' % (b"x" * 5_000, n) for n in range(12)) + b"}",
    "one member twice": b"{" + b'"a":1,' * 10_000 + b'"a":1}',
    "escapes": b'{"text":"' + b"\\u0301" * 10_000 + b'"}',
    "surrogates": b'{"text":"' + b"\\ud83d" * 10_000 + b'"}',
    "quotes": b'{"text":"' + b'\\"' * 30_000 + b'"}',
    "backslashes": b'{"text":"' + b"\\\\" * 30_000 + b'"}',
    "a text that does not end": b'{"text":"' + b"a" * 60_000,
    "spaces": b"{" + b" " * 60_000 + b"}",
    "nothing": b"\0" * 60_000,
    "marks of an order": b"\xef\xbb\xbf" * 20_000,
    "members of members": b'{"type":' + b'{"type":' * 8_000 + b"1" + b"}" * 8_001,
    "a list of lists": b'{"invitations":[' + b"[]," * 20_000 + b"[]]}",
}
FIELDS = (
    "name",
    "email",
    "text",
    "label",
    "code",
    "entropy",
    "language",
    "zone",
    "type",
    "letter",
    "visibility",
    "invitation",
)
HEADERS = (
    "Accept-Language", "Accept", "Accept-Encoding", "Authorization", "Cookie", "If-None-Match", "If-Match",
    "Idempotency-Key", "Content-Type", "Content-Length", "X-Forwarded-For", "X-Forwarded-Proto", "X-Forwarded-Host",
    "Forwarded", "Host", "Range", "If-Modified-Since", "If-Range", "Origin", "Referer", "User-Agent", "Via",
    "X-Request-Id", "Prefer",
)  # fmt: skip
VALUES = (
    "a", ",", ";", "a,", "a-", "a-a,", "en;q=", "en;q=0.1,", "*", "*,", '"', '"",', 'W/"', 'W/"5-2",', "=", "a=b; ",
    "a=b;a=", "%", "%41", "\\", " ", "(", "1", "1-", "bytes=0-1,", "1.", "127.0.0.1,", "::", "[", "for=", "Bearer ",
    "text/html;", "a/b; charset=utf-8", "a/b,", "a/b;q=1;", "\xe9", "é",
)  # fmt: skip
QUERIES = (
    "a",
    "&",
    "=",
    "a=b&",
    "a=&",
    "%",
    "%41",
    "%u",
    "+",
    ";",
    "[",
    "cursor=a&",
    "link=a.",
    ".",
    "-",
    "limit=1&",
    "%00",
    "%C3",
    "\u0301",
)
PATHS = (
    "/v1/games", "/v1/games/{id}", "/v1/games/{id}/messages", "/games/{id}", "/games/{id}/history", "/unsubscribe",
    "/never-mail", "/v1/games/{id}/board.svg", "/v1/games/{id}/moves", "/v1/me", "/v1/tiles", "/v1/rules", "/nothing",
    "/v1/nothing",
)  # fmt: skip


def _some(all: object, step: int) -> Iterator[tuple[str, Callable[[], object]]]:
    yield from list(all)[::step]  # type: ignore[call-overload]


def _dear(asked: Iterator[tuple[str, Callable[[], object]]]) -> list[str]:
    return [f"{name}: {cost:.2f} s" for name, work in asked if (cost := cpu(work)) >= MOST]


def _open(client: FlaskClient, person: Person, path: str, method: str, **more: object) -> Callable[[], object]:
    headers = {**person.headers, **more.pop("headers", {})}  # type: ignore[dict-item]
    return lambda: client.open(path, method=method, headers=headers, **more)  # type: ignore[arg-type]


@pytest.fixture
def ann(sign_up: Callable[..., Person]) -> Person:
    return sign_up("Ann", "ann@example.org")


@pytest.fixture
def game(client: FlaskClient, ann: Person) -> Game:
    made = client.post("/v1/games", json={"seats": 2}, headers=ann.headers)
    return Game(made.headers["Location"], (ann,), client)


def test_bodies(app: Flask, client: FlaskClient, ann: Person, game: Game, amount: Callable[..., int]) -> None:
    places = [
        ("POST", "/v1/games"), ("PATCH", "/v1/me"), ("POST", f"{game.path}/moves"), ("POST", f"{game.path}/messages"),
        ("POST", "/v1/tokens"), ("POST", "/v1/sign-ins"), ("PATCH", "/v1/me/notifications"),
        ("POST", f"{game.path}/notes"), ("POST", f"{game.path}/invitations"), ("POST", "/v1/solo-sessions"),
    ]  # fmt: skip
    asked = (
        (f"{name} to {path}", _open(client, ann, path, method, data=body, content_type="application/json"))
        for name, body in BODIES.items()
        for method, path in places
    )
    assert _dear(_some(asked, amount(1, 23))) == []


def test_texts(app: Flask, client: FlaskClient, ann: Person, game: Game, amount: Callable[..., int]) -> None:
    places = [
        ("PATCH", "/v1/me"),
        ("POST", f"{game.path}/messages"),
        ("POST", "/v1/tokens"),
        ("POST", f"{game.path}/invitations"),
    ]
    units = [*LETTERS, *(unit.decode() for unit in ALL if unit.isascii())]
    asked = (
        (
            f"{field} of {unit!r} to {path}",
            _open(
                client, ann, path, method, json={field: (unit * 30_000)[: _TEXT // (6 if not unit.isascii() else 2)]}
            ),
        )
        for unit in units
        for field in FIELDS
        for method, path in places
    )
    assert _dear(_some(asked, amount(4, 401))) == []


def test_marks_in_the_utf_8_of_a_body(app: Flask, client: FlaskClient, ann: Person, game: Game) -> None:
    heap = '{"%s":"' + "\u0301\u0316" * 15_000 + '"}'
    asked = (
        (
            f"{field} to {path}",
            _open(client, ann, path, method, data=(heap % field).encode(), content_type="application/json"),
        )
        for field, method, path in (
            ("name", "PATCH", "/v1/me"),
            ("email", "PATCH", "/v1/me"),
            ("text", "POST", f"{game.path}/messages"),
            ("label", "POST", "/v1/tokens"),
        )
    )
    assert _dear(asked) == []


def test_headers(app: Flask, client: FlaskClient, ann: Person, game: Game, amount: Callable[..., int]) -> None:
    asked = (
        (
            f"{name} of {value!r} to {path}",
            _open(
                client,
                ann,
                path,
                "GET",
                headers={name: (value * _HEAD)[:_HEAD].encode("latin-1", "replace").decode("latin-1")},
            ),
        )
        for name in HEADERS
        for value in VALUES
        for path in (game.path, f"{game.path}/record", "/nothing", f"/games/{game.id}")
    )
    assert _dear(_some(asked, amount(1, 101))) == []


def test_queries(app: Flask, client: FlaskClient, ann: Person, game: Game, amount: Callable[..., int]) -> None:
    asked = (
        (
            f"{unit!r} of {path}",
            _open(client, ann, path.format(id=game.id), "GET", query_string=begin + (unit * _HEAD)[:_HEAD]),
        )
        for unit in QUERIES
        for path in PATHS
        for begin in ("", "link=", "cursor=")
    )
    assert _dear(_some(asked, amount(1, 47))) == []


def test_paths(app: Flask, client: FlaskClient, ann: Person, amount: Callable[..., int]) -> None:
    asked = (
        (f"{begin}{unit!r}", _open(client, ann, begin + filled(unit, 8_000).decode("latin-1"), "GET"))
        for unit in ALL
        for begin in ("/", "/v1/games/", "/games/")
    )
    assert _dear(_some(asked, amount(1, 61))) == []
