"""A database is audited after somebody has changed it behind the backs of its triggers, and each change is named."""

from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest
from sqlalchemy import Engine, create_engine
from sqlalchemy.orm import Session

from service.auditing.differences import AuditDifference
from service.auditing.games import differences
from service.auditing.stored_games import read
from service.commands import tables
from service.store.base import engine_url
from service.store.migrate import upgrade
from tests.support import clocked, world
from tests.support.clock import NOW

FINISHED, RUNNING, SOLO, TIMED, BOTS, OPEN, CLOSED = range(1, 8)
"""The keys of the games below."""

Tamper = Callable[..., list[AuditDifference]]


def audited(session: Session) -> list[AuditDifference]:
    return [found for game in read(session, 0, 1000) for found in differences(session, game)]


@pytest.fixture(scope="module")
def stored(make_module_database: Callable[[], str]) -> Iterator[tuple[Engine, list[str]]]:
    """Make one game of each kind; yield an engine for the owner of the tables, and the ids of the games."""
    url = make_module_database()
    upgrade(url)
    engine = create_engine(engine_url(url), connect_args={"options": "-c timezone=UTC"})
    with Session(engine) as session:
        ann, ben = world.account(session, "Ann"), world.account(session, "Ben")
        made = [world.match(session, ann, ben), world.match(session, ann, ben), world.solo(session, ann)]
        made.append(clocked.match(session, ann, ben))
        made.append(world.with_bots(session, ann, ben))
        made += [world.open_table(session, ann), world.open_table(session, ann)]
        tables.close(session, ann, made[-1], NOW)
        world.play_out(session, made[0])
        for _ in range(7):
            for game in made[1:3]:
                world.move(session, game)
        for _ in range(3):
            clocked.move(session, made[3], clocked.START + timedelta(hours=1))
        session.commit()
    yield engine, made
    engine.dispose()


@pytest.fixture
def games(stored: tuple[Engine, list[str]]) -> list[str]:
    return stored[1]


@pytest.fixture
def session(stored: tuple[Engine, list[str]]) -> Iterator[Session]:
    """Yield a session whose changes are undone."""
    with Session(stored[0]) as session:
        yield session
        session.rollback()


@pytest.fixture
def tamper(session: Session) -> Tamper:
    """Return a function that changes rows as a superuser, and returns what the audit finds then."""
    connection = session.connection()
    connection.exec_driver_sql("SET LOCAL session_replication_role = replica")
    for table in ("log", "setups"):
        connection.exec_driver_sql(f"ALTER TABLE {table} DISABLE TRIGGER append_only")
    connection.exec_driver_sql("ALTER TABLE seats DROP CONSTRAINT seats_account_or_bot")

    def change(*statements: str) -> list[AuditDifference]:
        for statement in statements:
            assert connection.exec_driver_sql(statement).rowcount > 0, statement
        return audited(session)

    return change


def test_what_the_service_has_stored_has_no_differences(session: Session, games: list[str]) -> None:
    assert audited(session) == []


@pytest.mark.parametrize(
    ("change", "code", "entry"),
    [
        ("SET move = 'refill' WHERE game = 1 AND seq = 3", "chain", 3),
        ("SET move = 'what' WHERE game = 1 AND seq = 3", "entry", 3),
        ("SET at = at + interval '1 ms' WHERE game = 2 AND seq = 2", "chain", 2),
        ("SET seat = 1 - seat WHERE game = 2 AND seq = 4", "chain", 4),
        ("SET by = 'bot:greedy' WHERE game = 1 AND seq = 5", "chain", 5),
        ("SET hash = sha256('x') WHERE game = 1 AND seq = 6", "chain", 6),
        ("SET hash = sha256('x') WHERE game = 3 AND seq = 1", "chain", 1),
        ("SET seq = 99 WHERE game = 2 AND seq = 7", "entry", 7),
        ("SET game = 6 WHERE game = 2 AND seq = 7", "projection", None),
    ],
)
def test_a_changed_entry_is_named(tamper: Tamper, games: list[str], change: str, code: str, entry: int | None) -> None:
    found = tamper(f"UPDATE log {change}")
    key = int(change.partition("game = ")[2][0]) if "SET game" not in change else 2
    assert (found[0].game, found[0].code) == (games[key - 1], code)
    assert found[0].entry == entry or (code == "entry" and found[0].entry == 99)


def test_an_entry_that_was_cut_is_named_by_what_is_left(tamper: Tamper, games: list[str]) -> None:
    found = tamper("DELETE FROM log WHERE game = 2 AND seq = 3")
    assert [(each.game, each.entry, each.code) for each in found] == [(games[1], 3, "entry")]
    last = "DELETE FROM log WHERE game = 1 AND seq = (SELECT max(seq) FROM log WHERE game = 1)"
    named = {each.why.split(" is ")[0] for each in tamper(last) if each.game == games[0] and each.code == "projection"}
    assert {"version", "head", "status", "result", "ended_at"} <= named


