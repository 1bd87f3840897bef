"""Invitations by player id, the invitations that one has received, and links that are handed round."""

from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import text

from service.commands import invitation_links
from service.store.base import db
from service.store.unit import transaction
from tests.support.clock import Clock
from tests.support.http_games import SignUp, play_out, start
from tests.support.web import Person

Answer = tuple[int, str | None]


@pytest.fixture
def table(client: FlaskClient, ann: Person) -> str:
    """Return the path of Ann's private table for four."""
    made = client.post("/v1/games", json={"seats": 4, "visibility": "private"}, headers=ann.headers)
    return str(made.headers["Location"])


def invite(client: FlaskClient, table: str, maker: Person, **whom: str) -> Any:
    return client.post(f"{table}/invitations", json=whom, headers=maker.headers)


def code(answer: Any) -> Answer:
    return answer.status_code, (answer.get_json(silent=True) or {}).get("code")


def received(client: FlaskClient, person: Person, query: str = "") -> Any:
    return client.get(f"/v1/me/invitations{query}", headers=person.headers).get_json()


def join(client: FlaskClient, table: str, person: Person, secret: str) -> Any:
    return client.post(f"{table}/players", json={"invitation": secret}, headers=person.headers)


def mailed(app: Flask) -> list[str]:
    """Return the ids of the invitations for which a mail is queued."""
    with app.app_context():
        query = "SELECT args->>'invitation' FROM procrastinate_jobs WHERE task_name = 'mail_invitation' ORDER BY id"
        return list(db.session.scalars(text(query)))


def test_a_player_is_invited_by_id_and_joins(
    app: Flask, client: FlaskClient, ann: Person, ben: Person, table: str
) -> None:
    made = invite(client, table, ann, player=ben.account)
    assert made.status_code == 201
    assert made.get_json()["email"] is None and made.get_json()["player"] == {"id": ben.account, "name": "Ben"}
    assert mailed(app) == [made.get_json()["id"]]
    (listed,) = client.get(f"{table}/invitations", headers=ann.headers).get_json()["items"]
    assert listed == made.get_json()
    (found,) = received(client, ben)["items"]
    assert (found["id"], found["invited_by"]) == (listed["id"], {"id": ann.account, "name": "Ann"})
    assert found["game"]["id"] in table and found["game"]["visibility"] == "private" and found["game"]["you"] is None
    assert client.get(table, headers=ben.headers).status_code == 404
    assert join(client, table, ben, found["invitation"]).get_json()["you"] == 1
    assert received(client, ben)["items"] == []
    (listed,) = client.get(f"{table}/invitations", headers=ann.headers).get_json()["items"]
    assert listed["state"] == "used"


def test_invitations_to_ones_address_are_listed_and_declined(
    client: FlaskClient, ann: Person, ben: Person, table: str, sign_up: SignUp
) -> None:
    invite(client, table, ann, email=ben.email)
    (found,) = received(client, ben)["items"]
    assert received(client, sign_up("Eve"))["items"] == received(client, ann)["items"] == []
    declined = client.post(f"{table}/declines", json={"invitation": found["invitation"]})
    assert declined.status_code == 204
    assert received(client, ben)["items"] == []


def test_received_invitations_are_paged_newest_first(
    client: FlaskClient, ann: Person, ben: Person, clock: Clock
) -> None:
    tables = []
    for number in range(5):
        clock.advance(minutes=1)
        made = client.post("/v1/games", json={"seats": 2, "visibility": "private"}, headers=ann.headers)
        tables.append(made.headers["Location"])
        whom = {"email": ben.email} if number % 2 else {"player": ben.account}
        assert invite(client, tables[-1], ann, **whom).status_code == 201
    found: list[str] = []
    cursor: str | None = ""
    while cursor is not None:
        page = received(client, ben, f"?limit=2{cursor and f'&cursor={cursor}'}")
        found += [f"/v1/games/{item['game']['id']}" for item in page["items"]]
        cursor = page["next"]
    assert found == tables[::-1]
    clock.advance(days=14)
    assert received(client, ben)["items"] == []


def test_an_invitation_that_cannot_be_taken_up_is_not_listed(
    client: FlaskClient, ann: Person, ben: Person, table: str, sign_up: SignUp
) -> None:
    made = invite(client, table, ann, player=ben.account).get_json()
    client.delete(f"{table}/invitations/{made['id']}", headers=ann.headers)
    assert received(client, ben)["items"] == []
    invite(client, table, ann, player=ben.account)
    assert len(received(client, ben)["items"]) == 1
    client.delete(table, headers=ann.headers)
    assert received(client, ben)["items"] == []


