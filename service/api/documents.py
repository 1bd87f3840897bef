"""``/openapi.json``, ``/openapi.yaml`` and ``/docs``: the API description, for programs and for people.

Neither loads anything from another site. ``/`` redirects to ``/docs``.
"""

import base64
import hashlib
import json
from collections.abc import Callable
from functools import cached_property
from importlib.resources import files
from typing import Any

from apispec import APISpec
from flask import Blueprint, Flask, Response, current_app
from jinja2 import Environment, PackageLoader, StrictUndefined

from service.api import openapi
from service.api.etags import not_modified
from service.api.headers import OF_PAGES
from service.api.manual import chapters, prose, schemas

blp = Blueprint("documents", __name__)

_EXTENSION = "novaluna-documents"
_CACHE_CONTROL = "public, max-age=300"


class Documents:
    """The API description of one application in all its formats, each made at its first use."""

    def __init__(self, describe: Callable[[], APISpec], base_url: str) -> None:
        self._describe = describe
        self._base_url = base_url

    @cached_property
    def _spec(self) -> APISpec:
        return self._describe()

    @cached_property
    def yaml(self) -> str:
        """The text of openapi.yaml."""
        return openapi.as_yaml(self._spec)

    @cached_property
    def json(self) -> str:
        """The OpenAPI document as JSON."""
        return json.dumps(openapi.as_data(self._spec), ensure_ascii=False)

    @cached_property
    def style(self) -> str:
        """The style sheet of the manual page."""
        return files("service.api").joinpath("templates/manual.css").read_text(encoding="utf-8")

    @cached_property
    def page(self) -> str:
        """The OpenAPI document as an HTML page."""
        templates = Environment(
            loader=PackageLoader("service.api"), autoescape=True, undefined=StrictUndefined, trim_blocks=True
        )
        templates.globals["prose"] = prose
        data = openapi.as_data(self._spec)
        template = templates.get_template("manual.html")
        return template.render(
            info=data["info"], chapters=chapters(data, self._base_url), schemas=schemas(data), style=self.style
        )


def init_app(app: Flask, describe: Callable[[], APISpec], base_url: str) -> None:
    """Register the documents of an application.

    Args:
        app: the application; all of its blueprints are registered.
        describe: returns the OpenAPI document.
        base_url: where the service is. Only the page names it; openapi.yaml is the same everywhere.
    """
    app.extensions[_EXTENSION] = Documents(describe, base_url)


def of(app: Flask) -> Documents:
    """Return the documents of an application."""
    documents: Documents = app.extensions[_EXTENSION]
    return documents


@blp.get("/")
def home() -> Response:
    """Redirect from the service's bare address to the manual page."""
    answer = Response(status=302, headers={"Location": "/docs", "Cache-Control": _CACHE_CONTROL})
    del answer.headers["Content-Type"]  # the body is empty
    return answer


@blp.get("/openapi.json")
def openapi_json() -> Response:
    """Return the OpenAPI document as JSON."""
    return _cacheable(of(current_app).json, "application/json", {})


@blp.get("/openapi.yaml")
def openapi_yaml() -> Response:
    """Return the OpenAPI document as YAML (RFC 9512)."""
    return _cacheable(of(current_app).yaml, "application/yaml", {})


@blp.get("/docs")
def manual() -> Response:
    """Return the OpenAPI document as a page without scripts; its policy allows the style sheet by hash."""
    documents = of(current_app)
    digest = base64.b64encode(hashlib.sha256(documents.style.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    return _cacheable(documents.page, "text/html", {"Content-Security-Policy": policy, **OF_PAGES})


def _cacheable(text: str, media_type: str, headers: dict[str, Any]) -> Response:
    """Return a response that any cache may keep for a while and revalidate by its ETag."""
    tag = f'"{hashlib.sha256(text.encode()).hexdigest()[:16]}"'
    response = not_modified(tag) or Response(text, mimetype=media_type)
    response.headers.update({"ETag": tag, "Cache-Control": _CACHE_CONTROL, **headers})
    return response
