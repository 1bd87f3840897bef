"""The page /invitation, to which an invitation link leads: it shows the table, and mails an invitation on request.

A GET only shows, since mail scanners and chat programs follow links. Who is signed in takes a seat there, and others
are led to the sign-in and back. Who has a seat there is led to the table, also when the link lets in nobody any more.
The POST mails an invitation to the address that is given, and who answers that mail has a seat. The player who made the
link never sees the address.
"""

from __future__ import annotations

from flask import Blueprint, Response, request, url_for
from sqlalchemy.orm import Session

from engine.clock.durations import parse
from engine.phrases import Phrase
from service.access import addresses
from service.access.invalid_text import InvalidText
from service.access.limits import Limit, by_network
from service.api.context import client_ip, limiter, now, settings
from service.commands import invitation_links, tables
from service.commands.invitation_limits import InvitationLimits
from service.errors import LimitReached, Refusal
from service.language.clock_settings import settings_in_words
from service.language.languages import Reader
from service.language.people import display_name
from service.pages.browser import signed_in
from service.pages.cross_site import is_cross_site, refused
from service.pages.kept_language import kept
from service.pages.refusals import status_of, unfit, with_retry
from service.pages.rendering import not_found, page, see_other, visitor
from service.queries.table import LoadedTable, load
from service.store.base import db
from service.store.invitations import InvitationLink
from service.store.tables import Table
from service.store.unit import transaction

blp = Blueprint("invitation_page", __name__)

_BUSY = Phrase("Too many mails were asked for from your network; try again in an hour.")


@blp.get("/invitation")
def show() -> Response:
    """Show the table that an invitation link leads to, and ask for an address."""
    return _page("sent" in request.args)


@blp.post("/invitation")
def ask() -> Response:
    """Mail an invitation to the address in the form; an answer to that mail takes a seat."""
    if is_cross_site():
        return refused(visitor())
    try:
        email = addresses.normalize(request.form.get("email", "").strip())
    except InvalidText as invalid:
        return _page(wrong=unfit(invalid))
    limits, at = settings(), now()
    if reached := limiter().hit_all(by_network(Limit.SIGN_INS_PER_IP, limits.limit_sign_ins_per_ip, client_ip())):
        return _page(wrong=LimitReached("too_many_sign_ins", _BUSY, retry_after=reached.wait, policy=reached.policy))
    sent = InvitationLimits.of(settings(), limiter())
    text = request.args.get("link", "")
    try:
        with transaction() as session:
            link, row = _found(session, text)
            invitation_links.check_leads_somewhere(session, row, link, at)
            asked = visitor().language.code
            invitation_links.mail(session, tables.locked_table(session, row.id), link, email, sent, at, asked)
    except Refusal as refusal:
        return not_found(refusal.phrase, visitor())
    return see_other(url_for("invitation_page.show", link=text, sent="yes", language=kept()))


def _page(is_sent: bool = False, wrong: Refusal | None = None) -> Response:
    """Return the page; `wrong` says what was wrong with the form."""
    reader, me = visitor(), signed_in()
    text, session = request.args.get("link", ""), db.session()
    try:
        link, row = _found(session, text)
    except Refusal as refusal:
        return not_found(refusal.phrase, reader)
    table = load(session, row.id)
    assert table is not None, "tables are never deleted"
    sits, over = me is not None and table.seat_of(me.account) is not None, None
    try:
        invitation_links.check_leads_somewhere(session, row, link, now())
    except Refusal as refusal:
        if not sits:
            return not_found(refusal.phrase, reader)
        over = reader.language.say(refusal.phrase)
    response = page(
        "invitation.html",
        reader,
        status_of(wrong),
        link=text,
        game=row.id,
        heading=_heading(table, link, reader),
        sitting=reader.language.listed(
            [display_name(player.name, player.seat, reader.language) for player in table.players]
        ),
        taken=len(table.players),
        seats=table.table.seats,
        goal_discs=table.table.goal_discs,
        settings=settings_in_words(table.terms, parse(table.table.abandoned_after), reader.language),
        expires_at=link.expires_at,
        is_sent=is_sent,
        typed=request.form,
        sits=sits,
        over=over,
        onward=url_for("invitation_page.show", link=text),
        wrong=None if wrong is None else reader.language.say(wrong.phrase),
        api=f"{settings().base_url}/v1/games/{row.id}/players",
    )
    return with_retry(response, wrong)


def _found(session: Session, text: str) -> tuple[InvitationLink, Table]:
    """Return the link with this text and its table; refuse a text that is not one of ours."""
    link = invitation_links.find(session, settings().secret_keys, text)
    if link is None:
        raise invitation_links.no_such_link()
    return link, session.get_one(Table, link.game)


def _heading(table: LoadedTable, link: InvitationLink, reader: Reader) -> str:
    """Return the heading of an invitation's page, with the inviter's name if there is one."""
    name = next((player.name for player in table.players if player.account == link.made_by), None)
    if name is None:
        return reader.language.say("Somebody invites you to a game of Nova Luna")
    return reader.language.say("%(name)s invites you to a game of Nova Luna", name=display_name(name, 0))
