"""``/v1/tiles``: the catalog of tiles."""

import hashlib
import json
from typing import Any

from flask import Response
from marshmallow import fields

from service.api.blueprint import Blueprint
from service.api.etags import conditional, not_modified
from service.api.schema import ResponseSchema
from service.api.tile_view import TILES, TileSchema

blp = Blueprint("tiles", __name__, description="The 68 tiles.")

_BODY = json.dumps({"items": TILES[1:]})
_ETAG = f'"{hashlib.sha256(_BODY.encode()).hexdigest()[:16]}"'
_HEADERS = {"ETag": _ETAG, "Cache-Control": "public, max-age=86400"}


class TileList(ResponseSchema):
    """All tiles, by id."""

    items = fields.List(fields.Nested(TileSchema), required=True)


@blp.route("/v1/tiles", methods=["GET"])
@conditional
@blp.response(
    200,
    TileList,
    example={"items": list(TILES[1:3])},
    headers={"ETag": {"description": "The ETag of the catalog.", "schema": {"type": "string"}}},
)
def list_tiles() -> Any:
    """List all tiles with their colors, time costs and goals."""
    unchanged = not_modified(_ETAG)
    if unchanged is not None:
        unchanged.headers.update(_HEADERS)
        return unchanged
    return Response(_BODY, headers=_HEADERS, mimetype="application/json")
