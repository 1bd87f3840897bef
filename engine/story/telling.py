"""Replay a finished game and collect its story, entry by entry."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, date, datetime

from engine import State
from engine.game import Match
from engine.moves import Mark, Place, Refill, type_of
from engine.prospects import most_goals
from engine.solo import Solo
from engine.story.model import LEAVING, Day, Denial, LoggedMove, PlayerStory, Run, Story, StoryMove, Tempo
from engine.story.turning_points import leader, margin, turning_points
from engine.story.waits import Waits
from engine.table import Step
from engine.tiles import COSTS

_NO_TEMPO = Tempo(0, 0, None, None, None)


class Unfinished(ValueError):
    """The game is not over, and so has no story yet."""


def tell(state: State, started_at: datetime, entries: Iterable[LoggedMove]) -> Story:
    """Return the story of a finished game.

    Args:
        state: the game at its start, which this function advances.
        started_at: when the game started.
        entries: the whole log.

    Raises:
        Unfinished: the entries do not end the game.
        engine.errors.MoveError: an entry is no possible move.
    """
    teller = _Teller(state, started_at)
    for entry in entries:
        teller.follow(entry)
    return teller.story()


def untimed(story: Story) -> Story:
    """Return the story of a game whose times are not known: without tempo and days."""
    return replace(
        story,
        moves=tuple(move._replace(think=None) for move in story.moves),
        players=tuple(replace(player, tempo=_NO_TEMPO) for player in story.players),
        days=(),
    )


class _Teller:
    """A game that is replayed, and what was found so far."""

    def __init__(self, state: State, started_at: datetime) -> None:
        self._state = state
        self._started_at = self._ended_at = started_at
        self._waits = Waits(started_at)
        self._version = 0
        self._choices = state.wheel.choices()
        self._distance = [0] * state.seats
        self._leader: int | None = None
        self._second_phase: int | None = None
        self._moves: list[StoryMove] = []
        self._denials: list[Denial] = []
        self._days: dict[date, list[int]] = {}

    def follow(self, entry: LoggedMove) -> None:
        """Make the move of an entry, and collect what it did."""
        state = self._state
        step = state.advance(entry.seat, entry.move)
        self._version, self._ended_at = entry.seq, entry.at
        think = self._waits.after(entry, step)
        if isinstance(entry.move, Mark):
            return
        if isinstance(entry.move, Place | Refill):
            assert entry.seat is not None
            day = entry.at.astimezone(UTC).date()
            self._days.setdefault(day, [0] * state.seats)[entry.seat] += 1
        if isinstance(entry.move, Place):
            assert entry.seat is not None
            self._distance[entry.seat] += COSTS[entry.move.tile]
            self._denials += self._denied(entry, step)
        if isinstance(state, Solo) and state.phase == 2 and self._second_phase is None:
            self._second_phase = entry.seq
        self._choices = state.wheel.choices()
        self._leader = leader(state, self._leader)
        self._moves.append(
            StoryMove(
                entry.seq,
                entry.at,
                entry.seat,
                type_of(entry.move),
                entry.by,
                step.tile,
                len(step.covered),
                think,
                tuple(state.discs_left),
                tuple(self._distance),
                self._leader,
                margin(state, self._leader),
            )
        )

    def story(self) -> Story:
        """Return the story, once all entries were followed."""
        state = self._state
        if state.result is None:
            raise Unfinished("the game is not over")
        runs, denials = _runs(self._moves), tuple(self._denials)
        return Story(
            kind=state.kind,
            seats=state.seats,
            goal_discs=state.goal_discs,
            version=self._version,
            started_at=self._started_at,
            ended_at=self._ended_at,
            result=state.result,
            players=tuple(self._player(seat, runs) for seat in range(state.seats)),
            moves=tuple(self._moves),
            runs=runs,
            denials=denials,
            turning_points=turning_points(self._moves),
            days=tuple(Day(day, tuple(moves)) for day, moves in sorted(self._days.items())),
            second_phase_seq=self._second_phase,
        )

    def _denied(self, entry: LoggedMove, step: Step) -> list[Denial]:
        """Return the denials of a placement; the displays of the others are as they were before it."""
        state, tile, seat = self._state, step.tile, entry.seat
        if not isinstance(state, Match):
            return []
        assert tile is not None and seat is not None
        others = [choice for choice in self._choices if choice != tile]
        found = []
        for other in sorted(state.moon.order):
            if other == seat:
                continue
            display, discs = state.displays[other], state.discs_left[other]
            goals = most_goals(display, tile, discs)
            if goals and all(most_goals(display, choice, discs) < goals for choice in others):
                found.append(Denial(entry.seq, seat, tile, len(step.covered), other, goals))
        return found

    def _player(self, seat: int, runs: Iterable[Run]) -> PlayerStory:
        state = self._state
        assert state.result is not None
        mine = [move for move in self._moves if move.seat == seat]
        best = max(mine, key=lambda move: move.covered, default=None)
        tiles = sum(move.tile is not None for move in mine)
        ranking = state.result.ranking
        return PlayerStory(
            seat=seat,
            rank=None if ranking is None else ranking.index(seat) + 1,
            has_left=any(move.type in LEAVING for move in mine),
            tiles=tiles,
            goals=sum(move.covered for move in mine),
            discs_left=state.discs_left[seat],
            distance=self._distance[seat],
            best_seq=best.seq if best is not None and best.covered else None,
            best_covered=best.covered if best is not None else 0,
            longest_run=max((run.turns for run in runs if run.seat == seat), default=min(tiles, 1)),
            took=len({denial.seq for denial in self._denials if denial.seat == seat}),
            lost=sum(denial.other == seat for denial in self._denials),
            tempo=_tempo(mine),
        )


def _tempo(mine: Iterable[StoryMove]) -> Tempo:
    thought = [(move.think, move.seq) for move in mine if move.think is not None and move.by is None]
    if not thought:
        return _NO_TEMPO
    times = sorted(time for time, _ in thought)
    longest = max(thought, key=lambda each: each[0])
    return Tempo(len(times), sum(times), times[(len(times) - 1) // 2], *longest)


def _runs(moves: Iterable[StoryMove]) -> tuple[Run, ...]:
    """Return the runs of a match; everything in a solo would be one."""
    runs: list[list[StoryMove]] = []
    for move in moves:
        if move.tile is None or move.seat is None:
            continue
        if runs and runs[-1][0].seat == move.seat:
            runs[-1].append(move)
        else:
            runs.append([move])
    return tuple(
        Run(seat, run[0].seq, run[-1].seq, len(run), sum(move.covered for move in run))
        for run in runs
        if len(run) > 1 and (seat := run[0].seat) is not None and len(run[0].discs_left) > 1
    )
