"""The mail at the start of a wait: what happened, what can be done, and how."""

from __future__ import annotations

from engine.moves import Mark
from engine.table import Step
from service.language.happenings import happening
from service.mail import on_move
from service.mail.message import Content, Picture
from service.mail.message_parts import heard
from service.mail.move_links import Answering
from service.mail.rendering import render
from service.queries.turn_context import Turn


def compose(
    turn: Turn,
    base_url: str,
    page: str,
    unsubscribe: str,
    picture: Picture | None = None,
    *,
    reply_to: str | None = None,
) -> Content:
    """Compose the mail.

    Args:
        page: the reader's own link to the table.
        unsubscribe: the link to stop such mails.
        reply_to: the address that it is answered at; None: no mail is received.
    """
    people = turn.people
    subject = people.language.say("Your turn: Nova Luna with %(others)s", others=people.others())
    told = [
        happening(made.step, people, made.by, made.covered_by, zone=turn.to.reader.zone)
        for made in turn.happened
        if not _is_agreement(made.step)
    ]
    return render(
        "turn",
        turn.to.reader,
        **on_move.facts(turn, base_url, Answering(reply_to, subject) if reply_to else None),
        subject=subject,
        name=people.called(turn.seat) if turn.to.name else None,
        table=turn.table,
        **heard(turn.heard, people),
        first=turn.first,
        story=[sentence for sentence in told if sentence],
        page=page,
        unsubscribe=unsubscribe,
        picture=picture,
    )


def _is_agreement(step: Step) -> bool:
    """Return whether a step is the first entry, the table's clock, which everybody saw before they joined."""
    return isinstance(step.move, Mark) and step.move.kind == "clock"
