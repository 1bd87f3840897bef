"""What the worker does because of time: each step once, none while a part of the service fails, and reminders."""

import asyncio
import socket
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
from service.clocks.absences import Period
from service.commands import absences, clock_steps, entries, quiet_times, reminding
from service.jobs import deadlines, relay_probe
from service.jobs.precedence import Precedence
from service.jobs.relay_watch import RelayWatch
from service.jobs.worker_context import WorkerContext
from service.mail.relay import Relay
from service.store import claims, due_games, incoming, reminders, signs
from tests.support import clocked, world
from tests.support.at_once import at_once
from tests.support.running import eventually
from tests.unit.jobs.looking import DAY, HOUR, MINUTE, SECOND, START, Looking
from tests.unit.jobs.slow_relay import SlowRelay


@pytest.fixture
def game(looking: Looking) -> str:
    return looking.matches(1)[0]


def test_clocks_6_2_each_step_is_taken_when_it_is_due(looking: Looking, session: Session, game: str) -> None:
    assert looking.due_at(game) == START + DAY
    looking.at(START + DAY - MINUTE)
    assert looking.kinds(game) == ["clock"]
    looking.at(START + DAY)
    assert looking.kinds(game) == ["clock", "clock.nudge"] and looking.due_at(game) == START + DAY + HOUR
    looking.at(START + DAY + HOUR)
    assert looking.kinds(game) == ["clock", "clock.nudge", "timeout"] and looking.due_at(game) is None
    assert len(world.jobs(session, "mail_step")) == 2 and len(world.jobs(session, "mail_end")) == 2


def test_clocks_7_1_of_workers_who_look_at_once_one_takes_the_step(
    looking: Looking, context: WorkerContext, session: Session
) -> None:
    games = looking.matches(12)
    looking.wait_until(START + DAY)
    at_once(*[partial(deadlines.look, context)] * 3)
    assert {tuple(looking.kinds(each)) for each in games} == {("clock", "clock.nudge")}
    assert len(world.jobs(session, "mail_step")) == 2 * len(games)


def test_clocks_7_1_a_move_that_comes_first_leaves_no_step(
    looking: Looking, context: WorkerContext, session: Session, game: str
) -> None:
    now, found = START + DAY + HOUR, clocked.game_of(session, game)
    looking.wait_until(now)
    with context.sessions.begin() as other:
        clocked.move(other, game, now)
        with context.sessions.begin() as settling:
            assert claims.claim(settling, [found.key], now) is not None, "a move waits for nobody"
            assert claims.claim(other, [found.key], now) is None
    with context.sessions.begin() as settling:
        assert clock_steps.settle(settling, found, now) == 0
    assert looking.kinds(game) == ["clock", "move"]


def test_clocks_7_1_a_game_that_another_worker_has_is_left_to_it(
    looking: Looking, context: WorkerContext, session: Session
) -> None:
    first, second = looking.matches(2)
    looking.wait_until(START + DAY)
    with context.sessions.begin() as other:
        due_games.lock(other, clocked.game_of(session, first).key)
        deadlines.look(context)
        assert (looking.kinds(first), looking.kinds(second)) == (["clock"], ["clock", "clock.nudge"])
    deadlines.look(context)
    assert looking.kinds(first) == ["clock", "clock.nudge"]


