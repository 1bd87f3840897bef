"""Seats that a bot plays from the start: the worker moves there at once, and nobody is mailed or waited for."""

from datetime import timedelta

import pytest
from sqlalchemy import text
from sqlalchemy.orm import Session

from engine import audit
from engine.moves import RESIGN
from service import metrics
from service.commands import bots, clock_steps, host, more_time, players, rematches, tables
from service.commands.invitation_limits import InvitationLimits
from service.commands.play import play
from service.commands.rebuild import rebuild_game
from service.errors import Conflict, Forbidden
from service.jobs import deadlines
from service.jobs.worker_context import WorkerContext
from service.queries import records
from service.queries.game_clock import view
from service.queries.table import LoadedTable
from tests.support import clocked, world
from tests.support.at_once import at_once
from tests.support.clock import NOW, Clock
from tests.support.clocked import AUTOPILOT, DAY, HOUR, OUT, START

ALIVE = text("UPDATE service_signs SET at = :now")
FORGET_JOBS = text("DELETE FROM procrastinate_jobs WHERE task_name = 'settle_clock'")


@pytest.fixture
def ann(session: Session) -> str:
    session.execute(text("UPDATE progress SET clock_due_at = NULL"))  # those of other tests
    return world.account(session, "Ann")


def bots_turn(session: Session, game: str) -> bool:
    session.commit()
    found = world.loaded(session, game)
    return found.is_bots(found.state.turn)


def settled(context: WorkerContext, session: Session, game: str) -> LoadedTable:
    """Run the jobs that have bots play, until it is a person's turn or the game is over."""
    session.commit()
    while world.jobs(session, "settle_clock"):
        session.execute(FORGET_JOBS)
        session.commit()
        deadlines.settle_now(context, game)
    session.rollback()
    return world.loaded(session, game)


def at_bots_turn(context: WorkerContext, session: Session, account: str, **options: object) -> str:
    """Return a game of one person and one bot in which the bot is to move and has a job for that."""
    game = world.with_bots(session, account, **options)  # type: ignore[arg-type]
    while not bots_turn(session, game):
        world.move(session, game)
    return game


def bys(table: LoadedTable) -> list[tuple[int | None, str]]:
    return [(entry.seat, entry.by) for entry in table.entries if not entry.move.startswith("mark ")]


def test_the_last_seats_are_the_bots_and_a_full_table_starts(session: Session, ann: str) -> None:
    table = world.loaded(session, world.with_bots(session, ann, bots=3))
    assert table.status == "running" and [player.account for player in table.players] == [ann, None, None, None]
    assert [player.bot for player in table.players] == [None, "greedy", "greedy", "greedy"]
    assert table.header is not None and table.header["draw"]["entropy"] == ["", "", "", ""]


def test_a_game_with_bots_starts_when_the_persons_have_joined(session: Session, ann: str) -> None:
    game = world.with_bots(session, ann, bots=1, terms=OUT)
    other = tables.create(session, ann, tables.TableSettings(seats=3, goal_discs=20, visibility="public"), now=NOW)
    tables.seat_bot(session, other, 2, "greedy", NOW)
    assert world.loaded(session, game).status == "running" and world.loaded(session, other.id).status == "open"
    world.join(session, world.account(session, "Ben"), other.id)
    assert world.loaded(session, other.id).status == "running"


def test_a_bots_seat_is_taken_and_cannot_be_freed(session: Session, ann: str) -> None:
    table = tables.create(session, ann, tables.TableSettings(seats=2, goal_discs=20, visibility="public"), now=NOW)
    tables.seat_bot(session, table, 1, "greedy", NOW)
    with pytest.raises(Conflict) as full:
        world.join(session, world.account(session, "Ben"), table.id)
    with pytest.raises(Conflict) as kept:
        players.remove_player(session, ann, table.id, 1, NOW)
    assert (full.value.code, kept.value.code) == ("table_full", "seat_of_a_bot")


