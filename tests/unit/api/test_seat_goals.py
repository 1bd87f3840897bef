"""GET of the goals on a display: what counts for each, what is missing, and which move covered it."""

from __future__ import annotations

from typing import Any

import pytest
from flask.testing import FlaskClient

from service.api.game_examples import GAME, SOLO
from service.api.goal_schemas import SeatGoalsSchema
from tests.support.http_games import Game, SignUp, play_out, start, start_solo
from tests.support.web import Person


@pytest.fixture
def ann(sign_up: SignUp) -> Person:
    return sign_up("Ann")


@pytest.fixture
def game(client: FlaskClient, ann: Person, sign_up: SignUp) -> Game:
    return start(client, ann, sign_up("Ben"), discs=5)


def goals(game: Game, seat: int, query: str = "") -> Any:
    answer = game.get(f"/seats/{seat}/goals{query}")
    assert answer.status_code == 200, answer.text
    return answer.get_json()


def test_goals_are_those_of_the_displays(game: Game) -> None:
    view = play_out(game)
    for seat in (0, 1):
        shown = goals(game, seat)
        assert not SeatGoalsSchema().validate(shown)
        assert (shown["version"], shown["seat"]) == (view["version"], seat)
        placed = [
            (tile["id"], index, goal["asks"], goal["covered"])
            for tile in view["displays"][seat]["tiles"]
            for index, goal in enumerate(tile["goals"])
        ]
        assert [(each["tile"], each["goal"], each["asks"], each["covered"]) for each in shown["goals"]] == placed


def test_each_covered_goal_names_the_move_that_covered_it(game: Game) -> None:
    view = play_out(game)
    for seat in (0, 1):
        covered = [each for each in goals(game, seat)["goals"] if each["covered"]]
        for each in covered:
            made = game.get(f"/moves/{each['covered_by']}").get_json()
            told = next(one for one in made["covered"] if (one["tile"], one["goal"]) == (each["tile"], each["goal"]))
            before = goals(game, seat, f"?at={each['covered_by']}")["goals"]
            then = next(one for one in before if one["name"] == each["name"])
            assert sorted(then["counting"]) == sorted(told["counting"]) and made["seat"] == seat
            assert each["met"] and not any(color["missing"] for color in each["colors"])
        assert len(covered) == 5 - view["players"][seat]["discs_left"]
    assert all(each["covered_by"] is None for each in goals(game, 0)["goals"] if not each["covered"])


def test_the_goals_of_the_past_are_those_of_the_past(game: Game) -> None:
    shown = []
    for _ in range(4):
        shown.append(goals(game, 0))
        game.move()
    assert shown[0] == {"version": 0, "seat": 0, "goals": []}
    for at, then in enumerate(shown):
        assert goals(game, 0, f"?at={at}") == then


def test_sentences_are_in_the_language_that_is_asked_for(game: Game) -> None:
    play_out(game)
    told = {code: goals(game, 0, f"?language={code}")["goals"][0] for code in ("en", "fr", "es", "de")}
    assert told["en"]["sentence"].startswith("It asks for ")
    assert len({each["sentence"] for each in told.values()}) == 4
    assert len({each["colors"][0]["sentence"] for each in told.values()}) == 4
    assert goals(game, 0)["goals"][0] == told["en"]


def test_seats_that_are_not_there_are_refused_by_name(game: Game, client: FlaskClient, ann: Person) -> None:
    for seat in ("2", "99999999999999999999"):
        answer = game.get(f"/seats/{seat}/goals")
        assert (answer.status_code, answer.get_json()["code"]) == (404, "no_such_seat")
    assert game.get("/seats/x/goals").status_code == 404
    assert game.get("/seats/0/goals?why=1.1").get_json()["code"] == "wrong_fields"
    opened = client.post("/v1/games", json={"seats": 2}, headers=ann.headers).headers["Location"]
    answer = client.get(f"{opened}/seats/0/goals", headers=ann.headers)
    assert (answer.status_code, answer.get_json()["code"]) == (404, "not_started")


def test_the_goals_of_a_running_solo_are_for_its_player_alone(
    client: FlaskClient, ann: Person, sign_up: SignUp
) -> None:
    solo = start_solo(client, ann)
    solo.move()
    assert goals(solo, 0)["version"] == 1
    eve = sign_up("Eve", "eve@example.org")
    for path in (solo.path, f"/v1/games/{solo.id}"):
        for seat in (0, 7):
            answer = client.get(f"{path}/seats/{seat}/goals", headers=eve.headers)
            assert (answer.status_code, answer.get_json()["code"]) == (404, "not_found")


def test_examples_of_goals_are_as_documented() -> None:
    for examples in (GAME, SOLO):
        assert not SeatGoalsSchema().validate(examples.goals)
        assert examples.goals["goals"], "an example with no goal explains nothing"
