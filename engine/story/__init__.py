"""Tell the story of a finished game: what follows from its header and log about its course. Pure, and in linear time.

`docs/FORMATS.md` defines each measure, so that anybody who replays the record finds the same values.
"""

from engine.story.model import LEAVING, Day, Denial, LoggedMove, PlayerStory, Run, Story, StoryMove, Tempo, TurningPoint
from engine.story.rows import MoveRow, rows
from engine.story.telling import Unfinished, tell, untimed

__all__ = [
    "LEAVING",
    "Day",
    "Denial",
    "LoggedMove",
    "MoveRow",
    "PlayerStory",
    "Run",
    "Story",
    "StoryMove",
    "Tempo",
    "TurningPoint",
    "Unfinished",
    "rows",
    "tell",
    "untimed",
]
