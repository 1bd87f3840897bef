"""What may stand in a path where an id is meant; anything else is an address that does not exist (404)."""

from typing import Any

from werkzeug.routing import BaseConverter

_PATTERN = "[A-Za-z0-9]{12}"


class IdConverter(BaseConverter):
    """``<id:…>`` in a rule: an id as ``service.store.ids`` makes them."""

    regex = _PATTERN


def id_schema(converter: IdConverter) -> dict[str, Any]:
    """How the OpenAPI document describes such a part of a path."""
    return {"type": "string", "pattern": f"^{_PATTERN}$"}
