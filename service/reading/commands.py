"""What a line of an answer asks for, as frozen values: exactly what was written, before anybody looks at the table."""

from __future__ import annotations

from dataclasses import dataclass

from service.language.cell_letters import Cell


@dataclass(frozen=True, slots=True)
class Pick:
    """Take a tile and place it: `2 F`, `tile 17 at F`, `17@1,-2`.

    The tile is either a `choice` by its number from the marker (`2`, `choice 2`) or a `tile` by its own (`17`, `tile 2`):
    a number that stands alone is a choice's up to 3, and a tile's above. The place is either a `cell` by its letters (`F`, `AA`, in capitals) or a cell `at`
    (x, y). `raw` is the line as it was written.
    """

    choice: int | None
    tile: int | None
    cell: str | None
    at: Cell | None
    raw: str


@dataclass(frozen=True, slots=True)
class Refill:
    """Refill the selection track."""


@dataclass(frozen=True, slots=True)
class Resign:
    """Leave the game."""


@dataclass(frozen=True, slots=True)
class Yes:
    """Agree to what the mail asked."""


@dataclass(frozen=True, slots=True)
class Say:
    """Tell the table something. The text has at least one character that is seen, and may have several lines."""

    text: str


@dataclass(frozen=True, slots=True)
class Note:
    """Keep something for oneself. The text is as that of `Say`."""

    text: str


@dataclass(frozen=True, slots=True)
class Help:
    """Ask what can be answered."""


@dataclass(frozen=True, slots=True)
class History:
    """Ask what has happened so far."""


@dataclass(frozen=True, slots=True)
class Stop:
    """No more mail of this game."""


@dataclass(frozen=True, slots=True)
class Mute:
    """No more talk of this game's table."""


@dataclass(frozen=True, slots=True)
class Unmute:
    """The talk of this game's table again."""


@dataclass(frozen=True, slots=True)
class New:
    """Begin a game: for so many (None: not said), with the people at these addresses, as they were written."""

    seats: int | None
    addresses: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Join:
    """Take the seat that an invitation's code is for. The code is as it was written, without spaces."""

    code: str


@dataclass(frozen=True, slots=True)
class Solo:
    """Play alone."""


@dataclass(frozen=True, slots=True)
class Speak:
    """Be written to in a language, by its code: one of `service.language.languages.CODES`."""

    language: str


@dataclass(frozen=True, slots=True)
class Status:
    """Ask for the table as it is: whose turn it is, who is ahead, what can be taken."""


@dataclass(frozen=True, slots=True)
class Games:
    """Ask which games one is in."""


@dataclass(frozen=True, slots=True)
class Rules:
    """Ask how the game goes."""


@dataclass(frozen=True, slots=True)
class Pass:
    """Let one's turn go by, which no rule allows."""


@dataclass(frozen=True, slots=True)
class Undo:
    """Take a move back, which can't be done."""


Inquiry = Help | History | Status | Games | Rules
"""What asks to be told something, and changes nothing."""

Command = (
    Pick | Refill | Resign | Pass | Undo | Yes | Say | Note | Stop | Mute | Unmute | New | Join | Solo | Speak | Inquiry
)
