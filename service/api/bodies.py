"""Decorators that load the JSON body and the query of a request by a schema.

Both stand below the decorators that authenticate the caller and look up the table, so that 401, 404 and 403 come before
400, 413, 415 and 422. They pass the loaded data to the view as ``body=`` and ``query=``.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

from marshmallow import Schema

from service.api.flask_adapter import current_request
from service.api.openapi_annotations import View, annotate


def body(schema: type[Schema], *, example: Any, required: bool = True) -> Callable[[View], View]:
    """Load the JSON body by a schema and pass it to the view as ``body=`` (a decorator).

    A body is refused if it is too large (413), of another media type (415), not JSON (400), or does not match the
    schema (422, with ``errors``).

    Args:
        schema: the schema, derived from ``RequestSchema``.
        example: a body that is accepted; openapi.yaml shows it, and a test sends it.
        required: whether there must be a body; otherwise a request without one is treated as ``{}``.
    """
    loader = schema()

    def decorator(view: View) -> View:
        @wraps(view)
        def wrapper(**kwargs: Any) -> Any:
            return view(body=current_request().load_body(loader, required=required), **kwargs)

        return documents_body(wrapper, schema, example, required=required)

    return decorator


def query(schema: type[Schema]) -> Callable[[View], View]:
    """Load the query by a schema and pass it to the view as ``query=``; refuse one that does not match (422).

    For a view without this decorator, ``Blueprint.response`` refuses every query.
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
    """Document the JSON body of a view whose handler reads it itself."""
    parameters = {"in": "json", "required": required, "schema": schema, "example": example}
    return annotate(view, refuses=(400, 413, 415, 422), parameters=(parameters,))


def documents_query(view: View, schema: type[Schema]) -> View:
    """Document the query of a view whose handler reads it itself."""
    return annotate(view, refuses=(422,), parameters=({"in": "query", "schema": schema},))
