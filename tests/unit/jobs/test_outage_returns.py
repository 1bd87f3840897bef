"""The worker gives the time of outages back: once, in every game, before anything else (CLOCKS.md 8)."""

from threading import Lock

import pytest
from sqlalchemy import text
from sqlalchemy.orm import Session
from structlog.testing import capture_logs

from service.commands import more_time, reminding
from service.commands.rebuild import rebuild_game
from service.jobs import deadlines
from service.jobs.worker_context import WorkerContext
from service.store import pending_outages, signs
from service.store.due_games import DueGame
from service.store.pending_outages import PendingOutage
from service.store.signs import Failure
from tests.support import clocked, world
from tests.support.at_once import at_once
from tests.unit.jobs.looking import DAY, HOUR, MINUTE, SECOND, START, Looking, before_each_return

PENDING = text("SELECT count(*) FROM pending_outages")


def test_clocks_8_3_an_outage_is_given_back_once_in_every_game(looking: Looking, session: Session) -> None:
    (game,) = looking.matches(1)
    looking.at(START + 22 * HOUR)
    plain = world.match(session, *looking.people)
    late = looking.match(now=START + 26 * HOUR)
    over = looking.match(now=START + 21 * HOUR)
    world.play_out(session, over)
    with capture_logs() as logs:
        looking.after_gap(START + 26 * HOUR)
    assert [each["games"] for each in logs if each["event"] == "time of an outage returned to the clocks"] == [2]
    table = world.loaded(session, game)
    assert clocked.kinds(table) == ["clock", "clock.outage"]
    assert table.progress is not None and table.progress.runs_out_at == START + 28 * HOUR
    assert '"what":["worker"]' in table.entries[1].move and table.entries[1].seat == table.state.turn
    assert looking.kinds(plain) == [] and looking.kinds(late) == ["clock"]
    assert signs.unsettled(session) == []
    session.execute(text("UPDATE failures SET settled_at = NULL"))  # as if the worker had been killed before
    looking.after_gap(START + 26 * HOUR)
    assert looking.kinds(game) == ["clock", "clock.outage"]
    assert rebuild_game(session, table.table.key, game, write=False) == []


def test_clocks_8_3_a_second_outage_is_another_one(looking: Looking) -> None:
    (game,) = looking.matches(1)
    looking.after_gap(START + 2 * HOUR)
    looking.at(START + 3 * HOUR)
    looking.after_gap(START + 5 * HOUR)
    assert looking.kinds(game) == ["clock", "clock.outage", "clock.outage"]


