"""GET of a move that was made: what it says, and its changes, which lead from the table before it to that after it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, cast

import pytest
from flask.testing import FlaskClient
from sqlalchemy.orm import Session

from engine import notation, record, simulate, text
from engine.moves import REFILL, from_json
from service.api import move_changes
from service.api.game_examples import GAME, SOLO
from service.api.made_move_schemas import MadeMoveSchema
from service.api.made_moves import made_move, to_json
from service.api.tile_view import TILES
from service.commands import host
from service.commands.play import play
from service.queries.loaded import LoadedTable, Player, TableRow
from service.store.entries import Entries
from service.store.log import Entry, Progress
from tests.support import world
from tests.support.clock import NOW
from tests.support.http_games import Game, SignUp, play_out, start, start_solo
from tests.support.table_changes import applied, position
from tests.support.web import Person

CATALOG = {tile["id"]: tile for tile in TILES[1:]}
JOINED = datetime(2026, 1, 1, tzinfo=UTC)


def loaded(line: bytes) -> LoadedTable:
    """Return the table of a finished record, as a request has it."""
    whole = json.loads(line)
    game, draw = whole["game"], whole["draw"]
    header = {name: whole[name] for name in ("format", "rules", "game")}
    header["draw"] = {name: draw[name] for name in ("algorithm", "subject", "commitment", "entropy", "stack")}
    entries = [
        Entry(
            each["seq"],
            record.moment(each["at"]),
            each["seat"],
            each.get("by", ""),
            text.render(from_json(each["move"])),
        )
        for each in whole["log"]
    ]
    return LoadedTable(
        TableRow(
            1,
            game["id"],
            game["kind"],
            game["seats"],
            game["goal_discs"],
            "public",
            "",
            bytes.fromhex(draw["commitment"]),
            JOINED,
            0,
            None,
            None,
        ),
        tuple(Player(each["seat"], None, each["name"], "", JOINED) for each in whole["players"]),
        header,
        Progress("finished", len(entries), bytes(32), JOINED, None, None, JOINED, None),
        bytes.fromhex(draw["server_seed"]),
        cast(Entries, entries),
    )


def simulated() -> Iterator[bytes]:
    for seats in (1, 2, 3, 4):
        yield from simulate.records(6, seats, "changes", "greedy", leave="0.02")
        yield from simulate.records(4, seats, "changes", "random", leave="0")
    yield from simulate.records(10, 2, "changes", "greedy", discs=5, leave="0.03")


@pytest.mark.slow
def test_changes_lead_from_before_to_after_in_whole_games() -> None:
    seen: Counter[str] = Counter()
    for line in simulated():
        table = loaded(line)
        for seq in range(1, len(table.entries) + 1):
            made = made_move(table, seq)
            before, after = json.loads(made.before), json.loads(made.after)
            changes = [move_changes.to_json(change) for change in made.changes]
            at = record.stamp(made.entry.at)
            assert position(applied(before, changes, at, CATALOG)) == position(after), (line[:80], seq)
            assert (before["version"], after["version"]) == (seq - 1, seq)
            seen.update(change["type"] for change in changes)
            if made.entry.move.startswith("mark "):
                assert changes == []
                seen["mark"] += 1
    assert set(seen) == {*move_changes.NAMES, "mark"}, "each kind of change occurred"


@pytest.fixture
def game(client: FlaskClient, ann: Person, sign_up: SignUp) -> Game:
    return start(client, ann, sign_up("Ben"), discs=5)


def moves(game: Game) -> list[Any]:
    """Return all moves of a game."""
    answers = [game.get(f"/moves/{seq}") for seq in range(1, game.view()["version"] + 1)]
    assert {answer.status_code for answer in answers} == {200}
    return [answer.get_json() for answer in answers]


def test_each_move_of_a_game_agrees_with_log_record_and_views(game: Game) -> None:
    play_out(game)
    logged = {entry["seq"]: entry for entry in game.get("/moves?limit=100").get_json()["items"]}
    lines = game.client.get(f"{game.path}/record", headers={"Accept": notation.MEDIA_TYPE}).text.splitlines()
    for made in moves(game):
        seq = made["seq"]
        assert made["before"] == game.get(f"?at={seq - 1}").get_json()
        assert made["after"] == game.get(f"?at={seq}").get_json()
        assert {name: made[name] for name in made["after"]["last_move"]} == made["after"]["last_move"]
        entry = {**logged[seq], "by": logged[seq].get("by")}
        assert {name: made[name] for name in entry} == entry
        assert made["line"] in lines
        assert made["turn"] == (made["after"]["turn"] or {"seat": None})["seat"]
        assert position(applied(made["before"], made["changes"], made["at"], CATALOG)) == position(made["after"])
    assert not MadeMoveSchema().validate(made)


def test_turns_in_a_row_are_counted(game: Game) -> None:
    play_out(game)
    counted, last = 0, None
    for made in moves(game):
        if made["move"]["type"] != "place":
            continue
        counted = counted + 1 if made["seat"] == last else 1
        last = made["seat"]
        assert made["in_a_row"] == counted
    assert counted


def test_a_refill_belongs_to_the_turn_after_it(session: Session, client: FlaskClient) -> None:
    table = world.match(session, world.account(session, "Ann"), world.account(session, "Ben"))
    while not (now := world.loaded(session, table)).state.may_refill():
        world.move(session, table)
    refilled, turn = now.version + 1, now.state.turn
    assert turn is not None
    play(session, now, turn, REFILL, None, NOW)
    world.move(session, table)
    session.commit()
    refill, placed = (client.get(f"/v1/games/{table}/moves/{seq}").get_json() for seq in (refilled, refilled + 1))
    assert refill["move"]["type"] == "refill" and refill["in_a_row"] == placed["in_a_row"]
    assert [change["type"] for change in refill["changes"]] == ["tile_drawn"] * len(refill["refilled"])


def test_the_time_that_a_move_took_is_that_of_its_player() -> None:
    line = next(simulate.records(1, 3, "time", "greedy"))
    table = loaded(line)
    first = next(iter(table.entries))
    hours = [timedelta(hours=hour) for hour in (0, 1, 3, 7, 15)]
    entries = [entry._replace(at=first.at + hour) for entry, hour in zip(table.entries, hours, strict=False)]
    timed = replace(table, entries=cast(Entries, entries))
    assert [took(timed, seq) for seq in range(2, 6)] == [3_600_000, 7_200_000, 14_400_000, 28_800_000]
    marked = [
        *entries[:2],
        Entry(3, entries[1].at + timedelta(minutes=5), None, "host", "mark host.note"),
        entries[2]._replace(seq=4),
    ]
    with_mark = replace(table, entries=cast(Entries, marked))
    assert took(with_mark, 3) is None and took(with_mark, 4) == 7_200_000


def took(table: LoadedTable, seq: int) -> int | None:
    hashes = [bytes(32)] * len(table.entries)
    told = to_json(table, made_move(table, seq), hashes, "en")["took_ms"]
    assert told is None or isinstance(told, int)
    return told


def test_a_player_who_leaves_out_of_turn_took_no_time(game: Game) -> None:
    game.move()
    mover = game.view()["turn"]["seat"]
    assert game.post(game.players[1 - mover], {"type": "resign"}).status_code == 201
    made = game.get("/moves/2").get_json()
    assert made["took_ms"] is None and made["in_a_row"] is None and made["space"] is None
    assert [change["type"] for change in made["changes"]] == ["disc_removed", "game_ended"]


def test_a_mark_changes_nothing(session: Session, client: FlaskClient) -> None:
    table = world.match(session, world.account(session, "Ann"), world.account(session, "Ben"))
    world.move(session, table)
    host.pause(session, table, world.later(days=1), "moving house", NOW)
    session.commit()
    made = client.get(f"/v1/games/{table}/moves/2").get_json()
    assert made["move"]["kind"] == "clock.pause" and made["by"] == "host" and made["changes"] == []
    assert made["took_ms"] is made["in_a_row"] is made["seat"] is None
    assert made["sentence"].startswith("The host paused the game")
    assert position(made["before"]) == position(made["after"])


def test_a_move_is_told_in_the_language_that_is_asked_for(game: Game) -> None:
    game.move()
    told = {code: game.get(f"/moves/1?language={code}").get_json()["sentence"] for code in ("en", "fr", "es", "de")}
    assert "placed" in told["en"] and len(set(told.values())) == 4
    assert game.get("/moves/1").get_json()["sentence"] == told["en"]


def test_moves_that_are_not_there_are_refused_by_name(game: Game) -> None:
    game.move()
    for seq in ("0", "2", "99999999999999999999"):
        answer = game.get(f"/moves/{seq}")
        problem = answer.get_json()
        assert (answer.status_code, problem["code"], problem["version"]) == (404, "no_such_move", 1)
    for wrong in ("x", "-1", "1.5", "01", "+1", "%D9%A1", "9" * 5_000):
        assert game.get(f"/moves/{wrong}").get_json()["code"] == "not_found", wrong[:9]
        assert game.get(f"/seats/{wrong}/goals").get_json()["code"] == "not_found", wrong[:9]
    for query in ("at=1", "language=xx", "head=1", "head=00000000&head=00000000"):
        answer = game.get(f"/moves/1?{query}")
        assert (answer.status_code, answer.get_json()["code"]) == (422, "wrong_fields"), query
    undone = game.get("/moves/1?head=00000000")
    assert (undone.status_code, undone.get_json()["code"]) == (404, "no_such_state")


def test_a_game_that_has_not_started_has_no_moves(client: FlaskClient, ann: Person) -> None:
    opened = client.post("/v1/games", json={"seats": 2}, headers=ann.headers).headers["Location"]
    answer = client.get(f"{opened}/moves/1", headers=ann.headers)
    assert (answer.status_code, answer.get_json()["code"]) == (404, "no_such_move")


def test_a_made_move_is_cached_as_long_as_its_state(game: Game) -> None:
    tag = game.move().headers["ETag"]
    head = tag.strip('"').split("-")[2]
    game.move()
    alone, both = game.get("/moves/1"), game.get(f"/moves/1?head={head}")
    assert alone.headers["ETag"] == both.headers["ETag"] == tag
    assert alone.headers["Cache-Control"] == "private, no-cache"
    assert both.headers["Cache-Control"] == "private, max-age=86400, immutable"
    headers = {**game.players[0].headers, "If-None-Match": tag}
    kept = game.client.get(f"{game.path}/moves/1", headers=headers)
    assert (kept.status_code, kept.data) == (304, b"")


def test_moves_of_a_running_solo_are_for_its_player_alone(client: FlaskClient, ann: Person, sign_up: SignUp) -> None:
    solo = start_solo(client, ann)
    solo.move()
    made = solo.get("/moves/1").get_json()
    assert made["after"]["solo"]["phase"] == 1 and made["after"]["you"] == 0
    assert [change["type"] for change in made["changes"]][:3] == ["tile_taken", "marker_moved", "tile_placed"]
    eve = sign_up("Eve", "eve@example.org")
    for path in (solo.path, f"/v1/games/{solo.id}"):
        assert client.get(f"{path}/moves/1", headers=eve.headers).get_json()["code"] == "not_found"
        assert client.get(f"{path}/moves/99").status_code == 404
        assert client.get(f"{path}/moves/99").get_json()["code"] == "not_found"


def test_examples_of_made_moves_are_as_documented() -> None:
    for examples in (GAME, SOLO):
        assert not MadeMoveSchema().validate(examples.made)
        assert examples.made["seq"] == 3 and examples.made["before"]["version"] == 2
