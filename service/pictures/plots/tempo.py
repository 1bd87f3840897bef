"""The plot of the time that players thought about their moves, on a logarithmic scale."""

from __future__ import annotations

import math

from engine.story import Story
from service.language.languages import Language
from service.language.story_words import ticks
from service.pictures.palette import Scheme
from service.pictures.plots.axes import Area, across, levels
from service.pictures.plots.style import shape

_RADIUS = 4.6


def has_tempo(story: Story) -> bool:
    """Return whether a person made a move; bots do not think for long."""
    return any(player.tempo.moves for player in story.players)


def tempo(story: Story, area: Area, scheme: Scheme, language: Language) -> str:
    """Draw a mark for each move that a player made, at the time since the beginning of the wait."""
    thought = [
        (place, move.seat, max(1, move.think))
        for place, move in enumerate(story.moves, start=1)
        if move.think is not None and move.by is None and move.seat is not None
    ]
    longest, shortest = max(time for *_, time in thought), min(time for *_, time in thought)
    marks = ticks(language)
    low = max((seconds for seconds, _ in marks if seconds <= shortest), default=1)
    high = min((seconds for seconds, _ in marks if seconds >= longest and seconds > low), default=max(longest, 2))
    scale, x = area.scale(math.log(low), math.log(high)), across(len(story.moves))
    shown = [(math.log(seconds), label) for seconds, label in marks if low <= seconds <= high]
    drawn = [levels(shown, scale, scheme)]
    drawn += [shape(scheme, seat, x(place), scale(math.log(time)), _RADIUS) for place, seat, time in thought]
    return "".join(drawn)
