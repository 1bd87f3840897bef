"""Each move of an exploration, its moves as CSV, its story with plots, and its text: the game with a variation."""

import csv
import io
import json

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import text

from engine import notation
from engine.notation import Variation
from service.api.exploration_schemas import ExploredMoveSchema
from service.api.story_schemas import StorySchema
from service.store.unit import transaction
from tests.support.http_games import Game, SignUp, play_out, start_solo
from tests.support.table_changes import applied, position
from tests.support.web import Person
from tests.unit.api.test_explorations import explored, resigned

TEXT = {"Accept": "text/vnd.nova-luna"}


@pytest.fixture
def eve(sign_up: SignUp) -> Person:
    return sign_up("Eve")


def text_of(found: Game, query: str = "") -> str:
    answer = found.client.get(f"{found.path}/record{query}", headers={**found.players[0].headers, **TEXT})
    assert answer.status_code == 200, answer.text
    assert answer.content_type == "text/vnd.nova-luna; charset=utf-8" and "Accept" in answer.headers["Vary"].split(", ")
    return answer.text


def variation_of(written: str, seq: int) -> Variation:
    """Return the only variation of a text, which replaces the entry with this number."""
    entries = notation.read(written.encode()).entries
    (found,) = (note for entry in entries for note in entry.notes)
    assert entries[seq - 1].notes == (found,) and isinstance(found, Variation)
    return found


@pytest.mark.slow
def test_each_move_is_told_with_the_exploration_around_it(client: FlaskClient, ann: Person, ben: Person) -> None:
    game = resigned(client, ann, ben)
    found = explored(client, ann, game, seq=2, opponent="greedy")
    view = play_out(found)
    tiles = {tile["id"]: tile for tile in client.get("/v1/tiles").get_json()["items"]}
    log = found.get("/record").get_json()["log"]
    for seq in range(1, view["version"] + 1):
        told = found.get(f"/moves/{seq}").get_json()
        assert ExploredMoveSchema().validate(told) == {}
        for name, at in (("before", seq - 1), ("after", seq)):
            assert told[name] == found.get(f"?at={at}").get_json()
        shown = [told["before"], told["after"]]
        for each in shown:
            for player in each["players"]:
                player |= {"name": None}
        assert position(applied(shown[0], told["changes"], told["at"], tiles)) == position(shown[1])
        assert (told["prev"], told["hash"], told["by"]) == (
            log[seq - 1]["prev"],
            log[seq - 1]["hash"],
            log[seq - 1].get("by"),
        )
        same = game.get(f"/moves/{seq}").get_json()["took_ms"] if seq <= 2 else None
        assert told["took_ms"] == same


def test_moves_that_there_are_not_are_refused(client: FlaskClient, ann: Person, ben: Person, eve: Person) -> None:
    found = explored(client, ann, resigned(client, ann, ben), seq=2)
    for below in ("/moves/0", "/moves/3"):
        assert (found.get(below).status_code, found.get(below).get_json()["code"]) == (404, "no_such_move")
    assert found.get("/moves/2?head=00000000").get_json()["code"] == "no_such_state"
    for below in ("/moves/1", "/moves.csv", "/story", "/story.svg"):
        refused = client.get(found.path + below, headers=eve.headers)
        assert (refused.status_code, refused.get_json()["code"]) == (404, "no_such_exploration")
        assert client.get(found.path + below).status_code == 401


def test_the_csv_says_that_it_is_an_exploration(client: FlaskClient, ann: Person, ben: Person) -> None:
    game = resigned(client, ann, ben)
    found = explored(client, ann, game, seq=2)
    found.move()
    rows = list(csv.DictReader(io.StringIO(found.get("/moves.csv").text)))
    theirs = list(csv.DictReader(io.StringIO(game.get("/moves.csv").text)))
    assert [row["seq"] for row in rows] == ["1", "2", "3"]
    assert {(row["game"], row["kind"], row["player"]) for row in rows} == {(found.id, "exploration", "")}
    same = ("seq", "at", "seat", "type", "tile", "x", "y", "covered", "think", "discs_left", "distance", "turn")
    assert [[row[name] for name in same] for row in rows[:2]] == [[row[name] for name in same] for row in theirs[:2]]
    assert rows[0]["think"] != "" and rows[2]["think"] == ""


@pytest.mark.slow
def test_the_story_comes_at_the_end_and_has_no_tempo(client: FlaskClient, ann: Person, ben: Person) -> None:
    found = explored(client, ann, resigned(client, ann, ben), seq=2)
    for below in ("/story", "/story.svg"):
        refused = found.get(below)
        assert (refused.status_code, refused.get_json()["code"]) == (409, "not_over")
    view = play_out(found)
    story = found.get("/story").get_json()
    assert StorySchema().validate(story) == {} and len(story["moves"]) == view["version"]
    assert {move["think"] for move in story["moves"]} == {None} and story["days"] == []


