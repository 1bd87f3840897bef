"""The moves of imports, and imports as they were at an earlier version."""

import json
from typing import Any

import pytest
from flask.testing import FlaskClient

from engine import audit, notation, simulate
from engine.errors import RecordError
from service.api.import_schemas import ImportedGameSchema, ImportedLogPage, ImportedMoveSchema
from tests.support.http_games import Game, SignUp, play_out, start
from tests.support.table_changes import applied, position
from tests.support.web import Person
from tests.unit.api.test_imports import KITCHEN, RECORD, imported, path, post

TEXT = {"Accept": "text/vnd.nova-luna"}


@pytest.fixture
def ann(sign_up: SignUp) -> Person:
    return sign_up("Ann")


def get(client: FlaskClient, person: Person, made: Any, below: str, **headers: str) -> Any:
    found = client.get(path(made, below), headers={**person.headers, **headers})
    assert found.status_code == 200, found.text
    return found.get_json() if found.is_json else found.text


@pytest.mark.slow
def test_each_move_is_told_as_that_of_the_game(client: FlaskClient, ann: Person, sign_up: SignUp) -> None:
    game = start(client, ann, sign_up("Ben"), discs=5)
    view = play_out(game)
    made = imported(client, ann, game.get("/record").data)
    for seq in range(1, view["version"] + 1):
        told, shown = game.get(f"/moves/{seq}").get_json(), get(client, ann, made, f"/moves/{seq}")
        assert ImportedMoveSchema().validate(shown) == {}
        for name in told.keys() - {"before", "after"}:
            assert shown[name] == told[name], name
        for name, at in (("before", seq - 1), ("after", seq)):
            assert shown[name] == get(client, ann, made, f"?at={at}")
            same = shown[name].keys() & told[name].keys() - {"id", "players", "visibility", "created_at"}
            assert {each: shown[name][each] for each in same} == {each: told[name][each] for each in same}


def test_the_changes_give_the_table_after_it(client: FlaskClient, ann: Person) -> None:
    made = imported(client, ann)
    tiles = {tile["id"]: tile for tile in client.get("/v1/tiles").get_json()["items"]}
    for seq in range(1, made["version"] + 1):
        shown = get(client, ann, made, f"/moves/{seq}")
        assert position(applied(shown["before"], shown["changes"], shown["at"], tiles)) == position(shown["after"])


def test_the_moves_are_listed_as_the_record_has_them(client: FlaskClient, ann: Person) -> None:
    made, log = imported(client, ann), json.loads(RECORD)["log"]
    first = get(client, ann, made, "/moves?limit=3")
    assert ImportedLogPage().validate(first) == {} and first["items"] == log[:3]
    assert get(client, ann, made, f"/moves?limit=100&cursor={first['next']}") == {"items": log[3:], "next": None}
    assert get(client, ann, made, f"/moves?since={len(log) - 1}")["items"] == log[-1:]
    assert get(client, ann, made, "/moves?since=99999")["items"] == []


def test_a_text_without_times_tells_none_and_no_hashes(client: FlaskClient, ann: Person) -> None:
    made = imported(client, ann, KITCHEN, as_text=True)
    entries = get(client, ann, made, "/moves")["items"]
    assert ImportedLogPage().validate({"items": entries, "next": None}) == {}
    place = {"type": "place", "tile": 42, "x": 0, "y": 0}
    assert entries[0] == {"seq": 1, "at": None, "seat": 0, "move": place, "prev": None, "hash": None}
    shown = get(client, ann, made, "/moves/1")
    assert ImportedMoveSchema().validate(shown) == {}
    assert shown["line"] == "1. A 42@0,0" and shown["at"] is shown["took_ms"] is shown["hash"] is shown["prev"] is None


def test_by_is_listed_where_somebody_else_acted(client: FlaskClient, ann: Person) -> None:
    written = notation.text(notation.from_record(json.loads(RECORD)), times=False)
    made = imported(client, ann, written, as_text=True)
    assert [each.get("by") for each in get(client, ann, made, "/moves?limit=100")["items"]] == [
        each.get("by") for each in json.loads(RECORD)["log"]
    ]


def test_a_move_that_there_is_not_is_refused(client: FlaskClient, ann: Person) -> None:
    made = imported(client, ann)
    for seq, code in ((0, "no_such_move"), (made["version"] + 1, "no_such_move"), (2**31, "no_such_move")):
        refused = client.get(path(made, f"/moves/{seq}"), headers=ann.headers)
        assert (refused.status_code, refused.get_json()["code"]) == (404, code)
    assert client.get(path(made, "/moves/1?head=00000000"), headers=ann.headers).status_code == 422


