"""The part of a table's page on which its player moves: choose a tile, then a cell, see what it would do, confirm.

Each step is an address of the page, so it works without scripts. Only the confirmation is a POST
(`service.pages.moves`), with what the page has shown signed into its form.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache

from engine import text
from engine.moves import REFILL, Move, Place
from engine.phrases import Phrase
from service.access.links import MoveLink, confirmation
from service.access.secrets import Keys
from service.commands.expectation import Expectation
from service.commands.play import preview
from service.errors import Refusal
from service.language import words
from service.language.cell_letters import lettered
from service.language.languages import Language
from service.language.people import People
from service.language.prospect import prospect
from service.mail import choices, parts
from service.queries.table import LoadedTable

Address = Callable[[Mapping[str, int | str]], str]
"""A function that returns the page's address with a choice in its query."""

_NUMBER = re.compile("-?[0-9]{1,3}")
_NO_CHOICE = Phrase("This is no choice that there is now. Choose again.")


@dataclass(frozen=True, slots=True)
class Tap:
    """A cell that can be chosen: its letters, its address, what it is called, and whether a goal would be covered."""

    letters: str
    address: str
    name: str
    covers: int


@dataclass(frozen=True, slots=True)
class Choice:
    """A tile that can be chosen; `after` is what follows, and `covers` where it would cover goals, if that is told."""

    number: int
    tile: parts.MailTile
    covers: str
    after: str
    address: str
    taps: tuple[Tap, ...]


@dataclass(frozen=True, slots=True)
class Preview:
    """The effect of a move: sentences, the display after it, the tile that is new there, and the form's content."""

    sentences: tuple[str, ...]
    grid: parts.Grid
    tile: int | None
    confirm: str


@dataclass(frozen=True, slots=True)
class Moving:
    """The choices of the player to move, and how far they have chosen.

    Attributes:
        choices: the tiles.
        grid: the player's display with the open cells.
        chosen: the tile that is chosen, or None.
        preview: what the chosen move would do; None before a cell, or a refill, is chosen.
        refill: the address of the refill, if there may be one.
        on_track: the number of tiles on the selection track.
        pile: the number of tiles in the draw pile.
        refill_of_solo: why a solo has no refill now.
        start: the address without a choice.
        back: the address of the step before this one.
        problem: why what was chosen cannot be done, or empty.
    """

    choices: tuple[Choice, ...]
    grid: parts.Grid
    chosen: Choice | None
    preview: Preview | None
    refill: str | None
    on_track: int
    pile: int
    refill_of_solo: str
    start: str
    back: str
    problem: str = field(default="")


def moving(
    table: LoadedTable,
    wait: MoveLink,
    people: People,
    asked: Mapping[str, str],
    address: Address,
    *,
    hints: bool,
    keys: Keys,
    now: datetime,
) -> Moving:
    """Return the choices of the player whose wait it is, and what the chosen move would do.

    Args:
        table: the table, in which that player is to move.
        wait: the wait.
        people: the players; the reader is the one to move.
        asked: the query: `tile`, with `x` and `y`; or `refill`.
        address: returns the page's address with a choice.
        hints: whether to say where tiles would cover goals.
        keys: the secret keys, by which the form is signed.
        now: the time of the request.
    """
    state, seat = table.state, state_seat(people)
    offered = _choices(table, seat, people, address, hints=hints)
    cells = state.displays[seat].open_cells()
    chosen, move, is_wrong = _chosen(asked, offered, cells)
    shown, problem = None, people.language.say(_NO_CHOICE) if is_wrong else ""
    if move is not None:
        try:
            shown = _preview(table, wait, people, move, keys, now)
        except Refusal as refusal:
            problem = people.language.say(refusal.phrase)
    start = address({})
    return Moving(
        choices=offered,
        grid=parts.grid(state.displays[seat], people.language, show_free=True),
        chosen=chosen,
        preview=shown,
        refill=address({"refill": "yes"}) if state.may_refill() else None,
        on_track=len(state.wheel.ring),
        pile=state.wheel.pile_size,
        refill_of_solo=choices.refill_of_solo(state, people.language),
        start=start,
        back=start if chosen is None or shown is None or len(cells) == 1 else chosen.address,
        problem=problem,
    )


def state_seat(people: People) -> int:
    """Return the seat of the reader, who is a player."""
    assert people.reader is not None, "only players move"
    return people.reader


def _choices(table: LoadedTable, seat: int, people: People, address: Address, *, hints: bool) -> tuple[Choice, ...]:
    state, language = table.state, people.language
    covers = choices.covers(state, seat, hints=hints)
    cells = tuple(lettered(state.displays[seat].open_cells()))
    return tuple(
        Choice(
            number,
            parts.tile(id, language),
            choices.covering(covers[number], language) if hints else "",
            choices.after(state, id, people),
            address({"tile": id}),
            tuple(
                Tap(
                    letters,
                    address({"tile": id, "x": x, "y": y}),
                    _tap_name(id, letters, (x, y), covers[number][letters], language),
                    covers[number][letters],
                )
                for letters, (x, y) in cells
            ),
        )
        for number, id in enumerate(state.wheel.choices(), start=1)
    )


@lru_cache(maxsize=4096)
def _tap_name(id: int, letters: str, at: tuple[int, int], goals: int, language: Language) -> str:
    """Return the accessible name of a cell: the tile, the cell and, if that is told, the effect."""
    facts = {"tile": id, "letters": letters, "cell": words.cell(*at)}
    say = language.say
    if not goals:
        return say("Tile %(tile)s at %(letters)s %(cell)s", **facts)
    covered = words.goals(goals, language)
    return say("Tile %(tile)s at %(letters)s %(cell)s, covers %(goals)s", **facts, goals=covered)


def _chosen(
    asked: Mapping[str, str], offered: tuple[Choice, ...], cells: Sequence[tuple[int, int]]
) -> tuple[Choice | None, Move | None, bool]:
    """Return the chosen tile and the move, as far as they are chosen, and whether something else was asked for.

    A tile that fits on one cell alone, as the first of a display does, is chosen with that.
    """
    if "refill" in asked:
        return None, REFILL, False
    if "tile" not in asked:
        return None, None, False
    tile = _number(asked["tile"])
    chosen = next((choice for choice in offered if choice.tile.id == tile), None)
    if chosen is None:
        return None, None, True
    if "x" not in asked and "y" not in asked:
        return chosen, Place(chosen.tile.id, *cells[0]) if len(cells) == 1 else None, False
    x, y = _number(asked.get("x", "")), _number(asked.get("y", ""))
    if x is None or y is None:
        return chosen, None, True
    return chosen, Place(chosen.tile.id, x, y), False


def _number(given: str) -> int | None:
    return int(given) if _NUMBER.fullmatch(given) else None


def _preview(table: LoadedTable, wait: MoveLink, people: People, move: Move, keys: Keys, now: datetime) -> Preview:
    """Try a move on a copy of the table; refuse one that is not legal."""
    seat = state_seat(people)
    copy = table.copied(table.progress, table.entries, table.base)
    copy.replay = table.replay.clone()
    step = preview(copy, seat, move, Expectation((wait.version,)), now)
    return Preview(
        tuple(prospect(step, people)),
        parts.grid(step.state.displays[seat], people.language, show_free=False),
        step.tile,
        confirmation(keys, wait, text.render(move)),
    )
