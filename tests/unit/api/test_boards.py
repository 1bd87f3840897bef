"""board.svg and board.png: what they show, who may see them, and how long they may be cached."""

import re
from io import BytesIO
from xml.etree import ElementTree

import pytest
from flask import Flask
from flask.testing import FlaskClient
from PIL import Image

from engine.tiles import TILES
from service.api import boards
from service.api.context import context_of
from service.language.cell_letters import letters_of
from service.pictures.renderers import Renderers
from tests.support.http_games import Game, SignUp, start, start_solo
from tests.support.web import Person

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def game(client: FlaskClient, ann: Person, sign_up: SignUp) -> Game:
    started = start(client, ann, sign_up("Ben"))
    for _ in range(3):
        started.move()
    return started


def written(drawing: str) -> list[str]:
    return [text.text or "" for text in ElementTree.fromstring(drawing).iter(f"{SVG}text")]


def test_a_drawing_is_safe_to_open(game: Game) -> None:
    answer = game.client.get(f"{game.path}/board.svg")
    assert answer.headers["Content-Type"] == "image/svg+xml; charset=utf-8"
    assert answer.headers["Content-Security-Policy"].startswith("default-src 'none'; ")
    assert "unsafe" not in answer.headers["Content-Security-Policy"]
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert {"Ann", "Ben"} <= set(written(answer.text))
    assert "http" not in answer.text.replace("http://www.w3.org/2000/svg", "")


def test_a_drawing_has_names_in_any_script(client: FlaskClient, ann: Person, sign_up: SignUp) -> None:
    assert "愛子" in written(start(client, ann, sign_up("愛子")).get("/board.svg").text)


def test_its_letters_are_those_of_the_legal_moves(game: Game) -> None:
    cells = game.get("/legal-moves").get_json()["cells"]
    drawing = game.client.get(f"{game.path}/board.svg?part=display").text
    letters = [text for text in written(drawing) if re.fullmatch("[A-Z]{1,2}", text)]
    assert letters == [letters_of(index) for index in range(len(cells))]
    for index, cell in enumerate(cells):
        assert cell["letter"] == letters_of(index)
        assert f"{cell['letter']} ({cell['x']}, {cell['y']})" in drawing


def test_a_png_is_the_same_table(game: Game) -> None:
    answer = game.client.get(f"{game.path}/board.png?scheme=dark&part=wheel")
    assert answer.headers["Content-Type"] == "image/png" and len(answer.data) < 60_000
    picture = Image.open(BytesIO(answer.data)).convert("RGB")
    assert picture.width == 700 and picture.getpixel((1, 1)) == (0x0B, 0x0F, 0x20)
    assert game.client.get(f"{game.path}/board.png?scheme=dark&part=wheel").data == answer.data


def head_of(tag: str) -> str:
    return tag.strip('"').split("-")[2]


@pytest.mark.parametrize("kind", ["svg", "png"])
def test_what_is_unchanged_is_answered_with_304(game: Game, kind: str) -> None:
    path = f"{game.path}/board.{kind}?part=track"
    first = game.client.get(path)
    tag = first.headers["ETag"]
    assert tag.startswith('"3-2-') and tag == game.client.get(game.path).headers["ETag"]
    assert first.headers["Cache-Control"] == "private, no-cache" and "Authorization" in first.headers["Vary"]
    unchanged = game.client.get(path, headers={"If-None-Match": tag})
    assert (unchanged.status_code, unchanged.data, unchanged.headers["ETag"]) == (304, b"", tag)
    game.move()
    assert game.client.get(path, headers={"If-None-Match": tag}).status_code == 200


@pytest.mark.parametrize("kind", ["svg", "png"])
def test_the_past_can_be_kept(game: Game, kind: str) -> None:
    tag = game.get().headers["ETag"]
    bare = f"{game.path}/board.{kind}?part=track&at=3"
    path = f"{bare}&head={head_of(tag)}"
    now = game.client.get(path)
    assert now.headers["Cache-Control"] == "public, max-age=86400, immutable"
    assert now.headers.get("Vary") in (None, "Accept-Encoding")
    game.move()
    later = game.client.get(path)
    assert (later.data, later.headers["ETag"]) == (now.data, now.headers["ETag"])
    kept = game.client.get(path, headers={"If-None-Match": tag})
    assert kept.status_code == 304 and kept.headers["Cache-Control"] == now.headers["Cache-Control"]
    assert game.client.get(path, headers={"If-None-Match": game.get().headers["ETag"]}).data == now.data
    assert game.client.get(bare).headers["Cache-Control"] == "public, no-cache", "a restore may undo it"
    for asked in (
        f"{bare}&head=00000000",
        f"{game.path}/board.{kind}?head=00000000",
        f"{game.path}?at=3&head=00000000",
    ):
        undone = game.client.get(asked)
        assert (undone.status_code, undone.get_json()["code"]) == (404, "no_such_state"), asked
    assert game.client.get(f"{bare}&head=x").status_code == 422


def test_each_past_is_itself_and_leaves_the_cache_as_it_is(app: Flask, game: Game) -> None:
    tables = context_of(app).tables
    tables.clear()
    drawings = [game.client.get(f"{game.path}/board.svg?at={at}").text for at in range(4)]
    assert "at the start" in drawings[0] and all(f"after move {at}" in drawings[at] for at in (1, 2, 3))
    assert game.id not in tables._cached
    assert game.client.get(f"{game.path}/board.svg").text == drawings[3]
    assert game.id in tables._cached


def test_a_seat_comes_first(game: Game) -> None:
    for seat, (own, other) in enumerate([("Ann", "Ben"), ("Ben", "Ann")]):
        drawn = written(game.client.get(f"{game.path}/board.svg?part=display&seat={seat}").text)
        assert own in drawn and other not in drawn


