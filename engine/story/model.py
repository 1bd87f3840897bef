"""The story of a game as frozen values. Moves are named by their `seq` in the log, durations are whole seconds."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import NamedTuple

from engine.moves import Move
from engine.result import Result

LEAVING = ("resign", "timeout")
"""The types of the moves with which a player leaves."""


class LoggedMove(NamedTuple):
    """An entry of the log, as far as a story depends on it."""

    seq: int
    at: datetime
    seat: int | None
    move: Move
    by: str | None = None


class StoryMove(NamedTuple):
    """An entry that changed the table, and how things stood after it.

    Attributes:
        seat: who moved; None for an end.
        type: the type of the move, as in a record; never a mark.
        by: who acted instead of the player, as the entry has it.
        tile: the tile that was placed, else None.
        covered: how many goals were covered.
        think: the seconds from the beginning of the wait to a placement or refill; None for other moves.
        discs_left: the goal discs left by seat.
        distance: the time cost of all tiles placed by seat, which in a match is the distance on the moon track.
        leader: the seat that leads; None while nobody does, and in a solo.
        margin: by how many goal discs it leads.
    """

    seq: int
    at: datetime
    seat: int | None
    type: str
    by: str | None
    tile: int | None
    covered: int
    think: int | None
    discs_left: tuple[int, ...]
    distance: tuple[int, ...]
    leader: int | None
    margin: int


@dataclass(frozen=True, slots=True)
class Run:
    """Several placements of one seat with none of another between them.

    Attributes:
        first: the first placement.
        last: the last placement.
        turns: how many placements they are, 2 or more.
        covered: how many goals they covered.
    """

    seat: int
    first: int
    last: int
    turns: int
    covered: int


@dataclass(frozen=True, slots=True)
class Denial:
    """A placement of a tile with which somebody else could have covered the most goals.

    Attributes:
        seq: the placement.
        seat: who placed the tile.
        tile: the tile.
        covered: how many goals it covered for who placed it.
        other: the seat that could have used it better than any other of the choices.
        goals: how many goals that seat could have covered with it.
    """

    seq: int
    seat: int
    tile: int
    covered: int
    other: int
    goals: int


@dataclass(frozen=True, slots=True)
class TurningPoint:
    """A move with which a seat took a lead that lasted.

    Attributes:
        seq: the move.
        seat: who leads from then on.
        before: who led before.
        moves: how many moves the lead lasted, this one included.
        margin: the largest number of goal discs by which the seat led in that time.
    """

    seq: int
    seat: int
    before: int
    moves: int
    margin: int


@dataclass(frozen=True, slots=True)
class Day:
    """A day in UTC on which somebody moved, with the numbers of placements and refills by seat."""

    day: date
    moves: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Tempo:
    """The time that a player took to think about the moves that they made themselves.

    Attributes:
        moves: how many moves those are.
        total: the seconds of all of them.
        median: the seconds of the middle one (the lower of two); None without such moves.
        longest: the seconds of the longest; None without such moves.
        longest_seq: the move after the longest, the first of equals; None without such moves.
    """

    moves: int
    total: int
    median: int | None
    longest: int | None
    longest_seq: int | None


@dataclass(frozen=True, slots=True)
class PlayerStory:
    """A seat's part in the game.

    Attributes:
        rank: the final rank from 1; None without a ranking, and in a solo.
        has_left: whether the player left the game.
        tiles: how many tiles the player placed.
        goals: how many goals the player covered.
        discs_left: the goal discs left at the end.
        distance: the time cost of all tiles.
        best_seq: the move that covered the most goals, the first of equals; None if none covered any.
        best_covered: how many goals that move covered.
        longest_run: the largest number of turns in a row; 0 without a placement.
        took: how many denials the player caused.
        lost: how many denials hit the player.
    """

    seat: int
    rank: int | None
    has_left: bool
    tiles: int
    goals: int
    discs_left: int
    distance: int
    best_seq: int | None
    best_covered: int
    longest_run: int
    took: int
    lost: int
    tempo: Tempo


@dataclass(frozen=True, slots=True)
class Story:
    """The story of a finished game.

    Attributes:
        kind: "match" or "solo".
        goal_discs: the goal discs of each player at the start.
        version: the `seq` of the last entry.
        second_phase_seq: the move with which phase 2 of a solo began; None before it, and in a match.
    """

    kind: str
    seats: int
    goal_discs: int
    version: int
    started_at: datetime
    ended_at: datetime
    result: Result
    players: tuple[PlayerStory, ...]
    moves: tuple[StoryMove, ...]
    runs: tuple[Run, ...]
    denials: tuple[Denial, ...]
    turning_points: tuple[TurningPoint, ...]
    days: tuple[Day, ...]
    second_phase_seq: int | None
