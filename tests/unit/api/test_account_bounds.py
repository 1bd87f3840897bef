"""How many tables, games and invitations an account may have at a time, and lists that no single maker can fill."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tests.support.clock import Clock
from tests.support.http_games import start, start_solo
from tests.support.list_windows import windows_of
from tests.support.web import Person

MakeApp = Callable[..., Flask]
OPEN = {"seats": 2}


def post(app: Flask, who: Person, path: str, body: Any = None) -> TestResponse:
    return app.test_client().post(f"/v1/{path}", json={} if body is None else body, headers=who.headers)


def delete(app: Flask, who: Person, path: str) -> int:
    return app.test_client().delete(path, headers=who.headers).status_code


def refused(answer: TestResponse) -> tuple[int, str, int | None]:
    return answer.status_code, answer.get_json()["code"], answer.get_json().get("most")


def test_an_account_has_so_many_open_tables(make_app: MakeApp, ann: Person, ben: Person) -> None:
    app = make_app(limit_open_tables_per_account=2)
    first, _ = (
        post(app, ann, "games", OPEN | {"visibility": kind}).headers["Location"] for kind in ("public", "private")
    )
    assert refused(post(app, ann, "games", OPEN)) == (409, "too_many_open_tables", 2)
    assert post(app, ann, "solo-sessions").status_code == 201
    assert post(app, ben, "games", OPEN).status_code == 201
    assert delete(app, ann, first) == 204
    second = post(app, ann, "games", OPEN).headers["Location"]
    assert refused(post(app, ann, "games", OPEN)) == (409, "too_many_open_tables", 2)
    assert post(app, ben, f"{second.removeprefix('/v1/')}/players").status_code == 201
    assert post(app, ann, "games", OPEN).status_code == 201


def test_an_account_has_so_many_solos(make_app: MakeApp, ann: Person) -> None:
    app = make_app(limit_solos_per_account=2)
    started = start_solo(app.test_client(), ann)
    prepared = post(app, ann, "solo-sessions").headers["Location"]
    assert refused(post(app, ann, "solo-sessions")) == (409, "too_many_solos", 2)
    assert started.post(ann, {"type": "resign"}).status_code == 201
    assert post(app, ann, "solo-sessions").status_code == 201
    assert refused(post(app, ann, "solo-sessions")) == (409, "too_many_solos", 2)
    assert delete(app, ann, prepared) == 204
    assert post(app, ann, "solo-sessions").status_code == 201


def test_an_account_sits_at_so_many_tables(make_app: MakeApp, ann: Person, ben: Person) -> None:
    app = make_app(limit_games_per_account=2)
    game = start(app.test_client(), ann, ben)
    seat = f"{post(app, ann, 'games', {'seats': 3}).headers['Location']}/players".removeprefix("/v1/")
    assert post(app, ben, seat).status_code == 201
    assert refused(post(app, ben, "games", OPEN)) == (409, "too_many_games", 2)
    assert delete(app, ben, f"/v1/{seat}/me") == 204
    own = post(app, ben, "games", OPEN).headers["Location"]
    assert refused(post(app, ben, seat)) == (409, "too_many_games", 2)
    assert delete(app, ben, own) == 204
    assert game.post(ben, {"type": "resign"}).status_code == 201
    assert post(app, ben, seat).status_code == 201


def test_invitations_that_strangers_ask_for_are_not_the_makers(make_app: MakeApp, ann: Person) -> None:
    app = make_app(limit_standing_invitations_per_account=1)
    path = post(app, ann, "games", OPEN).headers["Location"]
    link = app.test_client().post(f"{path}/invitation-links", headers=ann.headers).get_json()["invitation"]
    for name in "abc":
        asked = app.test_client().post(f"/invitation?link={link}", data={"email": f"{name}@example.org"})
        assert asked.status_code == 303
    invited = app.test_client().post(f"{path}/invitations", json={"email": "d@example.org"}, headers=ann.headers)
    assert invited.status_code == 201


def test_an_account_has_so_many_open_links(make_app: MakeApp, ann: Person, ben: Person, clock: Clock) -> None:
    app = make_app(limit_standing_links_per_account=2)
    first, second = (f"{post(app, ann, 'games', {'seats': 4}).headers['Location']}/invitation-links" for _ in range(2))

    def make(table: str, **given: int) -> TestResponse:
        return post(app, ann, table.removeprefix("/v1/"), given)

    made = make(first, uses=1)
    revoked = make(second, days=1).headers["Location"]
    assert refused(make(second)) == (409, "too_many_standing_links", 2)
    assert delete(app, ann, revoked) == 204
    assert make(second, days=1).status_code == 201
    seat = first.replace("invitation-links", "players").removeprefix("/v1/")
    assert post(app, ben, seat, {"invitation": made.get_json()["invitation"]}).status_code == 201
    assert [make(first).status_code for _ in range(2)] == [201, 409]
    clock.advance(days=1)
    assert [make(first).status_code for _ in range(2)] == [201, 409]


def test_an_account_makes_so_many_links_a_day(make_app: MakeApp, ann: Person, clock: Clock) -> None:
    app = make_app(limit_links_per_account=2)
    path = f"{post(app, ann, 'games', OPEN).headers['Location']}/invitation-links".removeprefix("/v1/")
    for _ in range(2):
        made = post(app, ann, path)
        assert delete(app, ann, made.headers["Location"]) == 204
    answer = post(app, ann, path)
    assert (answer.status_code, answer.get_json()["code"]) == (429, "too_many_new_links")
    assert answer.headers["RateLimit-Policy"].startswith('"invitation-links-per-account";q=2')
    clock.advance(days=1)
    assert post(app, ann, path).status_code == 201


def test_an_account_has_so_many_standing_invitations(make_app: MakeApp, ann: Person, clock: Clock) -> None:
    app = make_app(limit_standing_invitations_per_account=2)
    first, second = (f"{post(app, ann, 'games', OPEN).headers['Location']}/invitations" for _ in range(2))

    def invite(table: str, name: str) -> TestResponse:
        return post(app, ann, table.removeprefix("/v1/"), {"email": f"{name}@example.org"})

    taken_back = invite(first, "a").headers["Location"]
    assert invite(second, "b").status_code == 201
    assert refused(invite(second, "c")) == (409, "too_many_standing_invitations", 2)
    assert delete(app, ann, taken_back) == 204
    assert invite(first, "d").status_code == 201
    clock.advance(days=14)
    assert [invite(first, name).status_code for name in "efg"] == [201, 201, 409]
    assert delete(app, ann, first.removesuffix("/invitations")) == 204
    assert invite(second, "h").status_code == 201


def test_an_account_opens_so_many_tables_a_day(make_app: MakeApp, ann: Person, clock: Clock) -> None:
    app = make_app(limit_tables_per_account=3, limit_open_tables_per_account=1)
    for _ in range(2):
        table = post(app, ann, "games", OPEN).headers["Location"]
        assert refused(post(app, ann, "games", OPEN)) == (409, "too_many_open_tables", 1), "which spends nothing"
        assert post(app, ann, "games", {"seats": 9}).status_code == 422
        assert delete(app, ann, table) == 204
    assert post(app, ann, "solo-sessions").status_code == 201
    late = post(app, ann, "games", OPEN)
    assert refused(late) == (429, "too_many_tables", None) and late.headers["Retry-After"] == "86400"
    clock.advance(days=1)
    assert post(app, ann, "games", OPEN).status_code == 201


@pytest.mark.parametrize(
    ("bound", "path", "body", "code"),
    [
        ("limit_open_tables_per_account", "games", OPEN, "too_many_open_tables"),
        ("limit_solos_per_account", "solo-sessions", {}, "too_many_solos"),
        ("limit_tables_per_account", "solo-sessions", {}, "too_many_tables"),
    ],
)
def test_requests_at_once_get_no_more_together(
    make_app: MakeApp, ann: Person, bound: str, path: str, body: Any, code: str
) -> None:
    app = make_app(**{bound: 3})
    with ThreadPoolExecutor(12) as threads:
        answers = list(threads.map(lambda _: post(app, ann, path, body), range(12)))
    assert [answer.status_code for answer in answers].count(201) == 3
    assert {answer.get_json()["code"] for answer in answers if answer.status_code != 201} == {code}


def test_seats_and_invitations_at_once_get_no_more_together(make_app: MakeApp, ann: Person, ben: Person) -> None:
    app = make_app(limit_games_per_account=3, limit_standing_invitations_per_account=3)
    tables = [post(app, maker, "games", {"seats": 3}).headers["Location"] for maker in (ann, ann, ann)]
    others = [post(make_app(), ann, "games", {"seats": 3}).headers["Location"] for _ in range(5)]
    with ThreadPoolExecutor(8) as threads:
        seats = threads.map(lambda table: post(app, ben, f"{table[4:]}/players").status_code, tables + others)
        assert sorted(seats) == [201] * 3 + [409] * 5
        invited = threads.map(
            lambda n: post(app, ann, f"{tables[n % 3][4:]}/invitations", {"email": f"p{n}@example.org"}).status_code,
            range(8),
        )
        assert sorted(invited) == [201] * 3 + [409] * 5


def ids(client: FlaskClient, query: str, reader: Person | None = None) -> list[str]:
    """Return the ids on all pages of a list."""
    found, cursor = list[str](), ""
    while True:
        got = client.get(f"/v1/games?limit=4&{query}{cursor}", headers=reader.headers if reader else {}).get_json()
        found += [item["id"] for item in got["items"]]
        if got["next"] is None:
            return found
        cursor = f"&cursor={got['next']}"


def test_one_maker_fills_no_list(app: Flask, client: FlaskClient, ann: Person, ben: Person) -> None:
    def made(who: Person) -> str:
        return post(app, who, "games", OPEN).headers["Location"].rpartition("/")[2]

    bens = [made(ben), made(ben)]
    anns = [made(ann) for _ in range(9)]
    newest = anns[:3:-1]
    assert ids(client, "status=open") == newest + bens[::-1] == ids(client, "")
    assert ids(client, "status=open", ben) == newest + bens[::-1]
    assert ids(client, "status=open", ann) == anns[::-1] + bens[::-1] == ids(client, "", ann)
    assert ids(client, "mine=true", ann) == anns[::-1]
    for table in anns[1:]:
        assert delete(app, ann, f"/v1/games/{table}") == 204
    assert ids(client, "status=open") == [anns[0], *bens[::-1]]
    assert ids(client, "status=closed") == newest
    assert ids(client, "") == [*newest, anns[0], *bens[::-1]]
    assert client.get(f"/v1/games/{anns[1]}").status_code == 200


def test_a_list_goes_on_behind_very_many_of_one_maker(
    app: Flask, client: FlaskClient, ann: Person, ben: Person
) -> None:
    bens = [post(app, ben, "games", OPEN).headers["Location"].rpartition("/")[2] for _ in range(3)]
    anns = [post(app, ann, "games", OPEN).headers["Location"].rpartition("/")[2] for _ in range(20)]
    with windows_of(7):
        for query in ("status=open", ""):
            assert ids(client, query) == anns[:14:-1] + bens[::-1]
        assert ids(client, "status=running") == []
