"""The moves of a game as CSV: its columns, who may read it, and that no name becomes a formula."""

import csv
import json
from io import StringIO

import pytest
from flask.testing import FlaskClient

from engine import simulate
from engine.record import canonical
from engine.story import MoveRow
from service.queries.moves_csv import COLUMNS, CONTENT_TYPE, of_line, plain_text
from tests.support.http_games import Game, SignUp, play_out, start, start_solo
from tests.support.web import Person


@pytest.fixture
def game(client: FlaskClient, ann: Person, sign_up: SignUp) -> Game:
    return start(client, ann, sign_up("Ben"), discs=5)


def rows(game: Game) -> list[dict[str, str]]:
    answer = game.get("/moves.csv")
    assert (answer.status_code, answer.content_type) == (200, CONTENT_TYPE)
    return list(csv.DictReader(StringIO(answer.text, newline=""), strict=True))


def test_the_columns_are_those_that_are_documented() -> None:
    assert COLUMNS == (
        "game", "kind", "seq", "at", "seat", "player", "by", "type", "tile", "x", "y", "covered", "think",
        "discs_left", "distance", "turn",
    )  # fmt: skip
    assert COLUMNS[6:] == MoveRow._fields[3:]


def test_there_is_a_line_for_each_move(game: Game) -> None:
    view = play_out(game)
    story = game.get("/story").get_json()
    found = rows(game)
    assert [int(row["seq"]) for row in found] == [move["seq"] for move in story["moves"]]
    names = [player["name"] for player in view["players"]]
    for row, move in zip(found, story["moves"], strict=True):
        seat = move["seat"]
        assert (row["game"], row["kind"], row["player"], row["at"]) == (game.id, "match", names[seat], move["at"])
        assert [row["discs_left"], row["distance"]] == [str(move[name][seat]) for name in ("discs_left", "distance")]
        assert row["think"] == str(move["think"]) and row["by"] == ""
        assert row["tile"] == ("" if move["tile"] is None else str(move["tile"]))
    assert found[-1]["turn"] == "" and found[0]["turn"] != ""
    logged = [entry["move"] for entry in game.get("/moves?limit=100").get_json()["items"]]
    assert [(row["type"], row["x"], row["y"]) for row in found] == [
        (move["type"], str(move.get("x", "")), str(move.get("y", ""))) for move in logged
    ]


def test_a_running_solo_has_its_moves_too(client: FlaskClient, ann: Person) -> None:
    solo = start_solo(client, ann)
    assert rows(solo) == []
    solo.move()
    (row,) = rows(solo)
    assert (row["kind"], row["seat"], row["turn"]) == ("solo", "0", "0")
    assert client.get(f"{solo.path}/moves.csv").status_code == 404


def test_marks_are_left_out(client: FlaskClient, ann: Person, sign_up: SignUp) -> None:
    timed = start(client, ann, sign_up("Cleo"), clock="week")
    timed.move()
    assert [row["seq"] for row in rows(timed)] == ["2"]


def test_an_open_table_has_no_moves(client: FlaskClient, ann: Person) -> None:
    made = client.post("/v1/games", json={"seats": 2}, headers=ann.headers)
    refused = client.get(f"{made.headers['Location']}/moves.csv", headers=ann.headers)
    assert (refused.status_code, refused.get_json()["code"]) == (404, "not_started")


def test_what_is_unchanged_is_answered_with_304(game: Game) -> None:
    first = game.get("/moves.csv")
    assert first.headers["Content-Disposition"] == f'attachment; filename="nova-luna-{game.id}.csv"'
    same = game.client.get(f"{game.path}/moves.csv", headers={"If-None-Match": first.headers["ETag"]})
    assert (same.status_code, same.data) == (304, b"")
    game.move()
    assert game.client.get(f"{game.path}/moves.csv", headers={"If-None-Match": first.headers["ETag"]}).data


def test_a_query_is_refused(game: Game) -> None:
    assert game.get("/moves.csv?at=1").status_code == 422


def test_a_name_that_would_be_a_formula_is_a_text() -> None:
    record = json.loads(next(simulate.records(1, 2, "csv", "greedy", 5)))
    record["players"] = [{"seat": 0, "name": '=HYPERLINK("x", "y")'}, {"seat": 1, "name": "Ben, the\r\n2nd"}]
    lines = list(csv.reader(StringIO(of_line(canonical(record)).decode(), newline=""), strict=True))
    assert {line[5] for line in lines} == {'\'=HYPERLINK("x", "y")', "Ben, the 2nd"}
    assert {line[6] for line in lines} == {"bot:greedy"}


@pytest.mark.parametrize("sign", ["=", "+", "-", "@", "＝", "＋", "－", "＠", "\t=", " @", "\r+", "\u202e="])
def test_no_text_begins_like_a_formula(sign: str) -> None:
    assert plain_text(f"{sign}1+1").startswith("'")
    assert plain_text("Ann=1") == "Ann=1" and plain_text("a\r\nb") == "a b"
