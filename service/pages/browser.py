"""The cookies of a browser: the session of one that is signed in, and the secret of one that signs in.

Nothing but these pages reads a cookie, and they read no access token. Both cookies belong to this host and path alone,
are sent by TLS (or to the browser's own machine), hidden from scripts, and left out of requests that other sites make.
"""

from __future__ import annotations

from datetime import timedelta
from urllib.parse import quote, unquote

from flask import Response, g, request

from service.access import secrets, tokens
from service.api.context import now, settings
from service.commands import guests
from service.queries.browser_sessions import BrowserSession, browser_session
from service.store.base import db

SESSION_LIFETIME = timedelta(days=90)
_SIGNING_IN_LIFETIME = timedelta(hours=1)
_SESSION, _BROWSER = "__Host-novaluna-session", "__Host-novaluna-browser"
_FORM = "form"
_BEHIND = "."
"""What parts the secret of a browser that signs in from where that leads."""


def signed_in() -> BrowserSession | None:
    """Return the session of the browser that sent this request, or None."""
    if "browser_session" not in g:
        hashed = session_hash()
        g.browser_session = None if hashed is None else browser_session(db.session(), hashed, now())
    found: BrowserSession | None = g.browser_session
    return found


def know(session: BrowserSession | None) -> None:
    """Use this session for the rest of the request, in which it was read together with something else."""
    g.browser_session = session


def forget_read() -> None:
    """Forget the session that this request has read, so that it is read again when the request is repeated."""
    g.pop("browser_session", None)


def reader_id() -> str:
    """Return the id of the account that is signed in, for scripts to compare; empty if nobody is."""
    session = signed_in()
    return "" if session is None else session.account


def is_guest() -> bool:
    """Return whether the browser that sent this request is a guest's."""
    session = signed_in()
    return session is not None and session.is_guest


def session_hash() -> bytes | None:
    """Return the hash of the session that the browser has sent, by which it is looked up; None if it has sent none."""
    secret = _cookie(_SESSION)
    return None if secret is None else tokens.session_hash_of(secret)


def form_token() -> str:
    """Return the text that each form of the page in this response has.

    It is signed for the browser's session, so that no other site can send a form, and is new each time, so that a form
    that is sent twice is recognized (`service.pages.repeated_forms`).
    """
    if "form_token" not in g:
        session = signed_in()
        g.form_token = secrets.link(settings().secret_keys, _FORM, [session and session.id, tokens.new_nonce()])
    token: str = g.form_token
    return token


def is_signed_form() -> bool:
    """Return whether the form in this request is on one of our pages, whoever that was made for."""
    return _form() is not None


def is_own_form() -> bool:
    """Return whether the form in this request was made for the browser's session."""
    session, form = signed_in(), _form()
    return session is not None and form is not None and form[0] == session.id


def form_session() -> str | None:
    """Return the id of the session for which the form in this request was made; None: for none, or it is not ours."""
    form = _form()
    return None if form is None else form[0]


def _form() -> tuple[str | None, str] | None:
    """Return the id of the session for which the form in this request was made, and its nonce; None: it is not ours."""
    match secrets.unlink(settings().secret_keys, _FORM, request.form.get("form", "")):
        case [str() | None as session, str(nonce)]:
            return session, nonce
        case _:
            return None


def begin(response: Response, secret: str) -> None:
    """Let the browser that gets this response keep its session."""
    _set(response, _SESSION, secret, SESSION_LIFETIME)
    _set(response, _BROWSER, "", timedelta())


def begin_as_guest(response: Response, secret: str) -> None:
    """Let the browser that gets this response keep a guest's session."""
    _set(response, _SESSION, secret, guests.LIFETIME)


def prolong_as_guest(response: Response) -> None:
    """Let a guest's browser keep its session for the whole time again."""
    secret = _cookie(_SESSION)
    if secret is not None:
        begin_as_guest(response, secret)


def end(response: Response) -> None:
    """Let the browser that gets this response forget its session."""
    _set(response, _SESSION, "", timedelta())


def signing_in_secret() -> str | None:
    """Return the secret of a browser that signs in, or None if it has none yet, or takes no cookies."""
    return _token(request.cookies.get(_BROWSER, "").partition(_BEHIND)[0])


def signing_in_onward() -> str:
    """Return the path to which a sign-in in this browser leads, as it has kept it; empty if it has kept none."""
    return unquote(request.cookies.get(_BROWSER, "").partition(_BEHIND)[2])


def remember(response: Response, secret: str, onward: str) -> None:
    """Let a browser that signs in keep its secret, and where the sign-in leads, which the link in the mail needs."""
    _set(response, _BROWSER, f"{secret}{_BEHIND}{quote(onward, safe='')}", _SIGNING_IN_LIFETIME)


def _cookie(name: str) -> str | None:
    return _token(request.cookies.get(name, ""))


def _token(value: str) -> str | None:
    return value if tokens.PATTERN.fullmatch(value) else None


def _set(response: Response, name: str, value: str, lifetime: timedelta) -> None:
    response.set_cookie(name, value, max_age=lifetime, path="/", secure=True, httponly=True, samesite="Lax")
