"""Imports: what is accepted and refused, who sees an import, and that nothing counts it."""

import json
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import text
from werkzeug.test import TestResponse

from engine import notation, simulate
from engine.record import line
from service.api.import_schemas import ImportedGameSchema, ImportSchema
from service.api.story_schemas import StorySchema
from service.commands import imports
from service.commands.imports import Verified
from service.store.unit import transaction
from tests.record_faults.faults import chain
from tests.support.clock import NOW
from tests.support.http_games import Game, SignUp, play_out, start
from tests.support.web import Person

RECORD = next(simulate.records(1, 2, "imports", "greedy", 5))
KITCHEN = """
[A "Mia"]
[B "Grand-père"]
[Stack "ba"]
[Tiles "42,34,32,56,24,8,22,62,31,37,26"]
42@0,0
34@0,0  # what else?
*
"""


@pytest.fixture
def ann(sign_up: SignUp) -> Person:
    return sign_up("Ann")


@pytest.fixture
def eve(sign_up: SignUp) -> Person:
    return sign_up("Eve")


def post(
    client: FlaskClient, person: Person, body: bytes | str, content_type: str = "application/json"
) -> TestResponse:
    return client.post("/v1/imports", data=body, headers=person.headers, content_type=content_type)


def imported(client: FlaskClient, person: Person, body: bytes | str = RECORD, *, as_text: bool = False) -> Any:
    made = post(client, person, body, "text/vnd.nova-luna" if as_text else "application/json")
    assert made.status_code == 201, made.text
    assert made.headers["Location"] == f"/v1/imports/{made.get_json()['id']}"
    return made.get_json()


def path(made: Any, below: str = "") -> str:
    return f"/v1/imports/{made['id']}{below}"


def test_a_record_is_imported_and_shown_as_it_is(client: FlaskClient, ann: Person) -> None:
    made = imported(client, ann)
    record = json.loads(RECORD)
    assert ImportSchema().validate(made) == {}
    assert made["names"] == [player["name"] for player in record["players"]]
    assert (made["kind"], made["seats"], made["goal_discs"]) == ("match", 2, 5)
    assert (made["version"], made["result"]) == (len(record["log"]), record["result"])
    assert made["timed"] is made["has_record"] is True and made["shared"] is False
    assert made["imported_by"] == ann.account and made["started_at"] == record["game"]["started_at"]
    shown = client.get(path(made), headers=ann.headers).get_json()
    assert ImportedGameSchema().validate(shown) == {} and shown | made == shown
    assert client.get("/v1/imports", headers=ann.headers).get_json() == {"items": [made], "next": None}


def test_any_spelling_of_the_json_is_the_same_record(client: FlaskClient, ann: Person) -> None:
    made = imported(client, ann, json.dumps(json.loads(RECORD), indent=2))
    assert client.get(path(made, "/record"), headers=ann.headers).data == RECORD


def test_the_same_game_again_is_the_import_that_there_is(client: FlaskClient, ann: Person, eve: Person) -> None:
    made = imported(client, ann)
    again = post(client, ann, RECORD)
    assert (again.status_code, again.get_json()) == (200, made)
    assert imported(client, eve)["id"] != made["id"]


def test_a_record_of_this_service_is_imported(client: FlaskClient, ann: Person, eve: Person) -> None:
    game = start(client, ann, eve, discs=5)
    play_out(game)
    made = imported(client, ann, game.get("/record").data)
    assert made["names"] == ["Ann", "Eve"]
    assert client.get(path(made, "/story"), headers=ann.headers).get_json() == game.get("/story").get_json()


def tampered(change: Any) -> bytes:
    record = json.loads(RECORD)
    change(record)
    return line(record)


@pytest.mark.parametrize(
    ("change", "fault", "entry"),
    [
        (lambda record: record["log"][2].update(seat=1 - record["log"][2]["seat"]), "chain", 3),
        (lambda record: record["log"][0].update(hash="0" * 64), "chain", 1),
        (lambda record: record["game"].update(goal_discs=4), "header", 0),
        (lambda record: record["result"].update(reason="tiles"), "result", None),
        (lambda record: record["draw"].update(server_seed="0" * 64), "draw", 0),
        (lambda record: record.pop("players"), "record", None),
        (lambda record: record["players"].pop(), "players", None),
        (lambda record: record["log"].append(record["log"][0]), "entry", None),
    ],
)
def test_a_tampered_record_is_refused_with_its_entry(
    client: FlaskClient, ann: Person, change: Any, fault: str, entry: int | None
) -> None:
    refused = post(client, ann, tampered(change))
    problem = refused.get_json()
    assert (refused.status_code, problem["code"], problem["fault"]) == (422, "bad_record", fault)
    assert entry is None or problem["entry"] == entry
    assert client.get("/v1/imports", headers=ann.headers).get_json()["items"] == []


