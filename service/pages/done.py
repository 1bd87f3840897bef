"""Marks in addresses by which the page that a form leads back to says what was done, for a minute.

They are signed for the reader, so that nobody else can have these pages say that something was done.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple

from flask import Response, request, url_for

from engine.phrases import Phrase
from service.access import secrets, tokens
from service.access.secrets import Keys
from service.api.context import now, settings
from service.language.languages import Reader
from service.pages import browser

SHOWN_FOR = timedelta(minutes=1)
"""The time for which a mark is shown; an address that is opened again later says nothing."""

_PURPOSE = "done"
LEFT_SOLOS = "left-solos"
"""The form of a sign-in that left solos behind."""
_SAVED = Phrase("Saved.")
_SAID = {
    "address": Phrase("A code was mailed to the new address."),
    "code": Phrase("Your address was changed."),
    "deletion": Phrase("Your account was deleted."),
    LEFT_SOLOS: Phrase(
        "You have as many solos as you may have that are not over, so only the newest of this browser came along."
    ),
    "sign-out": Phrase("You are signed out."),
}
"""What is said of the forms that do not just save something."""


class Done(NamedTuple):
    """A form that has done its work, and the sentence that says so."""

    form: str
    text: str


def mark(form: str) -> str:
    """Return the value of the query parameter `done` that tells this browser's account that the form did its work."""
    session = browser.signed_in()
    assert session is not None, "only who is signed in sends such a form"
    return signed_mark(settings().secret_keys, form, now(), session.account)


def sign_out(form: str) -> Response:
    """End the session of this browser, and return the redirect to the sign-in, which says that the form did its work.

    The browser gets the secret of one that signs in, by which it is known as the one that sent the form.
    """
    secret = tokens.new_token()
    done = signed_mark(settings().secret_keys, form, now(), _of_browser(secret))
    response = Response(status=303, headers={"Location": url_for("sign_in_page.ask_address", done=done)})
    browser.end(response)
    browser.remember(response, secret, "")
    return response


def signed_mark(keys: Keys, form: str, at: datetime, whose: str) -> str:
    """Return the mark that says that a form has done its work at this time.

    Args:
        keys: the secret keys of the service.
        form: the form.
        at: the time.
        whose: the account that is told so, or the hash of the secret of a browser that has none any more.
    """
    return secrets.link(keys, _PURPOSE, [form, int(at.timestamp()), whose])


def marked(reader: Reader) -> Done | None:
    """Return the sentence about what was done that the address of this request asks for; None if it asks for none."""
    match secrets.unlink(settings().secret_keys, _PURPOSE, request.args.get("done", "")):
        case [str(form), int(at), str(whose)] if (
            now() - datetime.fromtimestamp(at, now().tzinfo) < SHOWN_FOR and whose in _readers()
        ):
            return Done(form, reader.language.say(_SAID.get(form, _SAVED)))
        case _:
            return None


def _readers() -> list[str]:
    """Return whose marks are told to this browser: those of its account, and its own."""
    session, secret = browser.signed_in(), browser.signing_in_secret()
    found = [] if session is None else [session.account]
    return found if secret is None else [*found, _of_browser(secret)]


def _of_browser(secret: str) -> str:
    return tokens.browser_hash_of(secret).hex()
