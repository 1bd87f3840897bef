"""The OpenAPI document prepared for the manual page: chapters of operations, and the schemas that they refer to.

All are pure functions of the document's data; ``templates/manual.html`` renders what they return.
"""

import json
import re
import shlex
from dataclasses import dataclass, field
from typing import Any

from markupsafe import Markup, escape

Object = dict[str, Any]

_METHODS = ("get", "post", "patch", "put", "delete")
_FACTS = ("minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems", "default")


@dataclass(frozen=True)
class Value:
    """A field or parameter: its name, its type in words, the schema that it refers to, and whether it is required."""

    name: str
    type: str
    schema: str | None
    required: bool
    description: str
    place: str = ""


@dataclass(frozen=True)
class Answer:
    """One of the responses of an operation."""

    status: str
    description: str
    schema: str | None
    example: str | None


@dataclass(frozen=True)
class Operation:
    """An operation: ``access`` says who may call it; ``curl`` is a command that calls it with the example."""

    id: str
    method: str
    path: str
    summary: str
    description: str
    access: str
    parameters: list[Value]
    body: str | None
    answers: list[Answer]
    curl: str


@dataclass(frozen=True)
class Chapter:
    """The operations under one tag."""

    name: str
    description: str
    operations: list[Operation] = field(default_factory=list)


@dataclass(frozen=True)
class DescribedSchema:
    """An object in a request or a response."""

    name: str
    description: str
    fields: list[Value]


def chapters(data: Object, base_url: str) -> list[Chapter]:
    """Return the document's operations by tag, in its order; the curl commands call ``base_url``."""
    by_tag = {tag["name"]: Chapter(tag["name"], tag.get("description", "")) for tag in data["tags"]}
    for path, item in data["paths"].items():
        for method in _METHODS:
            if method in item:
                by_tag[item[method]["tags"][0]].operations.append(_operation(data, base_url, path, method, item))
    return list(by_tag.values())


def schemas(data: Object) -> list[DescribedSchema]:
    """Return the document's schemas, sorted by name."""
    return [
        DescribedSchema(
            name,
            schema.get("description", ""),
            [
                _value(part, described, part in schema.get("required", ()))
                for part, described in schema.get("properties", {}).items()
            ],
        )
        for name, schema in sorted(data["components"]["schemas"].items())
    ]


def prose(text: str) -> Markup:
    """Render a description as HTML; of Markdown, only `code` and **strong** are supported."""
    marked = str(escape(text))
    marked = re.sub(r"`([^`]+)`", r"<code>\1</code>", marked)
    return Markup(re.sub(r"\*\*([^*]+)\*\*", r"<strong>\1</strong>", marked))


def _operation(data: Object, base_url: str, path: str, method: str, item: Object) -> Operation:
    operation = item[method]
    shared = item.get("parameters", [])
    parameters = [_resolved(data, parameter) for parameter in [*shared, *operation.get("parameters", [])]]
    media = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
    return Operation(
        id=operation["operationId"],
        method=method.upper(),
        path=path,
        summary=operation.get("summary", ""),
        description=operation.get("description", ""),
        access=_access(operation.get("security", [])),
        parameters=[
            _value(p["name"], p["schema"], p.get("required", False), p.get("description", ""), p["in"])
            for p in parameters
        ],
        body=_referred(media.get("schema", {})),
        answers=[
            _answer(status, _resolved(data, answer))
            for status, answer in operation["responses"].items()
            if status != "default"
        ],
        curl=_curl(base_url + path, method, operation, media),
    )


def _access(security: list[Object]) -> str:
    if not security:
        return "anybody"
    return "anybody; a token may be sent" if {} in security else "needs a token"


def _answer(status: str, answer: Object) -> Answer:
    media: Object = next(iter(answer.get("content", {}).values()), {})
    example = media.get("example")
    if "example" in media and not isinstance(example, str):
        example = json.dumps(example, indent=2, ensure_ascii=False)
    return Answer(status, answer.get("description", ""), _referred(media.get("schema", {})), example)


def _curl(url: str, method: str, operation: Object, media: Object) -> str:
    line = f"curl {shlex.quote(url)}" if method == "get" else f"curl -X {method.upper()} {shlex.quote(url)}"
    if operation.get("security") == [{"bearer": []}]:
        line += ' \\\n  -H "Authorization: Bearer $TOKEN"'
    if "example" in media:
        line += " \\\n  --json " + shlex.quote(json.dumps(media["example"], ensure_ascii=False))
    return line


def _value(name: str, schema: Object, required: bool, description: str = "", place: str = "") -> Value:
    text = description or schema.get("description", "")
    return Value(name, _type(schema), _referred(schema), required, text, place)


def _type(schema: Object) -> str:
    """Describe a schema in a few words: its type, its choices and its limits."""
    kinds = schema.get("type", "object" if _referred(schema) else "any")
    words = " or ".join(kinds) if isinstance(kinds, list) else str(kinds)
    if "items" in schema:
        words = "list of" if _referred(schema["items"]) else f"list of {_type(schema['items'])}"
    elif "enum" in schema:
        words = ", ".join(json.dumps(choice) for choice in schema["enum"])
    elif {"type": "null"} in schema.get("anyOf", ()):
        words += " or null"
    facts = [f"{name} {schema[name]}" for name in _FACTS if name in schema]
    return f"{words} ({', '.join(facts)})" if facts else words


def _referred(schema: Object) -> str | None:
    """Return the name of the component that a schema refers to: itself, as its items, or where it is not null."""
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    within = [schema["items"]] if "items" in schema else []
    for part in (*within, *schema.get("anyOf", ()), *schema.get("allOf", ())):
        if isinstance(part, dict) and (name := _referred(part)):
            return name
    return None


def _resolved(data: Object, part: Object) -> Object:
    if "$ref" not in part:
        return part
    found: Object = data
    for step in part["$ref"].removeprefix("#/").split("/"):
        found = found[step]
    return found
