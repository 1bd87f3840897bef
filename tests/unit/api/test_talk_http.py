"""Messages at a table and private notes, over HTTP."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from typing import Any

import psycopg
import pytest
from flask import Flask
from flask.testing import FlaskClient
from psycopg import sql
from werkzeug.test import TestResponse

from service.access import tokens
from service.commands.talk import MOST_NOTES
from service.config import Settings
from service.ids import new_id
from service.language.languages import CODES
from service.local.postgres import Postgres
from service.store.accounts import Token, ensure_account
from service.store.base import db
from service.store.tables import Table
from service.store.talk import Listener, Message, Note
from tests.support.clock import NOW, Clock
from tests.support.databases import as_service
from tests.support.http_games import Game, SignUp, play_out, start, start_solo
from tests.support.web import KEYS, Person, opened

AN_HOUR = 60
"""The number of messages that the settings let an account write in an hour."""

_numbers = count(1)


@pytest.fixture(scope="module")
def app(postgres: Postgres, template: str) -> Iterator[Flask]:
    """Yield one application on one database for all tests here; each makes its own people and tables in it."""
    name = sql.Identifier("talk")
    with psycopg.connect(postgres.url, autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(name, sql.Identifier(template)))
        with opened(Settings(database_url=as_service(postgres.url_of("talk")), secret_keys=KEYS), Clock()) as app:
            yield app
        connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(name))


@pytest.fixture
def sign_up(app: Flask) -> SignUp:
    """Return a function that makes an account of this name with a token."""

    def sign(name: str = "Ann") -> Person:
        email, token = f"player{next(_numbers)}@example.org", tokens.new_token()
        with app.app_context():
            account = ensure_account(db.session(), email, name=name, language=None, now=NOW).id
            db.session.add(Token(id=new_id(), account=account, hash=tokens.hash_of(token), created_at=NOW))
            db.session.commit()
        return Person(account, email, token)

    return sign


@pytest.fixture
def game(client: FlaskClient, sign_up: SignUp) -> Game:
    return start(client, sign_up("Ann"), sign_up("Ben"), visibility="public")


def say(game: Game, who: Person, text: object, **headers: str) -> TestResponse:
    return game.client.post(f"{game.path}/messages", json={"text": text}, headers={**who.headers, **headers})


def texts(game: Game, who: Person | None = None, query: str = "") -> list[Any]:
    answer = game.client.get(f"{game.path}/messages{query}", headers=who.headers if who else {})
    assert answer.status_code == 200, answer.text
    return [each["text"] for each in answer.get_json()["items"]]


def test_what_is_said_is_there_for_all_who_see_the_table(game: Game) -> None:
    ann, ben = game.players
    said = say(game, ann, "Good luck!")
    assert said.status_code == 201
    at, author = said.get_json()["at"], {"seat": 0, "author_id": ann.account, "name": "Ann"}
    assert said.get_json() == {"number": 1, **author, "at": at, "text": "Good luck!"}
    assert say(game, ben, "And to you.").get_json()["number"] == 2
    everybody: tuple[dict[str, str], ...] = (ann.headers, ben.headers, {})
    for headers in everybody:
        listed = game.client.get(f"{game.path}/messages", headers=headers).get_json()
        assert [(each["number"], each["name"], each["text"]) for each in listed["items"]] == [
            (2, "Ben", "And to you."),
            (1, "Ann", "Good luck!"),
        ]
        assert listed["items"][1] == said.get_json() and listed["next"] is None


def test_messages_are_read_as_the_table_is_and_written_by_its_players(client: FlaskClient, sign_up: SignUp) -> None:
    eve = sign_up("Eve")
    for visibility, reading, writing in (("public", 200, 403), ("private", 404, 404)):
        ann = sign_up("Ann")
        made = client.post("/v1/games", json={"seats": 2, "visibility": visibility}, headers=ann.headers)
        path = f"{made.headers['Location']}/messages"
        assert client.post(path, json={"text": "Is anybody there?"}, headers=ann.headers).status_code == 201
        assert client.get(path, headers=eve.headers).status_code == reading
        assert client.get(path).status_code == reading
        assert client.post(path, json={"text": "I am"}, headers=eve.headers).status_code == writing
        assert client.post(path, json={"text": "I am"}).status_code == 401
        assert len(client.get(path, headers=ann.headers).get_json()["items"]) == 1
    solo = start_solo(client, eve)
    for path in (f"{solo.path}/messages", f"/v1/games/{solo.id}/messages"):
        assert client.post(path, json={"text": "Hello?"}, headers=eve.headers).status_code == 404


def test_messages_are_allowed_unless_the_table_is_closed(client: FlaskClient, sign_up: SignUp) -> None:
    ann, ben = sign_up("Ann"), sign_up("Ben")
    path = client.post("/v1/games", json={"seats": 2, "discs": 5}, headers=ann.headers).headers["Location"]
    game = Game(path, (ann, ben), client)
    assert say(game, ann, "Waiting.").status_code == 201
    client.post(f"{path}/players", headers=ben.headers)
    play_out(game)
    assert say(game, ben, "Good game.").status_code == 201
    assert texts(game, ann) == ["Good game.", "Waiting."]
    closed = Game(client.post("/v1/games", json={"seats": 2}, headers=ann.headers).headers["Location"], (ann,), client)
    assert client.delete(closed.path, headers=ann.headers).status_code == 204
    refused = say(closed, ann, "Too late.")
    assert (refused.status_code, refused.get_json()["code"]) == (409, "table_closed")


def test_an_author_who_left_before_the_start_is_named_without_a_seat(client: FlaskClient, sign_up: SignUp) -> None:
    ann, ben, cleo = sign_up("Ann"), sign_up("Ben"), sign_up("Cleo")
    path = client.post("/v1/games", json={"seats": 3}, headers=ann.headers).headers["Location"]
    game = Game(path, (ann, ben), client)
    client.post(f"{path}/players", headers=ben.headers)
    say(game, ben, "I have to go.")
    client.delete(f"{path}/players/me", headers=ben.headers)
    client.post(f"{path}/players", headers=cleo.headers)
    (message,) = client.get(f"{path}/messages").get_json()["items"]
    assert (message["seat"], message["name"], message["text"]) == (None, "Ben", "I have to go.")
    assert say(game, ben, "Back again.").status_code == 403


TAKEN = {
    "  between spaces  ": "between spaces",
    "Cafe\u0301": "Café",
    "<b>&amp;</b> %(name)s {{ x }} -- '; DROP": "<b>&amp;</b> %(name)s {{ x }} -- '; DROP",
    "👩\u200d🚀 ❤\ufe0f": "👩\u200d🚀 ❤\ufe0f",
    "می\u200cروم": "می\u200cروم",
    "x" * 500: "x" * 500,
    "😀" * 500: "😀" * 500,
    ".": ".",
}
REFUSED = ["", "   ", "x" * 501, "two\nlines", "a\ttab", "nul\0", "\x1b[31mred", "\u202eback", "\u2066in\u2069",
           "soft\u00adhyphen", "\u200b", "\ufeffmark", "\u2028", "\ud7ff\ue000", "\u200d", "\ufe0f", 7, None,
           ["x"]]  # fmt: skip


def test_a_text_is_kept_in_one_spelling_and_no_other_text_is_taken(game: Game) -> None:
    for given, kept in TAKEN.items():
        assert say(game, game.players[0], given).get_json()["text"] == kept
    assert texts(game) == [*reversed(TAKEN.values())]
    for wrong in REFUSED:
        refused = say(game, game.players[0], wrong)
        assert (refused.status_code, refused.get_json()["code"]) == (422, "wrong_fields"), wrong
        assert refused.get_json()["errors"][0]["field"] == "text"
    assert len(texts(game)) == len(TAKEN)
    told = {
        say(game, game.players[0], "two\nlines", **{"Accept-Language": code}).get_json()["detail"] for code in CODES
    }
    assert len(told) == len(CODES)


def test_more_than_so_many_an_hour_are_refused(game: Game) -> None:
    ann, ben = game.players
    assert [say(game, ann, "1", **{"Idempotency-Key": "k"}).status_code for _ in range(3)] == [201] * 3
    assert {say(game, ann, "another").status_code for _ in range(AN_HOUR - 1)} == {201}
    refused = say(game, ann, "too many")
    assert (refused.status_code, refused.get_json()["code"]) == (429, "too_many_messages")
    assert int(refused.headers["Retry-After"]) > 0
    assert say(game, ben, "I may").status_code == 201
    assert texts(game, ann, "?limit=3") == ["I may", "another", "another"]


def test_a_message_that_comes_again_with_its_key_is_said_once(game: Game) -> None:
    ann = game.players[0]
    first = say(game, ann, "Once.", **{"Idempotency-Key": "k"})
    with ThreadPoolExecutor(4) as pool:
        again = list(pool.map(lambda _: say(game, ann, "Once.", **{"Idempotency-Key": "k"}), range(4)))
    assert {answer.data for answer in again} == {first.data}
    assert texts(game) == ["Once."]
    assert say(game, ann, "Other.", **{"Idempotency-Key": "k"}).get_json()["code"] == "idempotency_key_reused"


def test_messages_at_once_get_a_number_each(game: Game) -> None:
    with ThreadPoolExecutor(6) as pool:
        said = list(pool.map(lambda n: say(game, game.players[n % 2], f"{n}"), range(12)))
    assert sorted(answer.get_json()["number"] for answer in said) == list(range(1, 13))
    assert len(texts(game)) == 12


def test_pages_hold_each_message_once(game: Game) -> None:
    for number in range(7):
        say(game, game.players[number % 2], f"{number}")
    found, path = [], f"{game.path}/messages?limit=3"
    while True:
        answer = game.client.get(path)
        found += [each["text"] for each in answer.get_json()["items"]]
        if answer.get_json()["next"] is None:
            break
        say(game, game.players[0], "meanwhile")
        path = answer.headers["Link"].partition(">")[0][1:]
    assert found == [f"{number}" for number in reversed(range(7))]
    assert game.client.get(f"{game.path}/messages?cursor=x").status_code == 422


def test_talk_changes_the_etag_of_a_game_and_nothing_else_of_it(game: Game) -> None:
    before = game.get()
    say(game, game.players[0], "Psst.")
    assert game.get().data == before.data
    assert game.get().headers["ETag"] != before.headers["ETag"]


def test_deleting_an_account_erases_its_messages_and_notes(app: Flask, game: Game) -> None:
    ann, ben = game.players
    say(game, ann, "My address is ann@example.org")
    say(game, ben, "Thanks.")
    game.client.post(f"{game.path}/notes", json={"text": "Ben likes red."}, headers=ann.headers)
    game.client.patch(f"{game.path}/notifications", json={"talk": "off"}, headers=ann.headers)
    assert game.client.delete("/v1/me", headers=ann.headers).status_code == 204
    found = game.client.get(f"{game.path}/messages", headers=ben.headers).get_json()["items"]
    assert [(each["number"], each["seat"], each["name"], each["text"]) for each in found] == [
        (2, 1, "Ben", "Thanks."),
        (1, 0, None, None),
    ]
    with app.app_context():
        assert db.session.query(Note).filter_by(account=ann.account).all() == []
        assert db.session.query(Listener).filter_by(account=ann.account).all() == []
        assert [row.text for row in db.session.query(Message).filter_by(account=ann.account)] == [None]


# notes


def test_notes_are_for_oneself(game: Game) -> None:
    ann, ben = game.players
    path = f"{game.path}/notes"
    made = game.client.post(path, json={"text": "Tile 12 next."}, headers=ann.headers)
    assert made.status_code == 201 and made.get_json()["text"] == "Tile 12 next."
    assert game.client.get(path, headers=ann.headers).get_json() == {"items": [made.get_json()], "next": None}
    assert game.client.get(path, headers=ben.headers).get_json() == {"items": [], "next": None}
    place = made.headers["Location"]
    assert game.client.delete(place, headers=ben.headers).get_json()["code"] == "no_such_note"
    assert game.client.delete(place, headers=ann.headers).status_code == 204
    assert game.client.delete(place, headers=ann.headers).status_code == 404
    assert game.client.get(path, headers=ann.headers).get_json()["items"] == []


def test_only_players_have_notes(game: Game, sign_up: SignUp) -> None:
    eve = sign_up("Eve")
    for method in ("GET", "POST"):
        for headers, status in ((eve.headers, 403), ({}, 401)):
            answer = game.client.open(f"{game.path}/notes", method=method, json={"text": "x"}, headers=headers)
            assert answer.status_code == status
    private = {"seats": 2, "visibility": "private"}
    path = game.client.post("/v1/games", json=private, headers=game.players[0].headers).headers["Location"]
    assert game.client.get(f"{path}/notes", headers=eve.headers).status_code == 404


def test_a_solo_has_notes_too(client: FlaskClient, sign_up: SignUp) -> None:
    ann = sign_up("Ann")
    solo = start_solo(client, ann)
    key = {**ann.headers, "Idempotency-Key": "k"}
    made = [client.post(f"{solo.path}/notes", json={"text": "Refill late."}, headers=key) for _ in range(2)]
    assert made[0].data == made[1].data
    assert [each["text"] for each in client.get(f"{solo.path}/notes", headers=ann.headers).get_json()["items"]] == [
        "Refill late."
    ]
    assert client.get(f"{solo.path}/notes", headers=sign_up("Eve").headers).status_code == 404
    assert client.delete(made[0].headers["Location"], headers=ann.headers).status_code == 204


def test_so_many_notes_are_kept(app: Flask, game: Game) -> None:
    ann = game.players[0]
    path = f"{game.path}/notes"
    with app.app_context():
        key = db.session.query(Table.key).filter(Table.id == game.id).scalar()
        notes = [Note(id=f"n{n}", account=ann.account, game=key, at=NOW, text=f"{n}") for n in range(MOST_NOTES)]
        db.session.add_all(notes)
        db.session.commit()
    refused = game.client.post(path, json={"text": "one more"}, headers=ann.headers)
    assert (refused.status_code, refused.get_json()["code"]) == (409, "too_many_notes")
    found, cursor = [], ""
    while True:
        page = game.client.get(f"{path}?limit=90{cursor}", headers=ann.headers).get_json()
        found += [each["id"] for each in page["items"]]
        if page["next"] is None:
            break
        cursor = f"&cursor={page['next']}"
    assert sorted(found) == sorted(f"n{n}" for n in range(MOST_NOTES))


def test_what_was_created_is_read_at_its_location(client: FlaskClient, sign_up: SignUp) -> None:
    ann, ben = sign_up("Ann"), sign_up("Ben")
    table = client.post("/v1/games", json={"seats": 2}, headers=ann.headers).headers["Location"]
    solo = client.post("/v1/solo-sessions", headers=ann.headers).headers["Location"]
    for path, body in (
        (f"{table}/notes", {"text": "Mind tile 12."}),
        (f"{solo}/notes", {"text": "Mind tile 12."}),
        (f"{table}/invitations", {"email": "cat@example.org"}),
        (f"{table}/invitations", {"player": ben.account}),
        (f"{table}/invitation-links", {"uses": 1}),
    ):
        made = client.post(path, json=body, headers=ann.headers)
        found = client.get(made.headers["Location"], headers=ann.headers)
        assert (made.status_code, found.status_code, found.get_json()) == (201, 200, made.get_json())
        assert client.get(made.headers["Location"], headers=ben.headers).status_code in (403, 404)
        assert client.get(f"{path}/abcdefgh2345", headers=ann.headers).status_code == 404
