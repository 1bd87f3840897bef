"""gzip for responses of more than a kilobyte if the client accepts it, and in no other case."""

import gzip
import re
from collections.abc import Callable

import pytest
from flask import Flask

from service.api.compression import LEAST
from tests.support.http_games import Game, SignUp, start
from tests.support.web import Person, codes_for

GZIP = {"Accept-Encoding": "gzip"}


@pytest.fixture
def game(app: Flask, ann: Person, sign_up: SignUp) -> Game:
    return start(app.test_client(), ann, sign_up("Ben"))


@pytest.mark.parametrize("suffix", ["", "?at=0", "/legal-moves", "/board.svg", "/record", "/moves"])
def test_an_answer_is_the_same_compressed_and_not(game: Game, ann: Person, suffix: str) -> None:
    game.move()
    plain = game.client.get(game.path + suffix, headers=ann.headers)
    packed = game.client.get(game.path + suffix, headers=ann.headers | GZIP)
    assert plain.status_code == packed.status_code == 200
    assert "Content-Encoding" not in plain.headers
    assert plain.headers.get("ETag") == packed.headers.get("ETag")
    assert plain.headers["Vary"] == packed.headers["Vary"]
    if len(plain.data) < LEAST:
        assert packed.data == plain.data and "Accept-Encoding" not in plain.headers["Vary"]
        return
    assert "Accept-Encoding" in plain.headers["Vary"] and "Authorization" in plain.headers["Vary"]
    assert packed.headers["Content-Encoding"] == "gzip"
    assert int(packed.headers["Content-Length"]) == len(packed.data) < len(plain.data)
    assert gzip.decompress(packed.data) == plain.data


@pytest.mark.parametrize("path", ["/v1/tiles", "/v1/rules", "/openapi.json", "/docs", "/rules", "/verify", "/offline"])
def test_what_everybody_may_see_is_compressed(app: Flask, path: str) -> None:
    plain, packed = (app.test_client().get(path, headers=headers) for headers in ({}, GZIP))
    assert gzip.decompress(packed.data) == plain.data
    assert "Accept-Encoding" in plain.headers["Vary"]


def test_a_move_is_sent_back_the_tag_of_a_compressed_view(game: Game) -> None:
    mover, body = game.to_move(), game.first()
    del body["expected_version"]
    tag = game.client.get(game.path, headers=mover.headers | GZIP).headers["ETag"]
    made = game.post(mover, body, {"If-Match": tag} | GZIP)
    assert made.status_code == 201 and made.headers["Content-Encoding"] == "gzip"
    again = game.client.get(game.path, headers=mover.headers | GZIP | {"If-None-Match": made.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")
    assert "Content-Encoding" not in again.headers and "Accept-Encoding" in again.headers["Vary"]


@pytest.mark.parametrize(
    ("header", "is_taken"),
    [
        ("", False),
        ("br", False),
        ("gzip", True),
        ("GZIP", True),
        ("br, gzip;q=0.2", True),
        ("gzip;q=0", False),
        ("*;q=0", False),
        ("gzip;q=0, *", False),
        ("deflate, *", True),
        ("identity;q=1, *;q=0", False),
        ("gzip" + " " * 300, False),
    ],
)
def test_a_client_says_whether_it_takes_gzip(app: Flask, header: str, is_taken: bool) -> None:
    answer = app.test_client().get("/v1/tiles", headers={"Accept-Encoding": header})
    assert ("Content-Encoding" in answer.headers) == is_taken


def test_secrets_and_pictures_are_left_alone(
    app: Flask, game: Game, ann: Person, make_app: Callable[..., Flask]
) -> None:
    client = app.test_client()
    assert "Content-Encoding" not in game.client.get(f"{game.path}/board.png", headers=ann.headers | GZIP).headers
    assert client.post("/v1/sign-ins", json={"email": ann.email}, headers=GZIP).status_code == 202
    given = {"email": ann.email, "code": codes_for(app, ann.email)[0]}
    made = client.post("/v1/tokens", json=given, headers=GZIP)
    assert made.status_code == 201 and "Content-Encoding" not in made.headers
    page = client.get("/sign-in", headers=GZIP)
    assert page.status_code == 200 and len(page.data) > LEAST
    assert "Content-Encoding" not in page.headers and "Accept-Encoding" not in page.headers["Vary"]


_NONCE = re.compile(rb'(?<=name="form" value=")[^"]*')
"""What a form has that no other one has."""


@pytest.mark.parametrize("path", ["/games/{}", "/", "/tables/open"])
def test_the_page_of_a_table_hides_its_compressed_length(app: Flask, game: Game, path: str) -> None:
    """A secret beside text that others chose cannot be found by the lengths of many responses (BREACH)."""
    client = app.test_client()
    plain = client.get(path.format(game.id))
    pages = [client.get(path.format(game.id), headers=GZIP) for _ in range(12)]
    assert {page.headers["Content-Encoding"] for page in pages} == {"gzip"}
    assert {_NONCE.sub(b"", gzip.decompress(page.data)) for page in pages} == {_NONCE.sub(b"", plain.data)}
    assert len({len(page.data) for page in pages}) > 3
    assert max(len(page.data) for page in pages) < 60_000
