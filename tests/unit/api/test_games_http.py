"""Tables over HTTP: opened, listed, shown and hidden, joined, left, closed."""

from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from service.access import secrets
from service.commands.invitations import PURPOSE
from tests.support.clock import Clock
from tests.support.http_games import SignUp, start
from tests.support.web import KEYS, Person


def create(client: FlaskClient, maker: Person, **given: Any) -> Any:
    made = client.post("/v1/games", json={"seats": 3, **given}, headers=maker.headers)
    assert made.status_code == 201, made.text
    return made.get_json()


def test_a_table_is_made_with_its_commitment(client: FlaskClient, ann: Person) -> None:
    given = {"seats": 4, "discs": "first_game", "visibility": "private"}
    made = client.post("/v1/games", json=given, headers=ann.headers)
    view = made.get_json()
    assert made.status_code == 201 and made.headers["Location"] == f"/v1/games/{view['id']}"
    assert made.headers["ETag"].startswith('"0-0-')
    assert made.headers["Cache-Control"].startswith("private") and "Authorization" in made.headers["Vary"]
    assert (view["status"], view["seats"], view["goal_discs"], view["visibility"]) == ("open", 4, 15, "private")
    assert len(view["draw"]["commitment"]) == 64
    assert view["draw"]["entropy"] is None and view["draw"]["server_seed"] is None
    assert [(player["seat"], player["name"]) for player in view["players"]] == [(0, "Ann")] and view["you"] == 0
    assert client.get(made.headers["Location"], headers=ann.headers).data == made.data


def test_what_does_not_fit_is_refused_by_its_field(client: FlaskClient, ann: Person) -> None:
    wrong: list[tuple[str, dict[str, Any]]] = [
        ("seats", {}),
        *(("seats", {"seats": seats}) for seats in (1, 5, True, "2", None)),
        *(("discs", {"seats": 2, "discs": discs}) for discs in ("first_game", 4, 21, "many", True, ["full"], None)),
        ("visibility", {"seats": 2, "visibility": "secret"}),
        *(("hints", {"seats": 2, "hints": hints}) for hints in ("false", 0, None)),
        ("robots", {"seats": 2, "robots": 1}),
    ]
    for field, given in wrong:
        refused = client.post("/v1/games", json=given, headers=ann.headers)
        assert refused.status_code == 422, given
        assert [error["field"] for error in refused.get_json()["errors"]] == [field]


@pytest.mark.parametrize("discs", ["first-game", 4, 21, True, ["full"], 5.5])
def test_wrong_goal_discs_are_told_all_that_is_right(client: FlaskClient, ann: Person, discs: object) -> None:
    refused = client.post("/v1/games", json={"seats": 3, "discs": discs}, headers=ann.headers).get_json()
    (error,) = refused["errors"]
    assert error["detail"] == "Must be full, first_game or a whole number from 5 to 20."


def test_goal_discs(client: FlaskClient, ann: Person) -> None:
    for seats, discs, expected in ((2, "full", 20), (3, "first_game", 17), (2, 5.0, 5)):
        assert create(client, ann, seats=seats, discs=discs)["goal_discs"] == expected


def test_a_private_game_is_unknown_to_others(client: FlaskClient, ann: Person, ben: Person) -> None:
    game = create(client, ann, visibility="private")["id"]
    nothing = "222222222222"
    for headers in ({}, ben.headers):
        for path in ("", "/moves", "/legal-moves", "/record"):
            refused = client.get(f"/v1/games/{game}{path}", headers=headers)
            missing = client.get(f"/v1/games/{nothing}{path}", headers=headers)
            assert refused.status_code == missing.status_code == 404
            assert refused.get_json() == {
                **missing.get_json(),
                "detail": missing.get_json()["detail"].replace(nothing, game),
            }
        assert client.get("/v1/games", headers=headers).get_json()["items"] == []
    for method, path in (("DELETE", ""), ("PATCH", "/players/me"), ("GET", "/invitations"), ("POST", "/moves")):
        assert client.open(f"/v1/games/{game}{path}", method=method, headers=ben.headers).status_code == 404
    for body in (b"", b"{", b'{"entropy": 7}', b'{"invitation": "x"}'):
        headers = {**ben.headers, "Content-Type": "application/json"}
        joined = client.post(f"/v1/games/{game}/players", data=body, headers=headers)
        missing = client.post(f"/v1/games/{nothing}/players", data=body, headers=headers)
        assert joined.status_code == missing.status_code == 404
    assert client.get("/v1/games", headers=ann.headers).get_json()["items"][0]["id"] == game


