"""The invitations that a player has received, on /tables: each with its table, to be taken or declined there."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from flask import Blueprint, Response, request, url_for
from sqlalchemy.orm import Session

from engine.clock.durations import parse
from service.access import secrets
from service.api.context import now, settings
from service.commands import invitations
from service.commands.invitations import LIFETIME, PURPOSE
from service.errors import Refusal
from service.language.clock_settings import settings_in_words
from service.language.languages import Language
from service.language.people import display_name
from service.language.words import goal_discs
from service.pages.guard import needs_session
from service.pages.posted_ids import posted_id
from service.pages.refusals import refusal_page
from service.pages.rendering import see_other
from service.queries.browser_sessions import BrowserSession
from service.queries.invitations import received
from service.queries.table import load
from service.store.callers import KnownAccount
from service.store.unit import transaction

blp = Blueprint("received_page", __name__)

SHOWN = 20
"""The number of invitations that are shown, the newest."""


@dataclass(frozen=True, slots=True)
class Received:
    """An invitation: who sent it, the table in sentences, until when it holds, and what takes or declines it."""

    heading: str
    sentences: tuple[str, ...]
    until: datetime
    game: str
    secret: str


@blp.post("/tables/invitations")
@needs_session
def decline(me: BrowserSession) -> Response:
    """Decline an invitation."""
    here = url_for("own_tables_page.show_tables")
    game, secret = posted_id("game"), request.form.get("invitation", "")
    try:
        with transaction() as session:
            invitations.decline(session, game, secret, settings().secret_keys, now())
    except Refusal as refusal:
        return refusal_page(refusal, me.reader, here, me.reader.language.say("My tables"))
    return see_other(here)


def received_invitations(session: Session, account: str, language: Language) -> list[Received]:
    """Return the open invitations to an account, the newest first."""
    found = received(session, KnownAccount(account, now()), None, SHOWN, LIFETIME).invitations
    shown = []
    for each in found:
        table = load(session, each.game)
        assert table is not None, "tables are never deleted"
        names = language.listed(display_name(player.name, player.seat, language) for player in table.players)
        shown.append(
            Received(
                _heading(each.name, language),
                (
                    language.say("At the table: %(names)s.", names=names),
                    language.count("%(n)s seat.", "%(n)s seats.", table.table.seats),
                    language.say("%(discs)s for each player.", discs=goal_discs(table.table.goal_discs, language)),
                    *settings_in_words(table.terms, parse(table.table.abandoned_after), language)[:1],
                ),
                each.expires_at,
                each.game,
                secrets.secret(settings().secret_keys, PURPOSE, each.id),
            )
        )
    return shown


def _heading(name: str | None, language: Language) -> str:
    if name is None:
        return language.say("Somebody invites you to a game of Nova Luna")
    return language.say("%(name)s invites you to a game of Nova Luna", name=display_name(name, 0))
