"""The page /settings/account: another address, all that was played as a file, and deleting the account."""

from __future__ import annotations

from collections.abc import Iterator

from flask import Blueprint, Flask, Response, current_app, request, url_for

from engine.phrases import Phrase
from service.access import addresses
from service.access.invalid_text import InvalidText
from service.api.context import client_ip, code_limits, context, now, settings
from service.api.downloads import counted_as
from service.api.export_forms import RECORDS
from service.api.export_stream import Export
from service.commands import accounts
from service.commands.sign_in import WRONG_CODE
from service.errors import Forbidden, Malformed, Refusal
from service.pages import browser
from service.pages.done import mark, sign_out
from service.pages.guard import needs_session
from service.pages.refusals import form_page, unfit
from service.pages.rendering import headed, see_other
from service.queries import explorations
from service.queries.accounts import own_account
from service.queries.browser_sessions import BrowserSession, browser_session
from service.store.base import db
from service.store.callers import Bearer
from service.store.unit import transaction

blp = Blueprint("own_data_page", __name__)

_AT_ONCE = 20
"""The number of explorations that are read for one part of the file."""

_HERE = "own_data_page.show_account_settings"
_SURE = Phrase("Nothing was done: tick the box to say that you want to delete your account for good.")


@blp.get("/settings/account")
@needs_session
def show_account_settings(me: BrowserSession) -> Response:
    """Show the address, the one that waits for its code, and what can be done with the account."""
    return _page(me)


@blp.post("/settings/account/address")
@needs_session
def change_address(me: BrowserSession) -> Response:
    """Mail a code to a new address."""
    try:
        email = addresses.normalize(request.form.get("email", ""))
        with transaction() as session:
            accounts.change(session, me.account, {"email": email}, now(), code_limits())
    except InvalidText as invalid:
        return _page(me, "address", unfit(invalid))
    except Refusal as refusal:
        return _page(me, "address", refusal)
    return see_other(url_for(_HERE, done=mark("address")))


@blp.post("/settings/account/code")
@needs_session
def confirm_address(me: BrowserSession) -> Response:
    """Move the account to the new address, by the code that was mailed there."""
    limits = code_limits()
    try:
        with transaction() as session:  # commits even if the code is wrong, so that the try counts
            limits.try_code(session, me.account)
            code = request.form.get("code", "")
            moved = accounts.confirm_email(session, settings().secret_keys, me.account, code, now=now())
            if moved:
                limits.right_code(session, me.account)
    except Refusal as refusal:
        return _page(me, "code", refusal)
    if not moved:
        return _page(me, "code", Forbidden("code_invalid", WRONG_CODE))
    return see_other(url_for(_HERE, done=mark("code")))


def _page(me: BrowserSession, form: str = "", wrong: Refusal | None = None) -> Response:
    """Return the page; `wrong` says what was wrong with a form, which keeps what was typed."""
    return form_page("own_data.html", me.reader, form, wrong, account=own_account(db.session(), me.account, now()))


@blp.get("/settings/account/games.ndjson")
@needs_session
def export(me: BrowserSession) -> Response:
    """Return the records of all of the account's games in one file."""
    caller = Bearer(browser.session_hash(), now())
    body = Export(
        context(), caller, None, None, 0, RECORDS, counted_as=counted_as(me.account, client_ip()), is_gzip=False
    )
    headers = {"Cache-Control": "no-store", "Content-Disposition": 'attachment; filename="nova-luna-games.ndjson"'}
    return Response(body, headers=headers, content_type=RECORDS.content_type)


@blp.get("/settings/account/explorations.ndjson")
@needs_session
def export_explorations(me: BrowserSession) -> Response:
    """Return the records of all of the account's explorations in one file."""
    downloads, owners = context().downloads, counted_as(me.account, client_ip())
    downloads.enter(owners)
    headers = {
        "Cache-Control": "no-store",
        "Content-Disposition": 'attachment; filename="nova-luna-explorations.ndjson"',
    }
    session_hash, app = browser.session_hash(), current_app._get_current_object()  # type: ignore[attr-defined]
    assert session_hash is not None, "the browser is signed in"
    response = Response(_explorations(app, session_hash), headers=headers, content_type=RECORDS.content_type)
    response.call_on_close(lambda: downloads.leave(owners))
    return response


def _explorations(app: Flask, session_hash: bytes) -> Iterator[bytes]:
    """Yield the records of all explorations of a browser's account, as long as its session lasts."""
    place = None
    while True:
        with app.app_context(), transaction() as session:
            me = browser_session(session, session_hash, now())
            if me is None or me.is_suspended:
                return
            lines, place = explorations.lines(session, me.account, place, _AT_ONCE)
        if place is None:
            return
        yield lines


@blp.post("/settings/account/deletion")
@needs_session
def delete_account(me: BrowserSession) -> Response:
    """Delete the account, if the box of the form is ticked."""
    if "sure" not in request.form:
        return _page(me, "deletion", Malformed("not_sure", _SURE))
    with transaction() as session:
        accounts.delete_account(session, settings().secret_keys, me.account, now())
    return headed(sign_out("deletion"))
