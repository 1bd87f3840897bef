"""flask-smorest, mended: problems instead of its own errors, operation ids, and only queries that are asked for."""

from collections.abc import Callable
from functools import wraps
from typing import Any

import flask_smorest
from flask import Flask, Response
from flask_smorest.utils import prepare_response
from werkzeug.exceptions import HTTPException

from service.api import errors
from service.api.auth import SECURITY_SCHEME
from service.api.bodies import refuse_query_unless_read
from service.api.documented import View, annotate
from service.api.schema import Problem
from service.api.statuses import TITLES, component

_DEFAULT = "Problem"


class Api(flask_smorest.Api):  # type: ignore[misc]  # the package has no types
    """flask-smorest's ``Api`` with problem+json, in answers and in the document."""

    ERROR_SCHEMA = Problem
    DEFAULT_ERROR_RESPONSE_NAME = _DEFAULT

    def __init__(self, app: Flask) -> None:
        super().__init__(app)
        self.spec.components.security_scheme(SECURITY_SCHEME, {"type": "http", "scheme": "bearer"})

    def _register_responses(self) -> None:
        """Its own version writes ``application/json``, and names that change with Python's version."""
        described = {component(status): title for status, title in TITLES.items()}
        for name, description in {**described, _DEFAULT: "Any other problem"}.items():
            response = {"description": description, "schema": self.ERROR_SCHEMA}
            prepare_response(response, self.spec, errors.MEDIA_TYPE)
            self.spec.components.response(name, response, lazy=True)

    def handle_http_exception(self, error: HTTPException) -> Response:
        """Its own version makes a body of its own, even for 304."""
        return errors.of_http(error)


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

        Takes ``example``, ``headers``, ``description`` and ``content_type`` for the document. A query that no
        ``query`` decorator has read is refused before the view runs.
        """
        dump: Callable[[View], View] = super().response(status_code, schema, **documented)

        def decorator(view: View) -> View:
            @wraps(view)
            def wrapper(**kwargs: Any) -> Any:
                refuse_query_unless_read()
                return view(**kwargs)

            return dump(annotate(wrapper, refuses=(422,)))

        return decorator