def test_what_players_change_while_a_step_is_written_is_planned_with(
    looking: Looking, context: WorkerContext, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    people = [*looking.people, world.account(session, "Cleo")]
    game, add = looking.match(people), entries.add
    for hours in (0, 24):
        looking.at(START + hours * HOUR)
    now = START + DAY + HOUR

    def leave_and_add(*given: Any, **further: Any) -> Any:
        with context.sessions.begin() as other:
            for person in people:
                absences.announce(other, person, Period(None, now + 3 * DAY), now)
        return add(*given, **further)

    with monkeypatch.context() as patched:
        patched.setattr(entries, "add", leave_and_add)
        looking.at(now)
    assert looking.kinds(game) == ["clock", "clock.nudge", "timeout"]
    assert looking.due_at(game) == now + DAY + 2 * DAY + 12 * HOUR


@pytest.mark.parametrize(("minutes", "is_out"), [(0, False), (14, False), (15, True)])
def test_clocks_7_4_a_mail_that_is_not_read_holds_the_last_step_up(
    looking: Looking, session: Session, game: str, minutes: int, is_out: bool
) -> None:
    looking.at(START + DAY)
    table = world.loaded(session, game)
    assert table.state.turn is not None
    to = ToTable(game, table.state.turn, table.version, leaving=False, head=table.head)
    incoming.add(session, bytes(32), to, "ann@example.org", {}, b"", looking.clock.now)
    looking.at(START + DAY + HOUR + minutes * MINUTE)
    assert looking.kinds(game)[2:] == (["timeout"] if is_out else [])


def test_clocks_7_4_a_mail_that_is_read_holds_nothing_up(looking: Looking, session: Session, game: str) -> None:
    looking.at(START + DAY)
    table = world.loaded(session, game)
    assert table.state.turn is not None
    to = ToTable(game, table.state.turn, table.version, leaving=False, head=table.head)
    mail = incoming.add(session, bytes(32), to, "ann@example.org", {}, b"", looking.clock.now)
    assert mail is not None
    looking.at(START + DAY + HOUR)
    assert looking.kinds(game)[2:] == []
    incoming.read(session, mail, None, looking.clock.now)
    looking.at(START + DAY + HOUR + MINUTE)
    assert looking.kinds(game)[2:] == ["timeout"]


@pytest.mark.parametrize("part", [signs.WEB, signs.MAILIN, signs.RELAY])
def test_clocks_8_2_no_step_is_taken_while_a_part_fails(
    looking: Looking, context: WorkerContext, session: Session, game: str, part: str
) -> None:
    settings = replace(context.settings, mail_in="lmtp://127.0.0.1:9", smtp_url="smtp://127.0.0.1:9")
    looking.context = replace(context, settings=settings)
    signs.sign(session, part, START + DAY - 10 * MINUTE)
    looking.at(START + DAY, but=part)
    assert looking.kinds(game) == ["clock"]
    signs.sign(session, part, START + DAY + MINUTE)
    looking.at(START + DAY + MINUTE)
    assert looking.kinds(game) == ["clock", "clock.nudge"]
    assert signs.unsettled(session) == []  # ten minutes are no outage


def test_clocks_8_1_the_log_says_once_which_parts_fail(
    looking: Looking, context: WorkerContext, session: Session
) -> None:
    looks = deadlines.Deadlines(context)
    with capture_logs() as logs:
        for seconds, signed in ((30, 0), (31, 0), (40, 0), (50, 45), (60, 45)):
            signs.sign(session, signs.WEB, START + signed * SECOND)
            session.commit()
            looking.clock.now = START + seconds * SECOND
            looks.look()
    said = [(line["log_level"], line["event"].split()[2], line["parts"]) for line in logs if "clocks" in line["event"]]
    assert said == [("warning", "wait", [signs.WEB]), ("info", "go", [signs.WEB])]


def test_clocks_8_1_a_part_that_is_not_in_use_stops_nothing(
    looking: Looking, context: WorkerContext, session: Session, game: str
) -> None:
    assert context.settings.mail_in is None and context.settings.smtp_url is None
    for part in (signs.MAILIN, signs.RELAY):
        signs.sign(session, part, START - 90 * DAY)
    looking.wait_until(START + DAY, but=signs.MAILIN)
    looking.at(START + DAY, but=signs.MAILIN)
    assert "clock.nudge" in looking.kinds(game)


def test_clocks_5_3_reminders_of_one_hour_are_one_mail(looking: Looking, session: Session, game: str) -> None:
    mover = clocked.mover(session, game)
    reminding.choose(session, mover, ["PT12H30M", "half", "PT3H"], START)
    looking.at(START + MINUTE)
    looking.at(START + 11 * HOUR + 30 * MINUTE)
    (job,) = world.jobs(session, "mail_reminder")
    assert job["account"] == mover
    sent = reminders.of_mail(session, mover, looking.clock.now)
    assert [(each.game, each.wait, each.which) for each in sent] == [(game, 0, "PT12H30M"), (game, 0, "half")]
    looking.at(START + 12 * HOUR)
    looking.at(START + 21 * HOUR)
    assert len(world.jobs(session, "mail_reminder")) == 2
    assert reminders.purge(session, START + 60 * DAY, 10) == 3


def test_clocks_5_2_no_reminder_goes_out_after_the_move(looking: Looking, session: Session, game: str) -> None:
    looking.clock.now = START + 11 * HOUR
    clocked.move(session, game, looking.clock.now)
    session.execute(text("UPDATE progress SET clock_due_at = NULL"))  # nobody has planned anew yet
    looking.at(START + 12 * HOUR)
    assert world.jobs(session, "mail_reminder") == []


def test_clocks_5_5_a_late_reminder_waits_for_the_end_of_the_night(
    looking: Looking, session: Session, game: str
) -> None:
    mover = clocked.mover(session, game)
    every = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
    quiet_times.change(session, mover, "UTC", [{"days": every, "from": "09:00", "to": "10:00"}], START - HOUR)
    looking.at(START)
    half = START + 12 * HOUR  # 08:56
    signs.sign(session, signs.WEB, half - MINUTE)
    looking.at(half, but=signs.WEB)
    assert world.jobs(session, "mail_reminder") == []
    looking.at(half + 5 * MINUTE)
    assert world.jobs(session, "mail_reminder") == []
    ends = half.replace(hour=10, minute=0, second=0, microsecond=0)
    looking.at(ends)
    assert len(world.jobs(session, "mail_reminder")) == 1


def test_clocks_6_5_a_bot_plays_although_its_job_was_lost(looking: Looking, session: Session) -> None:
    game = looking.match(terms=clocked.AUTOPILOT)
    looking.at(START)
    for at in (START + DAY, START + DAY + HOUR):
        looking.at(at)
    assert looking.kinds(game)[1:] == ["clock.nudge", "clock.autopilot"]
    session.execute(text("DELETE FROM procrastinate_jobs"))
    assert looking.due_at(game) == START + DAY + HOUR + 5 * MINUTE
    looking.at(START + DAY + HOUR + 5 * MINUTE)
    assert looking.kinds(game)[3:] == ["move"]


def test_a_game_that_cannot_be_read_stops_no_other(looking: Looking, session: Session, game: str) -> None:
    other = looking.match()
    looking.at(START)
    session.execute(
        text("UPDATE progress SET clock = 'damaged' WHERE game = :key"), {"key": clocked.game_of(session, game).key}
    )
    looking.at(START + DAY)
    assert looking.kinds(other) == ["clock", "clock.nudge"]


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
    looking: Looking,
    context: WorkerContext,
    monkeypatch: pytest.MonkeyPatch,
    counted: list[tuple[object, ...]],
    error: Exception,
    level: str | None,
    aside: int,
) -> None:
    looking.matches(2)
    counted.clear()
    looking.wait_until(START + DAY)
    monkeypatch.setattr(clock_steps, "settle", failing(error))
    with capture_logs() as logs:
        assert deadlines.Deadlines(context).look_safely() is (aside > 0)
    said = [line["log_level"] for line in logs if line["event"].startswith("clock check failed")]
    assert said == ([] if level is None else [level])
    assert [facts for facts in counted if facts[0] == "set_aside"] == [("set_aside", "deadlines")] * aside


