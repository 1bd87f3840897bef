"""Decorators of the views that need a browser that is signed in."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from flask import Response, request, url_for
from werkzeug.exceptions import RequestEntityTooLarge

from engine.phrases import Phrase, phrase
from service.api.requests import MAX_BODY
from service.commands.suspensions import WHY
from service.pages.browser import is_own_form, signed_in
from service.pages.cross_site import is_cross_site, refused
from service.pages.rendering import page, see_other
from service.queries.browser_sessions import BrowserSession

View = Callable[..., Response]

_TO_SIGN_OUT = ("account_page.show_account", "account_page.sign_out")

FOR_GUESTS = frozenset(
    {
        "own_tables_page.show_tables",
        "own_tables_page.show_finished",
        "at_table_page.leave",
        "account_page.sign_out",
    }
)
"""What a guest can do of what needs a session."""

_TOO_LARGE = phrase(
    "Nothing was changed: what you sent is larger than %(most)s kB, the most that a form may have.",
    most=str(MAX_BODY // 1024),
)
_FORM_TOO_OLD = Phrase("Nothing was changed: this page was made before you signed in. Open it again, and repeat it.")


def needs_session(view: View) -> View:
    """Pass the session of the browser to the view as `me=`, and ask others to sign in first.

    A POST must come from a form of these pages that was made for this session. Who is suspended can only sign out, a
    guest only what `FOR_GUESTS` names.
    """

    @wraps(view)
    def wrapper(**kwargs: Any) -> Response:
        session = signed_in()
        if session is None or (session.is_guest and request.endpoint not in FOR_GUESTS):
            onward = request.path if request.method in ("GET", "HEAD") else None
            return see_other(url_for("sign_in_page.ask_address", onward=onward))
        try:
            refusal = refusal_of(session) if request.method == "POST" else of_suspended(session)
        except RequestEntityTooLarge:  # the form is read here
            what = session.reader.language.say(_TOO_LARGE)
            return page("missing.html", session.reader, 413, what=what, onward=None)
        return refusal or view(me=session, **kwargs)

    return wrapper


def refusal_of(session: BrowserSession) -> Response | None:
    """Return the response that refuses a POST by this session, or None if it may act."""
    reader = session.reader
    if is_cross_site():
        return refused(reader)
    if not is_own_form():
        return page("missing.html", reader, 403, what=reader.language.say(_FORM_TOO_OLD), onward=None)
    return of_suspended(session)


def of_suspended(session: BrowserSession) -> Response | None:
    """Return the response to a session of a suspended account, or None if the account may do this."""
    if not session.is_suspended or request.endpoint in _TO_SIGN_OUT:
        return None
    return page("missing.html", session.reader, 403, what=session.reader.language.say(WHY), onward=None)
