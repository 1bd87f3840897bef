"""Reads what a request brings: its JSON body and its query, each checked against a schema.

Both decorators stand inside the one that signs in (and inside the one that looks up what the address names), so that
401, 404 and 403 come before 400, 413, 415 and 422. They hand the loaded data to the view as ``body=`` and ``query=``.
"""

import json
from collections.abc import Callable
from functools import wraps
from typing import Any, NoReturn

from flask import g, request
from marshmallow import Schema, ValidationError
from werkzeug.exceptions import RequestEntityTooLarge, UnsupportedMediaType

from engine.saying import Said, said
from service.api.documented import View, annotate
from service.api.schema import Given, wrong_fields
from service.api.wording import about, together
from service.errors import Malformed, Unreadable

#: The largest body that is taken, in bytes.
MAX_BODY = 64 * 1024

#: Where reading stops. One byte more: a streamed body is cut off there without an error, so it has to show.
READ_LIMIT = MAX_BODY + 1

_ABSENT = object()


class NoQuery(Given):
    """The query of an address that has none: anything in it is refused."""


def body(schema: type[Schema], *, example: Any, required: bool = True) -> Callable[[View], View]:
    """Decorator: gives the view the loaded JSON body as ``body=``.

    Refuses a body that is too large (413), of another type (415), no JSON (400) or not as the schema says (422, with
    ``errors``). If it is not ``required``, a request without a body is taken as ``{}``.

    Args:
        schema: derived from ``Given``.
        example: a body that is accepted; it stands in openapi.yaml, and a test sends it.
        required: whether there must be a body.
    """
    loader = schema()

    def decorator(view: View) -> View:
        @wraps(view)
        def wrapper(**kwargs: Any) -> Any:
            data = json_body()
            if data is None and not _raw_body() and not required:
                data = {}
            return view(body=_load(loader, data, "body"), **kwargs)

        parameters = {"in": "json", "required": required, "schema": schema, "example": example}
        return annotate(wrapper, refuses=(400, 413, 415, 422), parameters=(parameters,))

    return decorator


def query(schema: type[Schema]) -> Callable[[View], View]:
    """Decorator: gives the view the loaded query as ``query=``; one that does not fit the schema is refused (422).

    A view without this decorator has no query: ``Blueprint.response`` then refuses any.
    """
    loader = schema()
    empty = loader.load({}) if not any(field.required for field in loader.fields.values()) else None

    def decorator(view: View) -> View:
        @wraps(view)
        def wrapper(**kwargs: Any) -> Any:
            if empty is not None and not request.query_string:  # as it is nearly always
                return view(query=dict(empty), **kwargs)
            return view(query=_load_query(loader), **kwargs)

        return annotate(wrapper, refuses=(422,), parameters=({"in": "query", "schema": schema},))

    return decorator


def refuse_query_unless_read() -> None:
    """Refuses a query that no ``query`` decorator of this request has read."""
    if request.query_string and request.args and not g.get("query_was_read"):
        _load_query(NoQuery())


def json_body() -> Any:
    """The parsed JSON body of this request, None if it has none; read once and kept for the request.

    Refuses bodies that are too large (413), of another type (415) or no JSON that every reader understands alike
    (400): NaN, lone surrogates, numbers beyond reading, endless nesting and members named twice are out.
    """
    kept = g.get("json_body", _ABSENT)
    if kept is _ABSENT:
        kept = g.json_body = _parse(raw) if (raw := _raw_body()) else None
    return kept


def _raw_body() -> bytes:
    raw = request.get_data()
    if len(raw) > MAX_BODY:
        raise RequestEntityTooLarge
    return raw


def _parse(raw: bytes) -> Any:
    if request.mimetype != "application/json":
        raise UnsupportedMediaType
    try:
        return decoded(raw)
    except (ValueError, RecursionError):
        detail = Said(
            "The body is not JSON that every reader understands alike: in UTF-8, no member twice, no NaN, no half of a"
            " surrogate pair, no number of thousands of digits, not nested without end."
        )
        raise Unreadable("not_json", detail) from None


def decoded(raw: bytes) -> Any:
    """The value of JSON that every reader understands alike; raises ValueError or RecursionError for any other."""
    data = _decode(raw.decode("utf-8"))
    if b"\\u" in raw:  # else there are no lone surrogates
        json.dumps(data, ensure_ascii=False).encode("utf-8")
    return data


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(name)


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise ValueError(pairs)
    return members


_decode = json.JSONDecoder(parse_constant=_refuse_constant, object_pairs_hook=_members).decode


def _load_query(loader: Schema) -> Any:
    g.query_was_read = True
    twice = {name: [Said("Given more than once.")] for name, values in request.args.lists() if len(values) > 1}
    if twice:
        refuse("query", twice)
    return _load(loader, request.args.to_dict(), "query")


def _load(loader: Schema, data: Any, place: str) -> Any:
    if not isinstance(data, dict):
        refuse(place, [Said("Must be a JSON object.")])
    try:
        return loader.load(data)
    except ValidationError as error:
        refuse(place, error.messages)


def refuse(place: str, messages: dict[str, Any] | list[Any]) -> NoReturn:
    """Refuses what is wrong in the `body` or the `query`; `messages` are by field, as marshmallow has them, and `Said`."""
    wrong = wrong_fields(place, messages)
    first = together(about(each.field or Said("the whole"), each.right) for each in wrong[:3])
    if place == "query":
        detail = said("The query does not fit its schema: %(first)s", first=first)
    else:
        detail = said("The body does not fit its schema: %(first)s", first=first)
    raise Malformed("wrong_fields", detail, wrong=wrong)
