"""The page /settings: the name and the language of an account, and which mails it wants."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, Response, request, url_for

from engine.phrases import Phrase
from service.access import names
from service.access.invalid_text import InvalidText
from service.api.context import now
from service.commands import accounts, notifications
from service.errors import Malformed, Refusal
from service.language.languages import CODES, language
from service.pages.guard import needs_session
from service.pages.refusals import refusal_page
from service.pages.rendering import page, see_other
from service.queries.accounts import own_account
from service.queries.browser_sessions import BrowserSession
from service.queries.notifications import own_notifications
from service.store.base import db
from service.store.delivery_preferences import ANSWERS, HOWS, KINDS
from service.store.unit import transaction

blp = Blueprint("settings_page", __name__)

_UNFIT = Phrase("Nothing was changed: this form has a value that there is not. Choose again.")
_HOURS = tuple(str(hour) for hour in range(24))


@blp.get("/settings")
@needs_session
def show_settings(me: BrowserSession) -> Response:
    """Show the settings of the account."""
    session = db.session()
    return page(
        "settings.html",
        me.reader,
        account=own_account(session, me.account, now()),
        languages=[(code, language(code).locale.get_language_name()) for code in CODES],
        wanted=own_notifications(session, me.account),
        kinds=KINDS,
        hours=range(24),
    )


@blp.post("/settings/profile")
@needs_session
def change_profile(me: BrowserSession) -> Response:
    """Change the name, which others see, and the language of mails and pages."""
    try:
        given = request.form.get("name", "").strip()
        changes: dict[str, Any] = {"name": names.check(given) if given else None}
        changes["language"] = _one_of("language", tuple(CODES))
        with transaction() as session:
            accounts.change(session, me.account, changes, now())
    except InvalidText as invalid:
        return refused_settings(Malformed("unfit", invalid.phrase), me)
    except Refusal as refusal:
        return refused_settings(refusal, me)
    return see_other(url_for("settings_page.show_settings"))


@blp.post("/settings/mail")
@needs_session
def change_mail(me: BrowserSession) -> Response:
    """Change which mails come at once, in the daily digest or not at all, and what they say."""
    try:
        changes: dict[str, Any] = {kind: _one_of(kind, HOWS) for kind in KINDS}
        changes["answer"] = _one_of("answer", ANSWERS)
        changes["digest_hour"] = int(_one_of("digest_hour", _HOURS))
        changes["hints"] = "hints" in request.form
        with transaction() as session:
            notifications.change(session, me.account, changes, now())
    except Refusal as refusal:
        return refused_settings(refusal, me)
    return see_other(url_for("settings_page.show_settings", _anchor="mail"))


def _one_of(name: str, allowed: tuple[str, ...]) -> str:
    given = request.form.get(name, "")
    if given not in allowed:
        raise Malformed("unfit", _UNFIT)
    return given


def refused_settings(refusal: Refusal, me: BrowserSession, where: str = "settings_page.show_settings") -> Response:
    """Return the page that says why a setting was not changed, and leads back to it."""
    return refusal_page(refusal, me.reader, url_for(where), me.reader.language.say("Back to the settings"))
