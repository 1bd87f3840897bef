"""``Idempotency-Key``: a request that is sent again gets the first one's answer, and nothing is done twice.

The answer is kept by account, method and full path (with the query) for 24 hours, in the transaction of the command
itself. Only 2xx answers are kept; after a refusal the key is free again. The same key with another body is refused,
bodies being compared as parsed JSON. A request with a key that is just being worked on waits for that one's end.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

from flask import Response, make_response

from service.api.context import now
from service.api.documented import View, annotate
from service.api.flask_adapter import current_request, to_flask
from service.api.requests import KEY_HEADER
from service.api.stored_responses import body_hash, repeated
from service.store import idempotency
from service.store.unit import transaction

NOBODY = ""
"""In place of an account, for requests that came without a token."""

_STORED_HEADERS = ("Content-Type", "ETag", "Location")

PARAMETER = {
    "in": "header",
    "name": KEY_HEADER,
    "required": False,
    "description": "Made up by the client, such as a UUID. For 24 hours the same request with the same key gets the"
    " first one's answer and does nothing again.",
    "schema": {"type": "string", "pattern": "^[!-~]{1,255}$"},
    "example": "5b2f9c1e-7d0a-4f3e-9a55-2f6c1d8e4b70",
}


def idempotent(view: View) -> View:
    """Decorator, inside those that sign in, look up and read the body: takes an ``Idempotency-Key``.

    The view gets its transaction from ``transaction()`` as ever; it joins the one that is opened here.
    """

    @wraps(view)
    def wrapper(**kwargs: Any) -> Any:
        return once(kwargs["account"] or NOBODY, lambda: view(**kwargs))

    return takes_key(wrapper)


def takes_key(view: View) -> View:
    """Documents that a view takes the header, for one that calls ``once`` by itself."""
    return annotate(view, refuses=(400, 422), parameters=(PARAMETER,))


def once(account: str, produce: Callable[[], Any]) -> Response:
    """Answers with ``produce()``, or with what it gave before under this request's ``Idempotency-Key``.

    `account` is that of the caller, or NOBODY. For views that check something first. ``produce`` does the work, inside
    ``transaction()``, and gives anything that Flask takes for a response; without a key it is simply called. A refusal
    that it raises undoes all it did; one that it returns as a response does not.

    Raises:
        Unreadable: the key is not 1 to 255 visible ASCII characters.
        Malformed: ``idempotency_key_reused``, the key came before with another body.
    """
    asked = current_request()
    asked.idempotency_key()
    slot = asked.idempotency_slot(account)
    if slot is None:
        return make_response(produce())
    with transaction() as session:
        hashed = body_hash(asked.json())
        stored = idempotency.claim(session, slot, hashed, now())
        if stored is not None:
            return to_flask(repeated(stored, asked))
        response = make_response(produce())
        if 200 <= response.status_code < 300:
            headers = {name: response.headers[name] for name in _STORED_HEADERS if name in response.headers}
            body = response.get_data(as_text=True)
            idempotency.keep(session, slot, status=response.status_code, headers=headers, body=body)
        else:
            idempotency.release(session, slot)
        return response
