"""What belongs to no game alone is audited, too: checkpoints, which tell of games that were rewritten, and imports."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sqlalchemy import Engine, text
from sqlalchemy.orm import Session

from engine import simulate
from engine.moves import Place
from service.auditing.differences import AuditDifference
from service.auditing.ranges import audit_range, audit_rest, connected
from service.commands import explorations, imports
from service.commands.rebuild import rebuild
from service.config import Settings
from tests.support import world
from tests.support.checkpointed import checkpoint
from tests.support.clock import NOW

Audited = Callable[[], list[AuditDifference]]


@pytest.fixture
def settings(database_url: str, tmp_path: Path) -> Settings:
    return Settings(database_url=database_url, secret_keys=world.KEYS, data_dir=tmp_path)


@pytest.fixture
def audited(settings: Settings) -> Iterator[Audited]:
    """Yield a function that returns the differences of the whole database."""
    engine = connected(settings)
    yield lambda: [*audit_range(engine, 0, 1000)[1], *audit_rest(engine)]
    engine.dispose()


@pytest.fixture
def game(session: Session, settings: Settings) -> str:
    """Return a finished game to which a checkpoint has committed."""
    played = world.match(session, world.account(session, "Ann"), world.account(session, "Ben"))
    world.play_out(session, played)
    session.commit()
    checkpoint(settings, lambda: NOW)
    return played


def tamper(owner: Engine, *statements: str) -> None:
    with owner.begin() as connection:
        connection.execute(text("SET LOCAL session_replication_role = replica"))
        for table in ("log", "checkpoint_notes"):
            connection.execute(text(f"ALTER TABLE {table} DISABLE TRIGGER ALL"))
        for statement in statements:
            assert connection.exec_driver_sql(statement).rowcount > 0, statement


def test_a_sound_database_has_no_differences(game: str, audited: Audited) -> None:
    assert audited() == []


def test_an_end_that_was_cut_and_covered_up_is_known_to_its_checkpoint(
    session: Session, owner: Engine, game: str, audited: Audited
) -> None:
    last = world.loaded(session, game).version
    session.rollback()
    tamper(owner, f"DELETE FROM log WHERE seq = {last}")
    assert list(rebuild(session, write=True))
    session.commit()
    assert list(rebuild(session, write=False)) == []
    (found,) = audited()
    assert found[:3] == (game, last, "record_shorter")


def test_a_checkpoint_that_was_swapped_is_named(owner: Engine, game: str, audited: Audited) -> None:
    tamper(owner, "UPDATE checkpoint_notes SET note = replace(note, '256', '512') WHERE stage = 'published'")
    (found,) = audited()
    assert (found.game, found.code) == (None, "checkpoint_note")


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ("content = replace(content, 'sim', 'sam')", "its content is not the one that was imported"),
        ("summary = replace(summary, '\"seats\":2', '\"seats\": 3')", "lists tell of it what it is not"),
        ("content = 'x', digest = sha256('x')", "spelling: the line feed at the end is missing"),
    ],
)
def test_an_import_that_was_changed_is_named(
    session: Session, owner: Engine, audited: Audited, change: str, why: str
) -> None:
    line = next(simulate.records(1, 2, "imported", "random"))
    made, _ = imports.add(session, world.account(session, "Ann"), imports.verified_record(line), NOW)
    session.commit()
    assert audited() == []
    tamper(owner, f"UPDATE imports SET {change}")
    (found,) = audited()
    assert (found.game, found.code) == (None, "import") and found.why.startswith(f"{made.id}: {why}")


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ("hash = sha256('x')", "entry 0: origin: entries 1 to 0 are not those of the origin"),
        ("version = 2", "it is running at 1, not running at 2"),
        ("moves = '[]'", "it is running at 0, not running at 1"),
        ("moves = replace(moves, '@0,0', '@7,7')", "The first tile goes to 0,0, not to 7,7."),
    ],
)
def test_an_exploration_that_was_changed_is_named(
    session: Session, owner: Engine, game: str, audited: Audited, change: str, why: str
) -> None:
    origin = world.loaded(session, game)
    account = origin.accounts[0]
    begun = explorations.begin(session, account, origin, explorations.Beginning(0), NOW)
    tile = begun.table.state.wheel.choices()[0]
    explorations.move(session, account, begun.kept.id, Place(tile, 0, 0), None, NOW)
    session.commit()
    assert audited() == []
    tamper(owner, f"UPDATE explorations SET {change}")
    (found,) = audited()
    assert (found.game, found.code) == (None, "exploration") and found.why == f"{begun.kept.id}: {why}"
