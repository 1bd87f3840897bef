"""``Idempotency-Key``: a repeated request gets the response to the first one, and nothing is done twice.

The response is stored for 24 hours by account, method and full path (with the query), in the transaction of the command
itself. Only 2xx responses are stored; after a refusal, the key is free again. The same key with another body is
refused; bodies are compared as parsed JSON. A request whose key is in use by another request waits until that one ends.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

from flask import Response, make_response

from service.api.context import now
from service.api.flask_adapter import current_request, to_flask
from service.api.openapi_annotations import View, annotate
from service.api.requests import KEY_HEADER
from service.api.stored_responses import body_hash, repeated
from service.store import idempotency
from service.store.idempotency import NOBODY
from service.store.unit import transaction

_STORED_HEADERS = ("Content-Type", "ETag", "Location")

PARAMETER = {
    "in": "header",
    "name": KEY_HEADER,
    "required": False,
    "description": "A key that the client makes up, such as a UUID. For 24 hours, the same request with the same key"
    " gets the response to the first one if that was a 2xx, and nothing is done again.",
    "schema": {"type": "string", "pattern": "^[!-~]{1,255}$"},
    "example": "5b2f9c1e-7d0a-4f3e-9a55-2f6c1d8e4b70",
}


def idempotent(view: View) -> View:
    """Support an ``Idempotency-Key`` (a decorator, below those that authenticate, look up and load the body).

    The view uses ``transaction()`` as usual; that joins the transaction that is opened here.
    """

    @wraps(view)
    def wrapper(**kwargs: Any) -> Any:
        return once(kwargs["account"] or NOBODY, lambda: view(**kwargs))

    return takes_key(wrapper)


def takes_key(view: View) -> View:
    """Document the header for a view that supports it itself."""
    return annotate(view, refuses=(400, 422), parameters=(PARAMETER,))


def once(account: str, produce: Callable[[], Any]) -> Response:
    """Return the response of ``produce()``, or the one stored under this request's ``Idempotency-Key``.

    A refusal that ``produce`` raises rolls back everything that it did; one that it returns as a response does not.

    Args:
        account: the caller's account, or NOBODY.
        produce: does the work, inside ``transaction()``, and returns anything that Flask accepts as a response.
            Without a key it is simply called.

    Raises:
        Unreadable: the key is not 1 to 255 visible ASCII characters.
        Malformed: ``idempotency_key_reused``, the key was used before with another body.
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
            idempotency.store(session, slot, status=response.status_code, headers=headers, body=body)
        else:
            idempotency.release(session, slot)
        return response