def test_board_is_in_the_language_that_is_asked_for(game: Game) -> None:
    answer = game.client.get(f"{game.path}/board.svg?language=de")
    drawing = answer.text
    assert "am Zug" in written(drawing) and "Plättchen" in drawing
    assert ElementTree.fromstring(drawing).get("lang") == "de" == answer.headers["Content-Language"]
    assert "to move" in written(game.client.get(f"{game.path}/board.svg?language=en").text)


@pytest.mark.parametrize(
    "query", ["seat=2", "seat=4", "seat=x", "part=all", "scheme=blue", "at=-1", "at=1&at=2", "size=9", "language=xx"]
)
def test_what_is_not_there_to_ask_for(game: Game, query: str) -> None:
    for kind in ("svg", "png"):
        refused = game.client.get(f"{game.path}/board.{kind}?{query}")
        assert (refused.status_code, refused.get_json()["code"]) == (422, "wrong_fields")
        assert refused.get_json()["errors"][0]["field"] == query.partition("=")[0]


def test_no_such_version_and_no_game_yet(game: Game, ann: Person) -> None:
    missing = game.client.get(f"{game.path}/board.svg?at=4")
    assert (missing.status_code, missing.get_json()["code"], missing.get_json()["version"]) == (
        404,
        "no_such_version",
        3,
    )
    opened = game.client.post("/v1/games", json={"seats": 2}, headers=ann.headers).headers["Location"]
    for kind in ("svg", "png"):
        early = game.client.get(f"{opened}/board.{kind}")
        assert (early.status_code, early.get_json()["code"]) == (404, "not_started")


def test_a_private_game_is_for_its_players_alone(client: FlaskClient, ann: Person, sign_up: SignUp) -> None:
    solo = start_solo(client, ann)
    for kind in ("svg", "png"):
        for headers in ({}, sign_up(None, f"eve-{kind}@example.org").headers):
            assert client.get(f"{solo.path}/board.{kind}", headers=headers).status_code == 404
        head = head_of(solo.get().headers["ETag"])
        own = solo.get(f"/board.{kind}?at=0&head={head}&part=wheel")
        assert own.headers["Cache-Control"] == "private, max-age=86400, immutable"
        assert "Authorization" in own.headers["Vary"]
    assert client.get(f"/v1/games/{solo.id}/board.svg", headers=ann.headers).status_code == 404


def test_a_solo_has_its_pictures(client: FlaskClient, ann: Person) -> None:
    solo = start_solo(client, ann)
    solo.move()
    drawn = written(solo.get("/board.svg").text)
    assert {"Ann", "phase 1", "21 discs left", "A"} <= set(drawn)
    refused = solo.get("/board.svg?part=track")
    assert (refused.status_code, refused.get_json()["errors"][0]["field"]) == (422, "part")


@pytest.fixture
def no_renderer(app: Flask) -> None:
    """Make all renderers of the application busy."""
    boards.Pictures(Renderers(0, 0, 1.0)).init_app(app)


def test_when_too_many_are_asked_for_some_are_asked_to_come_again(no_renderer: None, game: Game) -> None:
    busy = game.client.get(f"{game.path}/board.png")
    assert (busy.status_code, busy.get_json()["code"]) == (503, "pictures_busy")
    assert int(busy.headers["Retry-After"]) > 0
    assert game.client.get(f"{game.path}/board.svg").status_code == 200


def test_a_picture_that_cannot_be_drawn_may_be_asked_for_again(app: Flask, game: Game) -> None:
    renderers = Renderers(1, 1, 1e-6)  # no picture is drawn within this time
    boards.Pictures(renderers).init_app(app)
    failed = game.client.get(f"{game.path}/board.png")
    assert (failed.status_code, failed.get_json()["code"]) == (503, "no_picture")
    assert int(failed.headers["Retry-After"]) > 0
    renderers.close()


def test_a_goal_is_explained_in_the_picture(game: Game) -> None:
    while not (goals := [each for seat in (0, 1) for each in game.get(f"/seats/{seat}/goals").get_json()["goals"]]):
        game.move()
    name = goals[0]["name"]
    at = game.view()["version"]
    plain, explained = (game.client.get(f"{game.path}/board.svg{query}") for query in ("", f"?why={name}"))
    assert goals[0]["sentence"] in explained.text and goals[0]["sentence"] not in plain.text
    assert f'data-why="{name}"' in explained.text and f'data-why="{name}"' not in plain.text
    assert explained.headers["ETag"] == plain.headers["ETag"]
    kept = game.client.get(f"{game.path}/board.svg?why={name}", headers={"If-None-Match": plain.headers["ETag"]})
    assert kept.status_code == 304
    game.move()
    assert f'data-why="{name}"' in game.client.get(f"{game.path}/board.svg?why={name}&at={at}&language=de").text


def test_a_goal_that_is_not_there_is_refused(game: Game) -> None:
    placed = {made["move"].get("tile") for made in game.get("/moves").get_json()["items"]}
    tile = next(tile.id for tile in TILES[1:] if len(tile.goals) == 3 and tile.id not in placed)
    for query in ("why=1.1", "why=68.3&at=0", f"why={tile}.3"):
        for kind in ("svg", "png"):
            answer = game.client.get(f"{game.path}/board.{kind}?{query}")
            assert (answer.status_code, answer.get_json()["code"]) == (404, "no_such_goal"), query
    for name in ("0.1", "69.1", "17.0", "17.4", "17", "17.1.1", "x", "017.1"):
        answer = game.client.get(f"{game.path}/board.svg?why={name}")
        assert (answer.status_code, answer.get_json()["errors"][0]["field"]) == (422, "why"), name
