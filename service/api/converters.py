"""The URL converters for ids and numbers in paths.

A malformed id names nothing, so it is refused in the same way as an unknown one: a request without a token gets 401
first, as everywhere.
"""

import re
from typing import Any

from werkzeug.routing import BaseConverter, IntegerConverter

NO_ID = ""
"""The value that a view receives in place of a malformed id. No resource has it."""

_ID = re.compile("[A-Za-z0-9]{12}")


def id_or_none(text: str) -> str:
    """Return an id, or `NO_ID` for any other text; both are safe to look up in the database."""
    return text if _ID.fullmatch(text) else NO_ID


class IdConverter(BaseConverter):
    """The converter of ``<id:…>`` in a rule.

    It gives an id as ``service.ids`` makes them, or ``NO_ID`` for any other text.
    """

    def to_python(self, value: str) -> str:
        """Return the id, or `NO_ID`."""
        return id_or_none(value)


class WholeNumberConverter(IntegerConverter):
    """The converter of ``<int:…>`` in a rule, in place of werkzeug's, which takes ``01`` and digits of any script too.

    It gives a decimal number of at most 32 digits, written as the numbers of a query are; at an address with any other
    text there is nothing.
    """

    regex = "0|[1-9][0-9]{0,31}"


NO_NUMBER = -1
"""The value that a view receives in place of what is no number. No resource has it."""

_NUMBER = re.compile("0|[1-9][0-9]{0,15}")
_MOST = 2**53 - 1


class NumberConverter(BaseConverter):
    """The converter of ``<number:…>`` in a rule.

    It gives a decimal number up to 2^53 - 1, or ``NO_NUMBER`` for any other text.
    """

    def to_python(self, value: str) -> int:
        """Return the number, or `NO_NUMBER`; both are safe to look up in the database."""
        return int(value) if _NUMBER.fullmatch(value) and int(value) <= _MOST else NO_NUMBER


def number_schema(converter: NumberConverter) -> dict[str, Any]:
    """Return the JSON Schema of such a path parameter, for the OpenAPI document."""
    return {"type": "integer", "minimum": 0, "maximum": _MOST}


def id_schema(converter: IdConverter) -> dict[str, Any]:
    """Return the JSON Schema of such a path parameter, for the OpenAPI document."""
    return {"type": "string", "pattern": f"^{_ID.pattern}$"}
