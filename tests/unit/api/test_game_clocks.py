"""The clock of a running game over HTTP: what each reader sees of it, and what players can say about it."""

from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from service.api.clock_schemas import ClockSchema
from tests.support.clock import Clock
from tests.support.http_games import Game, SignUp, start, start_solo
from tests.support.web import Person

BANK = {"kind": "bank", "bank": "P5D", "increment": "P1D", "cap": "P7D"}


@pytest.fixture
def people(sign_up: SignUp) -> tuple[Person, ...]:
    return tuple(sign_up(name) for name in ("Ann", "Ben", "Cleo"))


@pytest.fixture
def game(client: FlaskClient, people: tuple[Person, ...]) -> Game:
    return start(client, *people[:2], clock="days-3")


def both(game: Game) -> tuple[Person, Person]:
    """Return the player to move, and the other one."""
    mover = game.to_move()
    return mover, next(player for player in game.players if player != mover)


def clock_of(game: Game, reader: Person | None) -> Any:
    answer = game.client.get(game.path, headers=reader.headers if reader else {})
    found = answer.get_json()["clock"]
    assert ClockSchema().validate(found) == {}
    return found


def say(game: Game, person: Person, what: str, body: Any = None, key: str | None = None) -> TestResponse:
    headers = {**person.headers, **({"Idempotency-Key": key} if key else {})}
    return game.client.post(f"{game.path}/{what}", json=body, headers=headers)


def test_clocks_10_1_the_clock_runs_from_the_start(game: Game, clock: Clock) -> None:
    mover, other = both(game)
    seat = game.players.index(mover)
    clock.advance(hours=25, minutes=1)
    own, others, strangers = (clock_of(game, reader) for reader in (mover, other, None))
    assert own.pop("as_of") == others.pop("as_of") == "2026-11-28T21:57:00.123Z"
    settings = own["settings"]
    assert own == {
        "kind": "per_wait",
        "seat": seat,
        "running": True,
        "stands_still_because": None,
        "stage": "in_time",
        "left": ["P1DT22H59M" if each == seat else "P3D" for each in range(2)],
        "runs_out_at": "2026-11-30T20:56:00.123Z",
        "next": {"step": "nudge", "at": "2026-11-30T20:56:00.123Z"},
        "away": [],
        "words": [],
        "settings": settings,
        "abandoned_after": "P90D",
    }
    rounded = {"runs_out_at": "2026-11-30T21:00:00.000Z", "next": {"step": "nudge", "at": "2026-11-30T21:00:00.000Z"}}
    assert others == {**own, **rounded, "left": ["P3D", "P3D"]}
    assert {**strangers, "as_of": None} == {**others, "as_of": None}


def test_clocks_10_1_time_alone_changes_no_etag(game: Game, clock: Clock) -> None:
    mover, _ = both(game)
    before = game.get(reader=mover)
    clock.advance(hours=2)
    after = game.get(reader=mover)
    assert before.headers["ETag"] == after.headers["ETag"]
    assert before.get_json()["clock"]["left"] != after.get_json()["clock"]["left"]
    conditional = game.client.get(game.path, headers={**mover.headers, "If-None-Match": before.headers["ETag"]})
    assert conditional.status_code == 304


def test_clocks_2_4_a_move_is_answered_with_the_next_clock(
    client: FlaskClient, people: tuple[Person, ...], clock: Clock
) -> None:
    game = start(client, *people[:2], clock=BANK)
    mover, _ = both(game)
    clock.advance(days=1)
    while (shown := game.move().get_json())["turn"]["seat"] == game.players.index(mover):
        pass
    own = game.players.index(mover)
    assert shown["clock"]["seat"] == 1 - own
    assert shown["clock"]["left"][own] == "P5D"
    assert shown["clock"]["as_of"] == "2026-11-28T20:56:00.123Z"


def test_clocks_10_1_a_finished_game_has_no_clock_any_more(game: Game) -> None:
    mover, other = both(game)
    shown = game.post(mover, {"type": "resign"}).get_json()
    assert shown["status"] == "finished"
    for found in (shown["clock"], clock_of(game, other), clock_of(game, None)):
        assert (found["kind"], found["seat"], found["running"], found["left"]) == (
            "per_wait",
            None,
            False,
            [None, None],
        )
        assert (found["as_of"], found["settings"]["quiet"]) == (None, True)


def test_a_past_state_shows_the_settings_of_the_clock_alone(game: Game) -> None:
    now, past = clock_of(game, game.players[0]), game.get("?at=0").get_json()["clock"]
    assert now["seat"] is not None and now["as_of"] is not None
    assert past["settings"] == now["settings"]
    assert (past["seat"], past["as_of"], past["left"]) == (None, None, [None, None])


def test_clocks_12_the_first_entry_of_the_log_is_the_clock(game: Game) -> None:
    entry = game.get("/moves").get_json()["items"][0]
    assert (entry["seq"], entry["seat"]) == (1, game.view()["turn"]["seat"])
    assert entry["move"]["type"] == "mark" and entry["move"]["kind"] == "clock"
    assert entry["move"]["data"] == clock_of(game, None)["settings"]
    assert game.view()["version"] == 1


def test_clocks_7_1_a_mark_makes_no_version_stale(game: Game) -> None:
    mover, other = both(game)
    move, tag = game.first(), game.get().headers["ETag"]
    assert say(game, other, "keep").status_code == 200
    del move["expected_version"]
    assert game.post(mover, move, {"If-Match": tag}).status_code == 412
    assert game.post(mover, {**move, "expected_version": 1}).status_code == 201


