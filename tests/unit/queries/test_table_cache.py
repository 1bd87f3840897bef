"""Tables cached in a process: used as far as they lead to what the database has, and never beyond that."""

from dataclasses import replace

import pytest
from sqlalchemy.orm import Session

from service.queries.table import LoadedTable, RequestCaller
from service.queries.table_cache import TableCache
from service.store.autocommit_pool import statements
from tests.support import world


@pytest.fixture
def game(session: Session) -> str:
    table = world.match(session, world.account(session, "Ann"), world.account(session, "Ben"))
    for _ in range(3):
        world.move(session, table)
    return table


def read(cache: TableCache, session: Session, table_id: str, known: tuple[str, ...] = ()) -> LoadedTable:
    found = cache.read(statements(session), table_id, RequestCaller(), known).table
    assert found is not None
    return found


def came_from_cache(table: LoadedTable) -> bool:
    return table.base is not None


def cache_with_replay(session: Session, table_id: str) -> TableCache:
    cache = TableCache(2)
    table = read(cache, session, table_id)
    assert table.replay.version == 3
    cache.put(table, b"{}")
    return cache


def test_what_is_new_is_added_to_what_is_kept(session: Session, game: str) -> None:
    cache = cache_with_replay(session, game)
    assert cache.view(read(cache, session, game)) == b"{}"
    for version in (4, 6):
        while world.loaded(session, game).version < version:
            world.move(session, game)
        table, anew = read(cache, session, game), world.loaded(session, game)
        assert came_from_cache(table) and cache.view(table) is None
        assert table.version == table.replay.version == version and table.progress == anew.progress
        assert table.replay.turn_since == anew.replay.turn_since and table.replay.last is not None
        assert list(table.state.legal_moves()) == list(anew.state.legal_moves())
        cache.put(table)
        assert cache.view(table) is None, "that of the state before is thrown away"
    assert not read(cache, session, game).entries


def test_nobody_advances_what_is_kept(session: Session, game: str) -> None:
    cache = cache_with_replay(session, game)
    for _ in range(2):
        table = read(cache, session, game)
        table.state.advance(table.state.turn, table.state.legal_moves()[0])
    assert read(cache, session, game).replay.version == 3
    assert list(read(cache, session, game).state.legal_moves()) == list(world.loaded(session, game).state.legal_moves())


@pytest.mark.parametrize("moves", [0, 1])
def test_what_does_not_lead_to_the_head_of_the_log_is_not_used(session: Session, game: str, moves: int) -> None:
    cache = cache_with_replay(session, game)
    table = read(cache, session, game)
    assert table.progress is not None
    cache.put(replace(table, progress=table.progress._replace(head=bytes(32))), b"of another history")
    for _ in range(moves):
        world.move(session, game)
    table = read(cache, session, game)
    assert not came_from_cache(table) and cache.view(table) is None
    assert table.progress == world.loaded(session, game).progress and len(table.entries) == 3 + moves


def test_a_log_that_was_left_out_is_read_when_it_is_needed(session: Session, game: str) -> None:
    cache = TableCache(2)
    tag = world.loaded(session, game).tag
    table = read(cache, session, game, (tag,))
    assert table.tag == tag and tag.startswith("3-2-") and not table.is_complete
    cache.put(table)
    assert not read(cache, session, game, (tag,)).is_complete
    assert read(cache, session, game).is_complete
    world.move(session, game)
    assert read(cache, session, game, (tag,)).replay.version == 4


def test_a_table_that_changed_is_read_anew(session: Session) -> None:
    ann, ben = world.account(session, "Ann"), world.account(session, "Ben")
    waiting = world.open_table(session, ann)
    cache = TableCache(2)
    table = read(cache, session, waiting)
    cache.put(table, b"{}")
    assert cache.view(read(cache, session, waiting)) == b"{}"
    world.join(session, ben, waiting)
    started = read(cache, session, waiting)
    assert started.status == "running" and len(started.players) == 2 and cache.view(started) is None


def test_there_is_room_for_so_many_and_the_one_used_last_stays(session: Session) -> None:
    ann = world.account(session, "Ann")
    first, second, third = (read(TableCache(0), session, world.open_table(session, ann)) for _ in range(3))
    cache = TableCache(2)
    for table in (first, second, first, third):
        cache.put(table, table.table.id.encode())
    assert [cache.view(table) is not None for table in (first, second, third)] == [True, False, True]
    nothing = TableCache(0)
    nothing.put(first, b"{}")
    assert nothing.view(first) is None
