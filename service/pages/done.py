"""Marks in addresses by which the page that a form leads back to says what was done, for a minute.

They are signed, so that no other site can have these pages say that something was done.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple

from flask import request

from engine.phrases import Phrase
from service.access import secrets
from service.access.secrets import Keys
from service.api.context import now, settings
from service.language.languages import Reader

SHOWN_FOR = timedelta(minutes=1)
"""The time for which a mark is shown; an address that is opened again later says nothing."""

_PURPOSE = "done"
_SAVED = Phrase("Saved.")
_SAID = {
    "address": Phrase("A code was mailed to the new address."),
    "code": Phrase("Your address was changed."),
    "deletion": Phrase("Your account was deleted."),
    "sign-out": Phrase("You are signed out."),
}
"""What is said of the forms that do not just save something."""


class Done(NamedTuple):
    """A form that has done its work, and the sentence that says so."""

    form: str
    text: str


def mark(form: str) -> str:
    """Return the value of the query parameter `done` that says that this form has done its work now."""
    return signed_mark(settings().secret_keys, form, now())


def signed_mark(keys: Keys, form: str, at: datetime) -> str:
    """Return the mark that says that a form has done its work at this time."""
    return secrets.link(keys, _PURPOSE, [form, int(at.timestamp())])


def marked(reader: Reader) -> Done | None:
    """Return the sentence about what was done that the address of this request asks for; None if it asks for none."""
    match secrets.unlink(settings().secret_keys, _PURPOSE, request.args.get("done", "")):
        case [str(form), int(at)] if now() - datetime.fromtimestamp(at, now().tzinfo) < SHOWN_FOR:
            return Done(form, reader.language.say(_SAID.get(form, _SAVED)))
        case _:
            return None
