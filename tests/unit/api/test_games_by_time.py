"""Lists of games with what they show of clocks, and in the order in which time runs out."""

from typing import Any

from flask.testing import FlaskClient

from service.api.game_schemas import GamePage
from tests.support.clock import Clock
from tests.support.http_games import Game, start, start_solo
from tests.support.web import Person

LIST = "/v1/games?sort=runs_out_at&"


def items(client: FlaskClient, reader: Person | None, query: str, limit: int = 100) -> list[dict[str, Any]]:
    """Return all items of a list, page by page."""
    found: list[dict[str, Any]] = []
    cursor = ""
    while True:
        headers = reader.headers if reader else {}
        answer = client.get(f"{query}&limit={limit}{cursor}", headers=headers)
        assert answer.status_code == 200, answer.text
        assert GamePage().validate(answer.get_json()) == {}
        found += answer.get_json()["items"]
        if answer.get_json()["next"] is None:
            return found
        cursor = f"&cursor={answer.get_json()['next']}"


def test_clocks_10_2_a_row_tells_of_the_clock_what_the_game_tells(
    client: FlaskClient, ann: Person, ben: Person, clock: Clock
) -> None:
    game = start(client, ann, ben, clock="days-3")
    start_solo(client, ann)
    clock.advance(hours=5)
    for reader in (ann, ben, None):
        (row,) = items(client, reader, "/v1/games?status=running")
        shown = client.get(game.path, headers=reader.headers if reader else {}).get_json()
        assert row["runs_out_at"] == shown["clock"]["runs_out_at"] is not None
        assert row["stands_still_because"] is shown["clock"]["stands_still_because"] is None
        assert row["left"] == (None if reader is None else shown["clock"]["left"][shown["you"]])
    (solo,) = items(client, ann, "/v1/solo-sessions?status=running")
    assert (solo["left"], solo["runs_out_at"], solo["stands_still_because"]) == (None, None, None)


def test_clocks_10_2_what_runs_out_first_comes_first(
    client: FlaskClient, ann: Person, ben: Person, clock: Clock
) -> None:
    games: dict[str, Game] = {}
    for kind in ("week", "day", "days-3"):
        games[kind] = start(client, ann, ben, clock=kind)
        clock.advance(hours=1)
    games["late day"] = start(client, ann, ben, clock="day")
    games["no clock"] = start(client, ann, ben)
    start_solo(client, ann)
    opened = client.post("/v1/games", json={"seats": 2, "clock": "day"}, headers=ann.headers).get_json()["id"]
    ended = start(client, ann, ben, clock="day")
    ended.post(ann, {"type": "resign"})
    running = [games[name].id for name in ("day", "late day", "days-3", "week")]
    rest = [ended.id, opened, games["no clock"].id]
    for limit in (1, 2, 3, 100):
        assert [row["id"] for row in items(client, ann, LIST + "mine=true", limit)] == [*running, *rest]
        found = [row["id"] for row in items(client, ann, LIST + "mine=true&status=running", limit)]
        assert found == [*running, games["no clock"].id]
        assert [row["id"] for row in items(client, ann, LIST + "mine=true&status=open", limit)] == [opened]
        turns = [row["id"] for person in (ann, ben) for row in items(client, person, LIST + "my_turn=true", limit)]
        assert sorted(turns) == sorted([*running, games["no clock"].id])
    shown = [row["runs_out_at"] for row in items(client, ann, LIST + "mine=true")]
    assert shown[:4] == sorted(shown[:4]) and shown[4:] == [None] * 3
    assert items(client, ann, LIST + "my_turn=true&status=open") == []


def test_the_order_by_time_is_for_own_games(client: FlaskClient, ann: Person) -> None:
    answer = client.get("/v1/games?sort=runs_out_at", headers=ann.headers)
    assert answer.status_code == 422 and answer.get_json()["errors"][0]["field"] == "sort"
    assert client.get("/v1/games?sort=newest").status_code == 200
    assert client.get("/v1/games?sort=age").status_code == 422
    assert client.get("/v1/solo-sessions?sort=newest", headers=ann.headers).status_code == 422


def test_a_cursor_of_another_order_is_refused(client: FlaskClient, ann: Person, ben: Person) -> None:
    for _ in range(2):
        start(client, ann, ben, clock="day")
    by_time, newest = LIST + "mine=true&limit=1", "/v1/games?mine=true&limit=1"
    for one, other in ((by_time, newest), (newest, by_time)):
        cursor = client.get(one, headers=ann.headers).get_json()["next"]
        answer = client.get(f"{other}&cursor={cursor}", headers=ann.headers)
        assert answer.status_code == 422 and answer.get_json()["errors"][0]["field"] == "cursor"
