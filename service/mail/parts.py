"""The parts of a table that both mails and pages show, prepared from the engine's state for the templates.

Seats and colors are given in words and letters, so that nothing is shown by color alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from engine.display import Display
from engine.game import Match
from engine.tiles import TILES
from engine.track import RING
from engine.wheel import Wheel
from service.language import words
from service.language.cell_letters import lettered
from service.language.languages import Language
from service.language.people import People


@dataclass(frozen=True, slots=True)
class Goal:
    """A goal of a tile: letters of the tiles asked for, the same in words, and in words what it still lacks.

    The last is given for an open goal for which something counts already.
    """

    letters: str
    words: str
    covered: bool = False
    stands: str = ""

    @property
    def told(self) -> str:
        """An open goal in words, with what it lacks if something counts for it already."""
        return f"{self.words} ({self.stands})" if self.stands else self.words


@dataclass(frozen=True, slots=True)
class MailTile:
    """A tile with its goals, wherever it lies."""

    id: int
    letter: str
    color: str
    cost: int
    goals: tuple[Goal, ...]

    @property
    def begun_goals(self) -> tuple[Goal, ...]:
        """The open goals for which something counts already; the others are described by their marks."""
        return tuple(goal for goal in self.goals if goal.stands)

    @property
    def open_goals(self) -> tuple[Goal, ...]:
        """The goals that are not covered."""
        return tuple(goal for goal in self.goals if not goal.covered)


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a display: its tile (None: none), and its letter if the next tile may go there (else empty)."""

    x: int
    y: int
    tile: MailTile | None
    letter: str

    @property
    def name(self) -> str:
        """The cell as a sentence names it: `(0, -1)`."""
        return words.cell(self.x, self.y)


@dataclass(frozen=True, slots=True)
class Grid:
    """A display as rows of cells; `xs` are the columns' coordinates, and each row begins with its own."""

    xs: tuple[int, ...]
    rows: tuple[tuple[int, tuple[Cell, ...]], ...]

    @property
    def placed(self) -> tuple[Cell, ...]:
        """The cells with tiles, in reading order."""
        return tuple(cell for _, cells in self.rows for cell in cells if cell.tile)

    @property
    def free(self) -> tuple[Cell, ...]:
        """The cells where the next tile may go, in reading order."""
        return tuple(cell for _, cells in self.rows for cell in cells if cell.letter)


@dataclass(frozen=True, slots=True)
class Space:
    """A space of the selection track; `choice` is 1 to 3 for the tiles that may be taken, else 0."""

    number: int
    tile: MailTile | None
    marker: bool
    choice: int


@dataclass(frozen=True, slots=True)
class PlayerStanding:
    """A player at the table; `position` is the distance on the moon track (None: has left)."""

    seat: int
    name: str
    is_reader: bool
    discs_left: int
    position: int | None

    @property
    def space(self) -> int | None:
        """The space on the printed ring, 0 to 23."""
        return None if self.position is None else self.position % RING


@cache
def tile(number: int, language: Language) -> MailTile:
    """Return a tile of the selection track with its goals."""
    return _tile(number, tuple(Goal(goal, words.goal(goal, language)) for goal in TILES[number].goals), language)


def grid(display: Display, language: Language, *, show_free: bool) -> Grid:
    """Return a display; with `show_free`, with the cells where the next tile may go, by their letters."""
    tiles = {(x, y): _placed(display, number, covered, language) for number, x, y, covered in display.placed()}
    free = {cell: letter for letter, cell in lettered(display.open_cells())} if show_free else {}
    shown = tiles.keys() | free.keys()
    if not shown:
        return Grid((), ())
    xs = range(min(x for x, _ in shown), max(x for x, _ in shown) + 1)
    ys = range(min(y for _, y in shown), max(y for _, y in shown) + 1)
    rows = tuple((y, tuple(Cell(x, y, tiles.get((x, y)), free.get((x, y), "")) for x in xs)) for y in ys)
    return Grid(tuple(xs), rows)


def track(wheel: Wheel, language: Language, *, running: bool) -> tuple[Space, ...]:
    """Return the twelve spaces of the selection track; the choices are numbered while the game is running."""
    choices = wheel.choices() if running else []
    return tuple(
        Space(
            number=number,
            tile=tile(there, language) if there else None,
            marker=number == wheel.marker,
            choice=choices.index(there) + 1 if there in choices else 0,
        )
        for number, there in enumerate(wheel.spaces())
    )


def standings(state: Match, people: People) -> tuple[PlayerStanding, ...]:
    """Return the players in the order in which they would move now, then those who left, the last to leave first."""
    moon = state.moon
    order: Sequence[int] = (*moon.order, *reversed(moon.left))
    return tuple(
        PlayerStanding(
            seat=seat,
            name=people.called(seat),
            is_reader=seat == people.reader,
            discs_left=state.discs_left[seat],
            position=None if seat in moon.left else moon.position[seat],
        )
        for seat in order
    )


def _placed(display: Display, number: int, covered: Sequence[int], language: Language) -> MailTile:
    goals = tuple(
        Goal(goal, words.goal(goal, language), True)
        if index in covered
        else Goal(goal, words.goal(goal, language), False, _stands(goal, display.lacks(number, index), language))
        for index, goal in enumerate(TILES[number].goals)
    )
    return _tile(number, goals, language)


def _tile(number: int, goals: tuple[Goal, ...], language: Language) -> MailTile:
    found = TILES[number]
    return MailTile(found.id, found.letter, words.colors(language)[found.letter], found.cost, goals)


def _stands(goal: str, lacks: dict[str, int], language: Language) -> str:
    lacking = sum(lacks.values())
    if lacking == len(goal):
        return ""
    if lacking:
        return language.count("lacks %(tiles)s", "lacks %(tiles)s", lacking, tiles=words.letters(lacks, language))
    return language.say("met, waits for a disc")