def test_a_wrong_token_is_refused_even_where_none_is_needed(client: FlaskClient, ann: Person) -> None:
    game = create(client, ann)["id"]
    wrong = {"Authorization": "Bearer " + "x" * 43}
    for path in (f"/v1/games/{game}", f"/v1/games/{game}/record", "/v1/games", "/v1/games/222222222222"):
        assert client.get(path, headers=wrong).status_code == 401
    assert client.get(f"/v1/games/{game}").status_code == 200


def test_lists_go_by_filters_and_cursor(client: FlaskClient, ann: Person, ben: Person) -> None:
    started = start(client, ann, ben)
    opened = [create(client, ann)["id"] for _ in range(3)]
    closed = create(client, ben)["id"]
    assert client.delete(f"/v1/games/{closed}", headers=ben.headers).status_code == 204

    def ids(query: str, reader: Person | None = None) -> list[str]:
        got = client.get(f"/v1/games?{query}", headers=reader.headers if reader else {})
        assert got.status_code == 200, got.text
        return [item["id"] for item in got.get_json()["items"]]

    assert ids("") == [closed, *reversed(opened), started.id]
    assert ids("status=open") == opened[::-1]
    assert ids("status=running") == [started.id]
    assert ids("status=closed") == [closed]
    assert ids("status=finished") == []
    assert ids("mine=true", ben) == [closed, started.id]
    to_move, waiting = started.to_move(), next(each for each in (ann, ben) if each != started.to_move())
    assert ids("my_turn=true", to_move) == [started.id] and ids("my_turn=true", waiting) == []
    for query in ("mine=true", "my_turn=true"):
        assert client.get(f"/v1/games?{query}").status_code == 401
    assert client.get("/v1/games?status=lost").status_code == 422
    first = client.get("/v1/games?status=open&limit=2")
    assert first.headers["Link"] == f'</v1/games?status=open&limit=2&cursor={first.get_json()["next"]}>; rel="next"'
    second = client.get(first.headers["Link"].split(">")[0][1:])
    assert [item["id"] for item in first.get_json()["items"] + second.get_json()["items"]] == opened[::-1]
    assert second.get_json()["next"] is None and "Link" not in second.headers and "ETag" in second.headers


def test_joining_starts_the_game(client: FlaskClient, ann: Person, ben: Person) -> None:
    game = create(client, ann, seats=2)["id"]
    joined = client.post(f"/v1/games/{game}/players", json={"entropy": "mine"}, headers=ben.headers)
    assert joined.status_code == 201 and joined.headers["Location"] == f"/v1/games/{game}"
    view = joined.get_json()
    assert (view["status"], view["version"], view["you"]) == ("running", 0, 1)
    assert view["draw"]["entropy"] == ["", "mine"] and view["pile_size"] == 57
    assert view["turn"]["since"] == view["started_at"]
    for body in ({"entropy": "é"}, {"entropy": "x" * 65}, {"entropy": "a\n"}, {"seat": 1}):
        assert client.post(f"/v1/games/{game}/players", json=body, headers=ben.headers).status_code == 422


def test_the_refusals_of_joining(client: FlaskClient, ann: Person, ben: Person, sign_up: SignUp) -> None:
    game = start(client, ann, ben)
    closed = create(client, ann)["id"]
    client.delete(f"/v1/games/{closed}", headers=ann.headers)
    cleo = sign_up("Cleo")
    codes = [
        client.post(f"/v1/games/{table}/players", headers=who.headers).get_json()["code"]
        for table, who in ((game.id, ann), (game.id, cleo), (closed, cleo))
    ]
    assert codes == ["already_seated", "already_started", "table_closed"]
    assert client.post(f"/v1/games/{game.id}/players").status_code == 401


