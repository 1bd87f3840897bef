"""A table from its opening to the end of its game, by the commands."""

import hashlib
from datetime import timedelta

import pytest
from sqlalchemy.orm import Session

from engine import audit, record
from engine.moves import REFILL, RESIGN, Place
from service.commands.expectation import Expectation
from service.commands.play import play, preview
from service.commands.start import start_solo
from service.errors import Conflict, IllegalMoveRefused, StalePrecondition
from service.queries import records
from service.queries.table import load
from tests.support import world
from tests.support.clock import NOW


@pytest.fixture
def ann(session: Session) -> str:
    return world.account(session, "Ann")


@pytest.fixture
def ben(session: Session) -> str:
    return world.account(session, "Ben")


def test_the_commitment_binds_to_the_seed_from_the_start(session: Session, ann: str) -> None:
    table = world.loaded(session, world.open_table(session, ann))
    tag = b"nova-luna-draw/1 commitment\x00"
    assert table.table.commitment == hashlib.sha256(tag + table.server_seed).digest()
    assert len(table.server_seed) == 32
    assert table.status == "open" and table.version == 0 and table.tag.startswith("0-0-")


def test_the_last_seat_starts_the_game(session: Session, ann: str, ben: str) -> None:
    table_id = world.open_table(session, ann, seats=2, goal_discs=15)
    world.join(session, ben, table_id, entropy="ben's text")
    table = world.loaded(session, table_id)
    assert table.status == "running" and table.version == 0
    assert [player.name for player in table.players] == ["Ann", "Ben"]
    assert table.header is not None and table.progress is not None
    assert table.header["draw"]["entropy"] == ["", "ben's text"]
    assert table.header["game"]["goal_discs"] == 15
    assert table.progress.head.hex() == record.digest(table.header)
    assert table.progress.turn == table.state.turn == table.header["draw"]["stack"][-1]
    assert table.progress.wait_seq == 0
    assert world.jobs(session, "mail_turn") == [{"game": table_id, "wait": 0}]


def test_a_join_shows_in_the_revision_and_so_does_the_start(session: Session, ann: str, ben: str) -> None:
    table = world.open_table(session, ann, seats=3)
    world.join(session, ben, table)
    assert world.loaded(session, table).table.revision == 1
    world.join(session, world.account(session, "Cleo"), table)
    assert world.loaded(session, table).table.revision == 3


def test_a_whole_game_verifies_and_mails_each_wait_once(session: Session, ann: str, ben: str) -> None:
    table_id = world.match(session, ann, ben, goal_discs=8)
    waits = [0]
    while (game := world.loaded(session, table_id)).status == "running":
        before = game.state.turn
        played = world.move(session, table_id)
        assert played.table.progress == world.loaded(session, table_id).progress
        if played.step.turn not in (before, None):
            waits.append(played.table.version)
            assert played.table.progress is not None and played.table.progress.wait_seq == played.table.version
        else:
            assert played.table.progress is not None and played.table.progress.wait_seq is None
    assert [job["wait"] for job in world.jobs(session, "mail_turn")] == waits
    assert [job["account"] for job in world.jobs(session, "mail_end")] == [ann, ben]
    assert game.progress is not None and game.progress.ended_at == game.entries[-1].at
    line = records.line(session, game)
    audit.check(line)
    assert game.server_seed.hex().encode() in line


def test_a_running_record_shows_no_seed_and_only_shown_tiles(session: Session, ann: str, ben: str) -> None:
    table_id = world.match(session, ann, ben)
    for _ in range(3):
        world.move(session, table_id)
    table = world.loaded(session, table_id)
    line = records.line(session, table)
    audit.check(line)
    assert table.server_seed.hex().encode() not in line
    assert table.state.wheel.shown == 11
    assert b'"tiles":[' + ",".join(map(str, table.tiles[:11])).encode() + b"]" in line


def test_time_never_goes_back_and_has_whole_milliseconds(session: Session, ann: str, ben: str) -> None:
    table_id = world.match(session, ann, ben)
    world.move(session, table_id, now=NOW + timedelta(seconds=9))
    second = world.move(session, table_id, now=NOW - timedelta(hours=1)).table
    times = [entry.at for entry in second.entries]
    assert times[0] == times[1] == (NOW + timedelta(seconds=9)).replace(microsecond=123_000)


def test_a_stale_version_is_refused_as_the_caller_wants_it(session: Session, ann: str, ben: str) -> None:
    table_id = world.match(session, ann, ben)
    world.move(session, table_id)
    game = world.loaded(session, table_id)
    assert game.state.turn is not None
    for kind in (Conflict, StalePrecondition):
        with pytest.raises(kind) as refused:
            play(session, game, game.state.turn, REFILL, Expectation([0], kind), NOW)
        assert refused.value.code == "stale_version" and refused.value.members == {"version": 1}