def test_the_bot_moves_at_once_and_signs_its_entries(context: WorkerContext, session: Session, ann: str) -> None:
    game = at_bots_turn(context, session, ann)
    before = world.loaded(session, game)
    table = settled(context, session, game)
    made = bys(table)[len(bys(before)) :]
    assert made and set(made) == {(1, bots.BY)}
    assert table.state.turn == 0 and table.progress is not None and table.progress.turn == 0


def test_several_turns_of_a_bot_in_a_row_are_all_played(context: WorkerContext, session: Session, ann: str) -> None:
    rows = []
    for _ in range(20):
        game = at_bots_turn(context, session, ann)
        before = world.loaded(session, game).version
        rows.append(settled(context, session, game).version - before)
    assert max(rows) > 1


def test_a_whole_game_against_bots_can_be_audited(context: WorkerContext, session: Session, ann: str) -> None:
    game = world.with_bots(session, ann, bots=2, terms=OUT, now=START)
    table = settled(context, session, game)
    while table.status == "running":
        world.move(session, game, now=START)
        table = settled(context, session, game)
    line = records.line(session, table)
    audit.check(line)
    assert b'"name":"Greedy bot","seat":1' in line and b'"name":"Ann","seat":0' in line
    assert rebuild_game(session, table.table.key, game, write=False) == []
    assert {by for seat, by in bys(table) if seat == 0} == {""}
    assert {by for seat, by in bys(table) if seat not in (0, None)} == {bots.BY}


def test_no_mail_job_is_queued_for_a_bots_turn_and_one_for_the_persons(
    context: WorkerContext, session: Session, ann: str
) -> None:
    game = at_bots_turn(context, session, ann)
    session.execute(text("DELETE FROM procrastinate_jobs WHERE task_name = 'mail_turn'"))
    table = settled(context, session, game)
    (mail,) = world.jobs(session, "mail_turn")
    assert table.progress is not None and mail == {"game": game, "wait": table.progress.wait_seq}


def test_each_bot_turn_is_played_once_by_workers_that_settle_at_once(
    context: WorkerContext, session: Session, ann: str
) -> None:
    game = at_bots_turn(context, session, ann)
    at_once(*[lambda: deadlines.settle_now(context, game)] * 4)
    table = settled(context, session, game)
    assert table.state.turn == 0
    assert rebuild_game(session, table.table.key, game, write=False) == []


@pytest.mark.parametrize("terms", [None, OUT])
def test_a_bot_whose_job_was_lost_plays_some_minutes_later(
    context: WorkerContext, session: Session, clock: Clock, ann: str, terms: object
) -> None:
    clock.now = START
    game = at_bots_turn(context, session, ann, terms=terms, now=START)
    session.execute(FORGET_JOBS)
    session.commit()
    version = world.loaded(session, game).version
    deadlines.look(context)
    session.rollback()
    assert world.loaded(session, game).version == version
    late = world.loaded(session, game).progress
    assert late is not None and late.clock_due_at == late.last_at + clock_steps.BOT_IS_LATE
    clock.now = late.clock_due_at
    session.execute(ALIVE, {"now": clock.now})
    session.commit()
    deadlines.look(context)
    session.rollback()
    assert world.loaded(session, game).version > version


def test_clocks_2_2_the_clock_stands_still_while_a_bot_is_to_move(
    context: WorkerContext, session: Session, ann: str
) -> None:
    game = at_bots_turn(context, session, ann, terms=OUT, now=START)
    table = world.loaded(session, game)
    shown = view(table, START + 5 * DAY, 0)
    assert shown["stands_still_because"] == "bot" and not shown["running"] and shown["seat"] == 1
    assert shown["left"][1] is None and shown["runs_out_at"] is None and shown["next"] is None


