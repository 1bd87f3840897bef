"""The page /account: who is signed in, what else is signed in, and the way out."""

from __future__ import annotations

from contextlib import suppress

from flask import Blueprint, Response, url_for

from service.api.context import now
from service.commands import sign_in
from service.errors import NotFound
from service.pages import done
from service.pages.guard import needs_session
from service.pages.posted_ids import posted_id
from service.pages.rendering import headed, page, see_other
from service.queries import accounts
from service.queries.browser_sessions import BrowserSession
from service.store.base import db
from service.store.unit import transaction

blp = Blueprint("account_page", __name__)

_MOST = 2 * sign_in.MOST_TOKENS


@blp.get("/account")
@needs_session
def show_account(me: BrowserSession) -> Response:
    """Show the account, with the browsers and the programs that are signed in to it."""
    at, session = now(), db.session()
    return page(
        "account.html",
        me.reader,
        account=accounts.own_account(session, me.account, at),
        tokens=accounts.tokens(session, me.account, at, limit=_MOST),
    )


@blp.post("/account/tokens")
@needs_session
def revoke_token(me: BrowserSession) -> Response:
    """Sign out a browser, or revoke the access token of a program."""
    token = posted_id("token")
    with suppress(NotFound), transaction() as session:
        sign_in.revoke(session, me.account, token)
    return headed(done.sign_out("sign-out")) if token == me.id else see_other(url_for("account_page.show_account"))


@blp.post("/sign-out")
@needs_session
def sign_out(me: BrowserSession) -> Response:
    """Sign this browser out."""
    with suppress(NotFound), transaction() as session:
        sign_in.revoke(session, me.account, me.id)
    return headed(done.sign_out("sign-out"))
