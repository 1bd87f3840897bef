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
from service.mail.message import Content, Picture
from service.mail.rendering import render
from service.mail.text_grid import draw
from service.queries.mail_facts import Turn


@dataclass(frozen=True, slots=True)
class Choice:
    """A tile that may be taken: its number from the marker, and whose turn it is after it."""

    number: int
    tile: parts.Tile
    after: str


def compose(turn: Turn, base_url: str, page: str, unsubscribe: str, picture: Picture | None = None) -> Content:
    """The mail; `page` is the reader's own link to the table, `unsubscribe` that to get no more like it."""
    state, people = turn.state, turn.people
    grid = parts.grid(state.displays[turn.seat], people.language, show_free=True)
    url = f"{base_url}/v1/games/{turn.table}/moves"
    body = _example(state, turn.version)
    told = [happening(step, people) for step in turn.happened]
    return render(
        "turn",
        turn.to.reader,
        name=people.called(turn.seat) if turn.to.name else None,
        others=people.others(),
        table=turn.table,
        first=turn.first,
        story=[sentence for sentence in told if sentence],
        choices=_choices(state, people),
        may_refill=state.may_refill(),
        on_track=len(state.wheel.ring),
        pile=state.wheel.pile_size,
        grid=grid,
        drawing=draw(grid),
        discs_left=state.discs_left[turn.seat],
        goals_to_win=state.goal_discs,
        free=", ".join(f"{cell.letter} {cell.name}" for cell in grid.free),
        many=len(grid.free) > 1,
        standings=parts.standings(state, people),
        lead=_lead(state),
        following=people.called(state.moon.order[1]),
        url=url,
        body=json.dumps(body),
        command=curl(url, body),
        refill=json.dumps({"type": "refill", "expected_version": turn.version}),
        resign=json.dumps({"type": "resign"}),
        page=page,
        unsubscribe=unsubscribe,
        picture=picture,
    )


def _lead(state: Match) -> int:
    """How many spaces the reader may move and be next again: behind the next disc, or onto its space (2.1, 2.5)."""
    moon = state.moon
    return moon.position[moon.order[1]] - moon.position[moon.order[0]]


def _choices(state: Match, people: People) -> tuple[Choice, ...]:
    """The choices with what follows."""
    say = people.language.say
    again = say("Then it is your turn again.")
    theirs = say("Then %(name)s is next.", name=people.called(state.moon.order[1]))
    return tuple(
        Choice(number, tile, again if tile.cost <= _lead(state) else theirs)
        for number, tile in enumerate(
            (parts.tile(number, people.language) for number in state.wheel.choices()),
            start=1,
        )
    )


def _example(state: Match, version: int) -> dict[str, Any]:
    """A body for the POST that is legal as it stands: the first choice, on the first free cell."""
    x, y = state.displays[state.moon.order[0]].open_cells()[0]
    return to_json(Place(state.wheel.choices()[0], x, y)) | {"expected_version": version}
