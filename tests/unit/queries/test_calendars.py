"""The deadlines in an account's calendar, as real games have them."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from sqlalchemy import Engine, text
from sqlalchemy.orm import Session

from engine.clock.terms import PRESETS, Terms
from service.commands import clock_steps, host, tables
from service.queries.calendars import Deadline, deadlines
from service.store import epoch
from service.store.due_games import DueGame
from tests.support import world
from tests.support.clock import NOW

TERMS = Terms(PRESETS["days-3"])
START = NOW.replace(microsecond=NOW.microsecond // 1000 * 1000)


class Clocked:
    """A running game of Ann and Ben with three days a wait; `mover` is whose turn it is, `other` the other one."""

    def __init__(self, session: Session) -> None:
        self.session = session
        people = [world.account(session, name) for name in ("Ann", "Ben")]
        made = tables.create(
            session,
            people[0],
            tables.TableSettings(seats=2, goal_discs=20, visibility="public", terms=TERMS),
            now=START,
        )
        self.id = made.id
        world.join(session, people[1], self.id)
        self.seat = world.loaded(session, self.id).state.turn or 0
        self.mover, self.other = people[self.seat], people[1 - self.seat]

    def deadlines(self, account: str, now: datetime = START) -> list[Deadline]:
        return deadlines(self.session, account, now)


@pytest.fixture
def game(session: Session) -> Clocked:
    return Clocked(session)


def test_only_who_is_to_move_has_a_deadline(game: Clocked) -> None:
    (deadline,) = game.deadlines(game.mover)
    assert (deadline.table, deadline.at, deadline.step) == (game.id, START + timedelta(days=3), "nudge")
    assert deadline.names == ("Ann", "Ben") and deadline.seat == game.seat
    assert game.deadlines(game.other) == []


def test_after_the_turn_it_is_gone_and_the_other_player_has_one(game: Clocked) -> None:
    (before,) = game.deadlines(game.mover)
    while world.loaded(game.session, game.id).state.turn == game.seat:
        world.move(game.session, game.id, now=START + timedelta(days=1))
    assert game.deadlines(game.mover) == []
    (after,) = game.deadlines(game.other)
    assert after.stretch > before.stretch and after.at == START + timedelta(days=4)


def test_time_that_is_given_moves_it(game: Clocked) -> None:
    (before,) = game.deadlines(game.mover)
    then = START + timedelta(hours=1)
    host.give_time(game.session, game.id, game.seat, timedelta(days=2), "a reason", then)
    (after,) = game.deadlines(game.mover, then)
    assert (after.stretch, after.at) == (before.stretch, START + timedelta(days=5))
    assert after.changes > before.changes and (before.changed_at, after.changed_at) == (START, then)


def test_the_next_step_takes_its_place(game: Clocked) -> None:
    (before,) = game.deadlines(game.mover)
    then = before.at
    clock_steps.settle(game.session, DueGame(world.loaded(game.session, game.id).table.key, game.id), then)
    (after,) = game.deadlines(game.mover, then)
    assert after.stretch == before.stretch and after.changes > before.changes
    assert (after.at, after.step) == (then + TERMS.ladder.nudge, "grace" if TERMS.ladder.grace else "autopilot")


def test_a_game_without_a_clock_has_none(session: Session) -> None:
    people = [world.account(session, name) for name in ("Cleo", "Dan")]
    world.match(session, *people)
    assert [deadlines(session, account, START) for account in people] == [[], []]


def test_each_restore_adds_more_changes_than_can_be_lost(game: Clocked, owner: Engine) -> None:
    (before,) = game.deadlines(game.mover)
    game.session.commit()
    with owner.begin() as connection:
        epoch.renew(connection)
        connection.execute(text("UPDATE tables SET revision = 0"))
    (after,) = game.deadlines(game.mover)
    assert after.stretch == before.stretch and after.changes - before.changes > 190_000
