"""The mail about a step of a game's clock or a decision of the host: what happened, and what the reader can do."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from service.language.clock_text import clock_text
from service.language.happenings import happening
from service.language.people import People
from service.mail import on_move
from service.mail.command_phrases import as_line
from service.mail.mailto import mailto
from service.mail.message import Content, Picture
from service.mail.move_links import Answering
from service.mail.rendering import render
from service.queries.step_context import AUTOPILOT, GRACE, NUDGE, WARNING, StepTold
from service.reading.commands import Back, Keep, MoreTime

_SUGGESTED = MoreTime(timedelta(days=2))
"""The time that the link for giving more time suggests."""


@dataclass(frozen=True, slots=True)
class Offer:
    """Something that an answer can do: a sentence about it, the words to write, and a link that writes them."""

    sentence: str
    words: str
    link: str


def compose(
    told: StepTold,
    base_url: str,
    page: str,
    unsubscribe: str,
    picture: Picture | None = None,
    *,
    reply_to: str | None = None,
) -> Content:
    """Compose the mail.

    Args:
        told: the step.
        base_url: the public URL of the service.
        page: the reader's own link to the table.
        unsubscribe: the link to stop mails about the game.
        picture: a picture of the table, if the reader is to move.
        reply_to: the address that it is answered at; None: no mail is received.
    """
    people, turn = told.people, told.turn
    subject = _subject(told, people)
    answering = None if reply_to is None else Answering(reply_to, subject)
    line = "" if told.clock is None else clock_text(told.clock, people, told.to.reader.zone)
    shown = {} if turn is None else on_move.facts(turn, base_url, answering)
    return render(
        "step",
        told.to.reader,
        **{"answerable": answering is not None} | shown | {"clock_line": line},
        subject=subject,
        heading=_heading(told, people),
        offers=[] if answering is None else _offers(told, answering),
        on_turn=turn is not None,
        playing=people.others(),
        table=told.table,
        page=page,
        unsubscribe=unsubscribe,
        picture=picture,
    )


def _heading(told: StepTold, people: People) -> str:
    """Return the heading of a step's mail; if time is up it names the players, and the line of the clock the rest."""
    sentence = None if told.kind in (NUDGE, GRACE) else happening(told.step, people, zone=told.to.reader.zone)
    return sentence or people.language.say("Nova Luna with %(others)s", others=people.others())


def _subject(told: StepTold, people: People) -> str:
    say, others = people.language.say, people.others()
    mine = told.step.seat == told.seat
    if told.kind in (NUDGE, GRACE):
        if mine:
            return say("Your time is up: Nova Luna with %(others)s", others=others)
        return say("Time is up: Nova Luna with %(others)s", others=others)
    if told.kind == AUTOPILOT and mine:
        return say("A bot plays for you: Nova Luna with %(others)s", others=others)
    if told.kind == WARNING:
        return say("This game will end soon: Nova Luna with %(others)s", others=others)
    return say("News from the table: Nova Luna with %(others)s", others=others)


def _offers(told: StepTold, answering: Answering) -> list[Offer]:
    """Return the answers that the reader can give, apart from a move."""
    say = told.people.language.say
    if told.kind == AUTOPILOT and told.step.seat == told.seat:
        return [_offer(told, answering, Back(), say("To take your seat back, answer:"))]
    if told.kind == WARNING:
        return [_offer(told, answering, Keep(), say("To keep the game going, answer:"))]
    if told.kind in (NUDGE, GRACE) and told.may_give:
        gives = say("More time is given once all the others say so; the least counts. Answer:")
        return [_offer(told, answering, _SUGGESTED, gives)]
    return []


def _offer(told: StepTold, answering: Answering, command: Back | Keep | MoreTime, sentence: str) -> Offer:
    words = as_line(command, told.people.language)
    return Offer(sentence, words, mailto(answering.address, f"Re: {answering.subject}", words))
