"""The links of the OpenAPI document: what a response of one operation gives to the next one, such as the id of a game.

Tools that make their way through the API by themselves follow them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

Values = dict[str, Any]

_ID = "$response.body#/id"


class _Links(NamedTuple):
    """Links from the successful response of an operation to others, which take the same values from it."""

    source: str
    parameters: Values
    targets: tuple[str, ...]
    body: Values | None = None


_AT_GAMES = (
    *("getGame", "closeGame", "joinGame", "leaveGame", "invite", "listInvitations", "setEntropy"),
    *("listLegalMoves", "listMoves", "getRecord", "say", "listMessages", "writeNote", "listNotes", "askForRematch"),
)
_AT_SOLOS = (
    *("getSoloSession", "startSoloSession", "closeSoloSession", "listSoloLegalMoves", "listSoloMoves"),
    *("getSoloRecord", "writeSoloNote", "listSoloNotes", "keepSoloSession"),
)
_GAME = {"game_id": "$request.path.game_id"}
_SOLO = {"session_id": "$request.path.session_id"}
_PLACEMENT = {
    "type": "place",
    "tile": "$response.body#/tiles/0",
    "x": "$response.body#/cells/0/x",
    "y": "$response.body#/cells/0/y",
    "expected_version": "$response.body#/version",
}

_LINKS = (
    _Links("createToken", {"token_id": _ID}, ("revokeToken",)),
    _Links("createGame", {"game_id": _ID}, _AT_GAMES),
    _Links("joinGame", _GAME, ("getGame", "listLegalMoves", "leaveGame")),
    _Links("listLegalMoves", _GAME, ("makeMove",), _PLACEMENT),
    _Links("makeMove", _GAME, ("getGame", "listLegalMoves", "getRecord", "getBoardSvg", "offerTime", "keepGame")),
    _Links("invite", {**_GAME, "invitation_id": _ID}, ("takeInvitationBack",)),
    _Links("writeNote", {**_GAME, "note_id": _ID}, ("deleteNote",)),
    _Links("createSoloSession", {"session_id": _ID}, _AT_SOLOS),
    _Links("startSoloSession", _SOLO, ("getSoloSession", "listSoloLegalMoves")),
    _Links("listSoloLegalMoves", _SOLO, ("makeSoloMove",), _PLACEMENT),
    _Links("makeSoloMove", _SOLO, ("getSoloSession", "listSoloLegalMoves", "getSoloRecord", "getSoloBoardSvg")),
    _Links("writeSoloNote", {**_SOLO, "note_id": _ID}, ("deleteSoloNote",)),
)


def of_operation(operation: str) -> dict[str, Any]:
    """Return the links from the successful response of an operation, by the operation that each leads to."""
    found: dict[str, Any] = {}
    for links in _LINKS:
        if links.source == operation:
            link: dict[str, Any] = {"parameters": links.parameters}
            if links.body is not None:
                link["requestBody"] = links.body
            found |= {target: {"operationId": target, **link} for target in links.targets}
    return found
