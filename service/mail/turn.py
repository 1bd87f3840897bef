"""The mail at the start of a wait: what happened, what can be done, and how."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from engine.game import Match
from engine.moves import Place, to_json
from service.language.people import People
from service.language.story import happening
from service.mail import parts
from service.mail.curl import curl
from service.mail.message import Content
from service.mail.rendering import render
from service.mail.text_grid import draw
from service.queries.mail_facts import Turn


@dataclass(frozen=True, slots=True)
class Choice:
    """A tile that may be taken: its number from the marker, and whose turn it is after it."""

    number: int
    tile: parts.Tile
    after: str


def compose(turn: Turn, base_url: str, page: str) -> Content:
    """The mail; `page` is the reader's own link to the table."""
    state = turn.state
    grid = parts.grid(state.displays[turn.seat], show_free=True)
    url = f"{base_url}/v1/games/{turn.table}/moves"
    body = _example(state, turn.version)
    told = [happening(step, turn.people) for step in turn.happened]
    return render(
        "turn",
        name=turn.people.called(turn.seat) if turn.to.name else None,
        others=turn.people.others(),
        table=turn.table,
        first=turn.first,
        story=[sentence for sentence in told if sentence],
        choices=_choices(state, turn.people),
        may_refill=state.may_refill(),
        on_track=len(state.wheel.ring),
        pile=state.wheel.pile_size,
        grid=grid,
        drawing=draw(grid),
        free=[f"({cell.x}, {cell.y})" for cell in grid.free],
        standings=parts.standings(state, turn.people),
        url=url,
        body=json.dumps(body),
        command=curl(url, body),
        refill=json.dumps({"type": "refill", "expected_version": turn.version}),
        resign=json.dumps({"type": "resign"}),
        page=page,
    )


def _choices(state: Match, people: People) -> tuple[Choice, ...]:
    """The choices with what follows: up to the next disc's position, the reader lands behind it or on it (2.1, 2.5)."""
    moon = state.moon
    me, following = moon.order[0], moon.order[1]
    lead = moon.position[following] - moon.position[me]
    return tuple(
        Choice(
            number,
            tile,
            "your turn again" if tile.cost <= lead else f"{people.called(following)} is next",
        )
        for number, tile in enumerate(map(parts.tile, state.wheel.choices()), start=1)
    )


def _example(state: Match, version: int) -> dict[str, Any]:
    """A body for the POST that is legal as it stands: the first choice, on the first free cell."""
    x, y = state.displays[state.moon.order[0]].open_cells()[0]
    return to_json(Place(state.wheel.choices()[0], x, y)) | {"expected_version": version}