def test_a_players_text_for_the_draw_is_shown_from_the_start_on(client: FlaskClient, ann: Person, ben: Person) -> None:
    game = create(client, ann, seats=2)["id"]
    path = f"/v1/games/{game}/players/me"
    assert client.patch(path, json={"entropy": "x"}, headers=ben.headers).get_json()["code"] == "not_at_the_table"
    assert client.patch(path, json={}, headers=ann.headers).status_code == 422
    changed = client.patch(path, json={"entropy": "seven herons"}, headers=ann.headers)
    assert changed.status_code == 200 and changed.get_json()["draw"]["entropy"] is None
    client.post(f"/v1/games/{game}/players", headers=ben.headers)
    assert client.get(f"/v1/games/{game}").get_json()["draw"]["entropy"] == ["seven herons", ""]
    assert client.patch(path, json={"entropy": "late"}, headers=ann.headers).get_json()["code"] == "already_started"


def test_leaving_and_being_put_out(client: FlaskClient, ann: Person, ben: Person) -> None:
    game = create(client, ann)["id"]
    client.post(f"/v1/games/{game}/players", headers=ben.headers)
    assert client.delete(f"/v1/games/{game}/players/1", headers=ben.headers).get_json()["code"] == "not_the_maker"
    assert client.delete(f"/v1/games/{game}/players/2", headers=ann.headers).status_code == 404
    assert client.delete(f"/v1/games/{game}/players/1", headers=ann.headers).status_code == 204
    client.post(f"/v1/games/{game}/players", headers=ben.headers)
    assert client.delete(f"/v1/games/{game}/players/me", headers=ben.headers).status_code == 204
    assert client.delete(f"/v1/games/{game}/players/me", headers=ben.headers).status_code == 403
    assert client.delete(f"/v1/games/{game}/players/me", headers=ann.headers).status_code == 204
    closed = client.get(f"/v1/games/{game}")
    assert (closed.get_json()["status"], closed.get_json()["closed_because"]) == ("closed", "maker")
    assert closed.headers["ETag"].startswith('"0-5-')


def test_invitations_over_http(client: FlaskClient, ann: Person, ben: Person, clock: Clock) -> None:
    game = create(client, ann, visibility="private")["id"]
    path = f"/v1/games/{game}/invitations"
    made = client.post(path, json={"email": " Ben@Example.org".strip()}, headers=ann.headers)
    assert (
        made.status_code == 201 and made.get_json()["email"] == "ben@example.org" and made.get_json()["state"] == "open"
    )
    assert made.headers["Location"] == f"{path}/{made.get_json()['id']}"
    assert made.get_json()["expires_at"] == "2026-12-11T20:56:00.123Z"
    clock.advance(seconds=1)
    other = client.post(path, json={"email": "cleo@example.org"}, headers=ann.headers).get_json()
    first = client.get(f"{path}?limit=1", headers=ann.headers).get_json()
    second = client.get(f"{path}?limit=1&cursor={first['next']}", headers=ann.headers).get_json()
    assert [first["items"], second["items"]] == [[other], [made.get_json()]] and second["next"] is None
    assert client.delete(f"{path}/{other['id']}", headers=ann.headers).status_code == 204
    assert client.delete(f"{path}/222222222222", headers=ann.headers).get_json()["code"] == "no_such_invitation"
    assert client.get(f"{path}?limit=1", headers=ann.headers).get_json()["items"][0]["state"] == "taken_back"
    assert client.post(path, json={"email": "no address"}, headers=ann.headers).status_code == 422


