"""The base classes of all schemas, and the wrong fields of what does not match one."""

from typing import Any

from marshmallow import EXCLUDE, RAISE, Schema

from engine.phrases import Phrase
from service.errors import Wrong


class RequestSchema(Schema):
    """The base of schemas that clients send; unknown fields are refused."""

    class Meta:
        unknown = RAISE


class ResponseSchema(Schema):
    """The base of schemas that the API returns; later versions may add members."""

    class Meta:
        unknown = EXCLUDE


# How many wrong fields a problem lists, and how many characters of a name from the client it repeats.
_MOST, _LONGEST = 20, 100


OF_MARSHMALLOW = {
    "Missing data for required field.": Phrase("Must be given."),
    "Field may not be null.": Phrase("Must not be null."),
    "Not a valid string.": Phrase("Must be a text."),
    "Not a valid utf-8 string.": Phrase("Must be a text."),
    "Not a valid integer.": Phrase("Must be a whole number."),
    "Not a valid boolean.": Phrase("Must be true or false."),
    "Not a valid list.": Phrase("Must be a list."),
    "Not a valid mapping type.": Phrase("Must be a JSON object."),
    "Invalid type.": Phrase("Must be a JSON object."),
    "Invalid input type.": Phrase("Must be a JSON object."),
    "Unknown field.": Phrase("Unknown field."),
}
"""The messages of `marshmallow`, and those that clients get instead of them. A test checks that none is missing."""


def wrong_fields(place: str, messages: dict[str, Any] | list[Any]) -> list[Wrong]:
    """Flatten the messages of a marshmallow ``ValidationError`` into the list of a problem, sorted by field."""
    found: list[Wrong] = []

    def collect(path: tuple[str, ...], node: Any) -> None:
        if isinstance(node, dict):
            for key, value in node.items():
                collect(path if key == "_schema" else (*path, str(key)), value)
        elif isinstance(node, list):
            for value in node:
                collect(path, value)
        else:
            right = node if isinstance(node, Phrase) else OF_MARSHMALLOW.get(node, Phrase(str(node)))
            found.append(Wrong(place, ".".join(path)[:_LONGEST], right))

    collect((), messages)
    return sorted(found, key=lambda wrong: (wrong.field, str(wrong.right)))[:_MOST]
