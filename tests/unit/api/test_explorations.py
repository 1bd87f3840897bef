"""Explorations: what they begin from, how they go on, who sees them, and that nothing takes them for games."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import text
from werkzeug.test import TestResponse

from engine import audit, exploration
from engine.errors import RecordError
from service.api.exploration_schemas import ExplorationPage, ExplorationSchema
from service.commands import explorations
from service.store.unit import transaction
from tests.support.clock import Clock
from tests.support.http_games import Game, SignUp, play_out, start, start_solo
from tests.support.web import Person


@pytest.fixture
def eve(sign_up: SignUp) -> Person:
    return sign_up("Eve")


def resigned(client: FlaskClient, *players: Person, moves: int = 3, **table: Any) -> Game:
    """Return a game that somebody has resigned after some moves, and so has ended."""
    game = start(client, *players, discs=5, **table)
    for _ in range(moves):
        game.move()
    for player in players[1:]:
        assert game.post(player, {"type": "resign"}).status_code == 201
    assert game.view()["status"] == "finished"
    return game


def explore(client: FlaskClient, person: Person, game: Game, **body: Any) -> TestResponse:
    return client.post(f"{game.path}/explorations", json=body, headers=person.headers)


def explored(client: FlaskClient, person: Person, game: Game, **body: Any) -> Game:
    """Begin an exploration, and return it in the form of a game."""
    made = explore(client, person, game, **body)
    assert made.status_code == 201, made.text
    assert ExplorationSchema().validate(made.get_json()) == {}
    return Game(f"/v1/explorations/{made.get_json()['id']}", (person,) * made.get_json()["seats"], client)


def wrong_fields(refused: TestResponse) -> list[str]:
    return [error["field"] for error in refused.get_json()["errors"]]


def position(view: Any) -> Any:
    names = ("version", "turn", "selection_track", "pile_size", "moon_track", "displays", "solo")
    discs = [player["discs_left"] for player in view["players"]]
    return {name: view[name] for name in names} | {"discs": discs}


def test_an_exploration_begins_at_the_position(client: FlaskClient, ann: Person, ben: Person) -> None:
    game = resigned(client, ann, ben)
    for seq in (0, 2, 3):
        view = explored(client, ann, game, seq=seq).view()
        assert position(view) == position(game.get(f"?at={seq}").get_json())
        hashed = game.get("/record").get_json()["log"][seq]["prev"]
        assert view["origin"] == {"game": game.id, "kind": "match", "seq": seq, "hash": hashed, "tiles": 68}
        assert view["kind"] == "exploration" and view["status"] == "running" and view["opponent"] is None


def test_without_seq_the_last_move_of_the_game_is_left_out(client: FlaskClient, ann: Person, ben: Person) -> None:
    game = resigned(client, ann, ben)
    assert explored(client, ann, game).view()["origin"]["seq"] == game.view()["version"] - 1


def test_one_person_plays_every_seat_to_the_end(client: FlaskClient, ann: Person, ben: Person) -> None:
    game = resigned(client, ann, ben)
    before = game.get("/record").data
    found = explored(client, ann, game, seq=2)
    assert found.view()["you"] == found.view()["turn"]["seat"]
    view = play_out(found)
    assert view["result"]["reason"] in ("discs", "tiles") and view["you"] is None
    assert view["draw"]["server_seed"] == game.view()["draw"]["server_seed"]
    exploration.check(found.get("/record").data)
    assert game.get("/record").data == before, "the game must stay as it was"


def test_the_tiles_come_as_they_would_have(client: FlaskClient, ann: Person, ben: Person) -> None:
    game = resigned(client, ann, ben, moves=5)
    found = explored(client, ann, game, seq=0)
    play_out(found)
    assert found.get("/record").get_json()["draw"] == game.get("/record").get_json()["draw"]


def test_a_bot_answers_at_once(client: FlaskClient, ann: Person, ben: Person, eve: Person) -> None:
    game = resigned(client, ann, ben, eve)
    found = explored(client, ben, game, seq=0, opponent="greedy")
    view = found.view()
    assert view["you"] == 1 and [player["bot"] for player in view["players"]] == ["greedy", None, "greedy"]
    while view["status"] == "running":
        assert view["turn"]["seat"] == 1
        view = found.move().get_json()
    log = found.get("/record").get_json()["log"]
    assert {(entry["seat"], entry.get("by")) for entry in log} == {(0, "bot:greedy"), (1, None), (2, "bot:greedy")}
    exploration.check(found.get("/record").data)


def test_leaving_the_bots_ends_the_exploration(client: FlaskClient, ann: Person, ben: Person, eve: Person) -> None:
    game = resigned(client, ann, ben, eve)
    found = explored(client, ann, game, seq=1, opponent="greedy", seat=2)
    assert found.view()["you"] == 2
    made = found.post(ann, {"type": "resign"})
    assert made.status_code == 201 and made.get_json()["result"]["reason"] == "ended"
    exploration.check(found.get("/record").data)


@pytest.mark.slow
def test_a_move_needs_the_version_as_in_a_game(client: FlaskClient, ann: Person, ben: Person) -> None:
    found = explored(client, ann, resigned(client, ann, ben), seq=2)
    move = found.first()
    unversioned = {name: value for name, value in move.items() if name != "expected_version"}
    assert found.post(ann, unversioned).status_code == 428
    stale = found.post(ann, move | {"expected_version": 1})
    assert (stale.status_code, stale.get_json()["code"], stale.get_json()["version"]) == (409, "stale_version", 2)
    tag = found.get().headers["ETag"]
    assert found.post(ann, unversioned, {"If-Match": '"1-0-00000000"'}).status_code == 412
    illegal = found.post(ann, move | {"x": 9})
    assert (illegal.status_code, illegal.get_json()["code"]) == (422, "cell_not_open")
    tried = found.post(ann, move, query="?dry_run=true")
    assert tried.status_code == 200 and found.view()["version"] == 2
    made = found.post(ann, unversioned, {"If-Match": tag})
    assert made.status_code == 201 and made.get_json()["version"] == 3
    assert client.get(made.headers["Location"], headers=ann.headers).get_json() == made.get_json()
    play_out(found)
    over = found.post(ann, move | {"expected_version": found.view()["version"]})
    assert (over.status_code, over.get_json()["code"]) == (409, "game_over")


def test_the_same_request_with_a_key_has_its_effect_once(client: FlaskClient, ann: Person, ben: Person) -> None:
    game = resigned(client, ann, ben)
    keyed = {**ann.headers, "Idempotency-Key": "one"}
    made = [client.post(f"{game.path}/explorations", json={"seq": 1}, headers=keyed) for _ in range(2)]
    assert made[0].status_code == 201 and made[0].data == made[1].data
    found = Game(f"/v1/explorations/{made[0].get_json()['id']}", (ann, ann), client)
    move = found.first()
    moved = [found.post(ann, move, {"Idempotency-Key": "two"}) for _ in range(2)]
    assert [each.status_code for each in moved] == [201, 201] and moved[0].data == moved[1].data
    assert found.view()["version"] == 2


def test_moves_are_taken_back_but_not_those_of_the_game(client: FlaskClient, ann: Person, ben: Person) -> None:
    found = explored(client, ann, resigned(client, ann, ben), seq=2)
    first = found.view()
    for _ in range(3):
        found.move()

    def taken_back(seq: int) -> TestResponse:
        return client.delete(f"{found.path}/moves/{seq}", headers=ann.headers)

    assert taken_back(4).get_json()["version"] == 3
    assert (taken_back(4).status_code, taken_back(4).get_json()["code"]) == (404, "no_such_move")
    assert (taken_back(2).status_code, taken_back(2).get_json()["code"]) == (409, "not_explored")
    assert taken_back(0).status_code == 404
    assert taken_back(3).get_json() == first == found.view()


def test_taking_back_against_a_bot_lets_it_move_again(client: FlaskClient, ann: Person, ben: Person) -> None:
    found = explored(client, ann, resigned(client, ann, ben), seq=0, opponent="greedy")
    mine = found.view()["version"] + 1
    while found.view()["version"] <= mine:
        found.move()
    after = client.delete(f"{found.path}/moves/{mine}", headers=ann.headers).get_json()
    assert after["version"] == mine - 1 and after["turn"]["seat"] == 0


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"seq": 99}, "seq"),
        ({"seq": -1}, "seq"),
        ({"seq": "2"}, "seq"),
        ({"opponent": "clever"}, "opponent"),
        ({"opponent": None}, "opponent"),
        ({"seat": 1}, "seat"),
        ({"opponent": "greedy", "seat": 2}, "seat"),
        ({"at": 2}, "at"),
    ],
    ids=str,
)
def test_wrong_bodies_are_refused_by_field(
    client: FlaskClient, ann: Person, ben: Person, body: dict[str, Any], field: str
) -> None:
    refused = explore(client, ann, resigned(client, ann, ben), **body)
    assert (refused.status_code, wrong_fields(refused)) == (422, [field]), refused.text
    if "seat" in body and "opponent" in body:
        assert "Must be from 0 to 1." in refused.text


def test_a_seat_that_has_left_cannot_be_played(client: FlaskClient, ann: Person, ben: Person, eve: Person) -> None:
    game = resigned(client, ann, ben, eve)
    refused = explore(client, ann, game, seq=4, opponent="greedy", seat=1)
    assert (refused.status_code, wrong_fields(refused)) == (422, ["seat"])
    assert explored(client, ben, game, seq=4, opponent="greedy").view()["you"] != 1


def test_nothing_follows_the_end(client: FlaskClient, ann: Person, ben: Person) -> None:
    game = resigned(client, ann, ben)
    refused = explore(client, ann, game, seq=game.view()["version"])
    assert (refused.status_code, refused.get_json()["code"]) == (409, "game_over")


def test_games_that_are_not_over_are_not_explored(client: FlaskClient, ann: Person, ben: Person) -> None:
    game = start(client, ann, ben)
    assert explore(client, ann, game).get_json()["code"] == "not_over"
    opened = client.post("/v1/games", json={"seats": 2}, headers=ann.headers)
    not_started = Game(opened.headers["Location"], (ann,), client)
    assert explore(client, ann, not_started).get_json()["code"] == "not_started"


def test_games_that_one_may_not_see_are_not_explored(
    client: FlaskClient, ann: Person, ben: Person, eve: Person
) -> None:
    public = resigned(client, ann, ben)
    assert explore(client, eve, public).status_code == 201
    assert client.post(f"{public.path}/explorations").status_code == 401
    solo = start_solo(client, ann)
    assert explore(client, eve, solo).status_code == 404
    assert client.post(f"/v1/games/{solo.id}/explorations", headers=ann.headers).status_code == 404


def test_a_finished_solo_is_explored_with_its_tiles(client: FlaskClient, ann: Person, eve: Person) -> None:
    solo = start_solo(client, ann)
    play_out(solo)
    found = explored(client, eve, solo, seq=3)
    view = play_out(found)
    assert view["origin"]["kind"] == "solo" and view["solo"]["score"] is not None
    assert found.get("/record").get_json()["draw"]["tiles"] == solo.get("/record").get_json()["draw"]["tiles"]
    refused = explore(client, ann, solo, opponent="greedy")
    assert (refused.status_code, wrong_fields(refused)) == (422, ["opponent"])


def test_a_running_solo_reveals_nothing_of_its_draw(client: FlaskClient, ann: Person) -> None:
    solo = start_solo(client, ann)
    for _ in range(4):
        solo.move()
    found = explored(client, ann, solo)
    view = found.view()
    assert view["origin"]["seq"] == 4 and view["origin"]["tiles"] == 11
    assert position(view) == position(solo.view())
    assert play_out(found)["draw"]["server_seed"] is None
    kept = found.get("/record").get_json()
    exploration.check(found.get("/record").data)
    play_out(solo)
    whole = solo.get("/record").get_json()["draw"]
    assert kept["draw"]["tiles"][:11] == whole["tiles"][:11]
    assert kept["draw"]["tiles"] != whole["tiles"][: len(kept["draw"]["tiles"])], "these tiles were a secret"
    assert kept["draw"]["server_seed"] is None
    assert found.get("/record").get_json() == kept, "it goes on with the tiles that it had"


def test_nobody_else_sees_an_exploration(client: FlaskClient, ann: Person, ben: Person) -> None:
    found = explored(client, ann, resigned(client, ann, ben), seq=1)
    below = ("", "/legal-moves", "/record", "/moves", "/board.svg", "/board.png", "/seats/0/goals")
    for path in below:
        assert client.get(found.path + path, headers=ben.headers).status_code == 404
        assert client.get(found.path + path).status_code == 401
        if path != "/board.png":  # whose example is sent by the contract
            assert client.get(found.path + path, headers=ann.headers).status_code == 200, path
    assert client.delete(found.path, headers=ben.headers).status_code == 404
    assert client.delete(f"{found.path}/moves/2", headers=ben.headers).status_code == 404
    assert found.post(ben, found.first()).status_code == 404
    assert client.get("/v1/explorations", headers=ben.headers).get_json()["items"] == []


def test_an_exploration_is_listed_and_deleted(client: FlaskClient, ann: Person, ben: Person, clock: Clock) -> None:
    game = resigned(client, ann, ben)
    made = []
    for seq in (1, 2, 3):
        clock.advance(seconds=1)
        made.append(explored(client, ann, game, seq=seq).id)
    listed = client.get("/v1/explorations?limit=2", headers=ann.headers).get_json()
    assert ExplorationPage().validate(listed) == {}
    rest = client.get(f"/v1/explorations?limit=2&cursor={listed['next']}", headers=ann.headers).get_json()
    assert [item["id"] for item in listed["items"] + rest["items"]] == made[::-1] and rest["next"] is None
    assert client.get("/v1/explorations?limit=3", headers=ann.headers).get_json()["next"] is None
    assert {item["origin"]["game"] for item in listed["items"]} == {game.id}
    assert client.delete(f"/v1/explorations/{made[0]}", headers=ann.headers).status_code == 204
    assert client.get(f"/v1/explorations/{made[0]}", headers=ann.headers).status_code == 404


def test_past_states_are_those_of_the_game_and_then_its_own(client: FlaskClient, ann: Person, ben: Person) -> None:
    game = resigned(client, ann, ben)
    found = explored(client, ann, game, seq=2)
    for _ in range(2):
        found.move()
    for seq in (0, 1, 2):
        assert position(found.get(f"?at={seq}").get_json()) == position(game.get(f"?at={seq}").get_json())
        exploration.check_any(found.get("/record").data)
    assert found.get("?at=4").get_json()["version"] == 4 and found.get("?at=5").status_code == 404
    exploration.check(found.get("/record?at=3").data)
    exploration.check(found.get("/record?at=2").data)
    earlier = found.get("/record?at=1")
    assert (earlier.status_code, earlier.get_json()["code"]) == (404, "no_record"), "no verifier would accept it"
    tag = found.get("?at=3").headers["ETag"]
    again = client.get(f"{found.path}?at=3", headers={**ann.headers, "If-None-Match": tag})
    assert again.status_code == 304
    assert found.get("/legal-moves?at=3").get_json()["seat"] == found.get("?at=3").get_json()["turn"]["seat"]


def test_the_log_is_listed_in_pages(client: FlaskClient, ann: Person, ben: Person) -> None:
    found = explored(client, ann, resigned(client, ann, ben), seq=2)
    found.move()
    log = found.get("/record").get_json()["log"]
    page = found.get("/moves?limit=2").get_json()
    rest = found.get(f"/moves?cursor={page['next']}").get_json()
    assert page["items"] + rest["items"] == log and rest["next"] is None
    assert found.get("/moves?since=2").get_json()["items"] == log[2:]


def test_pictures_and_goals_are_as_of_a_game(client: FlaskClient, ann: Person, ben: Person) -> None:
    game = resigned(client, ann, ben, moves=5)
    found = explored(client, ann, game, seq=5)
    seat = game.get("?at=5").get_json()["last_move"]["seat"]
    assert found.get(f"/seats/{seat}/goals").get_json() == game.get(f"/seats/{seat}/goals?at=5").get_json()
    assert found.get("/seats/2/goals").status_code == 404
    shown = found.get("/board.svg?at=3")
    assert shown.status_code == 200 and shown.mimetype == "image/svg+xml" and "Ann" not in shown.text
    goals = found.get(f"/seats/{seat}/goals").get_json()["goals"]
    assert found.get(f"/board.svg?why={goals[0]['name']}").status_code == 200 if goals else True
    assert found.get("/board.svg?seat=3").status_code == 422


def test_its_record_is_no_games(client: FlaskClient, ann: Person, ben: Person) -> None:
    found = explored(client, ann, resigned(client, ann, ben), seq=2)
    line = found.get("/record").data
    with pytest.raises(RecordError):
        audit.check(line)
    refused = client.post("/v1/imports", data=line, headers=ann.headers, content_type="application/json")
    assert (refused.status_code, refused.get_json()["code"]) == (422, "bad_record")
    assert "that of an exploration" in refused.get_json()["detail"]
    assert json.loads(line)["players"] == [{"seat": 0, "name": None}, {"seat": 1, "name": None}]


def test_nothing_counts_an_exploration(app: Flask, client: FlaskClient, ann: Person, ben: Person) -> None:
    game = resigned(client, ann, ben)

    def counted() -> Any:
        lists = ("/v1/games", "/v1/games?mine=true", "/v1/solo-sessions", f"/v1/players/{ann.account}")
        answers = [client.get(path, headers=ann.headers).get_json() for path in lists]
        export = client.get("/v1/me/games.ndjson", headers=ann.headers).data
        with app.app_context(), transaction() as session:
            tables = ("tables", "seats", "log", "progress", "new_events", "events", "procrastinate_jobs")
            rows = [session.scalar(text(f"SELECT count(*) FROM {name}")) for name in tables]
        return answers, export, rows

    before = counted()
    found = explored(client, ann, game, seq=1, opponent="greedy")
    play_out(found)
    assert counted() == before


def test_an_account_has_so_many_explorations(make_app: Callable[..., Flask], ann: Person, ben: Person) -> None:
    client = make_app(limit_explorations_per_account=2).test_client()
    game = resigned(client, ann, ben)
    made = [explored(client, ann, game, seq=1) for _ in range(2)]
    refused = explore(client, ann, game, seq=1)
    assert (refused.status_code, refused.get_json()["code"]) == (409, "too_many_explorations")
    assert refused.get_json()["most"] == 2
    assert explore(client, ben, game).status_code == 201
    assert client.delete(made[0].path, headers=ann.headers).status_code == 204
    assert explore(client, ann, game).status_code == 201


def test_an_account_begins_so_many_in_an_hour(
    client: FlaskClient, ann: Person, ben: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = resigned(client, ann, ben)
    monkeypatch.setattr(explorations, "PER_HOUR", 2)
    for _ in range(2):
        assert client.delete(explored(client, ann, game).path, headers=ann.headers).status_code == 204
    refused = explore(client, ann, game)
    assert (refused.status_code, refused.get_json()["code"]) == (429, "too_many_new_explorations")
    assert int(refused.headers["Retry-After"]) > 0
    assert explore(client, ben, game).status_code == 201


def test_deleting_the_account_deletes_its_explorations(
    app: Flask, client: FlaskClient, ann: Person, ben: Person
) -> None:
    game = resigned(client, ann, ben)
    explored(client, ann, game)
    kept = explored(client, ben, game)
    assert client.delete("/v1/me", headers=ann.headers).status_code == 204
    with app.app_context(), transaction() as session:
        assert session.scalars(text("SELECT id FROM explorations")).all() == [kept.id]
    exploration.check(kept.get("/record").data)
