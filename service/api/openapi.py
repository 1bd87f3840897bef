"""The OpenAPI document: flask-smorest's ``Api``, adapted, and the document as YAML."""

import json
from threading import Lock
from typing import Any

import flask_smorest
import yaml
from apispec import APISpec
from apispec.ext.marshmallow import MarshmallowPlugin
from flask import Flask, Response
from flask_smorest.utils import prepare_response
from werkzeug.exceptions import HTTPException

from service.api import links
from service.api.auth import SECURITY_SCHEME, TOKEN_OPTIONAL
from service.api.blueprint import Blueprint
from service.api.errors import MEDIA_TYPE
from service.api.flask_adapter import refused
from service.api.openapi_converter import Converter
from service.api.problem_schema import Problem
from service.api.requests import JSON
from service.api.statuses import TITLES, component

TITLE = "Nova Luna by post"
VERSION = "1"

DESCRIPTION = """\
Nova Luna by correspondence: games for two to four players and for one, kept as logs that anyone can audit.
Unofficial: neither made nor approved by the game's publisher.

**Signing in.** `POST /v1/sign-ins` mails you a code; `POST /v1/tokens` exchanges it for an access token, which you send
as `Authorization: Bearer`. Public games, their records and the tiles can be read without one.

**Problems.** Every refusal is `application/problem+json` (RFC 9457) with a stable `code`. Fields and query parameters
that are not described here are refused.

**Languages.** The `title` and `detail` of a problem, and each `detail` in its `errors`, are in the language that
`Accept-Language` prefers: English (`en`, also without the header), French (`fr`), Spanish (`es`) or German (`de`).
If a request could not be read at all (400, 408, 414, 431), they are in English.
`code`, `rule` and all other members are the same in every language.

**Versions.** A game's version is the number of the last entry in its log; its ETag is `"version-revision-head"`. A move
names the version that it was chosen at. An operation that lists `If-Match` is done on the state with that ETag only
(412 otherwise); others, such as sending a message, do not look at this header.

**Retries.** Where an operation lists `Idempotency-Key`, you can send a request again with the same key, and you get the
response to the first one. The others do not look at this header, since repeating them does no harm, or since no
response with a secret is stored.

**Limits.** `RateLimit-Policy` and `RateLimit` in each response tell how many requests you may make, and how many are
left. A refusal with 429 or 503 says in `Retry-After` how many seconds to wait.

**Times** are UTC, ids are opaque. Durations are ISO 8601 with days, hours and minutes, such as `P1DT12H`; a day is 24
hours.
"""

_DEFAULT = "Problem"

_SPOKEN = {"Content-Language": {"description": "The language of `title` and `detail`.", "schema": {"type": "string"}}}
_WAIT = {
    "Retry-After": {
        "description": "In how many seconds to try again.",
        "required": True,
        "schema": {"type": "integer", "minimum": 0},
    }
}
_CHALLENGE = {
    "WWW-Authenticate": {
        "description": "The scheme by which to authenticate, `Bearer`.",
        "required": True,
        "schema": {"type": "string"},
    }
}
_CODINGS = {
    "Accept-Encoding": {
        "description": "With the code `unsupported_content_encoding`: `identity`, as a body must not be compressed.",
        "schema": {"type": "string"},
    }
}
_LIMITS = {
    "RateLimit-Policy": {
        "description": "The limits that apply: the amount `q` in `w` seconds. Every response of the API has it.",
        "schema": {"type": "string"},
    },
    "RateLimit": {
        "description": "What is left of them: the amount `r`, for `t` seconds. Every response of the API has it.",
        "schema": {"type": "string"},
    },
}
_HEADERS: dict[str, dict[str, Any]] = {
    component(401): _CHALLENGE,
    component(415): _CODINGS,
    component(429): _WAIT | _LIMITS,
    component(503): _WAIT,
}
"""The headers of refusals that depend on the status, by the name of the response."""


class _Plugin(MarshmallowPlugin):
    Converter = Converter


