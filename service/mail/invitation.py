"""The mail that invites somebody to a table."""

from __future__ import annotations

from dataclasses import replace

from service.access.links import programs_page, rules_page
from service.language.clock_settings import settings_in_words
from service.language.languages import Language
from service.language.people import display_name
from service.language.sanitize import one_line
from service.mail.mailto import mailto
from service.mail.message import Content, Picture
from service.mail.rendering import render
from service.queries.invitation_context import Invited
from service.reading.shown_words import SHOWN


def compose(
    invited: Invited, secret: str, base_url: str, stop: str, reply_to: str | None = None, picture: Picture | None = None
) -> Content:
    """Compose the mail.

    Args:
        secret: the invitation's secret.
        stop: the link to stop such mails, or for those without an account all mail.
        reply_to: the address that an answer goes to; None: no answer is accepted.
        picture: a picture of an example.
    """
    reader, has_account = invited.to.reader, invited.to.account is not None
    language = reader.language
    inviter, guest = one_line(invited.inviter or ""), one_line(invited.to.name or "")
    heading = heading_of(invited, language)
    return render(
        "invitation",
        reader,
        heading=heading,
        inviter=display_name(inviter, 0) if inviter else None,
        sitting=language.listed(map(invited.people.called, invited.sitting)),
        seats=invited.seats,
        taken=len(invited.sitting),
        goal_discs=invited.goal_discs,
        settings=settings_in_words(invited.terms, invited.abandoned_after, language),
        commitment=invited.commitment,
        secret=secret,
        expires_at=invited.expires_at,
        is_rematch=invited.is_rematch,
        has_account=has_account,
        guest=guest,
        agree=None if reply_to is None else mailto(reply_to, heading, SHOWN[language.code]["yes"]),
        rules=rules_page(base_url, language.code),
        programs=programs_page(base_url, language.code, invited.table),
        never=None if has_account else stop,
        unsubscribe=stop if has_account else None,
        answerable=reply_to is not None,
        picture=None
        if picture is None
        else replace(picture, alt=language.say("A picture of a game that is going on, as an example.")),
    )


def heading_of(invited: Invited, language: Language) -> str:
    """Return the heading of an invitation, with the names of both if they have some."""
    say = language.say
    inviter, guest = one_line(invited.inviter or ""), one_line(invited.to.name or "")
    if not inviter:
        return say("Somebody invites you to a game of Nova Luna")
    if not guest:
        return say("%(name)s invites you to a game of Nova Luna", name=display_name(inviter, 0))
    return say(
        "%(guest)s, %(name)s invites you to a game of Nova Luna",
        guest=display_name(guest, 0),
        name=display_name(inviter, 0),
    )