def test_the_ruling_that_a_move_in_a_record_breaks_is_translated(client: FlaskClient, ann: Person) -> None:
    record = json.loads(RECORD)
    record["log"][0]["move"].update(x=5, y=5)
    headers = ann.headers | {"Accept-Language": "de"}
    refused = client.post("/v1/imports", json=chain(record), headers=headers).get_json()
    assert (refused["code"], refused["fault"], refused["entry"]) == ("bad_record", "rules", 1)
    ruled = "Das erste Plättchen kommt auf 0,0, nicht auf 5,5. (Regel 2.6)"
    assert refused["detail"] == f"Das Protokoll ist nicht gültig: entry 1: rules: {ruled}."


def test_the_ruling_that_a_move_in_a_text_breaks_is_translated(client: FlaskClient, ann: Person) -> None:
    told = ann.headers | {"Accept-Language": "fr", "Content-Type": "text/vnd.nova-luna"}
    text = '[Stack "ab"]\n[Tiles "42,34,32,56,24,8,22,62,31,37,26"]\n42@5,5\n*\n'
    refused = client.post("/v1/imports", data=text, headers=told).get_json()
    assert (refused["code"], refused["fault"], refused["line"]) == ("bad_text", "illegal", 3)
    assert refused["detail"].startswith("Le texte est refusé à la ligne 3\xa0: La première tuile")
    assert refused["detail"].endswith("(règle 2.6)")


@pytest.mark.parametrize("body", ["[]", "1", '"x"', "{}", "null", '{"log":1.5}', '{"format":"nova-luna-record/1"}'])
def test_json_that_is_no_record_is_refused(client: FlaskClient, ann: Person, body: str) -> None:
    refused = post(client, ann, body)
    assert (refused.status_code, refused.get_json()["code"]) == (422, "bad_record")


def test_a_game_whose_text_could_not_be_read_again_is_refused(client: FlaskClient, ann: Person) -> None:
    escaped = "\ufeff" * 10_000  # each is \\u{feff} in a text
    renamed = json.loads(RECORD)
    renamed["game"]["id"] = escaped
    as_record = post(client, ann, line(chain(renamed)))
    as_text = post(client, ann, f'[X "{escaped}"]\n' + KITCHEN, "text/vnd.nova-luna")
    for answer in (as_record, as_text):
        problem = answer.get_json()
        assert (answer.status_code, problem["code"], problem["fault"]) == (422, "bad_text", "too_long"), problem
        assert "would have 80" in problem["detail"]
    assert client.get("/v1/imports", headers=ann.headers).get_json()["items"] == []


@pytest.mark.parametrize("length", [30, 31, 25_000])
def test_a_name_longer_than_those_here_is_refused(client: FlaskClient, ann: Person, length: int) -> None:
    name = "é" * length
    as_record = post(client, ann, tampered(lambda record: record["players"][1].update(name=name)))
    as_text = post(client, ann, KITCHEN.replace("Grand-père", name), "text/vnd.nova-luna")
    for answer in (as_record, as_text):
        if length > 30:
            problem = answer.get_json()
            assert (answer.status_code, problem["code"]) == (422, "name_too_long")
            assert "player 2" in problem["detail"] and str(length) in problem["detail"]
        else:
            assert (answer.status_code, answer.get_json()["names"][1]) == (201, name)


def test_an_import_of_before_that_limit_is_shown_with_short_names(client: FlaskClient, ann: Person) -> None:
    record = json.loads(RECORD)
    record["players"][0]["name"] = "x" * 60_000
    written = Verified(line(record).decode(), notation.from_record(record), is_record=True)
    with client.application.app_context(), transaction() as session:
        made, _ = imports.add(session, ann.account, written, NOW)
        id = made.id
    short = "x" * 29 + "…"
    shown = client.get(f"/v1/imports/{id}", headers=ann.headers).get_json()
    assert (shown["names"][0], shown["players"][0]["name"]) == (short, short)
    assert client.get("/v1/imports", headers=ann.headers).get_json()["items"][0]["names"][0] == short
    for below in ("/moves.csv", "/story.svg", "/board.svg"):
        answer = client.get(f"/v1/imports/{id}{below}", headers=ann.headers)
        assert answer.status_code == 200 and "x" * 31 not in answer.text, below
    assert client.get(f"/v1/imports/{id}/record", headers=ann.headers).data == line(record)


