"""The fields of responses, each with its description."""

from typing import Any

from marshmallow import fields

from service.api.components import Component
from service.api.fields import Const
from service.api.schema import ResponseSchema


def _described(description: str) -> dict[str, Any]:
    return {"description": description} if description else {}


def text(description: str = "", **options: Any) -> fields.String:
    """Return a required text field; with `allow_none=True` it may be null, with `enum=` it is one of those values."""
    enum = options.pop("enum", None)
    metadata = _described(description) | ({"enum": list(enum)} if enum else {})
    return fields.String(required=True, metadata=metadata, **options)


def whole(description: str = "", **options: Any) -> fields.Integer:
    """Return a required integer field; with `allow_none=True` it may be null, `minimum=` and `maximum=` bound it."""
    bounds = {name: options.pop(name) for name in ("minimum", "maximum") if name in options}
    return fields.Integer(required=True, metadata=_described(description) | bounds, **options)


def const(value: str, description: str = "") -> fields.String:
    """Return a required text field that has always the same value."""
    return Const(value, description)


def component(kind: Component, description: str = "", **options: Any) -> fields.Raw:
    """Return a required field of a named type, which is passed on as it is; with `allow_none=True` it may be null."""
    return fields.Raw(required=True, metadata={**_described(description), "component": kind}, **options)


def components(kind: Component, description: str = "") -> fields.List[Any]:
    """Return a required field that is a list of values of a named type."""
    return fields.List(component(kind), required=True, metadata=_described(description))


def flag(description: str = "", **options: Any) -> fields.Boolean:
    """Return a required boolean field."""
    return fields.Boolean(required=True, metadata=_described(description), **options)


def moment(description: str = "", **options: Any) -> fields.String:
    """Return a required date-time field; with `allow_none=True` it may be null."""
    return fields.String(
        required=True,
        metadata=_described(description) | {"format": "date-time", "example": "2026-11-27T20:56:00.123Z"},
        **options,
    )


def nested(schema: type[ResponseSchema], description: str = "", **options: Any) -> fields.Nested:
    """Return a required object field; with `allow_none=True` it may be null, with `many=True` it is a list."""
    return fields.Nested(schema, required=True, metadata=_described(description), **options)


def wholes(description: str) -> fields.List[Any]:
    """Return a required field that is a list of integers."""
    return fields.List(fields.Integer(), required=True, metadata={"description": description})


def texts(description: str) -> fields.List[Any]:
    """Return a required field that is a list of texts."""
    return fields.List(fields.String(), required=True, metadata={"description": description})
