"""flask-smorest's ``Blueprint`` with types and operation ids; queries and bodies that no view reads are refused."""

from collections.abc import Callable
from functools import wraps
from typing import Any

import flask_smorest
from flask import Response

from service.api.flask_adapter import current_request
from service.api.openapi_annotations import View, annotate


class Blueprint(flask_smorest.Blueprint):  # type: ignore[misc]  # the package has no types
    """A group of routes with their documentation; its name and ``description`` are those of an OpenAPI tag.

    The name of a view's function, in camelCase, is its operation id; its docstring is the summary and the description::

        @blp.route("/v1/things", methods=["POST"])
        @signed_in
        @body(ThingRequest, example={"name": "lamp"})
        @idempotent
        @blp.response(201, ThingSchema, example={"id": "3kTmWq8ZbNpR", "name": "lamp"})
        def create_thing(account: str, body: dict[str, Any]) -> Any:
            \"\"\"Make a thing.\"\"\"
            with transaction() as session:
                return commands.things.create(session, account, **body, now=now())
    """

    def route(self, rule: str, **options: Any) -> Callable[[View], View]:
        """Register a view for a rule, and name its operation (the topmost decorator)."""
        register: Callable[[View], View] = super().route(rule, **options)

        def decorator(view: View) -> View:
            first, *rest = view.__name__.split("_")
            name = first + "".join(word.capitalize() for word in rest)
            refused = (400, 413, 415) if set(options.get("methods", ())) - {"GET"} else ()
            return register(annotate(view, refuses=refused, operation={"operationId": name}))

        return decorator

    def response(
        self, status_code: int, schema: Any = None, *, reads_body: bool = False, **documented: Any
    ) -> Callable[[View], View]:
        """Serialize what a view returns by a schema, unless that is a ``Response`` already (the lowest decorator).

        If the view returns None, the response has no body. ``example``, ``headers``, ``description`` and
        ``content_type`` are for the OpenAPI document. A query that no ``query`` decorator has read, and a body that no
        ``body`` decorator has, is refused before the view runs, unless it ``reads_body`` itself.
        """
        dump: Callable[[View], View] = super().response(status_code, schema, **documented)

        def decorator(view: View) -> View:
            @wraps(view)
            def wrapper(**kwargs: Any) -> Any:
                current_request().refuse_unread_query()
                if not reads_body:
                    current_request().refuse_unread_body()
                answer = view(**kwargs)
                return without_body(status_code) if answer is None else answer

            return dump(annotate(wrapper, refuses=(422,)))

        return decorator

    def answers(self, status_code: int, schema: Any, **documented: Any) -> Callable[[View], View]:
        """Document the response of a view whose handler builds it and reads the query itself (the lowest decorator)."""
        document: Callable[[View], View] = super().response(status_code, schema, **documented)
        return lambda view: document(annotate(view, refuses=(422,)))

    def alternative(self, status_code: int, schema: Any, *, description: str, example: Any) -> Callable[[View], View]:
        """Document another response of a view, which returns it with its status."""
        document: Callable[[View], View] = self.alt_response(
            status_code, schema=schema, description=description, example=example
        )
        return document


def without_body(status: int) -> Response:
    """Return a response without a body, and so without a Content-Type."""
    response = Response(status=status)
    del response.headers["Content-Type"]
    return response