def test_what_is_no_json_or_of_another_type_is_refused(client: FlaskClient, ann: Person) -> None:
    assert post(client, ann, "{").get_json()["code"] == "not_json"
    other = post(client, ann, RECORD, "application/xml")
    assert (other.status_code, other.get_json()["code"]) == (415, "unsupported_media_type")
    assert other.get_json()["detail"] == "Send the body as application/json, text/vnd.nova-luna, text/plain."
    assert post(client, ann, b"x" * 70_000, "text/plain").get_json()["code"] == "body_too_large"
    assert post(client, ann, "", "text/plain").get_json()["code"] == "bad_text"
    assert client.post("/v1/imports", data=RECORD, content_type="application/json").status_code == 401


@pytest.mark.parametrize("media_type", ["text/vnd.nova-luna", "text/plain; charset=utf-8", "Text/Plain"])
def test_a_text_of_a_kitchen_table_is_imported(client: FlaskClient, ann: Person, media_type: str) -> None:
    answer = post(client, ann, KITCHEN, media_type)
    made = answer.get_json()
    assert answer.status_code == 201
    assert made["names"] == ["Mia", "Grand-père"] and made["result"] is None and made["started_at"] is None
    assert made["timed"] is made["has_record"] is False and made["version"] == 2
    assert client.get(path(made, "/record"), headers=ann.headers).get_json()["code"] == "no_record"
    shown = client.get(path(made, "/record"), headers=ann.headers | {"Accept": "text/vnd.nova-luna"})
    assert shown.content_type == "text/vnd.nova-luna; charset=utf-8" and "# what else?" in shown.text
    assert notation.text(notation.read(shown.data)) == shown.text


@pytest.mark.parametrize(
    ("body", "fault", "line"),
    [
        (KITCHEN.replace("34@0,0", "34@5,5"), "illegal", 7),
        (KITCHEN.replace("*", ""), "no_result", 7),
        (KITCHEN.replace("[Stack", "[Stick"), "unknown_tag", 4),
        (KITCHEN.replace("42@", "42@@"), "bad_move", 6),
    ],
)
def test_a_text_that_does_not_hold_is_refused_with_its_line(
    client: FlaskClient, ann: Person, body: str, fault: str, line: int
) -> None:
    refused = post(client, ann, body, "text/plain")
    problem = refused.get_json()
    assert (refused.status_code, problem["code"], problem["fault"], problem["line"]) == (422, "bad_text", fault, line)


def test_a_complete_text_has_its_record(client: FlaskClient, ann: Person) -> None:
    written = notation.text(notation.from_record(json.loads(RECORD)))
    made = imported(client, ann, written, as_text=True)
    assert made["has_record"] is made["timed"] is True
    assert client.get(path(made, "/record"), headers=ann.headers).data == RECORD


BELOW = ("", "/record", "/moves", "/moves/1", "/legal-moves", "/story", "/story.svg", "/moves.csv", "/board.svg")


def test_nobody_else_sees_an_import_that_is_not_shared(client: FlaskClient, ann: Person, eve: Person) -> None:
    made = imported(client, ann)
    for below in BELOW:
        assert client.get(path(made, below), headers=ann.headers).status_code == 200
        for headers in ({}, eve.headers):
            refused = client.get(path(made, below), headers=headers)
            assert (refused.status_code, refused.get_json()["code"]) == (404, "no_such_import"), below
    for change in (client.patch(path(made), json={"shared": True}, headers=eve.headers),):
        assert change.status_code == 404
    assert client.delete(path(made), headers=eve.headers).status_code == 404
    assert client.get("/v1/imports", headers=eve.headers).get_json()["items"] == []


def test_everybody_sees_a_shared_import_until_it_is_shared_no_longer(
    client: FlaskClient, ann: Person, eve: Person
) -> None:
    made = imported(client, ann)
    shared = client.patch(path(made), json={"shared": True}, headers=ann.headers)
    assert (shared.status_code, shared.get_json()) == (200, {**made, "shared": True})
    for below in BELOW:
        for headers in ({}, eve.headers):
            assert client.get(path(made, below), headers=headers).status_code == 200
    seen = client.get(path(made)).get_json()
    assert seen["imported_by"] == ann.account and "link=" in made["page"] and "link=" not in seen["page"]
    assert client.get("/v1/imports", headers=eve.headers).get_json()["items"] == []
    client.patch(path(made), json={"shared": False}, headers=ann.headers)
    assert client.get(path(made)).status_code == 404


