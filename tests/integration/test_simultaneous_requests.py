"""Simultaneous requests from several threads, against a real Postgres."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import text
from werkzeug.test import TestResponse

from service.commands import players
from service.store.base import db
from tests.support.at_once import at_once
from tests.support.clock import NOW
from tests.support.http_games import SignUp, start
from tests.support.running import eventually
from tests.support.web import KEYS, Person

Request = Callable[[FlaskClient], TestResponse]


def send(app: Flask, *requests: Request) -> list[TestResponse]:
    """Send requests at the same moment, each from a client of its own, and return the responses."""
    return at_once(*(partial(request, app.test_client()) for request in requests))


def post(path: str, who: Person, json: Any = None, **headers: str) -> Request:
    """Return a POST to be sent later."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda client: client.post(path, json=json, headers={**who.headers, **named})


def scalar(app: Flask, query: str, **values: Any) -> Any:
    with app.app_context():
        return db.session.scalar(text(query), values)


def wait_for_lock(count: int = 1) -> None:
    """Wait until a number of other connections to this database wait for a lock."""
    query = text(
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    )
    with db.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        eventually(lambda: connection.scalar(query) >= count)


@pytest.mark.drill
def test_one_of_two_moves_at_the_same_version_is_made(
    app: Flask, sign_up: SignUp, amount: Callable[[int], int]
) -> None:
    ann, ben = sign_up("Ann"), sign_up("Ben")
    game = start(app.test_client(), ann, ben)
    version = 0
    for number in range(amount(50)):
        if game.view()["status"] != "running":
            game, version = start(app.test_client(), ann, ben), 0
        mover = game.to_move()
        legal = game.client.get(f"{game.path}/legal-moves").get_json()
        cells = [legal["cells"][0], legal["cells"][-1]]
        bodies = [
            {"type": "place", "tile": tile, **cell} for tile, cell in zip(legal["tiles"][:2] * 2, cells, strict=False)
        ]
        path = f"{game.path}/moves"
        sent = [
            post(path, mover, {**bodies[0], "expected_version": version}),
            post(path, mover, bodies[1], If_Match=game.get().headers["ETag"]),
        ]
        answers = send(app, *(sent if number % 2 else sent[::-1]))
        assert sorted(answer.status_code for answer in answers) in ([201, 409], [201, 412])
        version += 1
        lost = next(answer for answer in answers if answer.status_code != 201)
        assert lost.get_json()["code"] == "stale_version" and lost.get_json()["version"] == version
        assert game.view()["version"] == version
        query = "SELECT count(*) FROM log JOIN tables ON key = game WHERE id = :id"
        assert scalar(app, query, id=game.id) == version


@pytest.mark.drill
def test_the_same_key_five_times(app: Flask, sign_up: SignUp, amount: Callable[[int], int]) -> None:
    ann, ben = sign_up("Ann"), sign_up("Ben")
    for number in range(amount(10)):
        game = start(app.test_client(), ann, ben)
        move = post(f"{game.path}/moves", game.to_move(), game.first(), Idempotency_Key=f"key-{number}")
        answers = send(app, *[move] * 5)
        assert {answer.status_code for answer in answers} == {201}
        assert len({answer.data for answer in answers}) == 1
        assert game.view()["version"] == 1


@pytest.mark.parametrize("asked", ["place", "resign"])
def test_a_race_lost_to_the_same_key_gets_the_winners_answer(app: Flask, sign_up: SignUp, asked: str) -> None:
    """Both have read the table before either writes: one waits for its row, and the other one for the first."""
    game = start(app.test_client(), *(sign_up(name) for name in ("Ann", "Ben", "Cleo")))
    move = game.first() if asked == "place" else {"type": "resign"}
    request = post(f"{game.path}/moves", game.to_move(), move, Idempotency_Key="once")
    lock = "SELECT FROM progress JOIN tables ON key = game WHERE id = :id FOR UPDATE OF progress"
    with app.app_context(), ThreadPoolExecutor(2) as threads:
        db.session.execute(text(lock), {"id": game.id})
        sent = [threads.submit(lambda: request(app.test_client())) for _ in range(2)]
        wait_for_lock(2)
        db.session.commit()
        answers = [answer.result() for answer in sent]
    assert [answer.status_code for answer in answers] == [201, 201]
    assert answers[0].data == answers[1].data and answers[0].headers["ETag"] == answers[1].headers["ETag"]
    assert game.view()["version"] == 1


