"""Reads what a request brings: its JSON body and its query, each checked against a schema.

Both decorators stand inside the one that signs in (and inside the one that looks up what the address names), so that
401, 404 and 403 come before 400, 413, 415 and 422. They hand the loaded data to the view as ``body=`` and ``query=``.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

from marshmallow import Schema

from service.api.documented import View, annotate
from service.api.flask_adapter import current_request


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
            return view(body=current_request().load_body(loader, required=required), **kwargs)

        return documents_body(wrapper, schema, example, required=required)

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
            return view(query=current_request().load_query(loader, empty), **kwargs)

        return documents_query(wrapper, schema)

    return decorator


def documents_body(view: View, schema: type[Schema], example: Any, *, required: bool = True) -> View:
    """Document the JSON body that a view takes, for one whose handler reads it."""
    parameters = {"in": "json", "required": required, "schema": schema, "example": example}
    return annotate(view, refuses=(400, 413, 415, 422), parameters=(parameters,))


def documents_query(view: View, schema: type[Schema]) -> View:
    """Document the query that a view takes, for one whose handler reads it."""
    return annotate(view, refuses=(422,), parameters=({"in": "query", "schema": schema},))
