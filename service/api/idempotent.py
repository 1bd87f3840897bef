"""``Idempotency-Key``: a request that is sent again gets the first one's answer, and nothing is done twice.

The answer is kept by account, method and full path (with the query) for 24 hours, in the transaction of the command
itself. Only 2xx answers are kept; after a refusal the key is free again. The same key with another body is refused,
bodies being compared as parsed JSON. A request with a key that is just being worked on waits for that one's end.
"""

import hashlib
import json
import re
from collections.abc import Callable
from functools import wraps
from typing import Any

from flask import Response, make_response, request

from service.api.bodies import json_body
from service.api.context import now
from service.api.documented import View, annotate
from service.errors import Malformed, Unreadable
from service.store import idempotency
from service.store.unit import transaction

HEADER = "Idempotency-Key"

NOBODY = ""
"""In place of an account, for requests that came without a token."""

KEY = re.compile(r"[!-~]{1,255}")
"""What a key looks like."""
_KEPT_HEADERS = ("Content-Type", "ETag", "Location")

PARAMETER = {
    "in": "header",
    "name": HEADER,
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
    given_key()
    slot = given_slot(account)
    if slot is None:
        return make_response(produce())
    with transaction() as session:
        kept = idempotency.claim(session, slot, body_hash(json_body()), now())
        if kept is not None:
            return again(kept)
        response = make_response(produce())
        if 200 <= response.status_code < 300:
            given = to_be_kept(response)
            idempotency.keep(session, slot, status=given.status, headers=given.headers, body=given.body)
        else:
            idempotency.release(session, slot)
        return response


def given_slot(account: str = NOBODY) -> idempotency.Slot | None:
    """Where the answer to this request is kept; None without a key, or with a malformed one, which `given_key` will
    refuse in its turn."""
    key = request.headers.get(HEADER)
    if key is None or not KEY.fullmatch(key):
        return None
    return idempotency.Slot(account, request.method, _full_path(), key)


def to_be_kept(response: Response) -> idempotency.Kept:
    """What is kept of the answer to this request."""
    headers = {name: response.headers[name] for name in _KEPT_HEADERS if name in response.headers}
    return idempotency.Kept(body_hash(json_body()), response.status_code, headers, response.get_data(as_text=True))


def again(kept: idempotency.Kept) -> Response:
    """The answer that was given before; refuses (422) if that was to another body than this request's."""
    if kept.body_hash != body_hash(json_body()):
        raise Malformed(
            "idempotency_key_reused",
            "This Idempotency-Key came before with another body; make a new one for a new request.",
        )
    response = Response(kept.body, kept.status)
    response.headers.remove("Content-Type")
    response.headers.update(kept.headers)
    return response


def given_key() -> str | None:
    """The ``Idempotency-Key`` of this request, None if it has none.

    Raises:
        Unreadable: it is not 1 to 255 visible ASCII characters.
    """
    key = request.headers.get(HEADER)
    if key is not None and not KEY.fullmatch(key):
        raise Unreadable("idempotency_key_malformed", "Idempotency-Key must be 1 to 255 visible ASCII characters.")
    return key


def _full_path() -> str:
    query = request.query_string.decode("ascii", "replace")
    return f"{request.path}?{query}" if query else request.path


def body_hash(data: Any) -> bytes:
    """The SHA-256 of parsed JSON, the same for all its spellings. None, no body, is the same as an empty one."""
    plain = {} if data is None else _plain(data)
    return hashlib.sha256(json.dumps(plain, sort_keys=True, separators=(",", ":")).encode()).digest()


def _plain(data: Any) -> Any:
    """The data with 6.0 as 6: one number, however it was spelled."""
    if isinstance(data, float) and data.is_integer():
        return int(data)
    if isinstance(data, dict):
        return {name: _plain(value) for name, value in data.items()}
    if isinstance(data, list):
        return [_plain(value) for value in data]
    return data
