"""The commands `novaluna game …`: what the host does is in the log with its reason, and the table is mailed."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.orm import Session

from engine import audit
from engine.clock.terms import PRESETS, Terms
from service.commands import tables
from service.queries import records
from service.store.base import engine_url
from tests.support import world
from tests.support.clock import NOW
from tests.support.command_line import run


class Hosted:
    """A running game of Ann and Ben with a clock, and the command line."""

    def __init__(self, database_url: str, data: Path) -> None:
        self._database_url, self._data = database_url, data
        self.engine = create_engine(engine_url(database_url))
        with Session(self.engine) as session, session.begin():
            ann, ben = (world.account(session, name) for name in ("Ann", "Ben"))
            made = tables.create(
                session,
                ann,
                tables.TableSettings(seats=2, goal_discs=20, visibility="public", terms=Terms(PRESETS["days-3"])),
                now=NOW,
            )
            self.game = made.id
            world.join(session, ben, self.game)
            self.seat = world.loaded(session, self.game).state.turn or 0

    def __call__(self, *arguments: str, reason: str = "a reason") -> tuple[int, str]:
        code, out, err = run(("game", *arguments, "--reason", reason), self._database_url, self._data)
        assert out == ""
        return code, err

    def log(self) -> list[tuple[int | None, str, str]]:
        """Return seat, `by` and move of each entry after the mark of the clock."""
        with Session(self.engine) as session:
            return [(entry.seat, entry.by, entry.move) for entry in world.loaded(session, self.game).entries][1:]

    def mailed(self) -> int:
        """Return the number of mails about a step that are due."""
        with Session(self.engine) as session:
            return len(world.jobs(session, "mail_step"))

    def is_sound(self) -> None:
        """Raise unless the record is valid."""
        with Session(self.engine) as session:
            audit.check(records.line(session, world.loaded(session, self.game)))


@pytest.fixture
def hosted(database_url: str, tmp_path: Path) -> Hosted:
    return Hosted(database_url, tmp_path)


def test_time_is_given_to_the_player_to_move(hosted: Hosted) -> None:
    assert hosted("give-time", hosted.game, str(hosted.seat), "P2D", reason="The mail was late") == (
        0, "novaluna: time was given\n",
    )  # fmt: skip
    ((seat, by, move),) = hosted.log()
    assert (seat, by) == (None, "host") and "P2D" in move and "The mail was late" in move
    assert hosted.mailed() > 0
    hosted.is_sound()
    assert hosted("give-time", hosted.game, str(1 - hosted.seat), "P2D")[0] == 1
    assert hosted("give-time", hosted.game, str(hosted.seat), "PT1M")[0] == 1
    assert hosted("give-time", hosted.game, str(hosted.seat), "2 days")[0] == 2
    assert len(hosted.log()) == 1


def test_a_game_is_paused_and_resumed(hosted: Hosted) -> None:
    until = (NOW + timedelta(days=36_500)).isoformat()
    assert hosted("pause", hosted.game, until)[0] == 1
    assert hosted("pause", hosted.game, "2026-12-05T18:00")[0] == 2, "which zone?"
    assert hosted("pause", hosted.game, "0001-01-01T00:00+14:00")[0] == 2, "it was before the first year in UTC"
    assert hosted("resume", hosted.game) == (1, "novaluna: The game is not paused.\n")
    with hosted.engine.connect() as connection:
        until = connection.execute(text("SELECT now() + interval '10 days'")).scalar_one().isoformat()
    assert hosted("pause", hosted.game, until) == (0, "novaluna: the game is paused\n")
    assert hosted("resume", hosted.game) == (0, "novaluna: the game goes on\n")
    assert [move.split()[1] for _, _, move in hosted.log()] == ["clock.pause", "clock.resume"]
    hosted.is_sound()


def test_a_player_is_put_out(hosted: Hosted) -> None:
    assert hosted("put-out", hosted.game, "0") == (0, "novaluna: the player was put out\n")
    assert [seat for seat, _, _ in hosted.log()] == [None, 0]
    with Session(hosted.engine) as session:
        assert world.loaded(session, hosted.game).status == "finished", "one is left"
    hosted.is_sound()
    code, told = hosted("put-out", hosted.game, "1")
    assert code == 1 and told


def test_a_game_is_ended_without_a_ranking(hosted: Hosted) -> None:
    assert hosted("end", hosted.game) == (0, "novaluna: the game was ended\n")
    with Session(hosted.engine) as session:
        table = world.loaded(session, hosted.game)
        assert table.state.result is not None and table.state.result.reason == "ended"
    hosted.is_sound()


@pytest.mark.parametrize("reason", ["", "   ", "x" * 201])
def test_a_reason_is_needed(hosted: Hosted, reason: str) -> None:
    assert hosted("end", hosted.game, reason=reason)[0] == 2
    assert hosted.log() == []


def test_an_unknown_game_is_refused(hosted: Hosted) -> None:
    assert hosted("end", "AbCdEfGh2345")[0] == 1
