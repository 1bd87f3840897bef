"""The schema of a problem."""

from __future__ import annotations

from marshmallow import fields

from service.api.legal_move_schemas import AllowedMovesSchema
from service.api.problem_codes import PAGE, PROBLEM_CODE
from service.api.schema import ResponseSchema


class WrongField(ResponseSchema):
    """A field that does not match the schema."""

    place = fields.String(
        data_key="in", required=True, metadata={"description": "`body` or `query`.", "example": "body"}
    )
    field = fields.String(
        required=True,
        metadata={
            "description": "The name of the field, with dots before nested names; empty for the whole.",
            "example": "email",
        },
    )
    detail = fields.String(required=True, metadata={"description": "What the field must be."})


class Problem(ResponseSchema):
    """Problem details (RFC 9457). The members after `detail` depend on `code`."""

    type = fields.String(
        required=True,
        metadata={
            "description": "The address of the explanation of `code`.",
            "format": "uri-reference",
            "example": f"{PAGE}#stale_version",
        },
    )
    title = fields.String(required=True, metadata={"description": "The status in words."})
    status = fields.Integer(required=True)
    code = fields.Raw(
        required=True,
        metadata={
            "description": "The stable name of the problem, for programs. New ones can come with any version.",
            "anyOf": [PROBLEM_CODE, {"type": "string"}],
        },
    )
    detail = fields.String(required=True, metadata={"description": "What is wrong, and how to correct it."})
    errors = fields.List(fields.Nested(WrongField), metadata={"description": "Each field that is wrong."})
    rule = fields.String(
        metadata={"description": "The number of the ruling that an illegal move breaks.", "example": "2.3"}
    )
    legal = fields.Nested(AllowedMovesSchema, metadata={"description": "What you may do instead of an illegal move."})
    version = fields.Integer(metadata={"description": "The present version of the game."})
    fault = fields.String(metadata={"description": "What is wrong with what was imported.", "example": "chain"})
    entry = fields.Integer(metadata={"description": "The first bad entry of an imported record; 0 is the header."})
    line = fields.Integer(metadata={"description": "The line at fault of an imported text; 0 is the whole."})
    after = fields.String(metadata={"description": "The cursor to go on from, where events are no longer kept."})
    most = fields.Integer(metadata={"description": "How many you may have."})
    checks = fields.Dict(
        keys=fields.String(),
        values=fields.String(),
        metadata={"description": "The state of each part that the service needs."},
    )
