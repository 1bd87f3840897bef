"""The commands that a line of a reply can give, as frozen values.

They hold exactly what was written, before anything is compared with the game.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import time, timedelta
from typing import Literal

from engine.clock.terms import Terms
from service.language.cell_letters import Cell
from service.reading import written_terms
from service.reading.written_days import WrittenDay
from service.reading.written_terms import WrittenClock, WrittenLadder


@dataclass(frozen=True, slots=True)
class Pick:
    """Take a tile and place it: `2 F`, `tile 17 at F`, `17@1,-2`.

    A bare number up to 3 is a choice, and a higher one a tile.

    Attributes:
        choice: the number of a choice, counted from the marker (`2`, `choice 2`), or None.
        tile: the tile's own number (`17`, `tile 2`), or None.
        cell: the letters of a cell in capitals (`F`, `AA`), or None.
        at: the cell's coordinates (x, y), or None.
        raw: the line as it was written.
    """

    choice: int | None
    tile: int | None
    cell: str | None
    at: Cell | None
    raw: str


@dataclass(frozen=True, slots=True)
class Refill:
    """Refill the track."""


@dataclass(frozen=True, slots=True)
class Resign:
    """Resign from the game."""


@dataclass(frozen=True, slots=True)
class Yes:
    """Agree to what the mail asked.

    Attributes:
        to_play: whether the words around the yes are about playing, so that it agrees to nothing that ends a game.
    """

    to_play: bool = False


@dataclass(frozen=True, slots=True)
class Say:
    """Send a message to the table. The text has at least one visible character, and may have several lines."""

    text: str


@dataclass(frozen=True, slots=True)
class Note:
    """Write a private note. The text has the same form as that of `Say`."""

    text: str


@dataclass(frozen=True, slots=True)
class Help:
    """Ask which commands there are."""


@dataclass(frozen=True, slots=True)
class History:
    """Ask what has happened so far."""


@dataclass(frozen=True, slots=True)
class Stop:
    """Stop all mail about this game."""


@dataclass(frozen=True, slots=True)
class Mute:
    """Stop mail about messages at this table."""


@dataclass(frozen=True, slots=True)
class Unmute:
    """Receive mail about messages at this table again."""


@dataclass(frozen=True, slots=True)
class New:
    """Start a game.

    Attributes:
        seats: the number of players, or None if not given.
        addresses: the email addresses of those to invite, as they were written.
        clock: the clock, or None if not given.
        bots: how many of the players are bots.
        ladder: what happens when time is up, and what stops the clock, or None if not given.
    """

    seats: int | None
    addresses: tuple[str, ...]
    clock: WrittenClock | None = None
    bots: int = 0
    ladder: WrittenLadder | None = None

    def terms(self) -> Terms | None:
        """Return the terms of the table; None for no clock.

        Raises:
            ClockError: no table can have them.
        """
        return written_terms.terms(self.clock, self.ladder)


@dataclass(frozen=True, slots=True)
class Join:
    """Take the seat of an invitation. `code` is the invitation's code as it was written, without spaces."""

    code: str


@dataclass(frozen=True, slots=True)
class Rematch:
    """Ask for another game with the same players. `table` is the finished game's id, which no reply itself names."""

    table: str | None = None


@dataclass(frozen=True, slots=True)
class Solo:
    """Start a solo game."""


@dataclass(frozen=True, slots=True)
class Speak:
    """Choose the language of one's mail. `language` is a code in `service.language.languages.CODES`."""

    language: str


@dataclass(frozen=True, slots=True)
class Status:
    """Ask for the state of the game: whose turn it is, who is ahead, and which tiles can be taken."""


@dataclass(frozen=True, slots=True)
class Games:
    """Ask for a list of one's games."""


@dataclass(frozen=True, slots=True)
class Rules:
    """Ask for the rules."""


@dataclass(frozen=True, slots=True)
class AccountSettings:
    """Ask for the page with one's settings, where an account can also be deleted."""


@dataclass(frozen=True, slots=True)
class Pass:
    """Skip one's turn, which the rules do not allow."""


@dataclass(frozen=True, slots=True)
class Undo:
    """Take back a move, which is not possible."""


@dataclass(frozen=True, slots=True)
class Away:
    """Announce an absence: `away until 5 December`, `away 1 to 5 December`, `away for 5 days`.

    Attributes:
        first: the first day; None: from now on.
        last: the last day, which is included; None if `days` is given.
        days: the number of days, from today on.
    """

    first: WrittenDay | None
    last: WrittenDay | None
    days: int | None = None


@dataclass(frozen=True, slots=True)
class Back:
    """End the sender's absence, and take their seats back from the bot."""


@dataclass(frozen=True, slots=True)
class QuietWindow:
    """Hours of certain days of the week (0 is Monday); an `end` not after `begin` is on the next day."""

    days: frozenset[int]
    begin: time
    end: time


@dataclass(frozen=True, slots=True)
class Quiet:
    """Set the sender's quiet times; without a window there are none."""

    windows: tuple[QuietWindow, ...]


@dataclass(frozen=True, slots=True)
class MoreTime:
    """Offer more time to the player to move, or (None) withdraw the offer."""

    time: timedelta | None


@dataclass(frozen=True, slots=True)
class Keep:
    """Keep a game from ending as abandoned."""


@dataclass(frozen=True, slots=True)
class Reminders:
    """Choose the sender's reminders.

    Attributes:
        points: the time left at each, or `half` of it; None leaves them as they are.
        how: how they are delivered (`service.store.delivery_preferences.HOWS`).
    """

    points: tuple[timedelta | Literal["half"], ...] | None
    how: Literal["at_once", "digest", "off"]


@dataclass(frozen=True, slots=True)
class Unclear:
    """A command about time that lacks something or can be read in two ways.

    Attributes:
        raw: the line as it was written.
        lacks: what it lacks, `readings` if it has several, `own` if it asks for time for the sender, `nudge` if it
            begins a game without that.
        readings: the commands that it may mean.
    """

    raw: str
    lacks: Literal["day", "time", "hours", "points", "clock", "nudge", "readings", "own"]
    readings: tuple[Away | Back | Quiet, ...] = ()


@dataclass(frozen=True, slots=True)
class Block:
    """Block a player. `player` is a name as it was written, or a player's id."""

    player: str


@dataclass(frozen=True, slots=True)
class Unblock:
    """Block a player no longer. `player` is as in `Block`."""

    player: str


Inquiry = Help | History | Status | Games | Rules | AccountSettings
"""Commands that ask for information and change nothing."""

OfTime = Away | Back | Quiet | MoreTime | Keep | Reminders | Unclear
"""Commands about absences, quiet times, clocks and reminders."""

Command = (
    Pick
    | Refill
    | Resign
    | Pass
    | Undo
    | Yes
    | Say
    | Note
    | Stop
    | Mute
    | Unmute
    | New
    | Join
    | Solo
    | Rematch
    | Speak
    | Block
    | Unblock
    | Inquiry
    | OfTime
)
