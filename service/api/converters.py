"""What may stand in a path where an id is meant. What is no id names nothing, so it is refused as an unknown one is:
who has no token gets 401 first, like everywhere."""

import re
from typing import Any

from werkzeug.routing import BaseConverter

NO_ID = ""
"""What a view gets in place of a text that is no id. Nothing has it."""

_ID = re.compile("[A-Za-z0-9]{12}")


class IdConverter(BaseConverter):
    """``<id:…>`` in a rule: an id as ``service.ids`` makes them, any other text of the path as ``NO_ID``."""

    def to_python(self, value: str) -> str:
        """The id, safe to look for in the database."""
        return value if _ID.fullmatch(value) else NO_ID


def id_schema(converter: IdConverter) -> dict[str, Any]:
    """How the OpenAPI document describes such a part of a path."""
    return {"type": "string", "pattern": f"^{_ID.pattern}$"}