@pytest.mark.parametrize("key", [FINISHED, RUNNING, SOLO, TIMED, BOTS])
@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("status", "CASE status WHEN 'running' THEN 'finished' ELSE 'running' END"),
        ("version", "version + 1"),
        ("head", "sha256(head)"),
        ("last_at", "last_at - interval '1 ms'"),
        ("turn", "1 - coalesce(turn, 0)"),
        ("turn_account", "'nobody'"),
        ("wait_seq", "coalesce(wait_seq, 0) + 77"),
        ("ended_at", "last_at + interval '1 s'"),
        ("result", """'{"reason":"tiles"}'"""),
        ("acted_seq", "acted_seq + 1"),
        ("clock", "coalesce(clock, '{}') || ' '"),
        ("clock_due_at", "last_at + interval '1000 days'"),
        ("runs_out_at", "last_at + interval '1000 days'"),
    ],
)
def test_each_column_of_a_projection_is_named(
    tamper: Tamper, games: list[str], key: int, column: str, value: str
) -> None:
    found = tamper(f"UPDATE progress SET {column} = {value} WHERE game = {key}")
    told = [(each.code, each.why.split(" is ")[0]) for each in found if each.game == games[key - 1]]
    assert {each.game for each in found} == {games[key - 1]}
    assert ("projection", column) in told


@pytest.mark.parametrize("key", [FINISHED, RUNNING, SOLO, TIMED, BOTS])
@pytest.mark.parametrize("clock_seq", ["NULL", "version - 1"])
def test_what_the_previous_release_has_not_set_is_no_difference(
    tamper: Tamper, games: list[str], key: int, clock_seq: str
) -> None:
    former = "acted_seq = 0, clock = NULL, runs_out_at = NULL, clock_due_at = last_at"
    assert tamper(f"UPDATE progress SET clock_seq = {clock_seq}, {former} WHERE game = {key}") == []


@pytest.mark.parametrize(
    ("change", "key", "code", "told"),
    [
        ("progress SET clock_due_at = NULL WHERE game = 2", RUNNING, "projection", "nobody would look at it"),
        ("tables SET status = 'running' WHERE key = 1", FINISHED, "status", "lists take it for running"),
        ("tables SET status = 'closed' WHERE key = 6", OPEN, "status", "lists take it for closed"),
        ("tables SET status = 'open' WHERE key = 7", CLOSED, "status", "lists take it for open"),
        ("seats SET status = 'finished' WHERE game = 2 AND seat = 1", RUNNING, "status", "lists of seat 1"),
        ("seats SET kind = 'solo' WHERE game = 2 AND seat = 0", RUNNING, "status", "for a solo"),
        ("seats SET entropy = 'other' WHERE game = 1 AND seat = 0", FINISHED, "seats", "the draw of seat 0"),
        ("seats SET seat = 3 WHERE game = 1 AND seat = 1", FINISHED, "seats", "seats [0, 3] are taken"),
        ("seats SET seat = 2 WHERE game = 6", OPEN, "seats", "a seat is taken that there is not"),
        ("seats SET account = NULL WHERE game = 1 AND seat = 1", FINISHED, "seats", "seat 1 must have either"),
        ("tables SET id = 'other', goal_discs = 19 WHERE key = 4", TIMED, "table", "goal_discs is 19"),
        ("tables SET kind = 'match' WHERE key = 3", SOLO, "table", "kind is match"),
        ("tables SET seats = 3 WHERE key = 2", RUNNING, "table", "seats is 3"),
        ("tables SET created_at = created_at - interval '1 s' WHERE key = 2", RUNNING, "table", "created_at is"),
        ("tables SET commitment = sha256('x') WHERE key = 2", RUNNING, "table", "commitment is not that"),
        ("tables SET commitment = sha256('x') WHERE key = 6", OPEN, "table", "commitment is not the one"),
        ("tables SET clock = NULL WHERE key = 4", TIMED, "table", "clock is None"),
        ("tables SET closed_at = now() WHERE key = 1", FINISHED, "table", "closed_at is set"),
        ("tables SET revision = 0 WHERE key = 2", RUNNING, "counter", "revision is 0"),
        ("tables SET facts = -1 WHERE key = 2", RUNNING, "counter", "facts is -1"),
        ("draw_secrets SET server_seed = sha256('x') WHERE game = 2", RUNNING, "draw", "the seed is not"),
    ],
)
def test_other_rows_of_a_game_are_named(
    tamper: Tamper, games: list[str], change: str, key: int, code: str, told: str
) -> None:
    found = tamper(f"UPDATE {change}")
    assert any(each.code == code and told in each.why for each in found), found
    assert {each.game for each in found} <= {games[key - 1], "other"}


@pytest.mark.parametrize(
    ("header", "entry", "code"),
    [
        ("replace(header, '\"goal_discs\":20', '\"goal_discs\":19')", 1, "chain"),
        ('replace(header, \'"rules":"1"\', \'"rules":"9"\')', 0, "header"),
        ("' ' || header", 0, "header"),
        ("'{}'", 0, "header"),
        ("'no json'", 0, "header"),
    ],
)
def test_a_changed_header_is_named(tamper: Tamper, games: list[str], header: str, entry: int, code: str) -> None:
    found = tamper(f"UPDATE setups SET header = {header} WHERE game = 2")
    assert {each.game for each in found} == {games[1]}
    assert (entry, code) in {(each.entry, each.code) for each in found}


def test_rows_that_are_missing_are_named(tamper: Tamper, games: list[str]) -> None:
    found = tamper(
        "DELETE FROM progress WHERE game = 1",
        "DELETE FROM setups WHERE game = 2",
        "DELETE FROM draw_secrets WHERE game = 3",
        "DELETE FROM seats WHERE game = 4 AND seat = 1",
    )
    told = {(each.game, each.code): each.why for each in found}
    assert told[games[0], "missing"] == "it has no row in progress"
    assert told[games[1], "missing"] == "all seats are taken, but it has no set-up"
    assert told[games[2], "missing"] == "the seed of its draw is missing"
    assert told[games[3], "seats"] == "seats [0] are taken, and must be all 2"
