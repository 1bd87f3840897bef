"""The part of a mail for the player to move: the choices, the own display, the table, and how to answer."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from engine import State
from engine.game import Match
from engine.moves import Place, to_json
from engine.solo import Solo
from service.language import board_words
from service.language.clock_text import clock_text
from service.language.people import People
from service.mail import choices, move_links, parts
from service.mail.curl import curl
from service.mail.message_parts import noted
from service.mail.move_links import Answering, MoveLink, MoveLinks
from service.mail.text_grid import draw
from service.queries.turn_context import Turn


@dataclass(frozen=True, slots=True)
class Choice:
    """A tile that may be taken.

    Attributes:
        number: its number, counted from the marker.
        tile: the tile.
        covers: a sentence about where it would cover goals; empty if that is not told.
        after: what follows: whose turn, or the end of the game.
        taps: the links that write the move.
    """

    number: int
    tile: parts.MailTile
    covers: str
    after: str
    taps: tuple[MoveLink, ...]


@dataclass(frozen=True, slots=True)
class OtherDisplay:
    """Another player's display, as cells and as a drawing in plain text."""

    name: str
    grid: parts.Grid
    drawing: str


def facts(turn: Turn, base_url: str, answering: Answering | None) -> dict[str, Any]:
    """Return the variables of the templates in `templates/table/`.

    Args:
        turn: the facts of the table.
        base_url: the public URL of the service.
        answering: where the mail is answered with a move. None: it cannot be answered; then, and for readers who want
            it, the mail says how to move over HTTP.
    """
    state, people = turn.state, turn.people
    kind = "games" if isinstance(state, Match) else "solo-sessions"
    url = f"{base_url}/v1/{kind}/{turn.table}/moves"
    body = _example(state, turn)
    covers = choices.covers(state, turn.seat, hints=turn.hints)
    written = None if answering is None else move_links.write(answering, covers, people.language)
    return {
        **seen(turn),
        **noted(turn.notes),
        "answerable": answering is not None,
        "over_http": turn.over_http or answering is None,
        "choices": _choices(turn, covers, written),
        "example": "1 A",
        "example_tile": state.wheel.choices()[0],
        "taps": written is not None,
        "refill_tap": written.refill if written else None,
        "taps_missing": written is not None and written.some_are_missing,
        "may_refill": state.may_refill(),
        "on_track": len(state.wheel.ring),
        "pile": state.wheel.pile_size,
        "refill_of_solo": choices.refill_of_solo(state, people.language),
        "url": url,
        "body": json.dumps(body),
        "command": curl(url, body),
        "refill": json.dumps({"type": "refill", "expected_version": turn.version}),
        "resign": json.dumps({"type": "resign"}),
    }


def seen(turn: Turn) -> dict[str, Any]:
    """Return the template variables that a reader who is not to move needs as well.

    The selection track in words is for such readers alone, since the player to move has the choices.
    """
    state, people = turn.state, turn.people
    clock = turn.clock
    grid = parts.grid(state.displays[turn.seat], people.language, show_free=state.turn == turn.seat)
    return {
        "clock_line": "" if clock is None else clock_text(clock, people, turn.to.reader.zone),
        "grid": grid,
        "drawing": draw(grid),
        "discs_left": state.discs_left[turn.seat],
        "goals_to_win": state.goal_discs,
        "others": _other_displays(turn),
        "track": () if state.turn in (None, turn.seat) else tuple(board_words.wheel(state, people.language)),
        "free": ", ".join(f"{cell.letter} {cell.name}" for cell in grid.free),
        "many": len(grid.free) > 1,
        "page_moves": state.turn == turn.seat,
        "is_over": state.result is not None,
        "standings": parts.standings(state, people) if isinstance(state, Match) else (),
        "solo": _solo(state, people),
    }


def _choices(turn: Turn, covers: dict[int, dict[str, int]], written: MoveLinks | None) -> tuple[Choice, ...]:
    """Return the choices with what follows each."""
    state, people = turn.state, turn.people
    return tuple(
        Choice(
            number,
            parts.tile(id, people.language),
            choices.covering(covers[number], people.language) if turn.hints else "",
            choices.after(state, id, people),
            tuple(written.of_choice[number]) if written else (),
        )
        for number, id in enumerate(state.wheel.choices(), start=1)
    )


def _other_displays(turn: Turn) -> tuple[OtherDisplay, ...]:
    """Return the other players' displays, in the order of their seats after the reader's."""
    state, people = turn.state, turn.people
    seats = [(turn.seat + step) % state.seats for step in range(1, state.seats)]
    grids = {seat: parts.grid(state.displays[seat], people.language, show_free=False) for seat in seats}
    return tuple(OtherDisplay(people.called(seat), grid, draw(grid)) for seat, grid in grids.items())


def _solo(state: State, people: People) -> str:
    """Return the state of a solo: its phase, and its first total once it is known."""
    return ", ".join(board_words.solo(state, people.language)) if isinstance(state, Solo) else ""


def _example(state: State, turn: Turn) -> dict[str, Any]:
    """Return a body for the POST that is legal as it is: the first choice, on the first open cell."""
    x, y = state.displays[turn.seat].open_cells()[0]
    return to_json(Place(state.wheel.choices()[0], x, y)) | {"expected_version": turn.version}