def test_an_invitation_opens_a_private_game_or_is_declined(client: FlaskClient, ann: Person, ben: Person) -> None:
    game = create(client, ann, visibility="private")["id"]
    made = [
        client.post(
            f"/v1/games/{game}/invitations", json={"email": f"{name}@example.org"}, headers=ann.headers
        ).get_json()
        for name in ("ben", "cleo")
    ]
    used, declined = (secrets.secret(KEYS, PURPOSE, invitation["id"]) for invitation in made)
    assert all(secret not in str(made) for secret in (used, declined))
    path = f"/v1/games/{game}"
    refused = client.post(f"{path}/declines", json={"invitation": "x" * 43})
    assert refused.status_code == 404 and refused.get_json()["code"] == "not_found"
    assert client.post(f"{path}/declines", json={"invitation": declined}).status_code == 204
    joined = client.post(f"{path}/players", json={"invitation": declined}, headers=ben.headers)
    assert (joined.status_code, joined.get_json()["code"]) == (409, "invitation_declined")
    joined = client.post(f"{path}/players", json={"invitation": used}, headers=ben.headers)
    assert joined.status_code == 201 and joined.get_json()["you"] == 1
    assert client.post(f"{path}/declines", json={"invitation": used}).get_json()["code"] == "invitation_used"
    assert client.get(path, headers=ben.headers).status_code == 200
    states = [item["state"] for item in client.get(f"{path}/invitations", headers=ann.headers).get_json()["items"]]
    assert sorted(states) == ["declined", "used"]
    taking_back = client.delete(f"{path}/invitations/{made[0]['id']}", headers=ann.headers)
    assert (taking_back.status_code, taking_back.get_json()["code"]) == (409, "invitation_used")


def test_declining_takes_a_key_and_refuses_in_order(client: FlaskClient, ann: Person) -> None:
    private, public = (create(client, ann, visibility=visibility)["id"] for visibility in ("private", "public"))
    sent = {"email": "ben@example.org"}
    made = client.post(f"/v1/games/{private}/invitations", json=sent, headers=ann.headers).get_json()
    path, secret = f"/v1/games/{private}/declines", secrets.secret(KEYS, PURPOSE, made["id"])
    key = {"Idempotency-Key": "one"}
    assert client.post(path, json={"invitation": secret}, headers={"Idempotency-Key": "a b"}).status_code == 400
    for _ in range(2):
        declined = client.post(path, json={"invitation": secret}, headers=key)
        assert declined.status_code == 204 and not declined.data and "Content-Type" not in declined.headers
    reused = client.post(path, json={"invitation": "x" * 43}, headers=key)
    assert (reused.status_code, reused.get_json()["code"]) == (422, "idempotency_key_reused")
    for table, status in (("222222222222", 404), (private, 404), (public, 422)):
        assert client.post(f"/v1/games/{table}/declines", json={"invitation": 1}).status_code == status
    none_such = client.post(f"/v1/games/{public}/declines", json={"invitation": secret})
    assert (none_such.status_code, none_such.get_json()["code"]) == (404, "no_such_invitation")


def test_what_is_no_id_names_no_table(client: FlaskClient, ann: Person) -> None:
    for text in ("x", "x" * 13, "x" * 1000, "222222-22222", "%00", "%ff", "222222222222%0a"):
        for method, rest in (("GET", ""), ("POST", "/moves"), ("DELETE", "/players/me"), ("DELETE", "/players/1")):
            path = f"/v1/games/{text}{rest}"
            missing = client.open(path, method=method, headers=ann.headers, json={})
            assert (missing.status_code, missing.get_json()["code"]) == (404, "not_found"), path
            if rest:
                assert client.open(path, method=method).status_code == 401, path
        assert client.delete(f"/v1/tokens/{text}", headers=ann.headers).status_code == 404
        assert client.delete(f"/v1/tokens/{text}").status_code == 401