def test_an_invitation_by_id_is_refused_with_the_code_that_says_why(
    client: FlaskClient, ann: Person, ben: Person, table: str, sign_up: SignUp
) -> None:
    gone, blocked = sign_up("Cleo"), sign_up("Dan")
    client.delete("/v1/me", headers=gone.headers)
    client.put(f"/v1/me/blocked/{blocked.account}", headers=ann.headers)
    for player, expected in (
        (gone.account, (404, "unknown_player")),
        ("nobody", (404, "unknown_player")),
        ("", (404, "unknown_player")),
        ("\u0000", (404, "unknown_player")),
        ("é" * 12, (404, "unknown_player")),
        (ann.account, (409, "yourself")),
        (blocked.account, (409, "player_blocked")),
    ):
        assert code(invite(client, table, ann, player=player)) == expected
    assert invite(client, table, ann, player=ben.account).status_code == 201
    assert code(invite(client, table, ann, player=ben.account)) == (409, "already_invited")
    join(client, table, ben, received(client, ben)["items"][0]["invitation"])
    assert code(invite(client, table, ann, player=ben.account)) == (409, "already_seated")
    for wrong in ({}, {"player": ben.account, "email": ben.email}):
        assert code(invite(client, table, ann, **wrong)) == (422, "wrong_fields")


def test_the_makers_own_address_is_not_invited(client: FlaskClient, ann: Person, ben: Person, table: str) -> None:
    for own in (ann.email, ann.email.upper()):
        assert code(invite(client, table, ann, email=own)) == (409, "yourself")
    assert invite(client, table, ann, email=ben.email).status_code == 201


def test_nothing_tells_whose_address_it_is(
    make_app: Callable[..., Flask], ann: Person, ben: Person, table: str
) -> None:
    """The limits of an address and of its owner's player id are counted apart."""
    client = make_app(limit_invitations_per_recipient=1).test_client()
    assert invite(client, table, ann, email=ben.email).status_code == 201
    assert invite(client, table, ann, player=ben.account).status_code == 201
    other = client.post("/v1/games", json={"seats": 2}, headers=ann.headers).headers["Location"]
    for whom in ({"email": ben.email}, {"player": ben.account}):
        refused = invite(client, other, ann, **whom)
        assert code(refused) == (429, "too_many_invitations")
        assert ("a player" in refused.get_json()["detail"]) == ("player" in whom)


def test_no_answer_tells_that_strangers_sent_a_recipient_too_many(
    make_app: Callable[..., Flask], ben: Person, sign_up: SignUp
) -> None:
    """Somebody who has played with the owner of an address would get another answer there."""
    client = make_app(limit_invitations_per_recipient=1).test_client()
    answers = []
    for number in range(5):
        maker = sign_up(f"Maker {number}")
        path = client.post("/v1/games", json={"seats": 2}, headers=maker.headers).headers["Location"]
        for whom in ({"player": ben.account}, {"email": ben.email}):
            answers.append(code(invite(client, path, maker, **whom)))
            [newest, *_] = client.get(f"{path}/invitations", headers=maker.headers).get_json()["items"]
            assert newest["state"] == "open"
    assert answers == [(201, None)] * 10


def test_a_blocked_player_invites_into_the_void(
    app: Flask, client: FlaskClient, ann: Person, ben: Person, table: str
) -> None:
    client.put(f"/v1/me/blocked/{ann.account}", headers=ben.headers)
    for whom in ({"player": ben.account}, {"email": ben.email}):
        made = invite(client, table, ann, **whom)
        assert (made.status_code, made.get_json()["state"]) == (201, "open")
    assert received(client, ben)["items"] == []
    client.delete(f"/v1/me/blocked/{ann.account}", headers=ben.headers)
    assert len(received(client, ben)["items"]) == 2


def test_a_rematch_tells_nobody_an_address(client: FlaskClient, ann: Person, ben: Person) -> None:
    game = start(client, ann, ben, discs=5)
    play_out(game)
    new = client.post(f"{game.path}/rematch", headers=ann.headers).get_json()["id"]
    (listed,) = client.get(f"/v1/games/{new}/invitations", headers=ann.headers).get_json()["items"]
    assert (listed["email"], listed["player"]["id"]) == (None, ben.account)
    (found,) = received(client, ben)["items"]
    assert found["game"]["id"] == new


def test_a_deleted_player_leaves_no_trace_in_invitations(
    app: Flask, client: FlaskClient, ann: Person, ben: Person, table: str
) -> None:
    invite(client, table, ann, player=ben.account)
    client.delete("/v1/me", headers=ben.headers)
    (listed,) = client.get(f"{table}/invitations", headers=ann.headers).get_json()["items"]
    assert (listed["email"], listed["player"]) == (None, None)
    with app.app_context():
        assert db.session.scalar(text("SELECT count(*) FROM invitations WHERE account IS NOT NULL")) == 0


# links


def link(client: FlaskClient, table: str, maker: Person, **given: int) -> Any:
    made = client.post(f"{table}/invitation-links", json=given, headers=maker.headers)
    assert made.status_code == 201, made.text
    return made.get_json()


def opened(client: FlaskClient, link: Any) -> Any:
    return client.get("/v1/invitation-link", query_string={"link": link["invitation"]})


