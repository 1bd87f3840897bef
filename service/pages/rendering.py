"""Renders a page and answers with it: strict headers, no scripts, the style sheet known to the browser by its hash."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from typing import Any

from flask import Response
from jinja2 import Environment

from service.mail.rendering import environment


def page(template: str, status: int = 200, **facts: Any) -> Response:
    """A page as the answer to a request.

    Its address may hold a secret, so it is neither sent on to another site, nor stored, nor listed by search engines.
    """
    style = _style()
    response = Response(_templates().get_template(template).render(style=style, **facts), status, mimetype="text/html")
    response.headers["Content-Security-Policy"] = (
        f"default-src 'none'; style-src 'sha256-{_digest(style)}'; form-action 'self'; base-uri 'none'; "
        "frame-ancestors 'none'"
    )
    response.headers["Referrer-Policy"] = "no-referrer"
    response.headers["Cache-Control"] = "private, no-store"
    response.headers["X-Robots-Tag"] = "noindex"
    return response


def not_found(what: str) -> Response:
    """The page for what is not there, or not for this reader."""
    return page("missing.html", 404, what=what)


@cache
def _templates() -> Environment:
    return environment("service.pages", "service.mail")


@cache
def _style() -> str:
    return "".join(_templates().get_template(name).render() for name in ("night.css", "page.css"))


def _digest(style: str) -> str:
    return base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
