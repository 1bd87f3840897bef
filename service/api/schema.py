"""The base of all schemas, and the schema of a problem."""

from typing import Any

from marshmallow import EXCLUDE, RAISE, Schema, fields

from engine.saying import Said
from service.errors import Wrong


class Given(Schema):
    """Base of what clients send: a field that is not named is refused."""

    class Meta:
        unknown = RAISE


class Shown(Schema):
    """Base of what the API answers. It documents and dumps; further members may come in later versions."""

    class Meta:
        unknown = EXCLUDE


class WrongField(Shown):
    """One thing that does not fit the schema."""

    place = fields.String(
        data_key="in", required=True, metadata={"description": "`body` or `query`.", "example": "body"}
    )
    field = fields.String(
        required=True,
        metadata={
            "description": "Name of the field, with dots into nested ones; empty: the whole.",
            "example": "email",
        },
    )
    detail = fields.String(required=True, metadata={"description": "What would be right."})


class Problem(Shown):
    """RFC 9457 problem details. Further members belong to the code and are described with the operation."""

    type = fields.String(required=True, metadata={"example": "about:blank"})
    title = fields.String(required=True, metadata={"description": "The status in words."})
    status = fields.Integer(required=True)
    code = fields.String(required=True, metadata={"description": "Stable name of the problem, for programs."})
    detail = fields.String(required=True, metadata={"description": "What is wrong, and what would be right."})
    errors = fields.List(
        fields.Nested(WrongField), metadata={"description": "With code `wrong_fields`: each field that is wrong."}
    )


#: How many wrong fields a problem lists, and how much of a name that the client made up it repeats.
_MOST, _LONGEST = 20, 100


#: What `marshmallow` says by itself, and what is said here in place of it. A test holds that nothing is missing.
OF_MARSHMALLOW = {
    "Missing data for required field.": Said("Must be given."),
    "Field may not be null.": Said("Must not be null."),
    "Not a valid string.": Said("Must be a text."),
    "Not a valid utf-8 string.": Said("Must be a text."),
    "Not a valid integer.": Said("Must be a whole number."),
    "Not a valid boolean.": Said("Must be true or false."),
    "Not a valid list.": Said("Must be a list."),
    "Not a valid mapping type.": Said("Must be a JSON object."),
    "Invalid type.": Said("Must be a JSON object."),
    "Invalid input type.": Said("Must be a JSON object."),
    "Unknown field.": Said("Unknown field."),
}


def wrong_fields(place: str, messages: dict[str, Any] | list[Any]) -> list[Wrong]:
    """The messages of a marshmallow ``ValidationError``, flattened into the list that a problem shows, by name."""
    found: list[Wrong] = []

    def collect(path: tuple[str, ...], node: Any) -> None:
        if isinstance(node, dict):
            for key, value in node.items():
                collect(path if key == "_schema" else (*path, str(key)), value)
        elif isinstance(node, list):
            for value in node:
                collect(path, value)
        else:
            right = node if isinstance(node, Said) else OF_MARSHMALLOW.get(node, Said(str(node)))
            found.append(Wrong(place, ".".join(path)[:_LONGEST], right))

    collect((), messages)
    return sorted(found, key=lambda wrong: (wrong.field, str(wrong.right)))[:_MOST]
