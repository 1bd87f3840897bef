"""``/openapi.json`` and ``/openapi.yaml``: the description of the API."""

import json
from collections.abc import Callable
from functools import cached_property

from apispec import APISpec
from flask import Blueprint, Flask, Response, current_app

from service.api import openapi
from service.api.etags import cacheable

blp = Blueprint("documents", __name__)

_EXTENSION = "novaluna-documents"


class Documents:
    """The API description of one application in all its formats, each made at its first use."""

    def __init__(self, describe: Callable[[], APISpec]) -> None:
        self._describe = describe

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


def init_app(app: Flask, describe: Callable[[], APISpec]) -> None:
    """Register the documents of an application.

    Args:
        app: the application; all of its blueprints are registered.
        describe: returns the OpenAPI document.
    """
    app.extensions[_EXTENSION] = Documents(describe)


def of(app: Flask) -> Documents:
    """Return the documents of an application."""
    documents: Documents = app.extensions[_EXTENSION]
    return documents


@blp.get("/openapi.json")
def openapi_json() -> Response:
    """Return the OpenAPI document as JSON."""
    return cacheable(of(current_app).json, "application/json")


@blp.get("/openapi.yaml")
def openapi_yaml() -> Response:
    """Return the OpenAPI document as YAML (RFC 9512)."""
    return cacheable(of(current_app).yaml, "application/yaml")
