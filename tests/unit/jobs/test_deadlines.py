"""What the worker does because of time: each step once, none while a part of the service fails, and outages."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.exc import OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.orm import Session
from structlog.testing import capture_logs

from service.access.reply_addresses import ToTable
from service.commands import clock_steps, more_time, outages, quiet_times, reminding
from service.commands.rebuild import rebuild
from service.jobs import deadlines, relay_probe
from service.jobs.worker_context import WorkerContext
from service.mail.relay import Relay
from service.store import due_games, incoming, pending_outages, reminders, signs
from service.store.due_games import DueGame
from service.store.pending_outages import PendingOutage
from service.store.signs import Failure
from tests.support import clocked, world
from tests.support.at_once import at_once
from tests.support.clock import Clock
from tests.support.clocked import DAY, HOUR, START
from tests.support.running import eventually
from tests.unit.jobs.slow_relay import SlowRelay

MINUTE, SECOND = HOUR / 60, HOUR / 3600
ALIVE = text("UPDATE service_signs SET at = :now WHERE part <> :but")


@pytest.fixture
def clock() -> Clock:
    return Clock(START)


@pytest.fixture
def people(session: Session) -> list[str]:
    return [world.account(session, name) for name in ("Ann", "Ben")]


@pytest.fixture
def game(session: Session, context: WorkerContext, people: list[str]) -> str:
    session.execute(text("UPDATE progress SET clock_due_at = NULL"))  # those of other tests
    table = clocked.match(session, *people)
    session.commit()
    deadlines.look(context)
    return table


def passing(context: WorkerContext, session: Session, clock: Clock, now: datetime, *, but: str = "") -> None:
    """Let time pass while all parts of the service live, except one, and look for what is due."""
    clock.now = now
    session.execute(ALIVE, {"now": now, "but": but})
    session.commit()
    deadlines.look(context)


def kinds(session: Session, game: str) -> list[str]:
    session.rollback()
    return clocked.kinds(world.loaded(session, game))


def due_at(session: Session, game: str) -> datetime | None:
    session.rollback()
    found = world.loaded(session, game).progress
    assert found is not None
    return found.clock_due_at


def test_clocks_6_2_each_step_is_taken_when_it_is_due(
    context: WorkerContext, session: Session, clock: Clock, game: str
) -> None:
    assert due_at(session, game) == START + DAY
    passing(context, session, clock, START + DAY - MINUTE)
    assert kinds(session, game) == ["clock"]
    passing(context, session, clock, START + DAY)
    assert kinds(session, game) == ["clock", "clock.nudge"] and due_at(session, game) == START + DAY + HOUR
    passing(context, session, clock, START + DAY + HOUR)
    assert kinds(session, game) == ["clock", "clock.nudge", "timeout"] and due_at(session, game) is None
    assert len(world.jobs(session, "mail_step")) == 2 and len(world.jobs(session, "mail_end")) == 2


def test_clocks_7_1_of_workers_who_look_at_once_one_takes_the_step(
    context: WorkerContext, session: Session, clock: Clock, people: list[str], game: str
) -> None:
    games = [game, *(clocked.match(session, *people) for _ in range(11))]
    session.commit()
    clock.now = START + DAY
    session.execute(ALIVE, {"now": clock.now, "but": ""})
    session.commit()
    at_once(*[partial(deadlines.look, context)] * 3)
    assert {tuple(kinds(session, each)) for each in games} == {("clock", "clock.nudge")}
    assert len(world.jobs(session, "mail_step")) == 2 * len(games)


def test_clocks_7_1_a_move_that_comes_first_leaves_no_step(
    context: WorkerContext, session: Session, clock: Clock, game: str
) -> None:
    clock.now = START + DAY + HOUR
    found = clocked.game_of(session, game)
    with context.sessions.begin() as other:
        clocked.move(other, game, clock.now)
        with context.sessions.begin() as settling:
            assert due_games.try_lock(settling, found.key)
            assert not due_games.try_lock(other, found.key)
    with context.sessions.begin() as settling:
        assert clock_steps.settle(settling, found, clock.now) == 0
    assert kinds(session, game) == ["clock", "move"]


@pytest.mark.parametrize(("minutes", "is_out"), [(0, False), (14, False), (15, True)])
def test_clocks_7_4_a_mail_that_is_not_read_holds_the_last_step_up(
    context: WorkerContext, session: Session, clock: Clock, game: str, minutes: int, is_out: bool
) -> None:
    passing(context, session, clock, START + DAY)
    table = world.loaded(session, game)
    assert table.state.turn is not None
    to = ToTable(game, table.state.turn, table.version, leaving=False, head=table.head)
    incoming.add(session, bytes(32), to, "ann@example.org", {}, b"", clock.now)
    session.commit()
    passing(context, session, clock, START + DAY + HOUR + minutes * MINUTE)
    assert kinds(session, game)[2:] == (["timeout"] if is_out else [])


def test_clocks_7_4_a_mail_that_is_read_holds_nothing_up(
    context: WorkerContext, session: Session, clock: Clock, game: str
) -> None:
    passing(context, session, clock, START + DAY)
    table = world.loaded(session, game)
    assert table.state.turn is not None
    to = ToTable(game, table.state.turn, table.version, leaving=False, head=table.head)
    mail = incoming.add(session, bytes(32), to, "ann@example.org", {}, b"", clock.now)
    assert mail is not None
    passing(context, session, clock, START + DAY + HOUR)
    assert kinds(session, game)[2:] == []
    incoming.read(session, mail, None, clock.now)
    passing(context, session, clock, START + DAY + HOUR + MINUTE)
    assert kinds(session, game)[2:] == ["timeout"]


@pytest.mark.parametrize("part", [signs.WEB, signs.MAILIN, signs.RELAY])
def test_clocks_8_2_no_step_is_taken_while_a_part_fails(
    context: WorkerContext, session: Session, clock: Clock, game: str, part: str
) -> None:
    settings = replace(context.settings, mail_in="lmtp://127.0.0.1:9", smtp_url="smtp://127.0.0.1:9")
    context = replace(context, settings=settings)
    signs.sign(session, part, START + DAY - 10 * MINUTE)
    passing(context, session, clock, START + DAY, but=part)
    assert kinds(session, game) == ["clock"]
    signs.sign(session, part, START + DAY + MINUTE)
    passing(context, session, clock, START + DAY + MINUTE)
    assert kinds(session, game) == ["clock", "clock.nudge"]
    assert signs.unsettled(session) == []  # ten minutes are no outage


def test_clocks_8_1_the_log_says_once_which_parts_fail(
    context: WorkerContext, session: Session, clock: Clock, game: str
) -> None:
    looking = deadlines.Deadlines(context)
    with capture_logs() as logs:
        for seconds, signed in ((30, 0), (31, 0), (40, 0), (50, 45), (60, 45)):
            signs.sign(session, signs.WEB, START + signed * SECOND)
            session.commit()
            clock.now = START + seconds * SECOND
            looking.look()
    said = [line["parts"] for line in logs if line["event"].startswith("the clocks wait")]
    assert said == [[signs.WEB], []]


def test_clocks_8_1_a_part_that_is_not_in_use_stops_nothing(
    context: WorkerContext, session: Session, clock: Clock, game: str
) -> None:
    assert context.settings.mail_in is None and context.settings.smtp_url is None
    for part in (signs.MAILIN, signs.RELAY):
        signs.sign(session, part, START - 90 * DAY)
    session.execute(ALIVE, {"now": START + DAY, "but": signs.MAILIN})
    passing(context, session, clock, START + DAY, but=signs.MAILIN)
    assert "clock.nudge" in kinds(session, game)


def test_clocks_8_3_an_outage_is_given_back_once_in_every_game(
    context: WorkerContext, session: Session, clock: Clock, people: list[str], game: str
) -> None:
    passing(context, session, clock, START + 22 * HOUR)
    plain = world.match(session, *people)
    clock.now = START + 26 * HOUR
    late = clocked.match(session, *people, now=clock.now)
    session.commit()
    deadlines.look(context)
    table = world.loaded(session, game)
    assert clocked.kinds(table) == ["clock", "clock.outage"]
    assert table.progress is not None and table.progress.runs_out_at == START + 28 * HOUR
    assert '"what":["worker"]' in table.entries[1].move and table.entries[1].seat == table.state.turn
    assert kinds(session, plain) == [] and kinds(session, late) == ["clock"]
    assert signs.unsettled(session) == []
    session.execute(text("UPDATE failures SET settled_at = NULL"))  # as if the worker had been killed before
    session.commit()
    deadlines.look(context)
    assert kinds(session, game) == ["clock", "clock.outage"]
    assert [line for line in rebuild(session, write=False) if game in line] == []


def test_clocks_8_3_workers_share_the_games_of_an_outage(
    context: WorkerContext, session: Session, clock: Clock, people: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    session.execute(text("UPDATE progress SET clock_due_at = NULL"))
    games = [clocked.match(session, *people) for _ in range(8)]
    passing(context, session, clock, START)
    given, give_back = list[str](), outages.give_back

    def counted(session: Session, game: DueGame, failure: Failure, now: datetime) -> bool:
        given.append(game.id)
        return give_back(session, game, failure, now)

    monkeypatch.setattr(outages, "give_back", counted)
    clock.now = START + HOUR
    at_once(*[lambda: deadlines.look(context)] * 3)
    assert sorted(given) == sorted(games)
    assert [kinds(session, game) for game in games] == [["clock", "clock.outage"]] * 8
    assert session.scalar(text("SELECT count(*) FROM pending_outages")) == 0 and signs.unsettled(session) == []


def test_clocks_8_3_a_game_that_fails_is_given_its_outage_back_later(
    context: WorkerContext,
    session: Session,
    clock: Clock,
    people: list[str],
    game: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    other = clocked.match(session, *people)
    passing(context, session, clock, START + 23 * HOUR + 30 * MINUTE)
    give_back = outages.give_back

    def failing(session: Session, found: DueGame, failure: Failure, now: datetime) -> bool:
        if found.id == game:
            raise ValueError("it cannot be read")
        return give_back(session, found, failure, now)

    monkeypatch.setattr(outages, "give_back", failing)
    session.commit()
    clock.now = START + 24 * HOUR
    deadlines.look(context)
    assert kinds(session, other) == ["clock", "clock.outage"] and kinds(session, game) == ["clock"]
    passing(context, session, clock, START + 24 * HOUR + 30 * SECOND)  # its time would be up without the outage
    deadlines.settle_now(context, game)
    assert kinds(session, game) == ["clock"]
    monkeypatch.setattr(outages, "give_back", give_back)
    passing(context, session, clock, START + 24 * HOUR + MINUTE)
    assert kinds(session, game) == ["clock", "clock.outage"]
    passing(context, session, clock, START + 24 * HOUR + 31 * MINUTE)
    assert kinds(session, game) == ["clock", "clock.outage", "clock.nudge"]


def test_clocks_8_3_no_reminder_is_sent_before_its_game_has_its_outage(
    context: WorkerContext, session: Session, clock: Clock, game: str
) -> None:
    reminding.choose(session, clocked.mover(session, game), ["PT3H"], START)
    session.commit()
    passing(context, session, clock, START + MINUTE)
    key = world.loaded(session, game).table.key
    session.execute(
        text("INSERT INTO pending_outages VALUES (:game, :now, :now, '{web}', 1, :later)"),
        {"game": key, "now": START, "later": START + 22 * HOUR},
    )
    session.commit()
    passing(context, session, clock, START + 21 * HOUR)
    assert world.jobs(session, "mail_reminder") == []
    session.execute(text("DELETE FROM pending_outages"))
    passing(context, session, clock, START + 21 * HOUR + MINUTE)
    assert len(world.jobs(session, "mail_reminder")) == 1


def test_a_game_that_keeps_failing_is_tried_ever_more_seldom(session: Session, people: list[str]) -> None:
    found = DueGame(world.loaded(session, clocked.match(session, *people)).table.key, "")
    pending = PendingOutage(found, Failure((), ("web",), START, START + HOUR), 0)
    insert = text("INSERT INTO pending_outages VALUES (:game, :began, :ended, '{web}', 0, :ended)")
    session.execute(insert, {"game": found.key, "began": START, "ended": START + HOUR})
    waits = []
    for tries in (0, 1, 5, 6, 100):
        pending_outages.put_off(session, pending._replace(tries=tries), START)
        assert pending_outages.take(session, START) is None
        waits.append(session.scalar(text("SELECT next_at FROM pending_outages")) - START)
    assert waits == [MINUTE, 2 * MINUTE, 32 * MINUTE, HOUR, HOUR]


def test_clocks_8_3_what_was_said_before_an_outage_still_stands(
    context: WorkerContext, session: Session, clock: Clock
) -> None:
    session.execute(text("UPDATE progress SET clock_due_at = NULL"))
    people = [world.account(session, name) for name in ("Dora", "Eli", "Flo")]
    game = clocked.match(session, *people)
    table = world.loaded(session, game)
    first, second = (seat for seat in range(3) if seat != table.state.turn)
    more_time.say(session, table, first, DAY, START)
    passing(context, session, clock, START)
    clock.now = START + HOUR
    deadlines.look(context)
    session.rollback()
    assert kinds(session, game) == ["clock", "clock.outage"]
    given = more_time.say(session, world.loaded(session, game), second, 2 * DAY, clock.now)
    assert clocked.kinds(given)[-1] == "clock.more" and '"for":"P1D"' in given.entries[-1].move


def test_clocks_8_5_a_sign_never_goes_back(context: WorkerContext, session: Session) -> None:
    signs.sign(session, signs.WEB, START)
    signs.sign(session, signs.WEB, START - HOUR)
    assert session.scalar(text("SELECT at FROM service_signs")) == START
    assert signs.failing(session, START - HOUR, signs.PARTS) == []
    signs.sign(session, signs.WEB, START + 15 * MINUTE)
    assert signs.unsettled(session) == []
    signs.sign(session, signs.WEB, START + 31 * MINUTE)
    (failure,) = signs.unsettled(session)
    assert (failure.parts, failure.began_at, failure.ended_at) == (
        (signs.WEB,),
        START + 15 * MINUTE,
        START + 31 * MINUTE,
    )


def test_clocks_8_3_parts_that_fail_for_the_same_cause_are_one_outage(
    context: WorkerContext, session: Session, clock: Clock, game: str
) -> None:
    signs.sign(session, signs.WEB, START - 5 * SECOND)
    session.commit()
    clock.now = START + HOUR  # the database was away
    deadlines.look(context)
    assert kinds(session, game) == ["clock"]
    signs.sign(session, signs.WEB, START + HOUR + 5 * SECOND)
    session.commit()
    clock.now = START + HOUR + 10 * SECOND
    deadlines.look(context)
    assert kinds(session, game) == ["clock", "clock.outage"]
    assert '"what":["web","worker"]' in world.loaded(session, game).entries[1].move


def test_clocks_5_3_reminders_of_one_hour_are_one_mail(
    context: WorkerContext, session: Session, clock: Clock, game: str
) -> None:
    mover = clocked.mover(session, game)
    reminding.choose(session, mover, ["PT12H30M", "half", "PT3H"], START)
    session.commit()
    passing(context, session, clock, START + MINUTE)
    passing(context, session, clock, START + 11 * HOUR + 30 * MINUTE)
    (job,) = world.jobs(session, "mail_reminder")
    assert job["account"] == mover
    sent = reminders.of_mail(session, mover, clock.now)
    assert [(each.game, each.wait, each.which) for each in sent] == [(game, 0, "PT12H30M"), (game, 0, "half")]
    passing(context, session, clock, START + 12 * HOUR)
    passing(context, session, clock, START + 21 * HOUR)
    assert len(world.jobs(session, "mail_reminder")) == 2
    assert reminders.purge(session, START + 60 * DAY, 10) == 3


def test_clocks_5_2_no_reminder_goes_out_after_the_move(
    context: WorkerContext, session: Session, clock: Clock, game: str
) -> None:
    clock.now = START + 11 * HOUR
    clocked.move(session, game, clock.now)
    session.execute(text("UPDATE progress SET clock_due_at = NULL"))  # nobody has planned anew yet
    session.commit()
    passing(context, session, clock, START + 12 * HOUR)
    assert world.jobs(session, "mail_reminder") == []


def test_clocks_5_5_a_late_reminder_waits_for_the_end_of_the_night(
    context: WorkerContext, session: Session, clock: Clock, game: str
) -> None:
    mover = clocked.mover(session, game)
    every = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
    quiet_times.change(session, mover, "UTC", [{"days": every, "from": "09:00", "to": "10:00"}], START - HOUR)
    passing(context, session, clock, START)
    half = START + 12 * HOUR  # 08:56
    signs.sign(session, signs.WEB, half - MINUTE)
    passing(context, session, clock, half, but=signs.WEB)
    assert world.jobs(session, "mail_reminder") == []
    passing(context, session, clock, half + 5 * MINUTE)
    assert world.jobs(session, "mail_reminder") == []
    ends = half.replace(hour=10, minute=0, second=0, microsecond=0)
    passing(context, session, clock, ends)
    assert len(world.jobs(session, "mail_reminder")) == 1


def test_clocks_6_5_a_bot_plays_although_its_job_was_lost(
    context: WorkerContext, session: Session, clock: Clock, people: list[str]
) -> None:
    session.execute(text("UPDATE progress SET clock_due_at = NULL"))
    game = clocked.match(session, *people, terms=clocked.AUTOPILOT)
    passing(context, session, clock, START)
    for at in (START + DAY, START + DAY + HOUR):
        passing(context, session, clock, at)
    assert kinds(session, game)[1:] == ["clock.nudge", "clock.autopilot"]
    session.execute(text("DELETE FROM procrastinate_jobs"))
    assert due_at(session, game) == START + DAY + HOUR + 5 * MINUTE
    passing(context, session, clock, START + DAY + HOUR + 5 * MINUTE)
    assert kinds(session, game)[3:] == ["move"]


def test_a_game_that_cannot_be_read_stops_no_other(
    context: WorkerContext, session: Session, clock: Clock, people: list[str], game: str
) -> None:
    other = clocked.match(session, *people)
    passing(context, session, clock, START)
    session.execute(
        text("UPDATE progress SET clock = 'damaged' WHERE game = :key"), {"key": clocked.game_of(session, game).key}
    )
    passing(context, session, clock, START + DAY)
    assert kinds(session, other) == ["clock", "clock.nudge"]


def failing(error: Exception) -> Callable[..., int]:
    """Return a function that raises an error in place of settling a game."""

    def fail(*_: object) -> int:
        raise error

    return fail


GONE = OperationalError("SELECT", None, Exception("gone"), connection_invalidated=True)
FULL = OperationalError("SELECT", None, Exception("full"))


@pytest.mark.parametrize(
    ("error", "level", "aside"),
    [(PoolTimeout(), "warning", 0), (GONE, "warning", 0), (FULL, None, 2), (ValueError(), None, 2)],
)
def test_an_error_of_one_game_is_set_aside_and_one_of_all_ends_the_look(
    context: WorkerContext,
    session: Session,
    clock: Clock,
    people: list[str],
    game: str,
    monkeypatch: pytest.MonkeyPatch,
    counted: list[tuple[object, ...]],
    error: Exception,
    level: str | None,
    aside: int,
) -> None:
    clocked.match(session, *people)
    session.commit()
    deadlines.look(context)
    counted.clear()
    clock.now = START + DAY
    session.execute(ALIVE, {"now": clock.now, "but": ""})
    session.commit()
    monkeypatch.setattr(clock_steps, "settle", failing(error))
    with capture_logs() as logs:
        deadlines.Deadlines(context).look_safely()
    said = [line["log_level"] for line in logs if line["event"].startswith("nobody looked")]
    assert said == ([] if level is None else [level])
    assert [facts for facts in counted if facts[0] == "set_aside"] == [("set_aside", "deadlines")] * aside


def test_an_error_of_the_program_does_not_end_the_looking(
    context: WorkerContext, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(due_games, "due", failing(ValueError()))
    with capture_logs() as logs:
        deadlines.Deadlines(context).look_safely()
    assert [(line["log_level"], type(line["exc_info"])) for line in logs] == [("error", ValueError)]


def test_steps_and_reminders_are_counted(
    context: WorkerContext, session: Session, clock: Clock, game: str, counted: list[tuple[object, ...]]
) -> None:
    reminding.choose(session, clocked.mover(session, game), ["half"], START)
    session.commit()
    passing(context, session, clock, START + MINUTE)
    passing(context, session, clock, START + 12 * HOUR)
    assert sum(facts[0] == "reminders" and facts[1] == 1 for facts in counted) == 1
    counted.clear()
    passing(context, session, clock, START + DAY)
    assert [facts for facts in counted if facts[0] == "clock_steps"] == [("clock_steps", 1)]


def test_a_worker_that_is_stopped_ends_after_the_current_game(
    context: WorkerContext,
    session: Session,
    clock: Clock,
    people: list[str],
    game: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clocked.match(session, *people)
    reminding.choose(session, clocked.mover(session, game), ["half"], START)
    session.commit()
    deadlines.look(context)
    clock.now = START + DAY
    session.execute(ALIVE, {"now": clock.now, "but": ""})
    session.commit()
    looking, settled = deadlines.Deadlines(context), list[str]()

    def settle(session: Session, game: due_games.DueGame, now: datetime) -> int:
        settled.append(game.id)
        looking.stop()
        return 0

    monkeypatch.setattr(clock_steps, "settle", settle)
    looking.look()
    assert len(settled) == 1 and world.jobs(session, "mail_reminder") == []


def test_clocks_8_3_the_next_worker_goes_on_giving_an_outage_back(
    context: WorkerContext,
    session: Session,
    clock: Clock,
    people: list[str],
    game: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    other = clocked.match(session, *people)
    session.commit()
    deadlines.look(context)
    clock.now = START + HOUR
    looking, give_back = deadlines.Deadlines(context), outages.give_back

    def give_back_one(*given: Any) -> bool:
        looking.stop()
        return give_back(*given)

    with capture_logs() as logs, monkeypatch.context() as patched:
        patched.setattr(outages, "give_back", give_back_one)
        looking.look()
    assert sorted([kinds(session, game), kinds(session, other)]) == [["clock"], ["clock", "clock.outage"]]
    assert session.scalar(text("SELECT count(*) FROM pending_outages")) == 1
    with capture_logs() as later:
        deadlines.look(context)
    assert kinds(session, game) == kinds(session, other) == ["clock", "clock.outage"]
    (given,) = (line for line in logs + later if line["event"] == "an outage is given back")
    assert (given["parts"], given["minutes"], given["games"]) == ((signs.WORKER,), 60, 2)


@pytest.mark.parametrize(("seconds", "signed"), [(4.9, 1), (5, 3), (20, 3)])
def test_a_worker_signs_while_it_works_off_many_games(
    context: WorkerContext,
    session: Session,
    clock: Clock,
    people: list[str],
    game: str,
    monkeypatch: pytest.MonkeyPatch,
    seconds: float,
    signed: int,
) -> None:
    clocked.match(session, *people)
    session.commit()
    deadlines.look(context)
    clock.now = START + DAY
    session.execute(ALIVE, {"now": clock.now, "but": ""})
    session.commit()
    now, given = 1000.0, list[str]()
    monkeypatch.setattr(deadlines, "time", SimpleNamespace(monotonic=lambda: now))
    monkeypatch.setattr(signs, "sign", lambda session, part, at: given.append(part))

    def settle(*_: object) -> int:
        nonlocal now
        now += seconds / 2 if seconds < 5 else seconds
        return 0

    monkeypatch.setattr(clock_steps, "settle", settle)
    deadlines.look(context)
    assert given == [signs.WORKER] * signed


def test_who_settles_a_game_waits_for_another_who_does(
    context: WorkerContext, session: Session, clock: Clock, game: str
) -> None:
    clock.now = START + DAY
    key = clocked.game_of(session, game).key
    session.execute(ALIVE, {"now": clock.now, "but": ""})
    session.commit()
    due_games.lock(session, key)
    with ThreadPoolExecutor(1) as threads:
        settling = threads.submit(deadlines.settle_now, context, game)
        waits = text("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = :key AND NOT granted")
        eventually(lambda: session.scalar(waits, {"key": key}) == 1 or settling.done())
        assert not settling.done()
        session.rollback()
        settling.result()
    assert kinds(session, game) == ["clock", "clock.nudge"]


def test_clocks_8_1_the_mail_server_is_up_when_it_would_take_a_mail(
    context: WorkerContext, session: Session, relay: SlowRelay
) -> None:
    context = replace(context, settings=replace(context.settings, smtp_url=f"smtp://127.0.0.1:{relay.port}"))
    assert relay_probe.ask(context, Relay.from_url(f"smtp://127.0.0.1:{relay.port}"))
    assert session.scalar(text("SELECT part FROM service_signs")) == signs.RELAY
    assert not relay_probe.ask(context, Relay.from_url("smtp://127.0.0.1:9"))