def test_a_suspended_account_shares_nothing(app: Flask, client: FlaskClient, ann: Person) -> None:
    made = imported(client, ann)
    client.patch(path(made), json={"shared": True}, headers=ann.headers)
    with app.app_context(), transaction() as session:
        session.execute(text("UPDATE accounts SET suspended_at = created_at WHERE id = :id"), {"id": ann.account})
    assert client.get(path(made)).status_code == 404


def test_an_import_is_deleted_and_goes_with_its_account(client: FlaskClient, ann: Person, eve: Person) -> None:
    made = imported(client, ann)
    assert client.delete(path(made), headers=ann.headers).status_code == 204
    assert client.get(path(made), headers=ann.headers).status_code == 404
    other = imported(client, eve)
    client.patch(path(other), json={"shared": True}, headers=eve.headers)
    assert client.delete("/v1/me", headers=eve.headers).status_code == 204
    assert client.get(path(other)).status_code == 404


def test_nothing_counts_an_import(app: Flask, client: FlaskClient, ann: Person, eve: Person) -> None:
    game = start(client, ann, eve, discs=5)
    play_out(game)
    before = counted(app, client, ann)
    imported(client, ann, game.get("/record").data)
    assert counted(app, client, ann) == before


def counted(app: Flask, client: FlaskClient, person: Person) -> list[Any]:
    """Return the lists, counts and exports that an import must not be in, and the events."""
    with app.app_context(), transaction() as session:
        rows = [
            session.scalar(text(f"SELECT count(*) FROM {table}")) for table in ("tables", "seats", "log", "progress")
        ]
        rows.append(session.scalar(text("SELECT count(*) FROM procrastinate_jobs")))
    lists = (
        "/v1/games",
        "/v1/solo-sessions",
        f"/v1/players/{person.account}",
        "/v1/me/games.ndjson",
        "/v1/me/moves.csv",
    )
    return [*rows, *(client.get(each, headers=person.headers, buffered=True).data for each in lists)]


