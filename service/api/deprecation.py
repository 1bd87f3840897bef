"""Deprecated operations: marked in the OpenAPI document, and announced in the headers of their responses.

``Deprecation`` (RFC 9745) is the time since when another way is better, and ``Sunset`` (RFC 8594) the time from which
the operation may be gone. A deprecated field has ``metadata={"deprecated": True}``, and its description says what to
use instead.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, time
from email.utils import format_datetime

from flask import Flask

from service.api.openapi_annotations import View, annotate

Headers = list[tuple[str, str]]

_HEADERS = "_deprecation_headers"
_EXPLAINED = '</docs/guide/versions>; rel="deprecation"; type="text/html"'


def deprecated(*, since: date, sunset: date, instead: str) -> Callable[[View], View]:
    """Mark an operation as deprecated; the decorator stands directly below the route.

    Args:
        since: the day since when.
        sunset: the day from which the operation may be gone.
        instead: a sentence that says what to use instead.
    """

    def decorator(view: View) -> View:
        view.__doc__ = f"{view.__doc__}\n\n    Deprecated since {since}, and may be gone from {sunset} on. {instead}\n"
        headers = [
            ("Deprecation", f"@{int(_midnight(since).timestamp())}"),
            ("Sunset", format_datetime(_midnight(sunset), usegmt=True)),
            ("Link", _EXPLAINED),
        ]
        setattr(view, _HEADERS, headers)
        return annotate(view, operation={"deprecated": True})

    return decorator


def headers_of(app: Flask) -> Mapping[tuple[str, str], Headers]:
    """Return the headers that announce an application's deprecated operations, by method and template of the path."""
    found = [(rule, getattr(app.view_functions[rule.endpoint], _HEADERS, None)) for rule in app.url_map.iter_rules()]
    return {(method, rule.rule): headers for rule, headers in found if headers for method in rule.methods or ()}


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)
