"""Tables with seats that bots play, over HTTP: opened, listed, shown, joined and left."""

from typing import Any

import pytest
from flask.testing import FlaskClient

from tests.support.http_games import SignUp
from tests.support.web import Person


@pytest.fixture
def table(client: FlaskClient, ann: Person) -> Any:
    """Open a table of Ann, with a free seat and a bot."""
    made = client.post("/v1/games", json={"seats": 3, "bots": 1}, headers=ann.headers)
    assert made.status_code == 201, made.text
    return made.get_json()


def seated(view: Any) -> list[tuple[int, str | None, str | None]]:
    return [(player["seat"], player["name"], player["bot"]) for player in view["players"]]


def test_a_bot_is_shown_before_one_joins_and_the_game_starts_with_all(
    client: FlaskClient, sign_up: SignUp, table: Any
) -> None:
    path = f"/v1/games/{table['id']}"
    assert table["status"] == "open" and seated(table) == [(0, "Ann", None), (2, "Greedy bot", "greedy")]
    assert seated(client.get(path).get_json()) == seated(table)
    joined = client.post(f"{path}/players", json={}, headers=sign_up("Ben").headers).get_json()
    assert joined["status"] == "running" and joined["you"] == 1
    assert seated(joined) == [(0, "Ann", None), (1, "Ben", None), (2, "Greedy bot", "greedy")]


def test_a_table_of_one_and_bots_is_a_running_game_at_once(client: FlaskClient, ann: Person) -> None:
    made = client.post("/v1/games", json={"seats": 4, "bots": 3}, headers=ann.headers)
    view = made.get_json()
    assert made.status_code == 201 and view["status"] == "running" and view["you"] == 0
    assert [bot for _, _, bot in seated(view)] == [None, "greedy", "greedy", "greedy"]
    assert view["draw"]["entropy"] == [""] * 4
    assert client.get(made.headers["Location"], headers=ann.headers).get_json()["players"] == view["players"]


def test_bots_in_lists_are_nobodys_own_seats(client: FlaskClient, ann: Person, table: Any) -> None:
    for headers, you in ((ann.headers, 0), ({}, None)):
        listed = client.get("/v1/games", headers=headers).get_json()["items"]
        (found,) = [each for each in listed if each["id"] == table["id"]]
        assert seated(found) == seated(table) and found["you"] == you


def test_nobody_reads_a_private_table_by_the_seat_of_its_bot(client: FlaskClient, ann: Person, sign_up: SignUp) -> None:
    given = {"seats": 3, "bots": 1, "visibility": "private"}
    game = client.post("/v1/games", json=given, headers=ann.headers).get_json()["id"]
    for headers in ({}, sign_up("Ben").headers):
        assert client.get(f"/v1/games/{game}", headers=headers).status_code == 404
        assert client.get(f"/v1/games/{game}/log", headers=headers).status_code == 404


@pytest.mark.parametrize("bots", [2, 4, -1, True, "1", None])
def test_bots_that_do_not_fit_are_refused(client: FlaskClient, ann: Person, bots: object) -> None:
    refused = client.post("/v1/games", json={"seats": 2, "bots": bots}, headers=ann.headers)
    assert refused.status_code == 422 and [error["field"] for error in refused.get_json()["errors"]] == ["bots"]


def test_a_solo_has_no_bots(client: FlaskClient, ann: Person) -> None:
    refused = client.post("/v1/solo-sessions", json={"bots": 1}, headers=ann.headers)
    assert refused.status_code == 422 and [error["field"] for error in refused.get_json()["errors"]] == ["bots"]


def test_the_maker_cannot_remove_a_bot(client: FlaskClient, ann: Person, table: Any) -> None:
    refused = client.delete(f"/v1/games/{table['id']}/players/2", headers=ann.headers)
    assert (refused.status_code, refused.get_json()["code"]) == (409, "seat_of_a_bot")


def test_the_page_names_the_bot_in_the_readers_language(client: FlaskClient, table: Any) -> None:
    for language, name in (("en", "Greedy bot"), ("fr", "Robot glouton"), ("es", "Bot voraz"), ("de", "Gieriger Bot")):
        page = client.get(f"/games/{table['id']}", headers={"Accept-Language": language})
        assert page.status_code == 200 and name in page.text and "bot:greedy" not in page.text
