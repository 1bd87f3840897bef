"""Decorators of the views that need a browser that is signed in."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from flask import Response, request, url_for
from werkzeug.exceptions import RequestEntityTooLarge

from engine.phrases import Phrase, phrase
from service.api.context import settings
from service.api.requests import MAX_BODY
from service.commands.suspensions import why
from service.pages.browser import is_guest, is_own_form, is_signed_form, signed_in
from service.pages.cross_site import is_cross_site, refused
from service.pages.kept_language import with_language
from service.pages.onward import page_of_form
from service.pages.rendering import page, see_other, visitor
from service.pages.repeated_forms import once
from service.queries.browser_sessions import BrowserSession

View = Callable[..., Response]

_TO_SIGN_OUT = ("account_page.show_account", "account_page.sign_out")

FOR_GUESTS = frozenset(
    {
        "own_tables_page.show_tables",
        "own_tables_page.show_current",
        "own_tables_page.show_finished",
        "own_tables_page.choose_language",
        "at_table_page.leave",
        "table_page.press_button",
        "account_page.sign_out",
    }
)
"""What a guest can do of what needs a session."""

_TOO_LARGE = phrase(
    "Nothing was changed: what you sent is larger than %(most)s kB, the most that a form may have.",
    most=str(MAX_BODY // 1024),
)
_FORM_TOO_OLD = Phrase("Nothing was changed: this page was made before you signed in. Open it again, and repeat it.")
_OPEN_AGAIN, _SIGN_IN = Phrase("Open the page again"), Phrase("Sign in")
_SIGNED_OUT = Phrase("Nothing was done: you were signed out, or your session is over. Sign in, and do it again.")
_WITHOUT_ADDRESS = Phrase(
    "Nothing was done: this needs an account with an email address, and you play without one. Sign in, and do it again."
)
_WRITTEN = ("text", "game")
"""The fields of forms that take long to write again."""


def needs_session(view: View) -> View:
    """Pass the session of the browser to the view as `me=`, and ask others to sign in first.

    A POST must come from a form of these pages that was made for this session, and is carried out once. Who is
    suspended can only sign out, a guest only what `FOR_GUESTS` names.
    """

    @wraps(view)
    def wrapper(**kwargs: Any) -> Response:
        if request.method == "POST":
            return _posted(lambda session: view(me=session, **kwargs))
        session = signed_in()
        if session is None or not _may_act(session):
            return see_other(with_language(url_for("sign_in_page.ask_address", onward=request.path)))
        return of_suspended(session) or view(me=session, **kwargs)

    return wrapper


def _posted(carry_out: Callable[[BrowserSession], Response]) -> Response:
    """Return the response to a form that needs a session, which may be over since the form was sent first."""

    def respond() -> Response:
        session = signed_in()
        if session is None or not _may_act(session):
            return _of_nobody()
        return refusal_of(session) or carry_out(session)

    try:
        is_signed = is_signed_form()
    except RequestEntityTooLarge:  # the form is read here
        reader = visitor()
        return page("missing.html", reader, 413, what=reader.language.say(_TOO_LARGE), onward=None)
    return once(respond) if is_signed and not is_cross_site() else respond()


def _may_act(session: BrowserSession) -> bool:
    return not session.is_guest or request.endpoint in FOR_GUESTS


def _of_nobody() -> Response:
    """Return the response to a form of whoever has no session that may send it."""
    if is_cross_site():
        return refused(visitor())
    return sign_in_first(page_of_form(), _WITHOUT_ADDRESS if is_guest() else _SIGNED_OUT)


def sign_in_first(onward: str, what: Phrase = _SIGNED_OUT) -> Response:
    """Return the page that says why a form did nothing, has what was written in it, and leads to the sign-in.

    Args:
        onward: the page to which the sign-in leads back.
        what: why the form did nothing.
    """
    return _not_done(what, with_language(url_for("sign_in_page.ask_address", onward=onward)), _SIGN_IN)


def _not_done(what: Phrase, onward: str, onward_name: Phrase) -> Response:
    reader = visitor()
    say = reader.language.say
    names = {"what": say(what), "onward_name": say(onward_name)}
    return page("missing.html", reader, 403, written=_written(), onward=onward, **names)


def _written() -> str | None:
    return next((request.form[name] for name in _WRITTEN if request.form.get(name)), None)


def refusal_of(session: BrowserSession | None) -> Response | None:
    """Return the response that refuses a POST by this session, or by a browser without one; None if it may act."""
    if is_cross_site():
        return refused(visitor())
    if not (is_signed_form() if session is None else is_own_form()):
        return _not_done(_FORM_TOO_OLD, page_of_form(), _OPEN_AGAIN)
    return None if session is None else of_suspended(session)


def of_suspended(session: BrowserSession) -> Response | None:
    """Return the response to a session of a suspended account, or None if the account may do this."""
    if not session.is_suspended or request.endpoint in _TO_SIGN_OUT:
        return None
    what = session.reader.language.say(why(settings().contact))
    return page("missing.html", session.reader, 403, what=what, onward=None)