def test_clocks_7_5_a_bot_is_given_no_time(context: WorkerContext, session: Session, ann: str) -> None:
    game = at_bots_turn(context, session, ann, terms=OUT, now=START)
    with pytest.raises(Conflict) as by_host:
        host.give_time(session, game, 1, DAY, "a storm", START)
    with pytest.raises(Forbidden) as by_player:
        more_time.say(session, world.loaded(session, game), 0, DAY, START)
    assert (by_host.value.code, by_player.value.code) == ("bots_seat", "not_yours_to_give")
    assert "a bot's" in str(by_host.value)


@pytest.mark.parametrize("terms", [None, OUT])
def test_clocks_9_3_the_game_ends_when_the_last_person_leaves(
    session: Session, ann: str, terms: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted: list[int] = []
    monkeypatch.setattr(metrics, "entry_added", counted.append)
    game = world.with_bots(session, ann, bots=2, terms=terms, now=START)  # type: ignore[arg-type]
    table = world.loaded(session, game)
    after = play(session, table, 0, RESIGN, None, START).table
    assert after.status == "finished"
    *_, left, ended = world.loaded(session, game).entries
    assert (left.move, ended.move, ended.seat, ended.by) == ("resign", "end", None, "")
    assert counted[-1] == 2
    session.flush()
    audit.check(records.line(session, world.loaded(session, game)))


def test_clocks_9_3_autopilot_of_the_only_person_ends_the_game(
    context: WorkerContext, session: Session, clock: Clock, ann: str
) -> None:
    clock.now = START
    game = world.with_bots(session, ann, bots=2, terms=AUTOPILOT, now=START)
    table = settled(context, session, game)
    for passed in (DAY, DAY + HOUR):
        table = clocked.settle(session, game, START + passed)
    assert clocked.kinds(table)[-3:] == ["clock.nudge", "clock.autopilot", "end"]
    audit.check(records.line(session, table))


def test_a_leaving_that_makes_a_bot_move_queues_its_move(context: WorkerContext, session: Session, ann: str) -> None:
    ben = world.account(session, "Ben")
    game = world.with_bots(session, ann, ben)
    table = settled(context, session, game)
    while not (table.state.turn is not None and _next_if_left(table) == 2):
        world.move(session, game)
        table = settled(context, session, game)
        assert table.status == "running", "some leaving makes the bot move"
    version = table.version
    seat = table.state.turn
    assert seat is not None
    play(session, table, seat, RESIGN, None, NOW)
    table = settled(context, session, game)
    assert table.version > version + 1 and table.status == "running" and table.state.turn == 1 - seat


def _next_if_left(table: LoadedTable) -> int | None:
    state = table.state.clone()
    state.advance(state.turn, RESIGN)
    return state.turn


def test_a_rematch_has_as_many_bots_and_needs_nobody_else(session: Session, ann: str, context: WorkerContext) -> None:
    game = world.with_bots(session, ann, bots=2)
    play(session, world.loaded(session, game), 0, RESIGN, None, NOW)
    limits = InvitationLimits(None, 0, 0)  # type: ignore[arg-type]
    again = rematches.ask(session, ann, game, entropy="again", limits=limits, now=NOW)
    table = world.loaded(session, again.table)
    assert table.status == "running" and [player.bot for player in table.players] == [None, "greedy", "greedy"]
    assert table.header is not None and table.header["draw"]["entropy"] == ["again", "", ""]


def test_the_end_is_mailed_to_the_persons_alone(session: Session, ann: str) -> None:
    game = world.with_bots(session, ann)
    play(session, world.loaded(session, game), 0, RESIGN, None, NOW)
    assert world.jobs(session, "mail_end") == [{"game": game, "account": ann}]


def test_a_closed_table_is_told_to_no_bot(session: Session, ann: str) -> None:
    table = tables.create(session, ann, tables.TableSettings(seats=3, goal_discs=20, visibility="public"), now=NOW)
    tables.seat_bot(session, table, 2, "greedy", NOW)
    tables.close_expired(session, NOW + timedelta(days=31), 10)
    assert [job["account"] for job in world.jobs(session, "mail_closed")] == [ann]
