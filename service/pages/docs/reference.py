"""``/docs``: the API reference, where every operation can be searched for and tried out.

Swagger UI shows ``/openapi.json`` in the browser. Without scripts the page leads to the description itself.
"""

from __future__ import annotations

from functools import cache

from flask import Blueprint, Response

from service.pages.docs.layout import POLICY_WITH_SCRIPTS, page, rendered

blp = Blueprint("docs_reference", __name__)


@blp.get("/docs")
def show_reference() -> Response:
    """Show the API reference."""
    return page(_reference(), POLICY_WITH_SCRIPTS)


@cache
def _reference() -> str:
    return rendered("reference.html", here="reference")