def test_an_account_has_so_many_imports_and_no_more(
    client: FlaskClient, ann: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(imports, "MOST", 1)
    imported(client, ann)
    refused = post(client, ann, KITCHEN, "text/plain")
    assert (refused.status_code, refused.get_json()["code"], refused.get_json()["most"]) == (409, "too_many_imports", 1)
    assert post(client, ann, RECORD).status_code == 200, "the same again is no further one"


def test_so_many_tries_an_hour_are_allowed_and_no_more(
    client: FlaskClient, ann: Person, eve: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(imports, "PER_HOUR", 2)
    for _ in range(2):
        assert post(client, ann, "x", "text/plain").status_code == 422
    refused = post(client, ann, RECORD)
    assert (refused.status_code, refused.get_json()["code"]) == (429, "too_many_imported")
    assert int(refused.headers["Retry-After"]) > 0
    assert post(client, eve, RECORD).status_code == 201


def test_imports_are_listed_newest_first_in_pages(client: FlaskClient, ann: Person) -> None:
    made = [imported(client, ann, record)["id"] for record in simulate.records(3, 2, "pages", "greedy", 5)]
    found, cursor = [], ""
    while True:
        page = client.get(f"/v1/imports?limit=2{cursor}", headers=ann.headers).get_json()
        found += [each["id"] for each in page["items"]]
        if page["next"] is None:
            break
        cursor = f"&cursor={page['next']}"
    assert sorted(found) == sorted(made) and len(found) == 3
    assert client.get("/v1/imports?limit=3", headers=ann.headers).get_json()["next"] is None
    assert client.get("/v1/imports?cursor=x", headers=ann.headers).status_code == 422


def test_a_picture_of_any_moment(client: FlaskClient, ann: Person) -> None:
    made = imported(client, ann)
    now, then = (client.get(path(made, f"/board.svg{query}"), headers=ann.headers) for query in ("", "?at=3"))
    assert now.status_code == then.status_code == 200 and now.content_type == "image/svg+xml; charset=utf-8"
    assert "after move 3" in then.text and f"after move {made['version']}" in now.text
    assert now.headers["Content-Security-Policy"].startswith("default-src 'none'")
    wrong = {"seat=3": "wrong_fields", "head=00000000": "wrong_fields", "why=1.1": "no_such_goal"}
    for query, code in {"at=99999": "no_such_version", **wrong}.items():
        refused = client.get(path(made, f"/board.svg?{query}"), headers=ann.headers)
        assert refused.get_json()["code"] == code


def test_the_goals_say_why_at_any_moment(client: FlaskClient, ann: Person, eve: Person) -> None:
    game = start(client, ann, eve, discs=5)
    play_out(game)
    made = imported(client, ann, game.get("/record").data)
    for below in ("/seats/0/goals", "/seats/1/goals?at=4&language=fr"):
        found = client.get(path(made, below), headers=ann.headers)
        assert found.status_code == 200 and found.get_json() == game.get(below).get_json()
    for below, code in (("/seats/2/goals", "no_such_seat"), ("/seats/0/goals?at=99999", "no_such_version")):
        refused = client.get(path(made, below), headers=ann.headers)
        assert (refused.status_code, refused.get_json()["code"]) == (404, code)
    assert client.get(path(made, "/seats/0/goals")).get_json()["code"] == "no_such_import"


def test_a_solo_has_no_picture_of_a_moon_track(client: FlaskClient, ann: Person) -> None:
    made = imported(client, ann, next(simulate.records(1, 1, "solo", "greedy")))
    assert client.get(path(made, "/board.svg"), headers=ann.headers).status_code == 200
    assert client.get(path(made, "/board.svg?part=track"), headers=ann.headers).status_code == 422


def test_an_import_is_answered_with_304(client: FlaskClient, ann: Person) -> None:
    made = imported(client, ann)
    for below in ("", "/record", "/story", "/story.svg", "/moves.csv", "/moves/2", "/legal-moves", "/board.svg"):
        tag = client.get(path(made, below), headers=ann.headers).headers["ETag"]
        same = client.get(path(made, below), headers={**ann.headers, "If-None-Match": tag})
        assert (same.status_code, same.data) == (304, b""), below


def test_a_running_game_has_no_story_and_a_text_without_times_no_tempo(client: FlaskClient, ann: Person) -> None:
    running = imported(client, ann, KITCHEN, as_text=True)
    for below in ("/story", "/story.svg"):
        assert client.get(path(running, below), headers=ann.headers).get_json()["code"] == "not_over"
    over = notation.text(notation.from_record(json.loads(RECORD)), times=False)
    made = imported(client, ann, over, as_text=True)
    story = client.get(path(made, "/story"), headers=ann.headers).get_json()
    assert StorySchema().validate(story) == {}
    assert {move["think"] for move in story["moves"]} == {None} and story["days"] == []
    assert all(player["tempo"]["moves"] == 0 for player in story["players"])
    rows = client.get(path(made, "/moves.csv"), headers=ann.headers).text.splitlines()
    assert len(rows) == len(story["moves"]) + 1
    assert rows[1].split(",")[3] == "" and rows[1].split(",")[12] == "", "neither a time nor a time to think"


def test_a_name_is_never_that_of_a_bot_of_this_service(client: FlaskClient, ann: Person) -> None:
    made = imported(client, ann, KITCHEN.replace("Mia", "bot:greedy"), as_text=True)
    assert made["names"][0] == "bot:greedy"
    drawing = client.get(path(made, "/board.svg"), headers=ann.headers).text
    assert "Greedy bot" not in drawing and "Player 1" in drawing


def test_a_game_at_the_address_of_an_import_is_not_there(client: FlaskClient, ann: Person) -> None:
    made = imported(client, ann)
    assert Game(f"/v1/games/{made['id']}", (ann,), client).get().status_code == 404


@pytest.mark.parametrize("part", ["table", "display", "wheel", "track"])
def test_pictures_say_that_the_game_was_imported(client: FlaskClient, ann: Person, part: str) -> None:
    made = imported(client, ann)
    for language, said in (("en", "An imported game, which was not played here"), ("de", "Importierte Partie")):
        drawing = client.get(path(made, f"/board.svg?part={part}&language={language}"), headers=ann.headers).text
        assert f">{said}" in drawing and said in drawing.partition("</title>")[0]
    assert ">An imported game" in client.get(path(made, "/story.svg"), headers=ann.headers).text


def test_a_picture_of_an_import_is_drawn_as_png(client: FlaskClient, ann: Person) -> None:
    made = imported(client, ann)
    picture = client.get(path(made, "/board.png?at=3"), headers=ann.headers)
    assert picture.content_type == "image/png" and picture.data.startswith(b"\x89PNG")
    tag = {"If-None-Match": picture.headers["ETag"]}
    assert client.get(path(made, "/board.png?at=3"), headers={**ann.headers, **tag}).status_code == 304
    assert client.get(path(made, "/board.png")).status_code == 404
