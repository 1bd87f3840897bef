"""Handle the forms on a table's page other than moves: messages, notes, seats, leaving.

Each is a POST that ends in the same command as that of the API, and leads back to the table.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from functools import wraps

from flask import Blueprint, Response, request, url_for
from sqlalchemy.orm import Session

from engine.draw import is_entropy
from engine.moves import RESIGN
from engine.phrases import Phrase
from service.access import addresses
from service.access.invalid_text import InvalidText
from service.api.context import bounds, limiter, now, settings
from service.commands import guests, invitation_links, invitations, players, rematches, tables, talk
from service.commands.invitation_limits import InvitationLimits
from service.commands.play import play
from service.commands.talk import MessageLimits
from service.errors import Malformed, Refusal
from service.language.languages import Reader
from service.pages.guard import needs_session
from service.pages.posted_ids import posted_id
from service.pages.refusals import refusal_page
from service.pages.rendering import see_other
from service.queries.browser_sessions import BrowserSession
from service.queries.table import LoadedTable, load
from service.store.base import db
from service.store.unit import transaction

blp = Blueprint("at_table_page", __name__)

LINK_LIFETIME = timedelta(days=7)
"""The time for which an invitation link of the page holds."""

_SURE = Phrase("Nothing was done: tick the box to say that you want to leave for good.")
_UNREADABLE_TEXT = Phrase("Must have only characters from U+0020 to U+007E.")


Change = Callable[[Session, BrowserSession, str], str | None]
"""Changes a table in a transaction, and returns the id of the table to show then; None: the same."""


def _then_shows(part: str | None = None) -> Callable[[Change], Callable[[BrowserSession, str], Response]]:
    """Make a view of a change (a decorator): it leads back to a part of the table, or says why nothing was done."""

    def decorator(change: Change) -> Callable[[BrowserSession, str], Response]:
        @wraps(change)
        def view(me: BrowserSession, game: str) -> Response:
            try:
                with transaction() as session:
                    shown = change(session, me, game) or game
            except Refusal as refusal:
                return _refused(refusal, me.reader, game)
            return _back(shown, part)

        return view

    return decorator


@blp.post("/games/<id:game>/messages")
@needs_session
@_then_shows("talk")
def say(session: Session, me: BrowserSession, game: str) -> None:
    """Send a message to the table."""
    _seen(me, game)
    limits = MessageLimits.of(settings(), limiter())
    talk.say(session, game, me.account, request.form.get("text", ""), now(), limits)


@blp.post("/games/<id:game>/notes")
@needs_session
@_then_shows("notes")
def note(session: Session, me: BrowserSession, game: str) -> None:
    """Write a note for oneself, or delete the one that the form names."""
    table = _seen(me, game)
    if "delete" in request.form:
        talk.delete_note(session, table.table.key, me.account, posted_id("delete"))
    else:
        talk.note(session, game, me.account, request.form.get("text", ""), now())


@blp.post("/games/<id:game>/players")
@needs_session
@_then_shows()
def join(session: Session, me: BrowserSession, game: str) -> None:
    """Take the first free seat of a table that the player may see, or to which an invitation link leads."""
    link = request.form.get("invitation") or None
    if link is None:
        _seen(me, game)
    players.join(
        session,
        me.account,
        game,
        invitation=link,
        entropy=_entropy(),
        keys=settings().secret_keys,
        now=now(),
        bounds=bounds(),
    )


@blp.post("/games/<id:game>/leaving")
@needs_session
@_then_shows()
def leave(session: Session, me: BrowserSession, game: str) -> None:
    """Leave a table: give up the seat before the start (its maker closes it), or resign from the running game."""
    if me.is_guest:
        guests.hold(session, me.account)
    table = _seen(me, game)
    seat = table.seat_of(me.account)
    if seat is None:
        raise tables.not_seated()
    if "sure" not in request.form:
        raise Malformed("not_sure", _SURE)
    if table.header is None:
        players.leave(session, me.account, game, now())
    else:
        play(session, table, seat, RESIGN, None, now())


@blp.post("/games/<id:game>/invitation-links")
@needs_session
@_then_shows("invite")
def change_links(session: Session, me: BrowserSession, game: str) -> None:
    """Make a link that invites whoever has it to a table that the player has opened, or revoke the one in the form."""
    table = _seen(me, game)
    if "revoke" in request.form:
        invitation_links.revoke(session, me.account, game, posted_id("revoke"), now())
    else:
        uses = max(1, table.table.seats - len(table.players))
        invitation_links.make(session, me.account, game, uses=uses, lifetime=LINK_LIFETIME, now=now(), bounds=bounds())


@blp.post("/games/<id:game>/invitations")
@needs_session
@_then_shows("invite")
def invite(session: Session, me: BrowserSession, game: str) -> None:
    """Invite somebody by mail to a table that the player has opened."""
    try:
        email = addresses.normalize(request.form.get("email", ""))
    except InvalidText as invalid:
        raise Malformed("unfit", invalid.phrase) from None
    _seen(me, game)
    invitations.invite(session, me.account, game, email, InvitationLimits.of(settings(), limiter()), now(), bounds())


@blp.post("/games/<id:game>/rematch")
@needs_session
@_then_shows()
def rematch(session: Session, me: BrowserSession, game: str) -> str:
    """Ask for a rematch of a finished game, and show its table."""
    _seen(me, game)
    limits = InvitationLimits.of(settings(), limiter())
    return rematches.ask(session, me.account, game, limits=limits, now=now(), bounds=bounds()).table


def _seen(me: BrowserSession, game: str) -> LoadedTable:
    """Return a table that the player may see; others do not exist for them."""
    table = load(db.session(), game)
    if table is None or not table.may_be_read_by(me.account):
        raise tables.unknown()
    return table


def _entropy() -> str:
    text = request.form.get("entropy", "")
    if not is_entropy(text):
        raise Malformed("entropy_unfit", _UNREADABLE_TEXT)
    return text


def _refused(refusal: Refusal, reader: Reader, game: str) -> Response:
    here = url_for("table_page.show_table", game=game)
    return refusal_page(refusal, reader, here, written=request.form.get("text"))


def _back(game: str, part: str | None = None) -> Response:
    return see_other(url_for("table_page.show_table", game=game, _anchor=part))
