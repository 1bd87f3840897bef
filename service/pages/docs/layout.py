"""The frame of the documentation's pages, which are in English, the same for everybody, and may be cached."""

from __future__ import annotations

from typing import Any

from flask import Response
from jinja2 import Environment, StrictUndefined

from service.api.etags import cacheable
from service.api.headers import OF_PAGES
from service.mail.template_files import PackageTemplates

POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
"""The Content-Security-Policy of a page without scripts."""

POLICY_WITH_SCRIPTS = f"{POLICY}; script-src 'self'; connect-src 'self'"
"""That of the API reference, whose scripts and requests are this site's alone."""


_TEMPLATES = Environment(
    loader=PackageTemplates("service.pages.docs"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    auto_reload=False,
)


def rendered(template: str, **facts: Any) -> str:
    """Return a page as HTML."""
    return _TEMPLATES.get_template(template).render(**facts)


def page(html: str, policy: str = POLICY) -> Response:
    """Return the response with a page."""
    return cacheable(html, "text/html", {"Content-Security-Policy": policy, **OF_PAGES})