class Api(flask_smorest.Api):  # type: ignore[misc]  # the package has no types
    """flask-smorest's ``Api`` with problem+json in responses and in the OpenAPI document.

    The document is generated at its first use: that takes longer than the rest of an application's start, and most
    processes never need it.
    """

    ERROR_SCHEMA = Problem
    DEFAULT_ERROR_RESPONSE_NAME = _DEFAULT

    def __init__(self, app: Flask) -> None:
        app.config.update(API_TITLE=TITLE, API_VERSION=VERSION, OPENAPI_VERSION="3.1.0")
        info = {"description": DESCRIPTION, "license": {"name": "MIT", "identifier": "MIT"}}
        self._undescribed: list[Blueprint] = []
        self._describing = Lock()
        self._has_refusals = False
        options = {"servers": [{"url": "/"}], "security": TOKEN_OPTIONAL}
        super().__init__(app, spec_kwargs={"marshmallow_plugin": _Plugin(), "info": info, **options})
        self.spec.components.security_scheme(SECURITY_SCHEME, {"type": "http", "scheme": "bearer"})

    def register_blueprint(self, blp: Blueprint, **options: Any) -> None:
        """Register the routes of a blueprint; options are refused, as the OpenAPI document would not show them."""
        if options:
            raise TypeError(f"{blp.name} takes no options")
        self._app.extensions["flask-smorest"]["blp_name_to_api"][blp.name] = self
        self._app.register_blueprint(blp)
        self._undescribed.append(blp)

    def described(self) -> APISpec:
        """Return the OpenAPI document of all registered blueprints."""
        with self._describing:
            if not self._has_refusals:
                self._describe_refusals()
                self._has_refusals = True
            while self._undescribed:
                blp = self._undescribed.pop(0)
                blp.register_views_in_doc(self, self._app, self.spec, name=blp.name, parameters=None)
                self.spec.tag({"name": blp.name, "description": blp.description})
        spec: APISpec = self.spec
        return spec

    def _register_responses(self) -> None:
        """Register no responses at the start; `described` does so."""

    def _describe_refusals(self) -> None:
        """Describe refusals as problem+json.

        flask-smorest would write ``application/json``, and names that vary by Python version.
        """
        described = {component(status): str(title) for status, title in TITLES.items()}
        for name, description in {**described, _DEFAULT: "Any other problem"}.items():
            response = {
                "description": description,
                "schema": self.ERROR_SCHEMA,
                "headers": _SPOKEN | _HEADERS.get(name, {}),
            }
            prepare_response(response, self.spec, MEDIA_TYPE)
            self.spec.components.response(name, response, lazy=True)

    def _register_pagination_header(self) -> None:
        """Register no pagination header: lists are paged by cursor here."""

    def handle_http_exception(self, error: HTTPException) -> Response:
        """Return the problem for an HTTP error; flask-smorest would send a body even with 304."""
        return refused(error)


def as_data(spec: APISpec) -> dict[str, Any]:
    """Return the document as plain JSON data: members and statuses in the usual order, each paragraph on one line."""
    found = json.loads(json.dumps(spec.to_dict()))
    members = ("openapi", "info", "servers", "security", "tags", "paths", "components")
    data: dict[str, Any] = {name: found[name] for name in members}
    _unwrap(data)
    for item in data["paths"].values():
        for operation in item.values():
            if "responses" in operation:
                _settle(operation, data["security"])
    return data


def _settle(operation: dict[str, Any], optional: list[Any]) -> None:
    """Say of an operation whether it takes a token, sort its responses, and add the links to other operations.

    Where a response is no JSON, no `default` is described: clients would parse every response as that problem. What
    any operation can be refused with is listed there instead.
    """
    told = operation.setdefault("security", [])
    if told == optional:
        del operation["security"]
    responses = operation["responses"]
    good = [answer for status, answer in sorted(responses.items()) if status.startswith("2")]
    if following := links.of_operation(operation["operationId"]):
        good[-1]["links"] = following
    kinds = {media_type for answer in good for media_type in answer.get("content", {})}
    if kinds and JSON not in kinds:
        responses.pop("default", None)
        for status in (429, 503) if told == [] else (401, 403, 429, 503):
            responses.setdefault(str(status), {"$ref": f"#/components/responses/{component(status)}"})
    operation["responses"] = dict(sorted(responses.items()))


def _unwrap(node: Any) -> None:
    """Join the lines of each paragraph in all descriptions below a node."""
    if isinstance(node, list):
        for part in node:
            _unwrap(part)
    elif isinstance(node, dict):
        for name, part in node.items():
            if name == "description" and isinstance(part, str):
                node[name] = "\n\n".join(" ".join(text.split()) for text in part.split("\n\n"))
            else:
                _unwrap(part)


class _Dumper(yaml.SafeDumper):
    """A YAML dumper that writes texts of several lines as blocks."""


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


_Dumper.add_representer(str, _text)


def as_yaml(spec: APISpec) -> str:
    """Return the text of openapi.yaml: the same code gives the same bytes."""
    return yaml.dump(as_data(spec), Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=120)
