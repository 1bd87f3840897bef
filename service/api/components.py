"""JSON Schemas that have a name of their own in the OpenAPI document: enums, unions, and what several schemas share.

A generated client has one type for each of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from marshmallow import Schema, ValidationError

from engine.phrases import Phrase, phrase
from service.api.schema import RequestSchema

BINARY: dict[str, Any] = {"type": "string", "format": "binary"}
"""The schema of a response that is no text."""


@dataclass(frozen=True, eq=False)
class Component:
    """A JSON Schema with a name; the values within may be components, and classes of marshmallow schemas."""

    name: str
    schema: Mapping[str, Any]

    def described(self, reference: Callable[[object], dict[str, Any]]) -> dict[str, Any]:
        """Return the JSON Schema, where `reference` gives the ``$ref`` of each component and class within."""
        return {name: _referring(part, reference) for name, part in self.schema.items()}


class _Union(Component):
    """A component whose schema is a union of others; see `union`."""

    def described(self, reference: Callable[[object], dict[str, Any]]) -> dict[str, Any]:
        """Return the JSON Schema, with the discriminator's mapping."""
        return {"description": self.schema["description"], **_union(self.schema, reference)}


def union(name: str, by: str, variants: Mapping[str, Component | type[Schema]], description: str = "") -> Component:
    """Return an OpenAPI union of object schemas, discriminated by the field `by`; `variants` has its values."""
    return _Union(name, {"by": by, "variants": variants, "description": description})


class UnionRequest(RequestSchema):
    """The base of requests one of whose fields, `by`, says by which of the `variants` the whole is loaded."""

    by: ClassVar[str] = "type"
    variants: ClassVar[Mapping[str, type[RequestSchema]]] = {}

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._loaders = {name: variant(**options) for name, variant in self.variants.items()}

    def load(self, data: Any, **options: Any) -> Any:
        """Load the data with the schema of the variant that it names; raise ValidationError if there is none."""
        if self.by not in data:
            raise ValidationError({self.by: [Phrase("Must be given.")]})
        named = data[self.by]
        loader = self._loaders.get(named) if isinstance(named, str) else None
        if loader is None:
            choices = ", ".join(self._loaders)
            raise ValidationError({self.by: [phrase("Must be one of: %(choices)s.", choices=choices)]})
        return loader.load(data, **options)

    @classmethod
    def described(cls, reference: Callable[[object], dict[str, Any]]) -> dict[str, Any]:
        """Return the JSON Schema of the union."""
        return _union({"by": cls.by, "variants": cls.variants}, reference)


def _union(schema: Mapping[str, Any], reference: Callable[[object], dict[str, Any]]) -> dict[str, Any]:
    references = {name: reference(variant) for name, variant in schema["variants"].items()}
    mapping = {name: found["$ref"] for name, found in references.items()}
    return {
        "oneOf": list(references.values()),
        "discriminator": {"propertyName": schema["by"], "mapping": mapping},
    }


def _referring(part: Any, reference: Callable[[object], dict[str, Any]]) -> Any:
    if isinstance(part, Component) or (isinstance(part, type) and issubclass(part, Schema)):
        return reference(part)
    if isinstance(part, Mapping):
        return {name: _referring(each, reference) for name, each in part.items()}
    if isinstance(part, list):
        return [_referring(each, reference) for each in part]
    return part
