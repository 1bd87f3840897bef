"""The view of a table: what it shows and hides, that its schema documents it, and that past states can be seen."""

import json
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
from flask.testing import FlaskClient

from service.api.game_examples import GAME, SOLO
from service.api.game_schemas import GamePage, GameSchema
from service.api.legal_move_schemas import LegalMovesSchema
from service.api.move_schemas import LogPage, MovePreviewSchema, RecordSchema
from service.api.schema import ResponseSchema
from service.queries import replay
from tests.support.http_games import Game, SignUp, start, start_solo
from tests.support.web import KEYS, Person


def documented(schema: type[ResponseSchema], shown: Any) -> None:
    """Check that a response has exactly the members that its schema describes."""
    assert schema().validate(shown) == {}
    assert schema().dump(shown) == shown


@pytest.mark.parametrize("examples", [GAME, SOLO])
def test_the_examples_are_as_their_schemas_say(examples: Any) -> None:
    for view in (examples.open, examples.started, examples.view):
        documented(GameSchema, view)
    documented(GamePage, examples.page)
    documented(LogPage, examples.log)
    documented(RecordSchema, examples.record)
    documented(LegalMovesSchema, examples.legal)
    documented(MovePreviewSchema, examples.tried)


def playthrough(game: Game, reader: Person | None) -> list[bytes]:
    """Play the first legal moves to the end, and return the views at each version for a reader.

    With 3 players or more, one of them resigns.
    """
    headers = reader.headers if reader else {}
    bodies = [game.client.get(game.path, headers=headers).data]
    while (view := json.loads(bodies[-1]))["status"] == "running":
        mover = game.players[view["turn"]["seat"]]
        leaver = next(player for player in game.players if player != mover) if len(game.players) > 1 else mover
        leaving = len(game.players) > 2 and view["version"] == 9
        body: Any = {"type": "resign"} if leaving else game.first()
        made = game.post(leaver if leaving else mover, body)
        assert made.status_code == 201, made.text
        bodies.append(game.client.get(game.path, headers=headers).data)
    return bodies


