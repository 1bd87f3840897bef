"""The converter from marshmallow schemas to the JSON Schemas of the OpenAPI document."""

from __future__ import annotations

import json
from inspect import cleandoc
from typing import Any

from apispec.ext.marshmallow.openapi import OpenAPIConverter
from marshmallow import fields

from service.api.components import Component, UnionRequest
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
            described.pop("type", None)
            described |= {"anyOf": [found, {"type": "null"}]} if field.allow_none else found
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


def _worded(default: object) -> str:
    if default == "":
        return "the empty text"
    return f"`{default if isinstance(default, str) else json.dumps(default)}`"