@pytest.mark.drill
def test_twenty_joins_for_two_seats(app: Flask, sign_up: SignUp, amount: Callable[[int], int]) -> None:
    maker, guests = sign_up("Ann"), [sign_up() for _ in range(20)]
    for _ in range(amount(10)):
        game = app.test_client().post("/v1/games", json={"seats": 3}, headers=maker.headers).get_json()["id"]
        answers = send(app, *(post(f"/v1/games/{game}/players", guest, {}) for guest in guests))
        assert sorted(answer.status_code for answer in answers) == [201] * 2 + [409] * 18
        codes = {answer.get_json()["code"] for answer in answers if answer.status_code == 409}
        assert codes <= {"table_full", "already_started"}, "the latter from whoever came when all was over"
        assert sorted(answer.get_json()["status"] for answer in answers if answer.status_code == 201) == [
            "open",
            "running",
        ]
        mails = "SELECT count(*) FROM procrastinate_jobs WHERE task_name = 'mail_turn' AND args->>'game' = :game"
        assert scalar(app, mails, game=game) == 1
        assert scalar(app, "SELECT count(*) FROM setups JOIN tables ON key = game WHERE id = :game", game=game) == 1


def test_a_player_who_waits_for_the_last_seat_finds_the_table_full(app: Flask, sign_up: SignUp) -> None:
    maker, ben, cleo = sign_up("Ann"), sign_up("Ben"), sign_up("Cleo")
    game = app.test_client().post("/v1/games", json={"seats": 2}, headers=maker.headers).get_json()["id"]
    with app.app_context(), ThreadPoolExecutor(1) as thread:
        players.join(db.session(), ben.account, game, invitation=None, entropy="", keys=KEYS, now=NOW)
        late = thread.submit(lambda: post(f"/v1/games/{game}/players", cleo, {})(app.test_client()))
        wait_for_lock()
        db.session.commit()
        answer = late.result()
    assert (answer.status_code, answer.get_json()["code"], answer.get_json()["version"]) == (409, "table_full", 0)


def test_both_players_resign(app: Flask, sign_up: SignUp) -> None:
    game = start(app.test_client(), sign_up("Ann"), sign_up("Ben"))
    answers = send(app, *(post(f"{game.path}/moves", player, {"type": "resign"}) for player in game.players))
    assert sorted(answer.status_code for answer in answers) == [201, 409]
    assert next(answer.get_json()["code"] for answer in answers if answer.status_code == 409) == "game_over"


def test_one_resigns_while_the_other_moves(app: Flask, sign_up: SignUp) -> None:
    players = [sign_up(name) for name in ("Ann", "Ben", "Cleo")]
    game = start(app.test_client(), *players)
    mover, move = game.to_move(), game.first()
    leaver = next(player for player in players if player != mover)
    path = f"{game.path}/moves"
    answers = send(app, post(path, leaver, {"type": "resign"}), post(path, mover, move))
    assert answers[0].status_code == 201 and answers[1].status_code in (201, 409)


def test_an_account_is_deleted_while_it_joins(app: Flask, sign_up: SignUp) -> None:
    maker, guest = sign_up("Ann"), sign_up("Ben")
    game = app.test_client().post("/v1/games", json={"seats": 3}, headers=maker.headers).get_json()["id"]
    joined, deleted = send(
        app,
        post(f"/v1/games/{game}/players", guest, {}),
        lambda client: client.delete("/v1/me", headers=guest.headers),
    )
    assert deleted.status_code == 204 and joined.status_code in (201, 401)
    assert scalar(app, "SELECT count(*) FROM seats WHERE account = :account", account=guest.account) == 0
