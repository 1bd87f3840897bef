"""The picture of a table inside its page, with colors from the style sheet, so that it follows light and dark mode."""

from __future__ import annotations

from engine.goals import ExplainedGoal
from service.language.people import People
from service.pictures.scene import Scene
from service.pictures.style_sheet import FOLLOWING
from service.pictures.table import draw
from service.queries.replay import Replay


def picture(
    game: Replay, version: int, people: People, first: int, why: ExplainedGoal | None = None, caution: str = ""
) -> str:
    """Return the table after the move `version` as an SVG element, with the display of the seat `first` on top.

    Over its display is drawn why the goal `why` is met or not. `caution` stands at the top (`Scene.caution`).
    """
    step = game.last[1] if game.last else None
    placed = (step.tile, step.seat) if step and step.tile is not None and step.seat is not None else None
    named = None if why is None else (why.tile, why.goal)
    return draw(Scene(game.state, people, version, placed, first, FOLLOWING, why=named, caution=caution))