def test_clocks_7_5_time_is_given_once_all_others_offer_some(
    client: FlaskClient, people: tuple[Person, ...], clock: Clock
) -> None:
    game = start(client, *people, clock="day")
    mover = game.to_move()
    first, second = (player for player in game.players if player != mover)
    seats = [game.players.index(player) for player in (first, second)]
    before = game.get().headers["ETag"]
    answer = say(game, first, "time", {"duration": "PT72H"})
    assert answer.status_code == 200, answer.text
    assert answer.get_json()["clock"]["words"] == [{"seat": seats[0], "for": "P3D"}]
    assert answer.headers["ETag"] != before == f'"1-{before.split("-")[1]}-{before.split("-")[2]}'
    assert clock_of(game, None)["words"] == []
    assert say(game, first, "time", {"duration": None}).get_json()["clock"]["words"] == []
    say(game, first, "time", {"duration": "P3D"})
    given = say(game, second, "time", {"duration": "P2D"}).get_json()
    assert given["clock"]["words"] == []
    assert given["last_move"]["move"]["kind"] == "clock.more"
    assert clock_of(game, mover)["left"][game.players.index(mover)] == "P3D"
    assert clock_of(game, mover)["runs_out_at"] == "2026-11-30T20:56:00.123Z"


@pytest.mark.parametrize(
    ("duration", "status", "code"),
    [
        ("PT59M", 422, "wrong_fields"),
        ("P15D", 422, "wrong_fields"),
        ("2 days", 422, "wrong_fields"),
    ],
)
def test_clocks_7_5_an_offer_has_bounds(game: Game, duration: str, status: int, code: str) -> None:
    answer = say(game, both(game)[1], "time", {"duration": duration})
    assert (answer.status_code, answer.get_json()["code"]) == (status, code)
    assert answer.get_json()["errors"][0]["field"] == "duration"


def test_clocks_7_5_who_may_offer_no_time_is_told_so(
    client: FlaskClient, people: tuple[Person, ...], game: Game
) -> None:
    mover, other = both(game)
    asked = {"duration": "P14D"}
    refused = say(game, mover, "time", asked)
    assert (refused.status_code, refused.get_json()["code"]) == (403, "not_yours_to_give")
    assert say(game, people[2], "time", asked).status_code == 403
    for _ in range(2):
        assert say(game, other, "time", asked).status_code == 200
    refused = say(game, other, "time", asked)
    assert (refused.status_code, refused.get_json()["code"]) == (422, "too_much")
    without = start(client, *people[:2])
    refused = say(without, both(without)[1], "time", asked)
    assert (refused.status_code, refused.get_json()["code"]) == (409, "no_clock")
    game.post(mover, {"type": "resign"})
    refused = say(game, other, "time", asked)
    assert (refused.status_code, refused.get_json()["code"]) == (409, "not_running")


def test_clocks_9_2_keep_is_an_entry_once_a_key(game: Game) -> None:
    _, other = both(game)
    answers = [say(game, other, "keep", key="once") for _ in range(2)]
    assert [answer.status_code for answer in answers] == [200, 200]
    assert answers[0].data == answers[1].data
    assert answers[0].get_json()["version"] == 2
    last = answers[0].get_json()["last_move"]
    assert (last["seat"], last["move"]["kind"]) == (game.players.index(other), "clock.keep")


def test_clocks_9_2_nobody_fills_the_log_with_keep(game: Game, clock: Clock) -> None:
    mover, other = both(game)
    for _ in range(5):
        assert say(game, other, "keep").status_code == 200
        clock.advance(hours=1)
    refused = say(game, other, "keep")
    assert (refused.status_code, refused.get_json()["code"]) == (429, "too_often")
    assert refused.headers["Retry-After"] == str(19 * 3600)
    assert '"keeps-per-seat";q=5;w=86400' in refused.headers["RateLimit-Policy"]
    assert '"keeps-per-seat";r=0;t=68400' in refused.headers["RateLimit"]
    assert say(game, mover, "keep").status_code == 200
    clock.advance(hours=19, seconds=1)
    assert say(game, other, "keep").status_code == 200


def test_clocks_9_2_a_solo_can_be_kept(client: FlaskClient, people: tuple[Person, ...]) -> None:
    solo = start_solo(client, people[0])
    answer = say(solo, people[0], "keep")
    assert (answer.status_code, answer.get_json()["last_move"]["move"]["kind"]) == (200, "clock.keep")
    assert say(solo, people[1], "keep").status_code == 404


def test_clocks_6_6_where_no_bot_plays_nothing_is_taken_back(game: Game) -> None:
    answer = say(game, both(game)[0], "back")
    assert (answer.status_code, answer.get_json()["code"]) == (409, "not_on_autopilot")


@pytest.mark.parametrize("what", ["time", "keep", "back"])
def test_only_players_may_say_something(client: FlaskClient, people: tuple[Person, ...], game: Game, what: str) -> None:
    body = {"duration": "P1D"} if what == "time" else None
    assert client.post(f"{game.path}/{what}", json=body).status_code == 401
    assert say(game, people[2], what, body).status_code == 403


def test_a_repeated_move_gets_the_bytes_of_the_first_answer(
    client: FlaskClient, sign_up: SignUp, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = start(client, sign_up("Ann"), sign_up("Ben"), clock="days-3")
    mover, first, key = game.to_move(), game.first(), {"Idempotency-Key": "again"}

    def ticking(clock: Clock) -> Any:
        clock.advance(seconds=1)
        return clock.now

    monkeypatch.setattr(Clock, "__call__", ticking)
    made, repeated = game.post(mover, first, key), game.post(mover, first, key)
    assert made.status_code == 201 and repeated.data == made.data
    assert repeated.headers["ETag"] == made.headers["ETag"]
