"""Carry out a form once: sent again, as by a second tap, it leads where it led the first time.

Each page has a text of its own in its forms. So a form with the same text and the same content is the same form, sent
again. Where the first one led is stored like the responses of the API (`service.store.idempotency`), in the transaction
of the command itself: a second one that comes meanwhile waits, and is carried out only if the first was refused.

Of each session and address, only the form that was carried out last is stored. So a form that is sent again after
another one has done its work, such as to block somebody again, is meant again. And nobody fills the database by it.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from hashlib import sha256
from urllib.parse import parse_qsl, urlencode, urlsplit

from flask import Response, request

from service.access import secrets, tokens
from service.api.context import now, settings
from service.pages.browser import form_session
from service.pages.rendering import see_other
from service.store import idempotency
from service.store.unit import transaction

LIFETIME = idempotency.FORM_LIFETIME
"""The time for which a form is recognized; sent later, as from a page that a browser has kept, it is meant again."""

_SESSION = "session of a form"
_TOKENS = ("own", "form")
"""The fields with the text that only one page has; the first is that of the sign-in, which has checked it."""
_SECRET_QUERY = ("link",)
"""What the address of a redirect may have that lets somebody in, and so is not stored."""


def once(carry_out: Callable[[], Response]) -> Response:
    """Return the response of `carry_out()`, or a redirect to where the same form led within the last minutes.

    A response that is no redirect is not stored: the form may be sent again. The form has to have a text that only its
    own page has, which the caller has checked.
    """
    return beginning_session(lambda _: carry_out())[0]


def beginning_session(carry_out: Callable[[str], Response], *more: str) -> tuple[Response, str]:
    """Carry out a form that begins a session, as `once` does, and return the secret of that session too.

    The form sent again has the same session, though its secret is stored nowhere: it follows from the server's key,
    from the form, and from a salt, which is stored.

    Args:
        carry_out: does the work with the secret of the session to begin.
        more: what else has to be the same, if the form is to be.
    """
    hashed, salt, at = _hash(more), tokens.new_token(), now()
    slot = idempotency.Slot(idempotency.NOBODY, request.method, request.path, idempotency.FORM_KEY + _sender())
    with transaction() as session:
        stored = idempotency.hold_form(session, slot, hashed, at)
        if stored is not None and stored.body_hash == hashed and at - stored.at < LIFETIME:
            return see_other(stored.headers["Location"]), _secret(hashed, stored.headers["salt"])
        secret, claimed = _secret(hashed, salt), session.get_transaction()
        response = carry_out(secret)
        if session.get_transaction() is not claimed:  # it was rolled back, and another request may have the slot now
            return response, secret
        if response.status_code == 303:
            headers = {"Location": _without_secret(response.headers["Location"]), "salt": salt}
            idempotency.store_form(session, slot, hashed, at, status=response.status_code, headers=headers)
        elif stored is None:
            idempotency.release(session, slot)
        return response, secret


def _sender() -> str:
    """Return the hash of who sends the form in this request: the session that its page was made for.

    A page that was made for nobody is a sender of its own.
    """
    sender = form_session() or next(filter(None, map(request.form.get, _TOKENS)), "")
    return sha256(sender.encode()).hexdigest()


def _secret(hashed: bytes, salt: str) -> str:
    return secrets.secret(settings().secret_keys, _SESSION, f"{hashed.hex()} {salt}")


def _hash(more: tuple[str, ...]) -> bytes:
    """Return the SHA-256 of all that the form in this request has, with its files."""
    files = []
    for name, file in sorted(request.files.items(multi=True)):
        files.append([name, sha256(file.read()).hexdigest()])
        file.seek(0)
    content = [request.full_path, sorted(request.form.items(multi=True)), files, more]
    return sha256(json.dumps(content).encode()).digest()


def _without_secret(address: str) -> str:
    parts = urlsplit(address)
    query = [(name, value) for name, value in parse_qsl(parts.query) if name not in _SECRET_QUERY]
    return parts._replace(query=urlencode(query)).geturl()
