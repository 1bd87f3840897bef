"""Simultaneous requests, over connections of their own, to a web server with two processes.

One that a busy machine refuses as overloaded is repeated, as the refusal asks.
"""

from collections.abc import Callable
from functools import partial

import pytest

from tests.drills.client import Game, Player, start
from tests.drills.service import Service
from tests.support.at_once import at_once
from tests.support.shared_service import SHARE_SERVICE

pytestmark = [pytest.mark.drill, SHARE_SERVICE]


def test_one_of_two_moves_at_the_same_version_is_made(
    service: Service, people: list[Player], amount: Callable[[int], int]
) -> None:
    game = start(service.api, people[:2])
    for number in range(amount(50)):
        answer = game.get("/legal-moves")
        if answer.json()["seat"] is None:
            game = start(service.api, people[:2])
            answer = game.get("/legal-moves")
        legal = answer.json()
        version = legal["version"]
        bodies = [
            {"type": "place", "tile": tile, **cell}
            for tile, cell in ((legal["tiles"][0], legal["cells"][0]), (legal["tiles"][-1], legal["cells"][-1]))
        ]
        move = partial(service.api.answer, "POST", f"{game.path}/moves", game.players[legal["seat"]])
        calls = [
            partial(move, {**bodies[0], "expected_version": version}),
            partial(move, bodies[1], If_Match=answer.headers["ETag"]),
        ]
        answers = at_once(*(calls if number % 2 else reversed(calls)))
        won, lost = sorted(answers, key=lambda answer: answer.status_code)
        assert (won.status_code, lost.status_code) in ((201, 409), (201, 412))
        assert (lost.json()["code"], lost.json()["version"]) == ("stale_version", version + 1)
        assert game.get(who=game.players[legal["seat"]]).content == won.content
        assert len(game.log()) == version + 1
    service.check_records()


def test_the_same_key_five_times(service: Service, people: list[Player], amount: Callable[[int], int]) -> None:
    for number in range(amount(10)):
        game = start(service.api, people[:2])
        legal = game.get("/legal-moves").json()
        body = {"type": "place", "tile": legal["tiles"][0], **legal["cells"][0], "expected_version": 0}
        mover = game.players[legal["seat"]]
        key = f"the-same-{number}"
        move = partial(service.api.answer, "POST", f"{game.path}/moves", mover, body, Idempotency_Key=key)
        answers = at_once(*[move] * 5)
        assert [answer.status_code for answer in answers] == [201] * 5
        assert len({answer.content for answer in answers}) == 1
        kept = [[answer.headers[name] for name in ("Content-Type", "ETag", "Location")] for answer in answers]
        assert kept == kept[:1] * 5
        assert len(game.log()) == 1
    service.check_records()


def test_twenty_joins_for_two_seats(service: Service, people: list[Player], amount: Callable[[int], int]) -> None:
    maker, *guests = people
    games = []
    for _ in range(amount(10)):
        game = service.api.post("/v1/games", maker, {"seats": 3}).json()["id"]
        path = f"/v1/games/{game}"
        joins = [partial(service.api.answer, "POST", f"{path}/players", guest, {}) for guest in guests]
        answers = at_once(*joins)
        assert sorted(answer.status_code for answer in answers) == [201] * 2 + [409] * 18
        codes = {answer.json()["code"] for answer in answers if answer.status_code == 409}
        assert codes <= {"table_full", "already_started"}, "the latter to whoever came when all was over"
        let_in = {
            answer.json()["you"]: guest for guest, answer in zip(guests, answers, strict=True) if answer.is_success
        }
        games.append(Game(service.api, path, (maker, let_in[1], let_in[2])))
    service.await_empty_queue()
    mails = service.mailbox.mails_by_name()
    for game in games:
        view = game.get().json()
        assert (view["status"], view["version"], len(view["players"])) == ("running", 0, 3)
        first_to_move = game.players[view["turn"]["seat"]].account
        assert [mail for mail in mails.elements() if f".{game.id}." in mail] == [f"turn.{game.id}.0.{first_to_move}"]
    service.check_records()
