"""The page /settings: the name and the language of an account, and which mails it wants."""

from __future__ import annotations

from typing import Any, NamedTuple

from flask import Blueprint, Response, request, url_for

from engine.clock.durations import parse, render
from engine.phrases import phrase
from service.access import names
from service.access.invalid_text import InvalidText
from service.api.context import now
from service.clocks.reminders import HALF, MOST
from service.commands import accounts, notifications, reminding
from service.errors import Malformed, Refusal
from service.language.durations import duration
from service.language.languages import CODES, Reader, language
from service.pages.done import mark
from service.pages.guard import needs_session
from service.pages.refusals import UNFIT_CHANGE, form_page, unfit
from service.pages.rendering import see_other
from service.queries.accounts import own_account
from service.queries.browser_sessions import BrowserSession
from service.queries.notifications import own_notifications
from service.store.base import db
from service.store.delivery_preferences import ANSWERS, HOWS, HTTP_COMMANDS, KINDS
from service.store.unit import transaction

blp = Blueprint("settings_page", __name__)

_USUAL = ("P7D", "P3D", "P1D", "PT3H", "PT1H")
"""The times left at which many like to be reminded."""

_HOURS = tuple(str(hour) for hour in range(24))


@blp.get("/settings")
@needs_session
def show_settings(me: BrowserSession) -> Response:
    """Show the settings of the account."""
    return _page(me)


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
        return _page(me, "profile", unfit(invalid), "name")
    except Refusal as refusal:
        return _page(me, "profile", refusal)
    return _back("profile")


@blp.post("/settings/mail")
@needs_session
def change_mail(me: BrowserSession) -> Response:
    """Change which mails come at once, in the daily digest or not at all, and what they say."""
    try:
        changes: dict[str, Any] = {kind: _one_of(kind, HOWS) for kind in KINDS}
        changes["answer"] = _one_of("answer", ANSWERS)
        changes["digest_hour"] = int(_one_of("digest_hour", _HOURS))
        changes["hints"] = "hints" in request.form
        changes["http_commands"] = _one_of("http_commands", HTTP_COMMANDS)
        with transaction() as session:
            notifications.change(session, me.account, changes, now())
    except Refusal as refusal:
        return _page(me, "mail", refusal)
    return _back("mail")


@blp.post("/settings/reminders")
@needs_session
def change_reminders(me: BrowserSession) -> Response:
    """Change at which points to be reminded that time runs out."""
    chosen = tuple(dict.fromkeys(request.form.getlist("at")))
    try:
        with transaction() as session:
            offered = [point.value for point in _points(own_notifications(session, me.account).reminders, me.reader)]
            if not set(chosen) <= set(offered):
                raise Malformed("unfit", UNFIT_CHANGE)
            if len(chosen) > MOST:
                raise Malformed("unfit", phrase("Nothing was changed: choose %(most)s points at most.", most=MOST))
            reminding.choose(session, me.account, chosen, now())
    except Refusal as refusal:
        return _page(me, "reminders", refusal)
    return _back("reminders")


def _back(form: str) -> Response:
    return see_other(url_for("settings_page.show_settings", done=mark(form), _anchor=form))


def _page(me: BrowserSession, form: str = "", wrong: Refusal | None = None, field: str = "") -> Response:
    """Return the page; `wrong` says what was wrong with a form, or a field of it, which keeps what was typed."""
    session = db.session()
    wanted = own_notifications(session, me.account)
    chosen = request.form.getlist("at") if form == "reminders" else wanted.reminders
    return form_page(
        "settings.html",
        me.reader,
        form,
        wrong,
        field=field,
        account=own_account(session, me.account, now()),
        longest=names.MAX_LENGTH,
        languages=[(code, language(code).locale.get_language_name()) for code in CODES],
        wanted=wanted,
        kinds=KINDS,
        hours=range(24),
        points=[point._replace(is_chosen=point.value in chosen) for point in _points(wanted.reminders, me.reader)],
        most=MOST,
    )


class _Point(NamedTuple):
    """A point at which one can be reminded: its value in the form, how it is called, and whether it is chosen."""

    value: str
    name: str
    is_chosen: bool


def _points(chosen: list[str], reader: Reader) -> list[_Point]:
    """Return the usual points, and those that an account has chosen by the API, the earliest first."""
    times = sorted({parse(each) for each in (*_USUAL, *chosen) if each != HALF}, reverse=True)
    named = [(HALF, reader.language.say("when half of it is over"))]
    for time in times:
        left = duration(time, reader.language)
        named.append((render(time), reader.language.say("%(time)s before it is over", time=left)))
    return [_Point(value, name, value in chosen) for value, name in named]


def _one_of(name: str, allowed: tuple[str, ...]) -> str:
    given = request.form.get(name, "")
    if given not in allowed:
        raise Malformed("unfit", UNFIT_CHANGE)
    return given