def test_a_link_shows_the_table_and_lets_in_so_many(
    client: FlaskClient, ann: Person, ben: Person, table: str, sign_up: SignUp
) -> None:
    made = link(client, table, ann, uses=2)
    for _ in range(3):
        shown = opened(client, made).get_json()
        assert (shown["uses_left"], shown["invited_by"]["id"]) == (2, ann.account)
        assert shown["game"]["id"] in table and len(shown["game"]["players"]) == 1
    cleo, dan = sign_up("Cleo"), sign_up("Dan")
    for person in (ben, cleo):
        assert join(client, table, person, made["invitation"]).status_code == 201
    assert code(join(client, table, dan, made["invitation"])) == (409, "link_used_up")
    assert code(opened(client, made)) == (409, "link_used_up")
    (listed,) = client.get(f"{table}/invitation-links", headers=ann.headers).get_json()["items"]
    assert (listed["id"], listed["used"], listed["state"]) == (made["id"], 2, "used_up")
    assert made["invitation"] in made["url"] and len(made["invitation"]) <= 100


def revoked_at(app: Flask, link: str) -> Any:
    with app.app_context():
        return db.session.scalar(text("SELECT revoked_at FROM invitation_links WHERE id = :id"), {"id": link})


def test_a_link_ends_when_revoked_or_expired(
    app: Flask, client: FlaskClient, ann: Person, ben: Person, table: str, clock: Clock
) -> None:
    first, second = link(client, table, ann), link(client, table, ann, days=1)
    revoked = []
    for _ in range(2):
        gone = client.delete(f"{table}/invitation-links/{first['id']}", headers=ann.headers)
        assert gone.status_code == 204
        revoked.append(revoked_at(app, first["id"]))
        clock.advance(hours=12)
    assert revoked[0] == revoked[1], "it stays revoked since the first time"
    for each, why in ((first, "link_revoked"), (second, "link_expired")):
        assert code(opened(client, each)) == (409, why)
        assert code(join(client, table, ben, each["invitation"])) == (409, why)
    assert code(client.delete(f"{table}/invitation-links/abcdefgh2345", headers=ann.headers)) == (404, "no_such_link")


def test_a_link_opens_one_table_only_and_no_other_text_does(
    client: FlaskClient, ann: Person, ben: Person, table: str
) -> None:
    made = link(client, table, ann)
    private = client.post("/v1/games", json={"seats": 2, "visibility": "private"}, headers=ann.headers)
    public = client.post("/v1/games", json={"seats": 2}, headers=ann.headers)
    assert code(join(client, private.headers["Location"], ben, made["invitation"])) == (404, "not_found")
    assert code(join(client, public.headers["Location"], ben, made["invitation"])) == (404, "no_such_invitation")
    for wrong in ("x", made["id"], made["invitation"][:-1], made["invitation"] + "x"):
        assert code(client.get("/v1/invitation-link", query_string={"link": wrong})) == (404, "no_such_link")
        assert join(client, table, ben, wrong).status_code == 404
    assert code(client.get("/v1/invitation-link")) == (422, "wrong_fields")


def test_only_the_maker_has_the_links_of_a_table(
    client: FlaskClient, ann: Person, ben: Person, table: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = link(client, table, ann)
    join(client, table, ben, made["invitation"])
    for method, path in (("GET", ""), ("POST", ""), ("DELETE", f"/{made['id']}")):
        refused = client.open(f"{table}/invitation-links{path}", method=method, headers=ben.headers)
        assert code(refused) == (403, "not_the_maker")
    monkeypatch.setattr(invitation_links, "MOST", 1)
    link(client, table, ann)
    assert code(client.post(f"{table}/invitation-links", headers=ann.headers)) == (409, "too_many_links")
    monkeypatch.setattr(invitation_links, "MOST", 10)
    monkeypatch.setattr(invitation_links, "MOST_EVER", 2)
    assert code(client.post(f"{table}/invitation-links", headers=ann.headers)) == (409, "too_many_links")
    client.delete(table, headers=ann.headers)
    assert code(client.post(f"{table}/invitation-links", headers=ann.headers)) == (409, "table_closed")


def test_a_link_to_a_table_that_waits_for_nobody_shows_nothing(
    client: FlaskClient, ann: Person, ben: Person, table: str
) -> None:
    closed = link(client, table, ann, uses=5)
    client.delete(table, headers=ann.headers)
    assert code(opened(client, closed)) == (409, "table_closed")
    path = client.post("/v1/games", json={"seats": 2}, headers=ann.headers).headers["Location"]
    started = link(client, path, ann, uses=5)
    join(client, path, ben, started["invitation"])
    assert code(opened(client, started)) == (409, "already_started")


def test_a_blocked_player_finds_the_table_of_a_link_full(
    client: FlaskClient, ann: Person, ben: Person, table: str
) -> None:
    made = link(client, table, ann)
    client.put(f"/v1/me/blocked/{ben.account}", headers=ann.headers)
    assert code(join(client, table, ben, made["invitation"])) == (409, "table_full")
    (listed,) = client.get(f"{table}/invitation-links", headers=ann.headers).get_json()["items"]
    assert listed["used"] == 0


def test_the_links_of_a_deleted_player_are_revoked(app: Flask, client: FlaskClient, ann: Person, table: str) -> None:
    link(client, table, ann)
    client.delete("/v1/me", headers=ann.headers)
    with app.app_context(), transaction() as session:
        assert session.scalar(text("SELECT count(*) FROM invitation_links WHERE revoked_at IS NULL")) == 0
