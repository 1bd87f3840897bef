"""The mail at the end of a game: how it ended, who came where, and how anybody can check it."""

from __future__ import annotations

from dataclasses import dataclass

from engine.result import Result
from service.language.people import People
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


def places(result: Result, people: People) -> tuple[Place, ...]:
    """Everybody's places, best first; in the order of seats where there is no ranking."""
    ranking = result.ranking
    return tuple(
        Place(None if ranking is None else number, people.called(seat), seat == people.reader, result.discs_left[seat])
        for number, seat in enumerate(ranking or range(len(result.discs_left)), start=1)
    )


def compose(
    end: End,
    page: str,
    record: str,
    unsubscribe: str,
    picture: Picture | None = None,
    *,
    answerable: bool = False,
) -> Content:
    """The mail; `page` is the reader's own link to the table, `record` that to the game's record, `unsubscribe` that to get no more like it, `answerable`
    whether an answer to it is taken in."""
    told = happening(end.last, end.people)
    ranking = end.result.ranking
    won = ranking is not None and ranking[0] == end.seat
    return render(
        "end",
        end.to.reader,
        others=end.people.others(),
        table=end.table,
        won=won,
        outcome=outcome(end.result, end.people),
        last=told,
        **heard(end.heard, end.people),
        places=places(end.result, end.people),
        commitment=end.commitment,
        server_seed=end.server_seed,
        record=record,
        audit=end.audit,
        page=page,
        unsubscribe=unsubscribe,
        picture=picture,
        answerable=answerable,
    )
