"""flask-smorest's ``Blueprint``, typed, with operation ids, and refusing queries that no view asked for."""

from collections.abc import Callable
from functools import wraps
from typing import Any

import flask_smorest
from flask import Response

from service.api.documented import View, annotate
from service.api.flask_adapter import current_request


class Blueprint(flask_smorest.Blueprint):  # type: ignore[misc]  # the package has no types
    """A group of routes with their documentation. Its name is the tag, and ``description`` what the tag says.

    A view's function name in camelCase is its operation id, its docstring the summary and the description::

        @blp.route("/v1/things", methods=["POST"])
        @signed_in
        @body(ThingGiven, example={"name": "lamp"})
        @idempotent
        @blp.response(201, ThingShown, example={"id": "3kTmWq8ZbNpR", "name": "lamp"})
        def create_thing(account: str, body: dict[str, Any]) -> Any:
            \"\"\"Make a thing.\"\"\"
            with transaction() as session:
                return commands.things.create(session, account, **body, now=now())
    """

    def route(self, rule: str, **options: Any) -> Callable[[View], View]:
        """Decorator, above all others: registers a view for a rule, and names its operation."""
        register: Callable[[View], View] = super().route(rule, **options)

        def decorator(view: View) -> View:
            first, *rest = view.__name__.split("_")
            name = first + "".join(word.capitalize() for word in rest)
            return register(annotate(view, operation={"operationId": name}))

        return decorator

    def response(self, status_code: int, schema: Any = None, **documented: Any) -> Callable[[View], View]:
        """Decorator, below all others: dumps what the view gives with the schema, unless that is a ``Response``.

        A view that gives None answers without a body. Takes ``example``, ``headers``, ``description`` and ``content_type`` for the document. A query that no
        ``query`` decorator has read is refused before the view runs.
        """
        dump: Callable[[View], View] = super().response(status_code, schema, **documented)

        def decorator(view: View) -> View:
            @wraps(view)
            def wrapper(**kwargs: Any) -> Any:
                current_request().refuse_unread_query()
                answer = view(**kwargs)
                return without_body(status_code) if answer is None else answer

            return dump(annotate(wrapper, refuses=(422,)))

        return decorator

    def answers(self, status_code: int, schema: Any, **documented: Any) -> Callable[[View], View]:
        """Decorator, below all others: documents what a view answers whose handler gives a ``Response``, query included."""
        document: Callable[[View], View] = super().response(status_code, schema, **documented)
        return lambda view: document(annotate(view, refuses=(422,)))


def without_body(status: int) -> Response:
    """An answer that has no body, and so no type either."""
    response = Response(status=status)
    del response.headers["Content-Type"]
    return response
