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
    notes = deepcopy(getattr(view, "_apidoc", {}))
    responses = notes.setdefault("response", {}).setdefault("responses", {})
    for status in refuses:
        responses.setdefault(status, [component(status)])
    notes.setdefault("arguments", {}).setdefault("parameters", []).extend(deepcopy(list(parameters)))
    notes["manual_doc"] = deepupdate(notes.get("manual_doc", {}), dict(operation or {}))
    view._apidoc = notes  # type: ignore[attr-defined]  # flask-smorest's place for it
    return view


def refuses(*statuses: int) -> Callable[[View], View]:
    """Document (as a decorator) the statuses of a view's refusals, beyond those that its other decorators document."""
    return lambda view: annotate(view, refuses=statuses)
