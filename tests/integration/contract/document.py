"""The OpenAPI document as the tests read it: its operations, their examples, and their responses."""

import json
from dataclasses import dataclass
from typing import Any

import jsonschema_rs

from service.api import documents
from tests.support import web

DOCUMENT: dict[str, Any] = json.loads(documents.of(web.without_database().application).json)  # faster than the YAML

_METHODS = ("get", "post", "patch", "put", "delete")


def resolved(part: dict[str, Any]) -> dict[str, Any]:
    """Return a part of the document, or what it refers to if it is a reference."""
    found: Any = part
    if "$ref" in part:
        found = DOCUMENT
        for step in part["$ref"].removeprefix("#/").split("/"):
            found = found[step]
    return dict(found)


def fits(schema: dict[str, Any], value: Any) -> None:
    """Raise an error unless a value matches a schema of the document."""
    rooted = {**schema, "components": DOCUMENT["components"]}
    jsonschema_rs.validator_for(rooted, validate_formats=True).validate(value)


@dataclass(frozen=True)
class Operation:
    """An operation of the document."""

    path: str
    method: str
    data: dict[str, Any]

    @property
    def id(self) -> str:
        return str(self.data["operationId"])

    @property
    def needs_token(self) -> bool:
        return bool(self.data.get("security") == [{"bearer": []}])

    @property
    def takes_token(self) -> bool:
        """True if it looks at an access token, required or not."""
        return self.data.get("security") != []

    @property
    def body(self) -> dict[str, Any] | None:
        """The schema and the example of the body, if there is one."""
        content = self.data.get("requestBody", {}).get("content", {})
        body: dict[str, Any] | None = content.get("application/json")
        return body

    @property
    def header_examples(self) -> dict[str, str]:
        return {p["name"]: p["example"] for p in self._parameters if p["in"] == "header" and "example" in p}

    @property
    def query_examples(self) -> dict[str, str]:
        """The examples of the query parameters that have one."""
        queried = {p["name"]: p["schema"] for p in self._parameters if p["in"] == "query"}
        return {name: schema["example"] for name, schema in queried.items() if "example" in schema}

    @property
    def _parameters(self) -> list[dict[str, Any]]:
        return [resolved(parameter) for parameter in self.data.get("parameters", [])]

    def answer(self, status: int) -> dict[str, Any]:
        """Return the document's description of the responses with this status."""
        return resolved(self.data["responses"][str(status)])


OPERATIONS = [
    Operation(path, method, item[method])
    for path, item in DOCUMENT["paths"].items()
    for method in _METHODS
    if method in item
]