def test_an_error_of_the_program_does_not_end_the_looking(
    context: WorkerContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(due_games, "due", failing(ValueError()))
    with capture_logs() as logs:
        assert deadlines.Deadlines(context).look_safely() is False
    assert [(line["log_level"], type(line["exc_info"])) for line in logs] == [("error", ValueError)]


def test_the_next_look_comes_sooner_after_one_that_did_something(
    looking: Looking, context: WorkerContext, session: Session, game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    reminding.choose(session, clocked.mover(session, game), ["half"], START)
    times = iter([START + MINUTE, START + 12 * HOUR, START + 12 * HOUR + MINUTE, START + DAY, START + DAY + MINUTE])
    pauses = []

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)
        if (now := next(times, None)) is None:
            raise asyncio.CancelledError
        looking.wait_until(now)

    monkeypatch.setattr("service.jobs.deadlines.asyncio.sleep", sleep)
    with pytest.raises(asyncio.CancelledError):
        asyncio.run(deadlines.keep_looking(context, Precedence()))
    usual, sooner = deadlines.EVERY, min(pauses)
    assert pauses == [usual, usual, sooner, usual, sooner, usual] and sooner < 1


def test_steps_and_reminders_are_counted(
    looking: Looking, session: Session, game: str, counted: list[tuple[object, ...]]
) -> None:
    reminding.choose(session, clocked.mover(session, game), ["half"], START)
    looking.at(START + MINUTE)
    looking.at(START + 12 * HOUR)
    assert sum(facts[0] == "reminders" and facts[1] == 1 for facts in counted) == 1
    counted.clear()
    looking.at(START + DAY)
    assert [facts for facts in counted if facts[0] == "clock_steps"] == [("clock_steps", 1)]


def test_a_worker_that_is_stopped_ends_after_the_current_game(
    looking: Looking, context: WorkerContext, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = looking.matches(2)[0]
    reminding.choose(session, clocked.mover(session, game), ["half"], START)
    looking.at(START + MINUTE)
    looking.wait_until(START + DAY)
    looks, settled = deadlines.Deadlines(context), list[str]()

    def settle(session: Session, game: due_games.DueGame, now: datetime) -> int:
        settled.append(game.id)
        looks.stop()
        return 0

    monkeypatch.setattr(clock_steps, "settle", settle)
    looks.look()
    assert len(settled) == 1 and world.jobs(session, "mail_reminder") == []


@pytest.mark.parametrize(("seconds", "signed"), [(4.9, 1), (5, 3), (20, 3)])
def test_a_worker_signs_while_it_works_off_many_games(
    looking: Looking,
    context: WorkerContext,
    monkeypatch: pytest.MonkeyPatch,
    seconds: float,
    signed: int,
) -> None:
    looking.matches(2)
    looking.wait_until(START + DAY)
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


def test_a_worker_waits_for_another_that_settles_the_same_game(
    looking: Looking, context: WorkerContext, session: Session, game: str
) -> None:
    key = clocked.game_of(session, game).key
    looking.wait_until(START + DAY)
    due_games.lock(session, key)
    with ThreadPoolExecutor(1) as threads:
        settling = threads.submit(deadlines.settle_now, context, game)
        waits = text("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = :key AND NOT granted")
        eventually(lambda: session.scalar(waits, {"key": key}) == 1 or settling.done())
        assert not settling.done()
        session.rollback()
        settling.result()
    assert looking.kinds(game) == ["clock", "clock.nudge"]


def test_clocks_8_1_the_mail_server_is_up_when_it_would_take_a_mail(
    context: WorkerContext, session: Session, relay: SlowRelay
) -> None:
    context = replace(context, settings=replace(context.settings, smtp_url=f"smtp://127.0.0.1:{relay.port}"))
    asked, watch = Relay.from_url(f"smtp://127.0.0.1:{relay.port}"), RelayWatch()
    assert relay_probe.ask(context, watch, asked)
    assert session.scalar(text("SELECT part FROM service_signs")) == signs.RELAY
    assert not relay_probe.ask(context, watch, Relay.from_url("smtp://127.0.0.1:9"))
    for domain in ("a.example", "b.example", "c.example"):
        assert relay_probe.ask(context, watch, asked)
        watch.puts_off(context, domain)
    assert not relay_probe.ask(context, watch, asked), "it says yes, and puts off what it is given"
    watch.works(context)
    assert relay_probe.ask(context, watch, asked)


def test_clocks_8_1_a_mail_server_is_asked_again_and_again(
    context: WorkerContext, session: Session, relay: SlowRelay
) -> None:
    context = replace(context, settings=replace(context.settings, smtp_url=f"smtp://127.0.0.1:{relay.port}"))
    signed = text("SELECT at FROM service_signs WHERE part = 'relay'")

    async def ask_twice() -> None:
        asking = asyncio.create_task(relay_probe.keep_asking(context, RelayWatch(), every=0.0))
        await asyncio.to_thread(eventually, lambda: session.scalar(signed))
        first = session.scalar(signed)
        await asyncio.to_thread(eventually, lambda: session.scalar(signed) != first)
        asking.cancel()

    asyncio.run(ask_twice())
    nobody = replace(context, settings=replace(context.settings, smtp_url=None))
    asyncio.run(relay_probe.keep_asking(nobody, RelayWatch()))


def test_clocks_8_1_one_of_two_mail_servers_is_enough(
    context: WorkerContext, session: Session, relay: SlowRelay, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        urls = f"smtp://127.0.0.1:{silent.getsockname()[1]} smtp://127.0.0.1:{relay.port}"
        context = replace(context, settings=replace(context.settings, smtp_url=urls))
        signed = text("SELECT at FROM service_signs WHERE part = 'relay'")
        real, asked = Relay.reason_against, []

        def fails_once(self: Relay, sender: str) -> str | None:
            asked.append(self.port)
            if asked.count(relay.port) == 1 and self.port == relay.port:
                raise RuntimeError("unforeseen")
            return real(self, sender)

        monkeypatch.setattr(Relay, "reason_against", fails_once)

        async def ask_until_signed() -> None:
            asking = asyncio.create_task(relay_probe.keep_asking(context, RelayWatch(), every=0.0))
            await asyncio.to_thread(eventually, lambda: session.scalar(signed))
            asking.cancel()
            silent.close()

        asyncio.run(ask_until_signed())
