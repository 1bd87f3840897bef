"""What was changed behind the triggers' back, in games or in the log of checkpoints, is found and named."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import Engine, text
from sqlalchemy.orm import Session

from service.checkpoints.keys import SigningKey
from service.checkpoints.notes import Checkpoint, signed
from service.config import Settings
from service.queries.checkpoint_audit import Finding, compare
from tests.support import world
from tests.support.checkpointed import SEED, checkpoint
from tests.support.clock import NOW

ORIGIN = "127.0.0.1:8080/v1/checkpoints/1"

Tamper = Callable[..., list[Finding]]


class Games:
    """Two games: one over, one running, each with leaves at some versions."""

    def __init__(self, session: Session, settings: Settings) -> None:
        self.over = world.match(session, world.account(session, "Ann"), world.account(session, "Ben"))
        self.running = world.match(session, world.account(session, "Cleo"), world.account(session, "Dan"))
        session.commit()
        checkpoint(settings, lambda: NOW)
        world.move(session, self.running)
        self.last = world.play_out(session, self.over).version
        session.commit()
        checkpoint(settings, lambda: NOW)


@pytest.fixture
def games(session: Session, database_url: str, tmp_path: Path) -> Games:
    return Games(session, Settings(database_url=database_url, secret_keys=world.KEYS, data_dir=tmp_path))


@pytest.fixture
def tamper(session: Session, owner: Engine) -> Tamper:
    """Return a function that runs statements as a superuser whom no trigger stops, and compares then."""

    def run(*statements: str, **values: object) -> list[Finding]:
        with owner.begin() as connection:
            tables = ("log", "setups", *connection.scalars(text(_TABLES)))
            for table in tables:
                connection.execute(text(f"ALTER TABLE {table} DISABLE TRIGGER ALL"))
            for statement in statements:
                connection.execute(text(statement), values)
            for table in tables:
                connection.execute(text(f"ALTER TABLE {table} ENABLE TRIGGER ALL"))
        session.rollback()
        return list(compare(session))

    return run


_TABLES = "SELECT relname FROM pg_class WHERE relname LIKE 'checkpoint_%' AND relkind = 'r'"
_OF = "game = (SELECT key FROM tables WHERE id = :game)"


def test_nothing_is_found_where_nothing_was_changed(session: Session, games: Games) -> None:
    assert list(compare(session)) == []
    world.move(session, games.running)
    assert list(compare(session)) == []


def test_an_entry_cut_from_the_end_of_a_finished_game_is_named(games: Games, tamper: Tamper) -> None:
    (found,) = tamper(f"DELETE FROM log WHERE {_OF} AND seq = :last", game=games.over, last=games.last)
    assert found[:3] == (games.over, games.last, "record_shorter")
    assert f"its log ends at {games.last - 1}" in found.text


def test_an_entry_that_was_rewritten_is_named(games: Games, tamper: Tamper) -> None:
    change = f"UPDATE log SET hash = sha256('x') WHERE {_OF} AND seq = 1"
    assert [found[:3] for found in tamper(change, game=games.running)] == [(games.running, 1, "record_changed")]


def test_a_game_that_went_on_after_its_end_is_named(games: Games, tamper: Tamper) -> None:
    change = f"INSERT INTO log SELECT game, seq + 1, at, seat, by, move, hash FROM log WHERE {_OF} AND seq = :last"
    assert [found[:3] for found in tamper(change, game=games.over, last=games.last)] == [
        (games.over, games.last, "reopened")
    ]


def test_a_running_game_that_is_over_at_its_leaf_is_named(games: Games, tamper: Tamper) -> None:
    change = f"UPDATE progress SET status = 'finished' WHERE {_OF}"
    assert [found[:3] for found in tamper(change, game=games.running)] == [(games.running, 1, "status_wrong")]


def test_another_header_is_named(games: Games, tamper: Tamper) -> None:
    found = tamper(f"UPDATE setups SET header = header || ' ' WHERE {_OF}", game=games.running)
    assert [each[:3] for each in found] == [(games.running, 0, "wrong_game")] * 2


def test_a_swapped_checkpoint_is_named(games: Games, tamper: Tamper) -> None:
    note = signed(Checkpoint(ORIGIN, 256, b"r" * 32).text(), [SigningKey(ORIGIN, SEED)])
    (found,) = tamper("UPDATE checkpoint_notes SET note = :note WHERE size = 256 AND stage = 'published'", note=note)
    assert (found.code, found.text) == (
        "checkpoint_note",
        "log 1: the checkpoint of size 256: its note says another size or root",
    )


CHANGES = {
    "UPDATE checkpoint_notes SET note = replace(note, '256', '512') WHERE size = 256": {"checkpoint_note"},
    "UPDATE checkpoint_notes SET note = 'x' WHERE size = 512": {"checkpoint_note"},
    "DELETE FROM checkpoint_notes WHERE size = 256 AND stage = 'published'": {"checkpoint_note"},
    "DELETE FROM checkpoint_notes": {"checkpoint_note"},
    "UPDATE checkpoint_batches SET root = sha256('x') WHERE size = 256": {"checkpoint_note", "checkpoint_tree"},
    "UPDATE checkpoint_tiles SET root = sha256('x') WHERE tile = 1": {"checkpoint_tree"},
    "UPDATE checkpoint_tiles SET entries = set_byte(entries, 999, get_byte(entries, 999) # 1) WHERE tile = 0": {
        "checkpoint_tree"
    },
    "DELETE FROM checkpoint_tiles WHERE tile = 0": {"checkpoint_tree"},
    "DELETE FROM checkpoint_tiles WHERE tile = 1": {"checkpoint_tree", "checkpoint_leaves"},
    "DELETE FROM checkpoint_leaves WHERE version = 0": {"checkpoint_leaves"},
    "UPDATE checkpoint_leaves SET index = 600 WHERE version = 1": {"checkpoint_leaves"},
    "UPDATE checkpoint_leaves SET finished = NOT finished WHERE version = 1": {"record_changed"},
    "DELETE FROM checkpoint_keys": {"checkpoint_note"},
}


@pytest.mark.slow
@pytest.mark.parametrize("change", CHANGES)
def test_each_change_of_a_log_of_checkpoints_is_named(games: Games, tamper: Tamper, change: str) -> None:
    assert CHANGES[change] <= {found.code for found in tamper(change)}


def test_an_entry_of_a_leaf_that_was_replaced_is_named_with_its_game(games: Games, tamper: Tamper) -> None:
    place = f"(SELECT index::integer % 256 * 64 FROM checkpoint_leaves WHERE version = 1 AND {_OF})"
    change = (
        f"UPDATE checkpoint_tiles SET entries = set_byte(entries, {place} + 40, get_byte(entries, {place} + 40) # 1)"
        " WHERE tile = 1"
    )
    found = {each.code: each.game for each in tamper(change, game=games.running)}
    assert found["record_changed"] == games.running and "checkpoint_tree" in found
