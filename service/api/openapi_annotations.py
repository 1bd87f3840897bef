"""OpenAPI annotations that decorators add to a view.

flask-smorest collects what it documents in the view's ``_apidoc``. The decorators of this package add to it too, so
that each of them documents what it checks.
"""

from collections.abc import Callable, Mapping
from copy import deepcopy
from typing import Any

from flask_smorest.utils import deepupdate

from service.api.statuses import component

View = Callable[..., Any]


def annotate(
    view: View,
    *,
    refuses: tuple[int, ...] = (),
    parameters: tuple[Mapping[str, Any], ...] = (),
    operation: Mapping[str, Any] | None = None,
) -> View:
    """Add to a view's OpenAPI documentation and return the view.

    Args:
        view: the view, or a wrapper made with ``functools.wraps``.
        refuses: statuses of its refusals, as problem+json.
        parameters: what it reads, in the form of flask-smorest's ``arguments`` (``in``, ``schema``, …) or as OpenAPI
            parameter objects.
        operation: further members of the OpenAPI operation.
    """
    # Only what changes is copied: a copy of all examples for each decorator would make every process start later.
    before = getattr(view, "_apidoc", {})
    response, arguments = before.get("response", {}), before.get("arguments", {})
    responses = dict(response.get("responses", {}))
    for status in refuses:
        responses.setdefault(status, [component(status)])
    notes = {
        **before,
        "response": {**response, "responses": responses},
        "arguments": {**arguments, "parameters": [*arguments.get("parameters", ()), *deepcopy(list(parameters))]},
        "manual_doc": deepupdate(deepcopy(before.get("manual_doc", {})), dict(operation or {})),
    }
    view._apidoc = notes  # type: ignore[attr-defined]  # flask-smorest's place for it
    return view


def refuses(*statuses: int) -> Callable[[View], View]:
    """Document (as a decorator) the statuses of a view's refusals, beyond those that its other decorators document."""
    return lambda view: annotate(view, refuses=statuses)
