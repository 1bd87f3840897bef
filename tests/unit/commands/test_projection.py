"""The fold from a log to a game's progress, waits above all, without a database."""

from datetime import UTC, datetime, timedelta

import pytest

from engine import Match, record, text
from engine.draw import Draw
from service.commands import projection
from service.queries import replay
from service.queries.replay import Replay
from service.store.log import Entry, Progress

START = datetime(2026, 11, 27, 21, 0, 0, tzinfo=UTC)


class Fold:
    """A match of three whose progress is updated entry by entry."""

    def __init__(self) -> None:
        draw = Draw(bytes(32), "fold", ("", "", ""))
        self.header = record.header(
            game="fold",
            kind="match",
            goal_discs=20,
            created_at=record.stamp(START),
            started_at=record.stamp(START),
            subject="fold",
            commitment=draw.commitment,
            entropy=draw.entropy,
            stack=draw.stack,
        )
        self.game: Replay = replay.start(self.header, draw.tiles)
        self.progress: Progress = projection.begin(self.header, self.game.state)

    @property
    def turn(self) -> int:
        assert self.game.state.turn is not None
        return self.game.state.turn

    def add(self, seat: int | None, move: str, by: str = "") -> Progress:
        seq = self.progress.version + 1
        entry = Entry(seq, START + timedelta(minutes=seq), seat, by, move)
        self.progress = projection.after(self.progress, entry, self.game.advance(entry))
        return self.progress

    def place(self) -> Progress:
        return self.add(self.turn, text.render(self.game.state.legal_moves()[0]))


@pytest.fixture
def fold() -> Fold:
    return Fold()


def test_a_match_starts_with_a_wait(fold: Fold) -> None:
    assert fold.progress.wait_seq == 0 and fold.progress.version == 0
    assert fold.progress.head.hex() == record.digest(fold.header)


def test_a_placement_ends_a_wait_and_a_passing_turn_begins_one(fold: Fold) -> None:
    for _ in range(20):
        before = fold.turn
        after = fold.place()
        assert after.wait_seq == (None if fold.turn == before else after.version)


def test_a_mark_and_a_leaving_out_of_turn_change_no_wait(fold: Fold) -> None:
    other = next(seat for seat in range(3) if seat != fold.turn)
    assert fold.add(fold.turn, "mark nudge").wait_seq == 0
    assert fold.add(None, "mark pause", "host").wait_seq == 0
    assert fold.add(other, "resign").wait_seq == 0
    while fold.place().wait_seq is not None:
        pass
    assert fold.add(fold.turn, "mark nudge").wait_seq is None


def test_a_leaving_in_turn_begins_the_next_ones_wait(fold: Fold) -> None:
    fold.add(fold.turn, "mark nudge")
    assert fold.add(fold.turn, "timeout").wait_seq == 2


@pytest.mark.parametrize(("seat", "move"), [(None, "end"), (0, "resign")])
def test_the_end_ends_everything(fold: Fold, seat: int | None, move: str) -> None:
    if move == "resign":
        fold.add(1, "resign")
    ended = fold.add(seat, move)
    assert (ended.status, ended.turn, ended.wait_seq) == ("finished", None, None)
    assert ended.ended_at == ended.last_at and ended.result is not None
    assert ended.result.startswith('{"discs_left":[20,20,20],"ranking":')


def test_the_view_of_the_turn_says_since_when(fold: Fold) -> None:
    assert isinstance(fold.game.state, Match) and fold.game.turn_since == START
    fold.add(fold.turn, "mark nudge")
    assert fold.game.turn_since == START
    fold.add(fold.turn, "timeout")
    assert fold.game.turn_since == START + timedelta(minutes=2)


def test_an_entry_is_never_before_the_one_it_follows(fold: Fold) -> None:
    fold.place()
    early = START - timedelta(days=1)
    assert projection.next_at(fold.progress, early) == fold.progress.last_at
    late = START + timedelta(days=1, microseconds=1999)
    assert projection.next_at(fold.progress, late) == START + timedelta(days=1, milliseconds=1)
