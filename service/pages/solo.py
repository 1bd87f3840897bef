"""The form POST /tables/new-solo: begin a solo, without an address too."""

from __future__ import annotations

from flask import Blueprint, Response, url_for

from engine.solo import DISCS
from service.api.context import bounds, client_ip, limiter, now, settings
from service.commands import guests, start, tables
from service.commands.guests import GuestLimits
from service.errors import LimitReached, Refusal
from service.pages import browser, requested_language
from service.pages.cross_site import is_cross_site
from service.pages.guard import refusal_of
from service.pages.refusals import refusal_page
from service.pages.rendering import see_other, visitor
from service.pages.repeated_forms import beginning_session
from service.store.unit import transaction

blp = Blueprint("solo_page", __name__)

_SOLO = tables.TableSettings(seats=1, goal_discs=DISCS, visibility="private", kind="solo")


@blp.post("/tables/new-solo")
def begin_solo() -> Response:
    """Begin a solo, and show it; who is not signed in becomes a guest, whom the browser's session knows for a day."""
    if not browser.is_signed_form() or is_cross_site():
        return _begin("")
    response, secret = beginning_session(_begin, client_ip())
    if response.status_code == 303 and browser.signed_in() is None:
        browser.begin_as_guest(response, secret)
    elif response.status_code == 303 and browser.is_guest():
        browser.prolong_as_guest(response)
    return response


def _begin(secret: str) -> Response:
    """Begin a solo, unless the form is refused; who is not signed in gets a guest's session with this secret."""
    me = browser.signed_in()
    if (refused := refusal_of(me)) is not None:
        return refused
    code = requested_language.reader().language.code
    try:
        with transaction() as session:
            if me is None or me.is_guest:
                GuestLimits(limiter(), client_ip(), settings().limit_guest_solos_per_ip).before_solo(session)
            account = guests.begin(session, code, now(), secret) if me is None else me.account
            if me is not None and me.is_guest:
                guests.prolong(session, account, now(), code)
            game = tables.create(session, account, _SOLO, now=now(), bounds=bounds()).id
            start.start_solo(session, account, game, "", now())
    except Refusal as refusal:
        return _refused(refusal, is_signed_in=me is not None and not me.is_guest)
    return see_other(url_for("table_page.show_table", game=game, _anchor="move"))


def _refused(refusal: Refusal, *, is_signed_in: bool) -> Response:
    """Return the page that says why no solo was begun; guests whose network has begun too many are led to sign in."""
    reader = visitor()
    if isinstance(refusal, LimitReached) and not is_signed_in:
        return refusal_page(refusal, reader, url_for("sign_in_page.ask_address"), reader.language.say("Sign in"))
    return refusal_page(refusal, reader, url_for("own_tables_page.show_tables"), reader.language.say("My tables"))
