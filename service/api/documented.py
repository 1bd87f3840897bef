"""Notes that decorators leave on a view for the OpenAPI document.

flask-smorest collects what it documents in the view's ``_apidoc``; the decorators of this package add to the same
place, so that what they check and what they document stand in one spot.
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
    """Adds to a view's documentation and gives the view back.

    Args:
        view: the view, or a wrapper made with ``functools.wraps``.
        refuses: statuses that it can refuse with, as problem+json.
        parameters: what it reads, as flask-smorest's ``arguments`` notes it (``in``, ``schema``, …) or as OpenAPI
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
    """Decorator: documents the statuses that a view refuses with, beyond those its other decorators document."""
    return lambda view: annotate(view, refuses=statuses)
