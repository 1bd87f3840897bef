"""The course of a finished game on its table's page: sentences, plots, and the plots' numbers as tables."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from engine.story import PlayerStory, Story, StoryMove
from service.language.durations import duration
from service.language.people import People
from service.language.story_words import course, is_worth_telling
from service.pages.table_view import Address
from service.pictures.plots.story import StoryScene, draw_story
from service.pictures.style_sheet import FOLLOWING
from service.queries import stories
from service.queries.table import LoadedTable

_PREFIX = "story-"
"""What the ids of the plots begin with; the board on the same page has others."""


@dataclass(frozen=True, slots=True)
class PlayerRow:
    """A player's part in the game."""

    name: str
    tiles: int
    goals: int
    distance: int
    longest_run: int
    took: int
    thought: str


@dataclass(frozen=True, slots=True)
class MoveRow:
    """A move in the table of all moves; `discs_left` has those of all seats."""

    seq: int
    address: str
    name: str
    covered: int
    discs_left: str
    think: str


def prepare(table: LoadedTable, people: People, address: Address) -> dict[str, Any] | None:
    """Return the template's variables; None while the game is running, and if too little happened in it."""
    return of_story(stories.of_table(table), people, address) if table.status == "finished" else None


def of_story(story: Story, people: People, address: Address, caution: str = "") -> dict[str, Any] | None:
    """Return the template's variables for a story; None if too little happened in it.

    `caution` stands at the top of its plots (`StoryScene.caution`).
    """
    if not is_worth_telling(story):
        return None
    return {
        "sentences": course(story, people),
        "plots": draw_story(StoryScene(story, people, FOLLOWING, prefix=_PREFIX, caution=caution)),
        "names": [people.called(seat) for seat in range(story.seats)],
        "players": [_player(player, people) for player in story.players],
        "moves": [_move(move, people, address) for move in story.moves],
        "turning_points": _turning_points(story, people, address),
    }


def _turning_points(story: Story, people: People, address: Address) -> list[tuple[int, str, str]]:
    """Return the number, the address and the player of each turning point."""
    return [(point.seq, address(point.seq), people.called(point.seat)) for point in story.turning_points]


def _player(player: PlayerStory, people: People) -> PlayerRow:
    tempo = player.tempo
    return PlayerRow(
        name=people.called(player.seat),
        tiles=player.tiles,
        goals=player.goals,
        distance=player.distance,
        longest_run=player.longest_run,
        took=player.took,
        thought=duration(timedelta(seconds=tempo.total), people.language) if tempo.moves else "",
    )


def _move(move: StoryMove, people: People, address: Address) -> MoveRow:
    return MoveRow(
        seq=move.seq,
        address=address(move.seq),
        name="" if move.seat is None else people.called(move.seat),
        covered=move.covered,
        discs_left=" · ".join(people.language.number(discs) for discs in move.discs_left),
        think="" if move.think is None else duration(timedelta(seconds=move.think), people.language),
    )
