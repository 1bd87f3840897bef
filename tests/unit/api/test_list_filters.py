"""The filters of the list of games: alone, combined, and across pages."""

from itertools import product
from typing import Any

import pytest
from flask.testing import FlaskClient

from service.api import table_lists
from service.queries.table_ranges import _OF_MAKER
from tests.support.http_games import SignUp, start
from tests.support.list_windows import windows_of
from tests.support.web import Person

CLOCKS: dict[str, Any] = {
    "none": None,
    "days-3": "days-3",
    "bank": {"kind": "bank", "bank": "P5D", "increment": "P1D", "cap": "P10D"},
}


@pytest.fixture
def games(client: FlaskClient, ann: Person, ben: Person) -> dict[str, dict[str, Any]]:
    """Open a table of each shape, in turn Ann's and Ben's, and start some; return their views by id."""
    made = {}
    for number, (seats, discs, clock) in enumerate(product((2, 3), (20, 5), CLOCKS)):
        maker, other = (ann, ben) if number % 2 else (ben, ann)
        given = {"seats": seats, "discs": discs} | ({"clock": CLOCKS[clock]} if CLOCKS[clock] else {})
        view = client.post("/v1/games", json=given, headers=maker.headers).get_json()
        if number % 3 == 0:
            view = client.post(f"/v1/games/{view['id']}/players", headers=other.headers).get_json()
        made[view["id"]] = view | {"chosen": clock}
    return made


def ids(client: FlaskClient, query: str, reader: Person | None = None) -> list[str]:
    """Return the ids of all pages, of two games each."""
    found: list[str] = []
    cursor = ""
    while True:
        answer = client.get(f"/v1/games?limit=2&{query}{cursor}", headers=reader.headers if reader else {})
        assert answer.status_code == 200, answer.text
        page = answer.get_json()
        found += [item["id"] for item in page["items"]]
        if page["next"] is None:
            return found
        cursor = f"&cursor={page['next']}"


def test_each_filter_and_all_together(client: FlaskClient, games: dict[str, dict[str, Any]], ann: Person) -> None:
    def those(wanted: Any) -> list[str]:
        return [id for id, view in reversed(games.items()) if wanted(view)]

    assert ids(client, "seats=3") == those(lambda view: view["seats"] == 3)
    assert ids(client, "goal_discs=5") == those(lambda view: view["goal_discs"] == 5)
    for clock in ("none", "bank", "days-3"):
        assert ids(client, f"clock={clock}") == those(lambda view, clock=clock: view["chosen"] == clock)
    assert ids(client, "clock=per_wait") == ids(client, "clock=days-3") != []
    assert ids(client, "clock=week") == []
    assert ids(client, "free_seats=1") == those(lambda view: view["status"] == "open")
    assert ids(client, "free_seats=2") == those(lambda view: view["seats"] - len(view["players"]) >= 2)
    together = "seats=3&goal_discs=5&clock=none&free_seats=1&status=open"
    assert ids(client, together) == those(
        lambda view: (view["seats"], view["goal_discs"], view["chosen"], view["status"]) == (3, 5, "none", "open")
    )
    for query in ("mine=true", "my_turn=true", "mine=true&sort=runs_out_at"):
        for more in ("seats=3", "goal_discs=5", "clock=days-3"):
            both = set(ids(client, query, ann)) & set(ids(client, more, ann))
            assert set(ids(client, f"{query}&{more}", ann)) == both


def test_games_of_others_are_those_that_one_does_not_sit_at(
    client: FlaskClient, games: dict[str, dict[str, Any]], ann: Person, sign_up: SignUp
) -> None:
    everything = ids(client, "", ann)
    mine, others = ids(client, "mine=true", ann), ids(client, "mine=false", ann)
    assert mine and others
    assert sorted(mine + others) == sorted(everything) == sorted(games)
    assert ids(client, "mine=false") == everything
    hidden = client.post("/v1/games", json={"seats": 2, "visibility": "private"}, headers=sign_up("Eve").headers)
    assert hidden.get_json()["id"] not in ids(client, "mine=false", ann)


def test_a_page_goes_on_where_the_window_before_had_nothing(
    client: FlaskClient, ann: Person, ben: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    rare = start(client, ann, ben, discs=7).id
    for _ in range(13):
        start(client, ann, ben)
    monkeypatch.setattr(table_lists, "_ROUNDS", 2)
    with windows_of(3):
        for query in ("goal_discs=7", "goal_discs=7&mine=true", "goal_discs=7&status=running"):
            first = client.get(f"/v1/games?{query}", headers=ann.headers).get_json()
            assert first["items"] == [] and first["next"]
            assert ids(client, query, ann) == [rare]
        assert len(ids(client, "goal_discs=20", ann)) == 13


def test_a_list_by_time_goes_on_where_a_window_had_nothing(
    client: FlaskClient, ann: Person, ben: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    timed = start(client, ann, ben, discs=7, clock="week").id
    untimed = client.post("/v1/games", json={"seats": 2, "discs": 7}, headers=ann.headers).get_json()["id"]
    for _ in range(9):
        client.post("/v1/games", json={"seats": 2}, headers=ann.headers)
    monkeypatch.setattr(table_lists, "_ROUNDS", 2)
    with windows_of(3):
        query = "mine=true&sort=runs_out_at&goal_discs=7"
        first = client.get(f"/v1/games?{query}", headers=ann.headers).get_json()
        assert [item["id"] for item in first["items"]] == [timed] and first["next"]
        assert ids(client, query, ann) == [timed, untimed]


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("seats=5", "seats"),
        ("seats=two", "seats"),
        ("goal_discs=4", "goal_discs"),
        ("clock=fast", "clock"),
        ("free_seats=0", "free_seats"),
        ("free_seats=1&status=running", "free_seats"),
        ("mine=false&my_turn=true", "mine"),
        ("mine=false&sort=runs_out_at", "sort"),
    ],
)
def test_a_filter_that_finds_nothing_ever_is_refused(client: FlaskClient, ann: Person, query: str, field: str) -> None:
    refused = client.get(f"/v1/games?{query}", headers=ann.headers)
    assert (refused.status_code, refused.get_json()["code"]) == (422, "wrong_fields")
    assert [wrong["field"] for wrong in refused.get_json()["errors"]] == [field]


def test_private_tables_of_a_maker_push_no_public_one_out(client: FlaskClient, ann: Person) -> None:
    shown = client.post("/v1/games", json={"seats": 2}, headers=ann.headers).get_json()["id"]
    for _ in range(_OF_MAKER):
        client.post("/v1/games", json={"seats": 2, "visibility": "private"}, headers=ann.headers)
    assert ids(client, "status=open") == [shown]
    for _ in range(_OF_MAKER):
        client.post("/v1/games", json={"seats": 2}, headers=ann.headers)
    assert shown not in ids(client, "status=open"), "newer public ones do"


@pytest.mark.parametrize("status", ["open", "finished", "closed"])
def test_only_games_that_are_running_wait_for_anybody(
    client: FlaskClient, ann: Person, ben: Person, status: str
) -> None:
    game = start(client, ann, ben)
    assert game.id in ids(client, "my_turn=true", game.to_move())
    assert ids(client, f"my_turn=true&status={status}", game.to_move()) == []