@pytest.mark.parametrize("limit", ["account", "recipient"])
def test_invitations_have_limits(make_app: Callable[..., Flask], sign_up: SignUp, limit: str) -> None:
    limited = make_app(**{f"limit_invitations_per_{limit}": 2}).test_client()
    ann = sign_up("Ann")
    for number in range(3):
        game = create(limited, ann)["id"]
        email = "ben@example.org" if limit == "recipient" else f"guest{number}@example.org"
        made = limited.post(f"/v1/games/{game}/invitations", json={"email": email}, headers=ann.headers)
        assert made.status_code == (201 if number < 2 else 429)
    assert made.get_json()["code"] == "too_many_invitations" and 0 < int(made.headers["Retry-After"]) <= 86_400
    assert limited.get(f"/v1/games/{game}/invitations", headers=ann.headers).get_json()["items"] == []


def test_solo_sessions_are_private_while_they_run(client: FlaskClient, ann: Person, ben: Person) -> None:
    made = client.post("/v1/solo-sessions", headers=ann.headers)
    path = made.headers["Location"]
    assert made.status_code == 201 and made.get_json()["kind"] == "solo" and made.get_json()["goal_discs"] == 21
    assert client.get(path).status_code == client.get(path, headers=ben.headers).status_code == 404
    assert client.get(path.replace("solo-sessions", "games"), headers=ann.headers).status_code == 404
    started = client.post(f"{path}/start", json={"entropy": "mine"}, headers=ann.headers)
    assert started.status_code == 200 and started.headers["ETag"].startswith('"0-1-')
    assert started.get_json()["solo"] == {"phase": 1, "first_total": None, "second_total": None, "score": None}
    assert client.post(f"{path}/start", headers=ann.headers).get_json()["code"] == "already_started"
    assert client.delete(path, headers=ann.headers).get_json()["code"] == "already_started"
    legal = client.get(f"{path}/legal-moves", headers=ann.headers).get_json()
    assert legal["seat"] == 0 and legal["cells"] == [{"x": 0, "y": 0, "letter": "A"}] and legal["refill"] is False
    moved = client.post(
        f"{path}/moves", json={"type": "place", "tile": legal["tiles"][0], "x": 0, "y": 0, "expected_version": 0},
        headers=ann.headers,
    )  # fmt: skip
    assert moved.status_code == 201 and moved.headers["Location"].startswith(f"{path}?at=1&head=")
    for suffix in ("", "/moves", "/legal-moves", "/record"):
        assert client.get(f"{path}{suffix}", headers=ben.headers).status_code == 404
        assert client.get(f"{path}{suffix}", headers=ann.headers).status_code == 200
    client.post(f"{path}/moves", json={"type": "resign"}, headers=ann.headers)
    finished = client.get(path)
    assert finished.status_code == 200 and finished.get_json()["visibility"] == "public"
    assert finished.get_json()["result"]["reason"] == "left" and finished.get_json()["you"] is None
    assert client.get(f"{path}/record").get_json()["draw"]["server_seed"] == finished.get_json()["draw"]["server_seed"]
    assert client.get("/v1/solo-sessions", headers=ben.headers).get_json()["items"] == []
    listed = client.get("/v1/solo-sessions?status=finished", headers=ann.headers).get_json()["items"]
    assert [(item["id"], item["visibility"]) for item in listed] == [(finished.get_json()["id"], "public")]
    assert client.get("/v1/games", headers=ann.headers).get_json()["items"] == []
    assert client.get("/v1/solo-sessions").status_code == 401
    waiting = client.get("/v1/solo-sessions?mine=true&my_turn=true", headers=ann.headers).get_json()["items"]
    assert waiting == [], "it waits for nobody"


def test_a_solo_session_that_has_not_started_can_be_closed(client: FlaskClient, ann: Person) -> None:
    path = client.post("/v1/solo-sessions", json={}, headers=ann.headers).headers["Location"]
    assert client.get(f"{path}/record", headers=ann.headers).get_json()["code"] == "not_started"
    assert client.delete(path, headers=ann.headers).status_code == 204
    assert client.get(path, headers=ann.headers).get_json()["status"] == "closed"
    assert client.post(f"{path}/start", headers=ann.headers).get_json()["code"] == "table_closed"