@pytest.mark.slow
@pytest.mark.drill
def test_another_process_shows_the_past_byte_for_byte(
    client: FlaskClient, database_url: str, ann: Person, sign_up: SignUp, amount: Callable[..., int]
) -> None:
    others = [sign_up(name) for name in ("Ben", "Cleo", "Dora")]
    played: dict[str, list[str]] = {}
    for number in range(amount(100, 4)):
        seats = number % 4
        game = start(client, ann, *others[:seats], discs=6 + number % 15) if seats else start_solo(client, ann)
        bodies = playthrough(game, ann)
        for body in bodies[:: len(bodies) // 3]:
            documented(GameSchema, json.loads(body))
        documented(GameSchema, json.loads(bodies[-1]))
        played[game.path] = [body.decode() for body in bodies]
    command = [sys.executable, "-m", "tests.unit.api.at_version", database_url, KEYS[0], ann.token, *played]
    said = subprocess.run(command, capture_output=True, check=True, text=True).stdout
    assert json.loads(said.splitlines()[-1]) == played


def test_the_seed_and_the_pile_stay_hidden_until_the_end(client: FlaskClient, ann: Person, sign_up: SignUp) -> None:
    game = start(client, ann, sign_up("Ben"))
    bodies = playthrough(game, None)
    last = json.loads(bodies[-1])
    seed = last["draw"]["server_seed"]
    assert len(seed) == 64 and last["status"] == "finished"
    order = json.loads(client.get(f"{game.path}/record").data)["draw"]["tiles"]
    for body in bodies[:-1]:
        assert seed.encode() not in body
        view = json.loads(body)
        shown = 68 - view["pile_size"]
        seen = {tile for tile in view["selection_track"]["spaces"] if tile}
        seen |= {tile["id"] for display in view["displays"] for tile in display["tiles"]}
        assert seen == set(order[:shown])


def test_what_a_view_says(client: FlaskClient, ann: Person, sign_up: SignUp) -> None:
    ben = sign_up("Ben")
    game = start(client, ann, ben)
    view = game.view(ben)
    stack = view["moon_track"]["stacks"]
    assert len(stack) == 1 and stack[0]["position"] == stack[0]["space"] == 0
    assert view["turn"]["seat"] == stack[0]["seats"][-1]
    assert [view["players"][seat]["height"] for seat in stack[0]["seats"]] == [0, 1]
    assert view["selection_track"]["marker"] == 0 and view["selection_track"]["spaces"][0] is None
    assert [tile["id"] for tile in view["selection_track"]["choices"]] == view["selection_track"]["spaces"][1:4]
    assert view["solo"] is None and view["last_move"] is None and view["you"] == 1
    while (view := game.move().get_json())["last_move"]["covered"] == []:
        pass
    (covered,) = view["last_move"]["covered"][:1]
    display = view["displays"][view["last_move"]["seat"]]
    tile = next(tile for tile in display["tiles"] if tile["id"] == covered["tile"])
    assert tile["goals"][covered["goal"]]["covered"] is True
    letters = {tile["id"]: tile["color"][0] for tile in display["tiles"]}
    asked = tile["goals"][covered["goal"]]["asks"]
    counted = [letters[counting] for counting in covered["counting"]]
    assert all(counted.count(letter) >= asked.count(letter) for letter in set(asked))
    assert view["players"][display["seat"]]["discs_left"] == 20 - len(view["last_move"]["covered"])
    ahead = next(player for player in view["players"] if player["position"] is not None)
    assert ahead["space"] == ahead["position"] % 24


def test_readers_differ_by_their_own_seat_alone(client: FlaskClient, ann: Person, sign_up: SignUp) -> None:
    game = start(client, ann, sign_up("Ben"))
    views = [*map(game.view, game.players), client.get(game.path).get_json()]
    assert [view.pop("you") for view in views] == [0, 1, None]
    assert views[0] == views[1] == views[2]


def test_names_do_no_harm(client: FlaskClient, sign_up: SignUp) -> None:
    game = start(client, sign_up("Zoë O'Neill-Ørsted"), sign_up("李 明"))
    assert [player["name"] for player in game.view()["players"]] == ["Zoë O'Neill-Ørsted", "李 明"]
    assert client.get(game.path).headers["Content-Type"] == "application/json"


def test_a_player_who_left_has_no_place_on_the_moon_track(client: FlaskClient, ann: Person, sign_up: SignUp) -> None:
    game = start(client, ann, sign_up("Ben"), sign_up("Cleo"))
    view = game.post(ann, {"type": "resign"}).get_json()
    gone = view["players"][0]
    assert gone["left"] is True and gone["position"] is gone["space"] is gone["height"] is None
    assert [stack["seats"] for stack in view["moon_track"]["stacks"]] and 0 not in view["moon_track"]["stacks"][0][
        "seats"
    ]
    assert view["last_move"]["move"] == {"type": "resign"}


def test_a_solo_ends_with_its_score(client: FlaskClient, ann: Person) -> None:
    game = start_solo(client, ann)
    view = json.loads(playthrough(game, ann)[-1])
    solo = view["solo"]
    assert solo["phase"] == 2 and solo["score"] == solo["first_total"] + solo["second_total"] == view["result"]["score"]
    assert view["moon_track"] is None and view["players"][0]["position"] is None
    legal = game.get("/legal-moves").get_json()
    assert legal["seat"] is None and legal["tiles"] == [] and not legal["refill"] and not legal["resign"]


def test_what_is_unchanged_is_answered_with_304(client: FlaskClient, ann: Person, sign_up: SignUp) -> None:
    game = start(client, ann, sign_up("Ben"))
    game.move()
    for path in (game.path, f"{game.path}/legal-moves", f"{game.path}/record", f"{game.path}?at=1"):
        got = game.client.get(path)
        tag = got.headers["ETag"]
        assert tag.startswith('"1-2-') and got.status_code == 200
        for condition in (tag, f"W/{tag}", "*", f'"0-0", {tag}'):
            unchanged = game.client.get(path, headers={"If-None-Match": condition})
            assert unchanged.status_code == 304 and not unchanged.data and unchanged.headers["ETag"] == tag
            assert "Authorization" in unchanged.headers["Vary"]
    game.move()
    assert game.client.get(game.path, headers={"If-None-Match": tag}).status_code == 200
    replays = replay.draw_order.cache_info()
    assert game.client.get(f"{game.path}?at=1", headers={"If-None-Match": tag}).status_code == 304
    assert replay.draw_order.cache_info() == replays, "304 comes without a replay"
    before = game.client.get(game.path).headers["ETag"]
    game.client.patch("/v1/me", json={"name": "Anna"}, headers=ann.headers)
    renamed = game.client.get(game.path, headers={"If-None-Match": before})
    assert (
        renamed.headers["ETag"] == before.replace('"2-2-', '"2-3-')
        and renamed.get_json()["players"][0]["name"] == "Anna"
    )


def test_a_version_that_is_not_there_yet(client: FlaskClient, ann: Person, sign_up: SignUp) -> None:
    game = start(client, ann, sign_up("Ben"))
    missing = game.client.get(f"{game.path}?at=1")
    assert (missing.status_code, missing.get_json()["code"], missing.get_json()["version"]) == (
        404,
        "no_such_version",
        0,
    )
    for far in (32_768, 2**31, 10**15):
        assert game.client.get(f"{game.path}?at={far}").get_json()["code"] == "no_such_version"
    for wrong in ("-1", "x", "1.0", ""):
        assert game.client.get(f"{game.path}?at={wrong}").status_code == 422
