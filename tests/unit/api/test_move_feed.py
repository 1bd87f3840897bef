"""The Atom feed of a public game's moves."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.support.http_games import Game, SignUp, play_out, start, start_solo

ATOM = "{http://www.w3.org/2005/Atom}"


@pytest.fixture
def game(client: FlaskClient, sign_up: SignUp) -> Game:
    return start(client, sign_up("Ann"), sign_up("בן"))


def read(game: Game, query: str = "", **headers: str) -> ET.Element:
    got = game.client.get(f"{game.path}/moves.atom{query}", headers=headers)
    assert (got.status_code, got.content_type) == (200, "application/atom+xml")
    return ET.fromstring(got.data)


def texts(feed: ET.Element, name: str) -> list[str]:
    return [entry.findtext(f"{ATOM}{name}", "") for entry in feed.iter(f"{ATOM}entry")]


def test_each_move_is_an_entry_in_a_sentence_newest_first(game: Game) -> None:
    assert texts(read(game), "id") == []
    for _ in range(3):
        game.move()
    feed, log = read(game), game.get("/moves").get_json()["items"]
    assert texts(feed, "updated") == [entry["at"] for entry in reversed(log)]
    assert [each.rpartition("/")[2] for each in texts(feed, "id")] == [
        f"{entry['seq']}-{entry['hash'][:8]}" for entry in reversed(log)
    ]
    first, *_ = reversed(texts(feed, "title"))
    assert re.fullmatch(r".+ placed tile \d+ \(.+\) at \(0, 0\)\.", first)
    names = ["Ann", "\u2068בן\u2069"]
    authors = [name.text for name in feed.iterfind(f".//{ATOM}entry/{ATOM}author/{ATOM}name")]
    assert authors == [names[entry["seat"]] for entry in reversed(log)]
    assert feed.findtext(f"{ATOM}updated") == log[-1]["at"]


def test_each_element_that_the_standard_requires_is_there_once(game: Game) -> None:
    game.move()
    feed = read(game)
    for one in (feed, feed.find(f"{ATOM}entry")):
        assert one is not None
        for name in ("id", "title", "updated"):
            assert len(one.findall(f"{ATOM}{name}")) == 1
        assert one.find(f"{ATOM}link[@rel='alternate']") is not None
    assert feed.find(f"{ATOM}author") is not None
    own = feed.find(f"{ATOM}link[@rel='self']")
    assert own is not None and own.get("href", "").endswith(f"{game.path}/moves.atom")


def test_feed_is_in_the_language_of_its_query_or_of_the_header(game: Game) -> None:
    game.move()
    for query, wanted, code in (("", "de, en;q=0.5", "de"), ("?language=fr", "de", "fr"), ("", "pl", "en")):
        feed = read(game, query, **{"Accept-Language": wanted})
        assert feed.get("{http://www.w3.org/XML/1998/namespace}lang") == code
        assert {"de": "hat", "fr": "posé", "en": "placed"}[code] in texts(feed, "title")[0]
    assert game.client.get(f"{game.path}/moves.atom?language=pl").status_code == 422


def test_nothing_is_sent_again_until_something_changes(game: Game) -> None:
    path = f"{game.path}/moves.atom"
    first = game.client.get(path)
    known = {"If-None-Match": first.headers["ETag"]}
    unchanged = game.client.get(path, headers=known)
    assert (unchanged.status_code, unchanged.data) == (304, b"")
    assert unchanged.headers["Cache-Control"] == first.headers["Cache-Control"] == "public, max-age=60"
    assert game.client.get(path, headers={**known, "Accept-Language": "fr"}).status_code == 200
    game.move()
    assert game.client.get(path, headers=known).status_code == 200


def test_only_public_games_have_one_even_for_their_players(client: FlaskClient, sign_up: SignUp) -> None:
    ann = sign_up("Ann")
    made = client.post("/v1/games", json={"seats": 2, "visibility": "private"}, headers=ann.headers)
    private = Game(made.headers["Location"], (ann,), client)
    for game in (private, start_solo(client, ann)):
        for headers in ({}, ann.headers):
            got = client.get(f"/v1/games/{game.id}/moves.atom", headers=headers)
            assert (got.status_code, got.get_json()["code"]) == (404, "not_found")
        assert "Link" not in client.get(game.path, headers=ann.headers).headers
    assert "moves.atom" not in client.get(f"/games/{private.id}").text


def test_the_game_and_its_page_lead_to_it(game: Game, app: Flask) -> None:
    link = game.get().headers["Link"]
    assert link == f'<{game.path}/moves.atom>; rel="alternate"; type="application/atom+xml"'
    page = game.client.get(f"/games/{game.id}", headers={"Accept-Language": "es"}).text
    assert f'href="{game.path}/moves.atom?language=es"' in page


def test_a_long_game_has_its_last_50_moves(client: FlaskClient, sign_up: SignUp) -> None:
    game = start(client, sign_up("Ann"), sign_up("Ben"))
    version = play_out(game)["version"]
    assert version > 50
    assert [int(each.rpartition("/")[2].partition("-")[0]) for each in texts(read(game), "id")] == list(
        range(version, version - 50, -1)
    )
