"""The mail at the end of a game: how it ended, the ranking, its course, and how anybody can verify it."""

from __future__ import annotations

from dataclasses import dataclass

from engine.result import Result
from service.language.happenings import happening, outcome
from service.language.people import People
from service.language.story_words import course, is_worth_telling
from service.mail.checkpoints import sentences
from service.mail.mailto import mailto
from service.mail.message import Content, Picture
from service.mail.message_parts import heard
from service.mail.rendering import render
from service.queries.end_context import End
from service.reading.shown_words import SHOWN


@dataclass(frozen=True, slots=True)
class Place:
    """A player's final rank; `number` is None if the game ended without a ranking."""

    number: int | None
    name: str
    is_reader: bool
    discs_left: int


def places(result: Result, people: People) -> tuple[Place, ...]:
    """Return everybody's ranks, best first; in the order of seats if there is no ranking."""
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
    plots: Picture | None = None,
    reply_to: str | None = None,
    contact: str | None = None,
) -> Content:
    """Compose the mail.

    Args:
        page: the reader's own link to the table.
        record: the link to the game's record.
        unsubscribe: the link to stop such mails.
        plots: the plots of the course of the game.
        reply_to: the address that an answer goes to; None: no answer is accepted.
        contact: the address of the people who run the service, whom to tell of a broken record; None: none is named.
    """
    told = happening(end.last, end.people, end.by, end.last.covered_by)
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
        why=None if end.why is None else happening(end.why, end.people),
        **heard(end.heard, end.people),
        places=places(end.result, end.people),
        commitment=end.commitment,
        server_seed=end.server_seed,
        record=record,
        audit=end.audit,
        contact=contact,
        notice=end.notice,
        checkpoint=[] if end.notice is None else sentences(end.notice, end.to.reader),
        page=page,
        unsubscribe=unsubscribe,
        picture=picture,
        plots=plots,
        course=course(end.story, end.people) if is_worth_telling(end.story) else [],
        answerable=reply_to is not None,
        rematch=None if reply_to is None else _rematch(end, reply_to),
    )


def _rematch(end: End, reply_to: str) -> str:
    """Return the link that opens an answer with the request for a rematch."""
    language = end.to.reader.language
    subject = language.say("The game is over: Nova Luna with %(others)s", others=end.people.others())
    return mailto(reply_to, f"Re: {subject}", SHOWN[language.code]["rematch"])
