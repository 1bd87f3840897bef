"""The converter from marshmallow schemas to the JSON Schemas of the OpenAPI document."""

from __future__ import annotations

import json
from collections.abc import Callable
from inspect import cleandoc
from typing import Any

from apispec.ext.marshmallow.openapi import OpenAPIConverter
from marshmallow import fields

from service.api.components import Component, UnionRequest
from service.api.enums import ENUMS
from service.api.fields import Const


class Converter(OpenAPIConverter):
    """apispec's converter, adapted to the generators of clients.

    A schema is described by its docstring. A field may have a `Component` in its metadata, as ``component`` or within
    its JSON Schema. Defaults are told in words: generators make a field with a ``default`` a required one.
    """

    def schema2jsonschema(self, schema: Any) -> dict[str, Any]:
        """Return the JSON Schema of a marshmallow schema."""
        described: dict[str, Any]
        if issubclass(schema if isinstance(schema, type) else type(schema), UnionRequest):
            described = schema.described(self.reference)
        else:
            described = super().schema2jsonschema(schema)  # type: ignore[no-untyped-call]
        if schema.__doc__:
            described["description"] = cleandoc(schema.__doc__)
        return described

    def field2property(self, field: fields.Field[Any]) -> dict[str, Any]:
        """Return the JSON Schema of a field."""
        described = Component("", super().field2property(field)).described(self.reference)
        if isinstance(field, Const):
            described = {**described, "const": field.value}
        component = field.metadata.get("component")
        if component is not None:
            found = self.reference(component)
            described |= {"anyOf": [found, {"type": "null"}]} if field.allow_none else found
        described = _named(described, self.reference)
        default = described.pop("default", None)
        if default is not None:
            told = f"Default: {_worded(default)}."
            described["description"] = f"{described.get('description', '')} {told}".lstrip()
        return described

    def reference(self, part: Any) -> dict[str, Any]:
        """Return the ``$ref`` of a component, or of a marshmallow schema, which the document has from then on."""
        if not isinstance(part, Component):
            found: dict[str, Any] = self.resolve_nested_schema(part)  # type: ignore[no-untyped-call]
            return found
        components = self.spec.components
        if part.name not in components.schemas:
            components.schema(part.name, part.described(self.reference))
        return {"$ref": f"#/components/schemas/{part.name}"}


def _named(described: dict[str, Any], reference: Callable[[Any], dict[str, Any]]) -> dict[str, Any]:
    """Return a JSON Schema with a reference in place of an enum that has a name, and a const for one of one value."""
    if not isinstance(described.get("enum"), list):
        return described
    rest = {name: part for name, part in described.items() if name not in ("enum", "type")}
    values = tuple(value for value in described["enum"] if value is not None)
    if len(values) == 1:
        return {**rest, "type": "string", "const": values[0]}
    if values not in ENUMS:
        raise LookupError(f"Name the enum of {', '.join(values)} in service/api/enums.py.")
    found = reference(ENUMS[values])
    return rest | ({"anyOf": [found, {"type": "null"}]} if None in described["enum"] else found)


def _worded(default: object) -> str:
    if default == "":
        return "the empty text"
    return f"`{default if isinstance(default, str) else json.dumps(default)}`"
