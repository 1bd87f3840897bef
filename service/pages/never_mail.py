"""The page /never-mail, where the owner of an address blocks all mail to it, or allows it again.

A GET only asks, since mail scanners follow links; the POST acts. Both need the signed link, which is only in mails to
that address.
"""

from __future__ import annotations

from flask import Blueprint, Response, request, url_for

from engine.phrases import Phrase
from service.access.address_hash import address_hashes
from service.access.links import address_of
from service.api.context import now, settings
from service.pages.cross_site import is_cross_site, refused
from service.pages.one_click import done, is_one_click
from service.pages.rendering import not_found, page, see_other, visitor
from service.store import never_mail
from service.store.unit import transaction

blp = Blueprint("never_mail_page", __name__)

_WRONG_LINK = Phrase("This link is not complete or no longer valid. Open that of the newest mail, or copy all of it.")


@blp.get("/never-mail")
def ask() -> Response:
    """Show whether the link's address is on the never-mail list, and offer to change that."""
    keys = settings().secret_keys
    link = request.args.get("link", "")
    address = address_of(keys, link)
    if address is None:
        return not_found(_WRONG_LINK, visitor())
    with transaction() as session:
        listed = never_mail.is_listed(session, address_hashes(keys, address))
    return page("never_mail.html", visitor(), address=address, listed=listed, link=link)


@blp.post("/never-mail")
def decide() -> Response:
    """Put the link's address on the never-mail list, or with `undo` remove it, and show the new state.

    Mail programs do the former with one click.
    """
    keys = settings().secret_keys
    link = request.args.get("link", "")
    address = address_of(keys, link)
    if address is None:
        return not_found(_WRONG_LINK, visitor())
    one_click = is_one_click()
    if not one_click and is_cross_site():
        return refused(visitor())
    hashes = address_hashes(keys, address)
    with transaction() as session:
        if "undo" in request.form and not one_click:
            never_mail.remove(session, hashes)
        else:
            never_mail.add(session, hashes, now())
    if one_click:
        return done(visitor())
    return see_other(url_for("never_mail_page.ask", link=link))