def test_a_lost_race_is_a_stale_version(session: Session, ann: str, ben: str) -> None:
    table_id = world.match(session, ann, ben)
    first, second = world.loaded(session, table_id), world.loaded(session, table_id)
    seat, move = first.state.turn, first.state.legal_moves()[0]
    assert seat is not None
    play(session, first, seat, move, Expectation([0]), NOW)
    with pytest.raises(Conflict) as refused:
        play(session, second, seat, move, Expectation([0]), NOW)
    assert refused.value.code == "stale_version" and refused.value.members == {"version": 1}
    assert len(world.loaded(session, table_id).entries) == 1


def test_resigning_needs_no_version_and_survives_a_lost_race(session: Session, ann: str, ben: str) -> None:
    table_id = world.match(session, ann, ben)
    stale = world.loaded(session, table_id)
    world.move(session, table_id)
    played = play(session, stale, 1, RESIGN, None, NOW)
    assert played.table.version == 2 and played.table.status == "finished"
    assert played.table.state.result is not None and played.table.state.result.ranking == (0, 1)


def test_a_leaving_out_of_turn_keeps_the_wait(session: Session, ann: str, ben: str) -> None:
    cleo = world.account(session, "Cleo")
    table_id = world.match(session, ann, ben, cleo)
    game = world.loaded(session, table_id)
    waiting = game.state.turn
    other = next(seat for seat in range(3) if seat != waiting)
    left = play(session, game, other, RESIGN, None, NOW).table
    assert left.progress is not None and left.progress.wait_seq == 0 and left.progress.turn == waiting
    assert world.jobs(session, "mail_turn") == [{"game": table_id, "wait": 0}]
    with pytest.raises(IllegalMoveRefused) as refused:
        play(session, left, other, RESIGN, None, NOW)
    assert refused.value.code == "already_left"


def test_an_illegal_move_says_the_ruling_and_what_is_legal(session: Session, ann: str, ben: str) -> None:
    table_id = world.match(session, ann, ben)
    game = world.loaded(session, table_id)
    turn = game.state.turn
    assert turn is not None
    with pytest.raises(IllegalMoveRefused) as refused:
        play(session, game, turn, Place(game.tiles[5], 0, 0), Expectation([0]), NOW)
    assert refused.value.members == {
        "version": 0,
        "rule": "2.3",
        "legal": {
            "tiles": list(game.tiles[:3]),
            "cells": [{"x": 0, "y": 0, "letter": "A"}],
            "refill": False,
            "resign": True,
        },
    }
    with pytest.raises(IllegalMoveRefused) as refused:
        play(session, game, 1 - turn, Place(game.tiles[0], 0, 0), Expectation([0]), NOW)
    assert refused.value.members["rule"] == "2.1"
    assert refused.value.members["legal"] == {"tiles": [], "cells": [], "refill": False, "resign": True}
    assert world.loaded(session, table_id).version == 0


def test_a_game_that_is_over_or_not_begun_takes_no_move(session: Session, ann: str, ben: str) -> None:
    waiting = world.loaded(session, world.open_table(session, ann))
    with pytest.raises(Conflict) as refused:
        play(session, waiting, 0, REFILL, Expectation([0]), NOW)
    assert refused.value.code == "not_started"
    table_id = world.match(session, ann, ben)
    over = play(session, world.loaded(session, table_id), 0, RESIGN, None, NOW).table
    with pytest.raises(Conflict) as refused:
        play(session, over, 1, RESIGN, None, NOW)
    assert refused.value.code == "game_over" and refused.value.members == {"version": 1}


def test_a_preview_stores_nothing(session: Session, ann: str, ben: str) -> None:
    table_id = world.match(session, ann, ben)
    game = world.loaded(session, table_id)
    assert game.state.turn is not None
    step = preview(game, game.state.turn, game.state.legal_moves()[0], None, NOW)
    assert step.moved is not None
    assert world.loaded(session, table_id).version == 0


def test_a_solo_has_no_waits_and_no_mails(session: Session, ann: str) -> None:
    table_id = world.solo(session, ann)
    assert world.loaded(session, table_id).progress is not None
    game = world.play_out(session, table_id)
    assert game.progress is not None and game.progress.wait_seq is None
    assert world.jobs(session, "mail_turn") == world.jobs(session, "mail_end") == []
    audit.check(records.line(session, game))
    with pytest.raises(Conflict) as refused:
        start_solo(session, ann, table_id, "", NOW)
    assert refused.value.code == "already_started"


def test_a_table_that_there_is_not(session: Session) -> None:
    assert load(session, "nothing") is None
