"""A move comes between what a command reads and what it writes: the command reads again, and nothing is lost."""

from collections.abc import Callable
from types import ModuleType

import pytest
from sqlalchemy.orm import Session

from service.commands import host, keep, outages
from service.queries.table import LoadedTable
from service.store.signs import Failure
from tests.support import clocked, world
from tests.support.clocked import DAY, HOUR, START

NOW = START + 2 * HOUR


@pytest.fixture
def game(session: Session) -> str:
    return clocked.match(session, *(world.account(session, name) for name in ("Ann", "Ben")))


def pause(session: Session, game: str) -> None:
    host.pause(session, game, NOW + DAY, "a storm", NOW)


def give_back(session: Session, game: str) -> None:
    outages.give_back(session, clocked.game_of(session, game), Failure((), ("web",), START, NOW), NOW)


@pytest.mark.parametrize(
    ("module", "command", "kind"),
    [(host, pause, "clock.pause"), (outages, give_back, "clock.outage")],
    ids=["pause", "give_back"],
)
def test_a_mark_is_written_behind_the_move(
    session: Session,
    game: str,
    monkeypatch: pytest.MonkeyPatch,
    module: ModuleType,
    command: Callable[[Session, str], None],
    kind: str,
) -> None:
    load, read = module.load, list[LoadedTable]()

    def with_move_behind(used: Session, table: str) -> LoadedTable:
        read.append(load(used, table))
        if len(read) == 1:
            clocked.move(session, game, START + HOUR)
        return read[-1]

    monkeypatch.setattr(module, "load", with_move_behind)
    command(session, game)
    assert len(read) >= 2
    assert clocked.kinds(world.loaded(session, game)) == ["clock", "move", kind]


def test_keeping_a_game_is_written_behind_the_move(session: Session, game: str) -> None:
    table = world.loaded(session, game)
    clocked.move(session, game, START + HOUR)
    assert clocked.kinds(keep.keep(session, table, 0, NOW)) == ["clock", "move", "clock.keep"]
