"""The pictures of a mail: the table as the mail describes it, for its reader, and the course of a finished game."""

from __future__ import annotations

from engine.table import Step
from service.language import board_words
from service.language.story_words import is_worth_telling
from service.mail.message import Picture
from service.pictures.palette import DARK
from service.pictures.plots.story import StoryScene
from service.pictures.scene import Scene
from service.queries.end_context import End
from service.queries.turn_context import Turn


def of_turn(turn: Turn) -> Scene:
    """Return the table on which the reader is to move, the reader's display first."""
    return _scene(turn, turn.happened[-1].step if turn.happened else None, turn.seat)


def of_end(end: End) -> Scene:
    """Return the table at the end, the winner's display first."""
    return _scene(end, end.last, None)


def plots_of_end(end: End) -> StoryScene | None:
    """Return the plots of a finished game; None if too little happened in it."""
    return StoryScene(end.story, end.people, DARK, only_shipped_type=True) if is_worth_telling(end.story) else None


def captioned_plots(png: bytes, scene: StoryScene) -> Picture:
    """Return rendered plots with a short description; the mail tells the course of the game in words, too."""
    say = scene.people.language.say
    return Picture(png, say("Plots of the course of the game. The table’s page has their numbers."))


def captioned(png: bytes, scene: Scene) -> Picture:
    """Return a rendered scene with a short description.

    The mail itself says what its reader needs, and the table's page describes everything in the picture.
    """
    say = scene.people.language.say
    alt = say(
        "A picture of the table, %(moment)s. %(standing)s All that it shows is told on the table’s page.",
        moment=board_words.version(scene.version, scene.people.language),
        standing=board_words.standing(scene.state, scene.people),
    )
    return Picture(png, alt)


def _scene(facts: Turn | End, last: Step | None, seat: int | None) -> Scene:
    """Return a scene in the dark scheme, a night sky on any background, since a mail cannot know its surroundings."""
    placed = (last.tile, last.seat) if last and last.tile is not None and last.seat is not None else None
    return Scene(facts.state, facts.people, facts.version, placed, seat, DARK, only_shipped_type=True)
