"""What a mail shows to somebody who is to move: the choices, the own display, the table, and how to answer."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from engine import State
from engine.game import Match
from engine.moves import Place, to_json
from engine.solo import DISCS, FIRST_STACK, Solo
from service.language import board_words
from service.language.people import People
from service.mail import parts
from service.mail.curl import curl
from service.mail.talk import noted
from service.mail.text_grid import draw
from service.queries.mail_facts import Turn


@dataclass(frozen=True, slots=True)
class Choice:
    """A tile that may be taken: its number from the marker, and what comes after it: whose turn, or the end."""

    number: int
    tile: parts.Tile
    after: str


def facts(turn: Turn, base_url: str, *, answerable: bool) -> dict[str, Any]:
    """The facts that the templates in `templates/table/` ask for; `answerable`: the mail can be answered with a move.
    `over_http` says whether it is told how to do so over HTTP; those who answer know another way."""
    state, people = turn.state, turn.people
    kind = "games" if isinstance(state, Match) else "solo-sessions"
    url = f"{base_url}/v1/{kind}/{turn.table}/moves"
    body = _example(state, turn)
    following = state.moon.order[1] if isinstance(state, Match) and not _is_last_tile(state) else None
    return {
        **seen(turn),
        **noted(turn.notes),
        "answerable": answerable,
        "over_http": True,
        "choices": _choices(state, people),
        "example": "1 A",
        "may_refill": state.may_refill(),
        "on_track": len(state.wheel.ring),
        "pile": state.wheel.pile_size,
        "refill_of_solo": _refill_of_solo(state, people),
        "lead": lead(state) if isinstance(state, Match) else None,
        "following": None if following is None else people.called(following),
        "url": url,
        "body": json.dumps(body),
        "command": curl(url, body),
        "refill": json.dumps({"type": "refill", "expected_version": turn.version}),
        "resign": json.dumps({"type": "resign"}),
    }


def seen(turn: Turn) -> dict[str, Any]:
    """Those of them that somebody is shown too who is not to move."""
    state, people = turn.state, turn.people
    grid = parts.grid(state.displays[turn.seat], people.language, show_free=state.turn == turn.seat)
    return {
        "grid": grid,
        "drawing": draw(grid),
        "discs_left": state.discs_left[turn.seat],
        "goals_to_win": state.goal_discs,
        "free": ", ".join(f"{cell.letter} {cell.name}" for cell in grid.free),
        "many": len(grid.free) > 1,
        "standings": parts.standings(state, people) if isinstance(state, Match) else (),
        "solo": _solo(state, people),
    }


def lead(state: Match) -> int:
    """How many spaces the player to move may go and be next again: behind the next disc, or onto its space (2.1, 2.5)."""
    moon = state.moon
    return moon.position[moon.order[1]] - moon.position[moon.order[0]]


def _choices(state: State, people: People) -> tuple[Choice, ...]:
    """The choices with what follows."""
    return tuple(
        Choice(number, parts.tile(id, people.language), _after(state, id, people))
        for number, id in enumerate(state.wheel.choices(), start=1)
    )


def _after(state: State, id: int, people: People) -> str:
    if _is_last_tile(state):
        return people.language.say("It is the last tile: the game ends with it.")
    if not isinstance(state, Match):
        return ""
    if parts.tile(id, people.language).cost <= lead(state):
        return people.language.say("Then it is your turn again.")
    return people.language.say("Then %(name)s is next.", name=people.called(state.moon.order[1]))


def _is_last_tile(state: State) -> bool:
    """Whether nobody finds a tile after the one that lies there (4.2, 5.5)."""
    no_refill = state.phase == 2 if isinstance(state, Solo) else not state.wheel.pile_size
    return no_refill and len(state.wheel.ring) == 1


def _solo(state: State, people: People) -> str:
    """Where a solo stands: its phase, and its first total once that is known."""
    return ", ".join(board_words.solo(state, people.language)) if isinstance(state, Solo) else ""


def _refill_of_solo(state: State, people: People) -> str:
    """Why there is no refill in a solo now (5.2, 5.5); nothing where there is one."""
    if not isinstance(state, Solo) or state.may_refill():
        return ""
    if state.phase == 2:
        return people.language.say("Phase 2 has no refill.")
    placed = DISCS - state.discs_left[0]
    assert placed < FIRST_STACK, "else it might be refilled"
    return people.language.say("A refill comes from the eighth disc on; placed so far: %(placed)s.", placed=placed)


def _example(state: State, turn: Turn) -> dict[str, Any]:
    """A body for the POST that is legal as it stands: the first choice, on the first free cell."""
    x, y = state.displays[turn.seat].open_cells()[0]
    return to_json(Place(state.wheel.choices()[0], x, y)) | {"expected_version": turn.version}
