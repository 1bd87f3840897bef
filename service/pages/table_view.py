"""What the page of a table shows, from a loaded table. Pure; the template only puts it into place."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from engine import State
from engine.game import Match
from engine.solo import Solo
from service.language.languages import Language, Reader
from service.language.people import People, display_name
from service.language.story import happening, outcome
from service.mail import parts
from service.queries.table import LoadedTable

HISTORY = 30
"""How many of the last moves are told."""


@dataclass(frozen=True, slots=True)
class Told:
    """One entry of the history."""

    seq: int
    at: datetime
    sentence: str


@dataclass(frozen=True, slots=True)
class Shown:
    """A player's display."""

    name: str
    is_reader: bool
    discs_left: int
    left: bool
    grid: parts.Grid


def prepare(table: LoadedTable, account: str | None, reader: Reader, base_url: str) -> dict[str, Any]:
    """The facts of the template; `account` is the reader's, None for somebody who is not known."""
    row = table.table
    names = tuple(table.name_of(seat) for seat in range(row.seats))
    people = People(names, table.seat_of(account), reader.language)
    kind = "solo-sessions" if row.kind == "solo" else "games"
    facts: dict[str, Any] = {
        "table": row,
        "closed": table.status == "closed",
        "title": _title(table, reader.language),
        "people": people,
        "commitment": row.commitment.hex(),
        "server_seed": table.server_seed.hex() if table.status == "finished" else None,
        "api": f"{base_url}/v1/{kind}/{row.id}",
        "started": table.header is not None,
    }
    return facts | (_game(table, people) if table.header is not None else _waiting(table, reader.language))


def _title(table: LoadedTable, language: Language) -> str:
    names = language.listed(_sitting(table, language))
    if table.table.kind == "solo":
        return language.say("A solo by %(names)s", names=names)
    return language.say("A table with %(names)s", names=names)


def _sitting(table: LoadedTable, language: Language) -> list[str]:
    return [display_name(player.name, player.seat, language) for player in table.players]


def _waiting(table: LoadedTable, language: Language) -> dict[str, Any]:
    free = table.table.seats - len(table.players)
    if table.status == "closed":
        state = language.say("This table was closed; no game was played.")
    elif free:
        state = language.count("%(n)s seat is free.", "%(n)s seats are free.", free)
    else:
        state = language.say("Not started yet.")
    return {"state": state, "sitting": _sitting(table, language)}


def _game(table: LoadedTable, people: People) -> dict[str, Any]:
    state = table.state
    turn = state.turn
    told = [
        Told(entry.seq, entry.at, sentence)
        for entry, step in table.steps()
        if (sentence := happening(step, people)) is not None
    ]
    return {
        "state": outcome(state.result, people) if state.result else _whose_turn(turn, people),
        "since": None if turn is None else table.replay.turn_since,
        "solo": _solo(state, people.language) if isinstance(state, Solo) else None,
        "track": _clockwise(state, people.language),
        "marker": state.wheel.marker,
        "pile": state.wheel.pile_size,
        "standings": parts.standings(state, people) if isinstance(state, Match) else (),
        "displays": tuple(_shown(seat, state, people) for seat in range(state.seats)),
        "history": told[::-1][:HISTORY],
        "more": max(0, len(told) - HISTORY),
        "result": state.result,
    }


def _whose_turn(turn: int | None, people: People) -> str:
    assert turn is not None
    if turn == people.reader:
        return people.language.say("It is your turn.")
    return people.language.say("It is the turn of %(name)s.", name=people.called(turn))


def _clockwise(state: State, language: Language) -> tuple[parts.Space, ...]:
    """The spaces that hold a tile, clockwise from the marker, so that the choices come first."""
    spaces = parts.track(state.wheel, language, running=state.result is None)
    start = state.wheel.marker
    return tuple(space for space in (*spaces[start:], *spaces[:start]) if space.tile)


def _shown(seat: int, state: State, people: People) -> Shown:
    return Shown(
        name=people.called(seat),
        is_reader=seat == people.reader,
        discs_left=state.discs_left[seat],
        left=isinstance(state, Match) and seat in state.moon.left,
        grid=parts.grid(state.displays[seat], people.language, show_free=seat == state.turn),
    )


def _solo(state: Solo, language: Language) -> str:
    if state.first_total is None:
        return language.say("Phase 1: up to eight discs, then the refill.")
    return language.say("Phase 2. The first total was %(total)s.", total=state.first_total)