def test_clocks_8_3_workers_share_the_games_of_an_outage(
    looking: Looking, context: WorkerContext, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    games = looking.matches(8)
    given, lock = list[str](), Lock()

    def count(game: DueGame) -> None:
        with lock:
            given.append(game.id)

    before_each_return(monkeypatch, count)
    looking.clock.now = START + HOUR
    at_once(*[lambda: deadlines.look(context)] * 3)
    assert sorted(given) == sorted(games)
    assert [looking.kinds(game) for game in games] == [["clock", "clock.outage"]] * 8
    assert session.scalar(PENDING) == 0 and signs.unsettled(session) == []


def test_clocks_8_3_a_game_that_fails_is_given_its_outage_back_later(
    looking: Looking, context: WorkerContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    game, other = looking.matches(2)
    looking.at(START + 23 * HOUR + 30 * MINUTE)

    def fail(found: DueGame) -> None:
        if found.id == game:
            raise ValueError("it cannot be read")

    with monkeypatch.context() as patched:
        before_each_return(patched, fail)
        looking.after_gap(START + 24 * HOUR)
        assert looking.kinds(other) == ["clock", "clock.outage"] and looking.kinds(game) == ["clock"]
        looking.at(START + 24 * HOUR + 30 * SECOND)  # its time would be up without the outage
        deadlines.settle_now(context, game)
        assert looking.kinds(game) == ["clock"]
    looking.at(START + 24 * HOUR + MINUTE)
    assert looking.kinds(game) == ["clock", "clock.outage"]
    looking.at(START + 24 * HOUR + 31 * MINUTE)
    assert looking.kinds(game) == ["clock", "clock.outage", "clock.nudge"]


@pytest.mark.parametrize("part", [signs.MAILIN, signs.RELAY])
def test_clocks_8_3_a_part_that_was_out_of_use_is_no_outage(looking: Looking, session: Session, part: str) -> None:
    assert looking.context.settings.mail_in is None and looking.context.settings.smtp_url is None
    signs.sign(session, part, START)
    (game,) = looking.matches(1)
    looking.at(START + 23 * HOUR, but=part)
    signs.sign(session, part, START + 23 * HOUR)  # it is used again
    session.commit()
    looking.at(START + 23 * HOUR + MINUTE)
    assert looking.kinds(game) == ["clock"] and signs.unsettled(session) == []


def test_clocks_8_3_no_reminder_is_sent_before_its_game_has_its_outage(looking: Looking, session: Session) -> None:
    (game,) = looking.matches(1)
    reminding.choose(session, clocked.mover(session, game), ["PT3H"], START)
    looking.at(START + MINUTE)
    key = world.loaded(session, game).table.key
    session.execute(
        text("INSERT INTO pending_outages VALUES (:game, :now, :now, '{web}', 1, :later)"),
        {"game": key, "now": START, "later": START + 22 * HOUR},
    )
    looking.at(START + 21 * HOUR)
    assert world.jobs(session, "mail_reminder") == []
    session.execute(text("DELETE FROM pending_outages"))
    looking.at(START + 21 * HOUR + MINUTE)
    assert len(world.jobs(session, "mail_reminder")) == 1


def test_a_game_that_keeps_failing_is_tried_ever_more_seldom(looking: Looking, session: Session) -> None:
    found = DueGame(world.loaded(session, looking.match()).table.key, "")
    pending = PendingOutage(found, Failure((), ("web",), START, START + HOUR), 0)
    insert = text("INSERT INTO pending_outages VALUES (:game, :began, :ended, '{web}', 0, :ended)")
    session.execute(insert, {"game": found.key, "began": START, "ended": START + HOUR})
    waits = []
    for tries in (0, 1, 5, 6, 100):
        pending_outages.put_off(session, pending._replace(tries=tries), START)
        assert pending_outages.take(session, START) is None
        waits.append(session.scalar(text("SELECT next_at FROM pending_outages")) - START)
    assert waits == [MINUTE, 2 * MINUTE, 32 * MINUTE, HOUR, HOUR]


def test_clocks_8_3_what_was_said_before_an_outage_still_stands(looking: Looking, session: Session) -> None:
    game = looking.match([world.account(session, name) for name in ("Dora", "Eli", "Flo")])
    table = world.loaded(session, game)
    first, second = (seat for seat in range(3) if seat != table.state.turn)
    more_time.say(session, table, first, DAY, START)
    looking.at(START)
    looking.after_gap(START + HOUR)
    assert looking.kinds(game) == ["clock", "clock.outage"]
    given = more_time.say(session, world.loaded(session, game), second, 2 * DAY, START + HOUR)
    assert clocked.kinds(given)[-1] == "clock.more" and '"for":"P1D"' in given.entries[-1].move


def test_clocks_8_5_a_sign_never_goes_back(session: Session) -> None:
    signs.sign(session, signs.WEB, START)
    signs.sign(session, signs.WEB, START - HOUR)
    assert session.scalar(text("SELECT at FROM service_signs")) == START
    assert signs.failing(session, START - HOUR, signs.PARTS) == []
    signs.sign(session, signs.WEB, START + 15 * MINUTE)
    assert signs.unsettled(session) == []
    signs.sign(session, signs.WEB, START + 31 * MINUTE)
    (failure,) = signs.unsettled(session)
    span = (START + 15 * MINUTE, START + 31 * MINUTE)
    assert (failure.parts, failure.began_at, failure.ended_at) == ((signs.WEB,), *span)


def test_clocks_8_3_parts_that_fail_for_the_same_cause_are_one_outage(looking: Looking, session: Session) -> None:
    (game,) = looking.matches(1)
    signs.sign(session, signs.WEB, START - 5 * SECOND)
    looking.after_gap(START + HOUR)  # the database was away
    assert looking.kinds(game) == ["clock"]
    signs.sign(session, signs.WEB, START + HOUR + 5 * SECOND)
    looking.after_gap(START + HOUR + 10 * SECOND)
    assert looking.kinds(game) == ["clock", "clock.outage"]
    assert '"what":["web","worker"]' in world.loaded(session, game).entries[1].move


def test_clocks_8_3_the_next_worker_goes_on_giving_an_outage_back(
    looking: Looking, context: WorkerContext, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    games = looking.matches(2)
    first = deadlines.Deadlines(context)
    looking.clock.now = START + HOUR
    with capture_logs() as logs, monkeypatch.context() as patched:
        before_each_return(patched, lambda _: first.stop())
        assert first.look()
    assert sorted(map(looking.kinds, games)) == [["clock"], ["clock", "clock.outage"]]
    assert session.scalar(PENDING) == 1
    with capture_logs() as later:
        deadlines.look(context)
    assert [looking.kinds(game) for game in games] == [["clock", "clock.outage"]] * 2
    (given,) = (line for line in logs + later if line["event"] == "time of an outage returned to the clocks")
    assert (given["parts"], given["minutes"], given["games"]) == ((signs.WORKER,), 60, 2)
