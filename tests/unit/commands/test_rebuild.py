"""Projections are rebuilt from set-ups and log, and differences are reported."""

import pytest
from sqlalchemy import Engine, text
from sqlalchemy.orm import Session

from service.commands import rebuild as rebuilding
from service.commands.rebuild import rebuild
from service.store.log import Progress
from tests.support import world

_OF_CLOCK = text("SELECT clock_seq, acted_seq, clock, runs_out_at FROM progress ORDER BY game")


@pytest.fixture
def games(session: Session) -> list[str]:
    ann, ben = world.account(session, "Ann"), world.account(session, "Ben")
    finished, running, solo = world.match(session, ann, ben), world.match(session, ann, ben), world.solo(session, ann)
    world.play_out(session, finished)
    for _ in range(7):
        world.move(session, running)
        world.move(session, solo)
    world.open_table(session, ann)
    session.commit()
    return [finished, running, solo]


def test_what_play_kept_is_what_rebuild_makes(session: Session, games: list[str]) -> None:
    assert list(rebuild(session, write=False)) == []


def test_differences_are_named_and_only_written_when_asked(session: Session, owner: Engine, games: list[str]) -> None:
    session.execute(
        text("UPDATE progress SET version = 99, turn_account = NULL, wait_seq = 42 WHERE game = 2"),
    )
    session.commit()
    with owner.begin() as connection:
        connection.execute(text("DELETE FROM progress WHERE game = 1"))
    found = list(rebuild(session, write=False))
    assert found[0] == f"game {games[0]}: it has no row in progress"
    assert {line.split(" is ")[0] for line in found[1:]} == {
        f"game {games[1]}: {name}" for name in ("version", "turn_account", "wait_seq")
    }
    assert list(rebuild(session, write=True)) == found
    session.commit()
    assert list(rebuild(session, write=False)) == []
    assert world.loaded(session, games[0]).status == "finished"
    assert world.loaded(session, games[1]).version == 7


@pytest.mark.parametrize("clock_seq", ["NULL", "version - 1"])
def test_what_the_previous_release_has_not_set_is_written_and_not_named(
    session: Session, games: list[str], clock_seq: str
) -> None:
    right = session.execute(_OF_CLOCK).all()
    session.execute(text(f"UPDATE progress SET clock_seq = {clock_seq}, acted_seq = 1"))
    assert list(rebuild(session, write=False)) == []
    assert session.execute(_OF_CLOCK).all() != right
    assert list(rebuild(session, write=True)) == []
    assert session.execute(_OF_CLOCK).all() == right


def test_a_log_that_does_not_hold_is_named_and_left_alone(session: Session, owner: Engine, games: list[str]) -> None:
    with owner.begin() as connection:
        connection.execute(text("ALTER TABLE log DISABLE TRIGGER append_only"))
        connection.execute(text("UPDATE log SET at = at + interval '1 ms' WHERE game = 2 AND seq = 3"))
        connection.execute(text("UPDATE log SET move = '1@9,9' WHERE game = 3 AND seq = 2"))
    found = list(rebuild(session, write=True))
    assert len(found) == 2
    assert found[0] == f"game {games[1]}: the log does not hold: entry 3 does not have the hash that its chain gives"
    assert found[1].startswith(f"game {games[2]}: the log does not hold: ")


@pytest.mark.parametrize("header", ["{}", "[]", '{"draw": 1}'])
def test_a_set_up_that_cannot_be_read_stops_no_rebuild(
    session: Session, owner: Engine, games: list[str], header: str
) -> None:
    session.execute(text("UPDATE progress SET version = 42 WHERE game = 2"))
    session.commit()
    with owner.begin() as connection:
        connection.execute(text("ALTER TABLE setups DISABLE TRIGGER USER"))
        connection.execute(text("UPDATE setups SET header = :header WHERE game = 1"), {"header": header})
        connection.execute(text("ALTER TABLE setups ENABLE TRIGGER USER"))
    unread, differing = list(rebuild(session, write=True))
    assert unread == f"game {games[0]}: it can't be rebuilt; the log line says why"
    assert differing.startswith(f"game {games[1]}: version is 42")
    assert world.loaded(session, games[1]).version == 7


def test_a_bot_that_is_to_move_is_looked_at_at_once_after_a_rebuild(session: Session) -> None:
    game = world.with_bots(session, world.account(session, "Ann"))
    while not (table := world.loaded(session, game)).is_bots(table.state.turn):
        world.move(session, game)
    session.execute(text("UPDATE progress SET turn = NULL, clock_due_at = NULL"))
    assert list(rebuild(session, write=True)) != []
    assert session.execute(text("SELECT clock_due_at = last_at FROM progress")).all() == [(True,)]


def test_games_are_free_while_a_rebuild_is_at_another(session: Session, engine: Engine, games: list[str]) -> None:
    session.execute(text("UPDATE progress SET version = 99"))
    session.commit()
    found = rebuild(session, write=True)
    assert next(found).startswith(f"game {games[0]}: version is 99")
    with engine.begin() as others:
        locked = others.execute(text("SELECT version <> 99 FROM progress ORDER BY game FOR UPDATE NOWAIT")).scalars()
        assert locked.all() == [True, False, False]
    assert [line.split(":")[0] for line in found] == [f"game {game}" for game in games[1:]]


def test_a_dry_run_holds_up_no_move_and_does_not_see_half_of_one(
    session: Session, engine: Engine, games: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folding, running = rebuilding._fold, games[1]

    def play_meanwhile(reading: Session, key: int) -> Progress:
        with Session(engine) as other:
            other.execute(text("SET LOCAL lock_timeout = '1s'"))
            world.move(other, running)
            other.commit()
        return folding(reading, key)

    monkeypatch.setattr(rebuilding, "_fold", play_meanwhile)
    assert list(rebuild(session, write=False)) == []
    assert world.loaded(session, running).version == 10


def test_a_rebuild_reads_all_pages_of_games(
    session: Session, games: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rebuilding, "_PAGE", 2)
    session.execute(text("UPDATE progress SET version = 99"))
    assert [line.split(":")[0] for line in rebuild(session, write=True)] == [f"game {game}" for game in games]
    assert list(rebuild(session, write=False)) == []
    assert not session.in_transaction()
