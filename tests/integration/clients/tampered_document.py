"""Changes of the OpenAPI document that break clients, each in another operation.

Other operations that have the same schemas break, too.
"""

from __future__ import annotations

from typing import Any

BREAKS = {
    "listNotes": "removal",  # an operation is gone
    "getMe": "response",  # a property of an answer is gone
    "listDeliveries": "response",  # a property of an answer has another type
    "getCalendar": "response",  # a property of an answer may be missing
    "listInvitations": "response",  # an enum of an answer has one more value
    "getReadiness": "response",  # a property of an answer may be null
    "listTiles": "response",  # an answer has another status
    "askForCode": "request",  # a field of a body is newly required
    "say": "request",  # a field of a body has another type
    "getBoardSvg": "request",  # a query parameter is newly required
    "listGames": "request",  # an enum of a query parameter has one value less
    "offerTime": "request",  # a field of a body may not be null any more
    "writeNote": "request",  # a text may not be as long any more
    "getRules": "request",  # an access token is newly needed
}
"""The side of each operation that `tamper` breaks."""


def tamper(document: dict[str, Any]) -> None:
    """Break an OpenAPI document in the ways of `BREAKS`."""
    schemas, paths = document["components"]["schemas"], document["paths"]
    by_id = {
        operation["operationId"]: operation
        for item in paths.values()
        for operation in item.values()
        if "operationId" in operation
    }
    del schemas["Account"]["properties"]["language"]
    schemas["Account"]["required"].remove("language")
    schemas["DeliveryPage"]["properties"]["next"] = {"type": "integer"}
    schemas["Calendar"]["required"] = []
    schemas["InvitationState"]["enum"].append("lost")
    schemas["Readiness"]["properties"]["checks"] = {"anyOf": [{"type": "object"}, {"type": "null"}]}
    tiles = by_id["listTiles"]["responses"]
    tiles["202"] = tiles.pop("200")
    schemas["SignInRequest"]["properties"]["captcha"] = {"type": "string"}
    schemas["SignInRequest"]["required"].append("captcha")
    schemas["MessageRequest"]["properties"]["text"] = {"type": "integer"}
    width = {"in": "query", "name": "width", "required": True, "schema": {"type": "integer"}}
    by_id["getBoardSvg"]["parameters"].append(width)
    for parameter in by_id["listGames"]["parameters"]:
        if parameter.get("name") == "status":
            parameter["schema"] = {"type": "string", "enum": ["open", "running", "finished"]}
    schemas["MoreTimeRequest"]["properties"]["duration"]["type"] = "string"
    schemas["NoteRequest"]["properties"]["text"]["maxLength"] = 100
    by_id["getRules"]["security"] = [{"bearer": []}]
    for path in list(paths):
        if paths[path].get("get", {}).get("operationId") == "listNotes":
            del paths[path]["get"]