@pytest.mark.slow
def test_the_plots_say_that_they_are_of_an_exploration(client: FlaskClient, ann: Person, ben: Person) -> None:
    found = explored(client, ann, resigned(client, ann, ben), seq=2)
    play_out(found)
    plots = found.get("/story.svg")
    assert plots.content_type == "image/svg+xml; charset=utf-8"
    assert ">An exploration from move 2 on, not the game itself<" in plots.text
    assert "Erkundung ab Zug 2, nicht die Partie selbst" in found.get("/story.svg?language=de").text
    again = client.get(f"{found.path}/story.svg", headers={**ann.headers, "If-None-Match": plots.headers["ETag"]})
    assert again.status_code == 304


@pytest.mark.slow
def test_the_text_is_the_game_with_a_variation(client: FlaskClient, ann: Person, ben: Person) -> None:
    game = resigned(client, ann, ben, moves=5)
    found = explored(client, ann, game, seq=2)
    plain = client.get(f"{game.path}/record", headers={**ann.headers, **TEXT}).text
    assert text_of(found) == plain, "nothing was explored yet"
    play_out(found)
    written = text_of(found)
    read = notation.read(written.encode())
    assert notation.text(read) == written
    assert notation.record_line(read) == game.get("/record").data, "it is the game's text"
    log = found.get("/record").get_json()["log"]
    assert [(each.seq, each.seat) for each in variation_of(written, 3).entries] == [
        (each["seq"], each["seat"]) for each in log[2:]
    ]
    assert [each.seq for each in variation_of(text_of(found, "?at=4"), 3).entries] == [3, 4]
    assert text_of(found, "?at=1") == plain


def test_a_variation_replaces_a_mark_and_omits_an_end(client: FlaskClient, ann: Person, ben: Person) -> None:
    game = resigned(client, ann, ben, moves=2, clock="day")
    log = game.get("/record").get_json()["log"]
    assert log[0]["move"]["type"] == "mark"
    found = explored(client, ann, game, seq=0)
    found.move()
    assert [each.seq for each in variation_of(text_of(found), 1).entries] == [1]


def test_an_exploration_with_new_tiles_has_no_text(client: FlaskClient, ann: Person) -> None:
    solo = start_solo(client, ann)
    solo.move()
    found = explored(client, ann, solo)
    refused = client.get(f"{found.path}/record", headers={**ann.headers, **TEXT})
    assert (refused.status_code, refused.get_json()["code"]) == (404, "no_text")
    assert solo.post(ann, {"type": "resign"}).status_code == 201
    assert client.get(f"{found.path}/record", headers={**ann.headers, **TEXT}).status_code == 404
    assert explored(client, ann, solo, seq=0).get("/record").status_code == 200


def test_a_game_that_is_hidden_now_is_in_no_text(
    app: Flask, client: FlaskClient, ann: Person, ben: Person, eve: Person
) -> None:
    game = resigned(client, ann, ben)
    found = explored(client, eve, game, seq=2)
    assert text_of(found)
    with app.app_context(), transaction() as session:
        session.execute(text("UPDATE tables SET visibility = 'private' WHERE id = :id"), {"id": game.id})
    refused = client.get(f"{found.path}/record", headers={**eve.headers, **TEXT})
    assert (refused.status_code, refused.get_json()["code"]) == (404, "no_text")


def test_the_record_is_sent_in_its_media_types_alone(client: FlaskClient, ann: Person, ben: Person) -> None:
    found = explored(client, ann, resigned(client, ann, ben), seq=2)
    refused = client.get(f"{found.path}/record", headers={**ann.headers, "Accept": "image/png"})
    assert (refused.status_code, refused.get_json()["code"]) == (406, "not_acceptable")
    plain = client.get(f"{found.path}/record", headers={**ann.headers, "Accept": "text/plain"})
    assert plain.content_type == "text/plain; charset=utf-8"
    line = client.get(f"{found.path}/record", headers=ann.headers)
    assert plain.headers["ETag"] != line.headers["ETag"] and json.loads(line.data)["origin"]["game"]
    for answer, accept in ((plain, "text/plain"), (line, "application/json")):
        headers = {**ann.headers, "Accept": accept, "If-None-Match": answer.headers["ETag"]}
        assert client.get(f"{found.path}/record", headers=headers).status_code == 304


def test_a_solo_explored_has_no_picture_of_a_moon_track(client: FlaskClient, ann: Person) -> None:
    found = explored(client, ann, start_solo(client, ann))
    for below in ("/board.svg?part=track", "/board.png?part=track"):
        assert (found.get(below).status_code, found.get(below).get_json()["code"]) == (422, "wrong_fields")


@pytest.mark.parametrize("part", ["table", "display", "wheel", "track"])
def test_pictures_say_that_they_are_of_an_exploration(client: FlaskClient, ann: Person, ben: Person, part: str) -> None:
    game = resigned(client, ann, ben)
    for seq, said in ((2, "An exploration from move 2 on"), (0, "An exploration from the start on")):
        found = explored(client, ann, game, seq=seq)
        for query in ("", "&at=0"):
            drawing = found.get(f"/board.svg?part={part}{query}").text
            assert f">{said}, not the game itself<" in drawing
            assert f">{said}, not the game itself – Nova Luna" in drawing.partition("</title>")[0]
    assert "not the game itself" not in game.get(f"/board.svg?part={part}").text