def test_an_import_is_shown_as_it_was_at_any_version(client: FlaskClient, ann: Person) -> None:
    made = imported(client, ann)
    for at in range(made["version"] + 1):
        shown = get(client, ann, made, f"?at={at}")
        assert ImportedGameSchema().validate(shown) == {}
        assert shown["version"] == at and (shown["status"] == "finished") is (at == made["version"])
        assert (shown["result"] is None) is (at < made["version"]) and len(shown["players"]) == 2
    assert "server_seed" not in shown and "clock" not in shown and "you" not in shown
    for below in ("", "/record", "/legal-moves"):
        for query, code in (("at=99999", "no_such_version"), ("at=-1", "wrong_fields"), ("at=1&at=2", "wrong_fields")):
            assert client.get(path(made, f"{below}?{query}"), headers=ann.headers).get_json()["code"] == code


@pytest.mark.slow
@pytest.mark.parametrize("seats", [1, 3])
def test_the_record_at_a_version_is_that_of_a_running_game(client: FlaskClient, ann: Person, seats: int) -> None:
    (whole,) = simulate.records(1, seats, "earlier", "greedy", leave="0.03")
    made = imported(client, ann, whole)
    for at in range(made["version"] + 1):
        found = client.get(path(made, f"/record?at={at}"), headers=ann.headers)
        audit.check(found.data)
        record = json.loads(found.data)
        assert len(record["log"]) == at and record["log"] == json.loads(whole)["log"][:at]
        if at < made["version"]:
            assert record["result"] is record["draw"]["server_seed"] is None
        written = client.get(path(made, f"/record?at={at}"), headers={**ann.headers, **TEXT})
        read = notation.read(written.data)
        assert notation.record_line(read) == found.data and notation.text(read) == written.text


def test_the_text_at_a_version_keeps_comments_only(client: FlaskClient, ann: Person) -> None:
    varied = KITCHEN.replace("34@0,0  # what else?", "34@0,0  # what else?\n(\n32@0,0\n)\n56@1,0 # last")
    made = imported(client, ann, varied, as_text=True)
    written = get(client, ann, made, "/record?at=2", **TEXT)
    assert "# what else?" in written and "# last" not in written and "(" not in written
    assert notation.text(notation.read(written.encode())) == written
    assert "(" in get(client, ann, made, "/record", **TEXT)


def test_each_version_and_form_of_the_record_has_its_etag(client: FlaskClient, ann: Person) -> None:
    made = imported(client, ann)
    tags = set()
    for query in ("", "?at=3", "?at=4"):
        for headers in ({}, TEXT):
            found = client.get(path(made, f"/record{query}"), headers={**ann.headers, **headers})
            tags.add(found.headers["ETag"])
            again = client.get(
                path(made, f"/record{query}"),
                headers={**ann.headers, **headers, "If-None-Match": found.headers["ETag"]},
            )
            assert (again.status_code, again.data) == (304, b"") and "Accept" in again.headers["Vary"]
    assert len(tags) == 6


def test_legal_moves_are_those_at_the_version(client: FlaskClient, ann: Person, sign_up: SignUp) -> None:
    game = start(client, ann, sign_up("Ben"), discs=5)
    last = play_out(game)["version"]
    made = imported(client, ann, game.get("/record").data)
    for at in (0, 3, last):
        legal = game.get(f"/legal-moves?at={at}").get_json()
        assert get(client, ann, made, f"/legal-moves?at={at}") == legal
    assert get(client, ann, made, "/legal-moves")["seat"] is None


def test_a_record_with_one_entry_less_is_no_import(client: FlaskClient, ann: Person) -> None:
    record = json.loads(RECORD)
    del record["log"][-1]
    assert post(client, ann, json.dumps(record)).get_json()["code"] == "bad_record"
    with pytest.raises(RecordError):
        audit.check(json.dumps(record).encode())


def test_a_game_is_not_at_the_address_of_an_import(client: FlaskClient, ann: Person, sign_up: SignUp) -> None:
    game: Game = start(client, ann, sign_up("Ben"), discs=5)
    for below in ("", "/moves", "/moves/1", "/legal-moves", "/board.png"):
        assert client.get(f"/v1/imports/{game.id}{below}", headers=ann.headers).status_code == 404
