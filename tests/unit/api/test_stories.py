"""The stories of finished games: their JSON, their plots, and who may read them when."""

import base64
import hashlib
import re
from xml.etree import ElementTree

import pytest
from flask import Flask
from flask.testing import FlaskClient

from service.api.story_schemas import EXAMPLE, StorySchema
from tests.support.http_games import Game, SignUp, play_out, start, start_solo
from tests.support.web import Person

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def over(client: FlaskClient, ann: Person, ben: Person) -> Game:
    """Return a finished public game."""
    game = start(client, ann, ben, discs=5, visibility="public")
    play_out(game)
    return game


def test_a_story_has_every_move_of_the_log(over: Game) -> None:
    answer = over.get("/story")
    assert answer.status_code == 200 and answer.mimetype == "application/json"
    story, view = answer.get_json(), over.view()
    logged = over.get("/moves?limit=100").get_json()["items"]
    assert [(move["seq"], move["at"], move["seat"], move["type"]) for move in story["moves"]] == [
        (entry["seq"], entry["at"], entry["seat"], entry["move"]["type"]) for entry in logged
    ]
    assert story["result"] == {key: view["result"][key] for key in story["result"]}
    assert [player["discs_left"] for player in story["players"]] == [player["discs_left"] for player in view["players"]]
    assert story["version"] == view["version"] and story["ended_at"] == view["ended_at"]


def test_a_story_is_as_its_schema_says(over: Game, client: FlaskClient, ann: Person) -> None:
    solo = start_solo(client, ann)
    solo.post(ann, solo.first())
    assert solo.post(ann, {"type": "resign"}).status_code == 201
    for story in (over.get("/story").get_json(), solo.get("/story").get_json(), EXAMPLE):
        assert StorySchema().validate(story) == {}
        assert StorySchema().dump(story) == story


def test_a_story_never_changes_and_is_answered_with_304(over: Game) -> None:
    first = over.get("/story")
    assert first.headers["ETag"] == over.get().headers["ETag"]
    same = over.client.get(f"{over.path}/story", headers={"If-None-Match": first.headers["ETag"]})
    assert (same.status_code, same.data) == (304, b"")
    assert over.get("/story").data == first.data


def test_everybody_reads_the_story_of_a_public_game(over: Game) -> None:
    assert over.client.get(f"{over.path}/story").get_json() == over.get("/story").get_json()


def test_a_private_game_has_no_story_for_others(client: FlaskClient, ann: Person, sign_up: SignUp) -> None:
    made = client.post("/v1/games", json={"seats": 2, "bots": 1, "visibility": "private"}, headers=ann.headers)
    game = Game(made.headers["Location"], (ann,), client)
    assert game.post(ann, {"type": "resign"}).status_code == 201
    eve = sign_up("Eve")
    for below in ("/story", "/story.svg"):
        assert game.get(below).status_code == 200
        for headers in ({}, eve.headers):
            refused = client.get(f"{game.path}{below}", headers=headers)
            assert (refused.status_code, refused.get_json()["code"]) == (404, "not_found")


@pytest.mark.parametrize("below", ["/story", "/story.svg"])
def test_a_running_game_has_no_story_yet(client: FlaskClient, ann: Person, ben: Person, below: str) -> None:
    game = start(client, ann, ben)
    game.move()
    refused = game.get(below)
    assert (refused.status_code, refused.get_json()["code"]) == (409, "not_over")
    assert refused.get_json()["version"] == 1


@pytest.mark.parametrize("below", ["/story", "/story.svg"])
def test_an_open_table_has_no_story(client: FlaskClient, ann: Person, below: str) -> None:
    made = client.post("/v1/games", json={"seats": 2}, headers=ann.headers)
    refused = client.get(f"{made.headers['Location']}{below}", headers=ann.headers)
    assert (refused.status_code, refused.get_json()["code"]) == (404, "not_started")


def test_the_plots_follow_the_readers_scheme_by_a_style_that_is_allowed(over: Game) -> None:
    answer = over.get("/story.svg")
    assert answer.headers["Content-Type"] == "image/svg+xml; charset=utf-8"
    style = ElementTree.fromstring(answer.text).findtext(f"{SVG}style") or ""
    assert "prefers-color-scheme: dark" in style
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert f"style-src 'sha256-{digest}'" in answer.headers["Content-Security-Policy"]
    assert set(re.findall(r"var\((--[\w-]+)\)", answer.text)) <= set(re.findall(r"(--[\w-]+):", style))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_plots_in_one_scheme_need_no_style(over: Game, scheme: str) -> None:
    drawing = over.get(f"/story.svg?scheme={scheme}").text
    assert "<style" not in drawing and "var(" not in drawing


def test_the_plots_speak_the_language_asked_for(over: Game) -> None:
    answer = over.get("/story.svg?language=fr")
    assert answer.headers["Content-Language"] == "fr"
    assert "Jetons restants" in answer.text and 'lang="fr"' in answer.text


def test_the_plots_have_the_present_names(over: Game, ann: Person) -> None:
    tag = over.get("/story.svg").headers["ETag"]
    renamed = over.client.patch("/v1/me", json={"name": "Anna"}, headers=ann.headers)
    assert renamed.status_code == 200
    answer = over.client.get(f"{over.path}/story.svg", headers={**ann.headers, "If-None-Match": tag})
    assert answer.status_code == 200 and "Anna" in answer.text


@pytest.mark.parametrize("query", ["scheme=blue", "language=xx", "at=1"])
def test_an_unknown_option_of_the_plots_is_refused(over: Game, query: str) -> None:
    refused = over.get(f"/story.svg?{query}")
    assert (refused.status_code, refused.get_json()["code"]) == (422, "wrong_fields")


def test_a_story_takes_no_query(over: Game) -> None:
    assert over.get("/story?at=1").status_code == 422


def test_a_finished_solo_has_a_story_that_everybody_reads(app: Flask, client: FlaskClient, ann: Person) -> None:
    solo = start_solo(client, ann)
    assert solo.get("/story").get_json()["code"] == "not_over"
    play_out(solo)
    story = client.get(f"{solo.path}/story").get_json()
    assert (story["kind"], story["turning_points"], len(story["players"])) == ("solo", [], 1)
    assert client.get(f"{solo.path}/story.svg").status_code == 200
