"""Moves over HTTP: versions, the order of refusals, dry runs, stored responses, the log and the record."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import text

from engine import audit, notation
from service.store.base import db
from tests.support.http_games import Game, SignUp, first_legal, play_out, start
from tests.support.web import Person

GUIDE = Path(__file__).parents[3] / "docs" / "guide" / "errors.md"


@pytest.fixture
def game(client: FlaskClient, ann: Person, ben: Person) -> Game:
    return start(client, ann, ben)


def waiting(game: Game) -> Person:
    return next(player for player in game.players if player != game.to_move())


def test_a_move_gives_the_new_view(game: Game) -> None:
    mover, seat = game.to_move(), game.view()["turn"]["seat"]
    move = game.first()
    made = game.post(mover, move)
    assert made.status_code == 201 and made.headers["ETag"].startswith('"1-2-')
    head = made.headers["ETag"].strip('"').split("-")[2]
    assert made.headers["Location"] == f"{game.path}?at=1&head={head}"
    last = made.get_json()["last_move"]
    assert last["move"] == {"type": "place", "tile": move["tile"], "x": 0, "y": 0} and last["seat"] == seat
    assert last["notation"] == f"{move['tile']}@0,0" and last["by"] is None and last["seq"] == 1
    assert made.get_json()["displays"][seat]["tiles"][0]["id"] == move["tile"]
    assert made.get_json()["selection_track"]["spaces"].count(None) == 2
    assert game.client.get(game.path, headers=mover.headers).data == made.data
    assert game.client.get(made.headers["Location"], headers=mover.headers).data == made.data


def test_numbers_are_those_of_json_schema(game: Game) -> None:
    move = game.first()
    for wrong in (True, "0", 0.5, None):
        refused = game.post(game.to_move(), {**move, "x": wrong})
        assert refused.status_code == 422 and refused.get_json()["code"] == "wrong_fields", wrong
    assert game.post(game.to_move(), {**move, "x": 0.0, "tile": float(move["tile"])}).status_code == 201


def test_what_is_no_players_move_is_malformed(game: Game) -> None:
    cell = {"type": "place", "tile": 1, "x": 0, "y": 0}
    wrong: list[Any] = [
        {},
        [],
        {"type": "place", "tile": 1, "x": 0},
        {**cell, "tile": 0},
        {**cell, "tile": 69},
        {**cell, "z": 0},
        {**cell, "x": 10**20},
        {"type": "refill", "tile": 1},
        {"type": "timeout"},
        {"type": "end"},
        {"type": "mark", "kind": "nudge"},
        {"type": "resign", "expected_version": -1},
        {"type": "resign", "expected_version": "0"},
    ]
    mover = game.to_move()
    for body in wrong:
        refused = game.post(mover, body)
        assert refused.status_code == 422 and refused.get_json()["code"] == "wrong_fields", body
        assert "legal" not in refused.get_json()


def test_a_version_is_needed_and_must_not_be_stale(game: Game) -> None:
    mover = game.to_move()
    old = game.get().headers["ETag"]
    game.move()
    tag = game.get().headers["ETag"]
    mover, move = game.to_move(), game.first()
    unversioned = {name: value for name, value in move.items() if name != "expected_version"}
    assert game.post(mover, unversioned).status_code == 428
    stale = game.post(mover, {**move, "expected_version": 0})
    assert (stale.status_code, stale.get_json()["code"], stale.get_json()["version"]) == (409, "stale_version", 1)
    stale = game.post(mover, move, {"If-Match": old})
    assert (stale.status_code, stale.get_json()["code"], stale.get_json()["version"]) == (412, "stale_version", 1)
    for nothing in (f"W/{tag}", '"1"', '"1-2"', '"1-2-00000000"', tag.replace("1-2", "1-1"), '"nonsense"', '""'):
        stale = game.post(mover, move, {"If-Match": nothing})
        assert (stale.status_code, stale.get_json()["version"]) == (412, 1), nothing
    made = game.post(mover, {**move, "expected_version": 0}, {"If-Match": f"{old}, {tag}"})
    assert made.status_code == 201, "If-Match decides"


def test_the_guide_shows_a_stale_move_as_it_is_refused(game: Game) -> None:
    example = re.search(r"```json\n(.*?)```", GUIDE.read_text(), re.DOTALL)
    assert example is not None
    mover, move = game.to_move(), game.first()
    game.move()
    refused = game.post(mover, move)
    assert json.loads(example[1].replace("13", "1")) == refused.get_json()


def test_if_match_is_stale_when_a_name_changed(game: Game) -> None:
    mover, move, tag = game.to_move(), game.first(), game.get().headers["ETag"]
    changed = game.client.patch("/v1/me", json={"name": "Cleo"}, headers=waiting(game).headers)
    assert changed.status_code == 200
    stale = game.post(mover, move, {"If-Match": tag})
    assert (stale.status_code, stale.get_json()["code"], stale.get_json()["version"]) == (412, "stale_version", 0)
    assert game.post(mover, move, {"If-Match": game.get().headers["ETag"]}).status_code == 201


def test_if_match_with_a_star_fits_any_version(game: Game) -> None:
    move = {name: value for name, value in game.first().items() if name != "expected_version"}
    assert game.post(game.to_move(), move, {"If-Match": "*"}).status_code == 201


def test_the_order_of_refusals(game: Game, sign_up: SignUp) -> None:
    stranger, mover = sign_up("Cleo"), game.to_move()
    other = waiting(game)
    client, path = game.client, f"{game.path}/moves"
    broken = {"type": "place", "tile": 1}
    assert client.post(path, json=broken).status_code == 401
    assert client.post(path.replace(game.id, "222222222222"), json=broken, headers=mover.headers).status_code == 404
    refused = game.post(stranger, broken)
    assert (refused.status_code, refused.get_json()["code"]) == (403, "not_at_the_table")
    assert (
        client.post(path, data=b"{", headers={**mover.headers, "Content-Type": "application/json"}).status_code == 400
    )
    assert client.post(path, data=b"{}", headers=mover.headers).status_code == 415
    key = {"Idempotency-Key": "one"}
    assert game.post(mover, broken, key).status_code == 422
    taken = game.first()
    assert game.post(mover, taken, key).status_code == 201
    unversioned = {"type": "place", "tile": taken["tile"], "x": 0, "y": 0}
    assert game.post(mover, unversioned, key).get_json()["code"] == "idempotency_key_reused"
    assert game.post(mover, unversioned).status_code == 428
    assert game.post(mover, {**unversioned, "expected_version": 0}).status_code == 409
    game.post(other, {"type": "resign"})
    over = game.post(mover, {**unversioned, "expected_version": 2})
    assert (over.status_code, over.get_json()["code"], over.get_json()["version"]) == (409, "game_over", 2)
    assert game.post(mover, {**unversioned, "expected_version": 1}).get_json()["code"] == "stale_version"
    assert game.post(mover, {"type": "resign"}).get_json()["code"] == "game_over"


def test_an_illegal_move_names_the_rule_and_what_is_legal(game: Game) -> None:
    legal = game.client.get(f"{game.path}/legal-moves").get_json()
    far = game.post(game.to_move(), {**first_legal(legal), "x": 99})
    assert (far.status_code, far.get_json()["code"], far.get_json()["rule"]) == (422, "cell_not_open", "2.6")
    assert far.get_json()["legal"] == {name: legal[name] for name in ("tiles", "cells", "refill", "resign")}
    refill = game.post(game.to_move(), {"type": "refill", "expected_version": 0})
    assert (refill.get_json()["code"], refill.get_json()["rule"]) == ("refill_not_allowed", "2.2")
    turn = game.post(waiting(game), first_legal(legal))
    assert (turn.status_code, turn.get_json()["code"], turn.get_json()["rule"]) == (422, "not_your_turn", "2.1")
    assert turn.get_json()["legal"] == {"tiles": [], "cells": [], "refill": False, "resign": True}
    assert game.view()["version"] == 0


def test_resigning_needs_no_version_and_no_turn(game: Game) -> None:
    gone = game.post(waiting(game), {"type": "resign"})
    assert gone.status_code == 201 and gone.get_json()["status"] == "finished"
    assert (
        gone.get_json()["result"]["reason"] == "left"
        and gone.get_json()["ended_at"] == gone.get_json()["last_move"]["at"]
    )


def test_an_open_or_closed_table_takes_no_move(client: FlaskClient, ann: Person) -> None:
    made = client.post("/v1/games", json={"seats": 2}, headers=ann.headers).get_json()
    game = Game(f"/v1/games/{made['id']}", (ann,), client)
    assert game.post(ann, {"type": "resign"}).get_json()["code"] == "not_started"
    assert game.post(ann, {"type": "refill", "expected_version": 0}).get_json()["code"] == "not_started"
    client.delete(game.path, headers=ann.headers)
    assert game.post(ann, {"type": "resign"}).get_json()["code"] == "table_closed"
    assert client.get(f"{game.path}/legal-moves").get_json() == {
        "version": 0, "seat": None, "tiles": [], "cells": [], "refill": False, "resign": False,
    }  # fmt: skip
    assert client.get(f"{game.path}/moves").get_json() == {"items": [], "next": None}


def test_a_dry_run_says_what_would_be_and_stores_nothing(game: Game, app: Flask) -> None:
    mover, move = game.to_move(), game.first()
    before = game.view()
    unversioned = {name: value for name, value in move.items() if name != "expected_version"}
    tried = game.post(mover, unversioned, {"Idempotency-Key": "dry"}, "?dry_run=true")
    assert tried.status_code == 200 and game.view() == before
    made = game.post(mover, move, {"Idempotency-Key": "dry"}).get_json()
    said = tried.get_json()
    assert said["moved"] == made["last_move"]["moved"] and said["covered"] == made["last_move"]["covered"]
    assert said["turn"] == made["turn"]["seat"] and said["result"] is None and said["version"] == 0
    assert game.post(mover, {**move, "expected_version": 7}, query="?dry_run=true").status_code == 409
    assert game.post(mover, {**unversioned, "tile": 69}, query="?dry_run=true").status_code == 422
    illegal = game.post(game.to_move(), {**game.first(), "x": 50}, query="?dry_run=true")
    assert (illegal.get_json()["code"], illegal.get_json()["rule"]) == ("cell_not_open", "2.6")
    assert game.post(mover, move, query="?dry_run=yes").status_code == 422
    with app.app_context():
        assert db.session.scalar(text("SELECT count(*) FROM idempotency")) == 1


def test_a_dry_run_never_says_what_a_refill_would_show(game: Game) -> None:
    """Every move of a whole game is tried first; no response reveals a tile of the pile or the new track."""
    allowed = {
        "version", "seat", "move", "notation", "moved", "covered", "discs_left", "refills", "turn", "result",
    }  # fmt: skip
    refilled = 0
    view = game.view()
    while view["status"] == "running":
        mover, move = game.to_move(), game.first()
        tried = game.post(mover, move, query="?dry_run=true").get_json()
        assert set(tried) == allowed
        view = game.post(mover, move).get_json()
        last = view["last_move"]
        assert tried["refills"] == bool(last["refilled"])
        refilled += bool(last["refilled"])
        assert (tried["covered"], tried["moved"]) == (last["covered"], last["moved"])
        assert tried["turn"] == (view["turn"] and view["turn"]["seat"])
        assert tried["result"] == view["result"]
    assert refilled > 1


def test_the_same_key_gives_the_same_answer_once(game: Game) -> None:
    mover, move = game.to_move(), game.first()
    key = {"Idempotency-Key": "5b2f9c1e"}
    first = game.post(mover, move, key)
    again = game.post(mover, {**move, "x": 0.0}, key)
    assert first.status_code == again.status_code == 201 and first.data == again.data
    assert first.headers["ETag"] == again.headers["ETag"] and first.headers["Location"] == again.headers["Location"]
    assert game.view()["version"] == 1


def test_the_log_comes_in_pages_and_chains(game: Game) -> None:
    for _ in range(5):
        game.move()
    first = game.client.get(f"{game.path}/moves?limit=3")
    second = game.client.get(first.headers["Link"].split(">")[0][1:])
    entries = first.get_json()["items"] + second.get_json()["items"]
    assert [entry["seq"] for entry in entries] == [1, 2, 3, 4, 5] and second.get_json()["next"] is None
    assert [entry["prev"] for entry in entries[1:]] == [entry["hash"] for entry in entries[:-1]]
    assert entries == json.loads(game.client.get(f"{game.path}/record").data)["log"]
    assert "ETag" in first.headers
    assert game.client.get(f"{game.path}/moves?cursor=nonsense").status_code == 422


def test_the_record_running_and_finished(game: Game) -> None:
    game.move()
    running = game.client.get(f"{game.path}/record")
    audit.check(running.data)
    record = json.loads(running.data)
    assert record["result"] is None and record["draw"]["server_seed"] is None and len(record["draw"]["tiles"]) == 11
    view = play_out(game)
    finished = game.client.get(f"{game.path}/record")
    audit.check(finished.data)
    record = json.loads(finished.data)
    assert record["draw"]["server_seed"] == view["draw"]["server_seed"] and len(record["draw"]["tiles"]) == 68
    assert [player["name"] for player in record["players"]] == ["Ann", "Ben"]
    assert finished.headers["ETag"].startswith(f'"{view["version"]}-2-')
    again = game.client.get(f"{game.path}/record", headers={"If-None-Match": finished.headers["ETag"]})
    assert again.status_code == 304 and not again.data


TEXT = "text/vnd.nova-luna"


@pytest.mark.parametrize(
    ("accept", "kind"),
    [
        (None, "application/json"),
        ("*/*", "application/json"),
        ("application/*", "application/json"),
        ("text/html,application/xhtml+xml,*/*;q=0.8", "application/json"),
        (TEXT, f"{TEXT}; charset=utf-8"),
        (f"application/json;q=0.5, {TEXT}", f"{TEXT}; charset=utf-8"),
        ("TEXT/VND.NOVA-LUNA", f"{TEXT}; charset=utf-8"),
        ("text/plain, */*;q=0.1", "text/plain; charset=utf-8"),
        ("text/*", f"{TEXT}; charset=utf-8"),
        ("text/html, image/*", None),
        (f"{TEXT};q=0", None),
    ],
)
def test_the_record_is_sent_in_the_form_that_accept_prefers(game: Game, accept: str | None, kind: str | None) -> None:
    headers = {} if accept is None else {"Accept": accept}
    answer = game.client.get(f"{game.path}/record", headers=headers)
    if kind is None:
        assert answer.status_code == 406 and answer.get_json()["code"] == "not_acceptable"
    else:
        assert answer.status_code == 200 and answer.headers["Content-Type"] == kind
        assert "Accept" in [name.strip() for name in ",".join(answer.headers.getlist("Vary")).split(",")]


def test_the_text_gives_the_record_back_and_has_a_tag_of_its_own(game: Game) -> None:
    game.move()
    path, as_text = f"{game.path}/record", {"Accept": TEXT}
    for _ in range(2):  # the second time from the cache
        record, told = game.client.get(path), game.client.get(path, headers=as_text)
        assert notation.record_line(notation.read(told.data)) == record.data
    assert record.headers["ETag"] != told.headers["ETag"]
    for headers, tag in (({}, record.headers["ETag"]), (as_text, told.headers["ETag"])):
        same = game.client.get(path, headers={**headers, "If-None-Match": tag})
        assert same.status_code == 304 and same.headers["ETag"] == tag and "Accept" in same.headers["Vary"]
    for headers, tag in ((as_text, record.headers["ETag"]), ({}, told.headers["ETag"])):
        assert game.client.get(path, headers={**headers, "If-None-Match": tag}).status_code == 200
    game.move()
    changed = game.client.get(path, headers={**as_text, "If-None-Match": told.headers["ETag"]})
    assert changed.status_code == 200 and changed.data != told.data
    assert notation.record_line(notation.read(changed.data)) == game.client.get(path).data


def test_an_unset_name_is_null_in_the_record(client: FlaskClient, ann: Person, sign_up: SignUp) -> None:
    game = start(client, ann, sign_up())
    record = json.loads(client.get(f"{game.path}/record").data)
    assert record["players"] == [{"seat": 0, "name": "Ann"}, {"seat": 1, "name": None}]


def test_a_cell_can_be_sent_as_it_was_listed_and_its_letter_is_checked(game: Game) -> None:
    legal = game.get("/legal-moves").get_json()
    assert [cell["letter"] for cell in legal["cells"]] == ["A"]
    move = {"type": "place", "tile": legal["tiles"][0], **legal["cells"][0], "expected_version": 0}
    mover = game.to_move()
    for query in ("?dry_run=true", ""):
        refused = game.post(mover, {**move, "letter": "B"}, query=query)
        assert (refused.status_code, refused.get_json()["code"]) == (422, "wrong_fields")
        assert refused.get_json()["errors"][0]["field"] == "letter" and "A" in refused.get_json()["errors"][0]["detail"]
    for wrong in ("a", "", "AAAA", "1", 7, None, "Ä"):
        assert game.post(mover, {**move, "letter": wrong}).get_json()["code"] == "wrong_fields"
    assert (
        game.post(mover, {"type": "refill", "letter": "A", "expected_version": 0}).get_json()["code"] == "wrong_fields"
    )
    assert game.post(mover, {**move, "letter": "B", "expected_version": 9}).get_json()["code"] == "stale_version"
    assert game.post(mover, {**move, "x": 5, "letter": "B"}).get_json()["code"] == "cell_not_open"
    assert game.post(mover, move, query="?dry_run=true").status_code == 200
    assert game.post(mover, move).status_code == 201
    assert game.view()["version"] == 1


def test_a_solo_that_was_not_started_has_no_free_seats(client: FlaskClient, sign_up: SignUp) -> None:
    ann = sign_up("Ann")
    made = client.post("/v1/solo-sessions", json={}, headers=ann.headers).headers["Location"]
    refused = Game(made, (ann,), client).post(ann, {"type": "refill", "expected_version": 0})
    assert (refused.status_code, refused.get_json()["code"]) == (409, "not_started")
    assert refused.get_json()["detail"] == "This solo has not been started."


def test_a_state_of_the_future_is_not_said_to_be_past(client: FlaskClient, sign_up: SignUp) -> None:
    game = start(client, sign_up("Ann"), sign_up("Ben"))
    refused = game.post(game.to_move(), {**game.first(), "expected_version": 7})
    assert refused.get_json()["detail"].startswith("The move is for another state than that of the game")
