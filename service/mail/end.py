"""The mail at the end of a game: how it ended, who came where, and how anybody can check it."""

from __future__ import annotations

from dataclasses import dataclass

from service.language.story import happening, outcome
from service.mail.message import Content, Picture
from service.mail.rendering import render
from service.mail.talk import heard
from service.queries.mail_facts import End


@dataclass(frozen=True, slots=True)
class Place:
    """A player's place at the end; `number` is None where the game was ended without a ranking."""

    number: int | None
    name: str
    is_reader: bool
    discs_left: int


def compose(end: End, base_url: str, page: str, unsubscribe: str, picture: Picture | None = None) -> Content:
    """The mail; `page` is the reader's own link to the table, `unsubscribe` that to get no more like it."""
    told = happening(end.last, end.people)
    ranking = end.result.ranking
    won = ranking is not None and ranking[0] == end.seat
    places = [
        Place(
            None if ranking is None else number,
            end.people.called(seat),
            seat == end.seat,
            end.result.discs_left[seat],
        )
        for number, seat in enumerate(ranking or range(len(end.result.discs_left)), start=1)
    ]
    return render(
        "end",
        end.to.reader,
        others=end.people.others(),
        table=end.table,
        won=won,
        outcome=outcome(end.result, end.people),
        last=told,
        **heard(end.heard, end.people),
        places=places,
        commitment=end.commitment,
        server_seed=end.server_seed,
        record=f"{base_url}/v1/games/{end.table}/record",
        page=page,
        unsubscribe=unsubscribe,
        picture=picture,
    )
