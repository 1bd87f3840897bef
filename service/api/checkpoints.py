"""``/v1/checkpoints``: the logs over the logs of all games, with their checkpoints and tiles (C2SP tlog-tiles)."""

from __future__ import annotations

from typing import Any, NoReturn

from flask import Response
from sqlalchemy.orm import Session

from engine.phrases import Phrase
from engine.record import stamp
from service.api.blueprint import Blueprint
from service.api.bodies import query
from service.api.checkpoint_schemas import (
    CONSISTENCY_EXAMPLE,
    LOGS_EXAMPLE,
    NOTE_EXAMPLE,
    PAGE_EXAMPLE,
    CheckpointLogsSchema,
    CheckpointPage,
    ConsistencyQuery,
)
from service.api.components import BINARY
from service.api.context import settings
from service.api.etags import conditional
from service.api.json_response import json_response, page_response
from service.api.json_text import encode
from service.api.openapi_annotations import refuses
from service.api.paging import PAGE_HEADERS, PageQuery, check_epoch, encode_cursor, place_of, refuse_cursor
from service.api.requests import refuse
from service.checkpoints import tiles
from service.checkpoints.encoding import to_base64
from service.checkpoints.keys import VerifyKey
from service.checkpoints.notes import SignedNote
from service.commands import checkpoint_policy
from service.errors import NotFound
from service.queries import checkpoint_proofs
from service.store import checkpoint_tiles, checkpoints, epoch
from service.store.checkpoints import Log, StoredNote
from service.store.unit import transaction

blp = Blueprint(
    "checkpoints",
    __name__,
    description="Signed checkpoints, which commit the operator to the logs of all games.",
)

TEXT = "text/plain"
_BYTES = "application/octet-stream"
_STRING: dict[str, Any] = {"type": "string"}
_FIVE_SECONDS = "public, max-age=5"
_A_MINUTE = "public, max-age=60"
_FOR_EVER = "public, max-age=31536000, immutable"
_HEIGHT = 8


def _headers(caching: str) -> dict[str, Any]:
    return {"Cache-Control": {"description": f"`{caching}`", "schema": _STRING}}


def _sent(body: str | bytes, content_type: str, caching: str) -> Response:
    spelled = f"{content_type}; charset=utf-8" if content_type == TEXT else content_type
    return Response(body, content_type=spelled, headers={"Cache-Control": caching})


@blp.route("/v1/checkpoints", methods=["GET"])
@blp.response(200, CheckpointLogsSchema, example=LOGS_EXAMPLE, headers=_headers(_A_MINUTE))
def list_checkpoint_logs() -> Any:
    """List the logs of checkpoints.

    A log is an append-only tree of entries (RFC 6962), in which every game that has changed gets a leaf about once a
    day. Entries tell nothing about a game to those who do not know its header. A signed checkpoint commits the operator
    to the whole log, and `GET /v1/games/{game_id}/proof` proves that a game is in it. Before the first game there is no
    log. When a log is closed, as its key was lost or the service was restored, the next one begins.
    """
    with transaction() as session:
        logs = [_described(session, log) for log in checkpoints.logs(session)]
    return json_response({"logs": logs}, {"Cache-Control": _A_MINUTE})


def _described(session: Session, log: Log) -> dict[str, Any]:
    note = checkpoints.newest_note(session, log.number)
    keys = checkpoints.keys(session, log.number)
    signing = [] if note is None else _signing(note, [key.vkey for key in keys])
    url = f"{settings().base_url}/v1/checkpoints/{log.number}"
    return {
        "log": log.number,
        "origin": log.origin,
        "state": "open" if log.closed_at is None else "closed",
        "size": 0 if note is None else note.size,
        "keys": [{"vkey": key.vkey, "signs": key.vkey in signing, "endorsement": key.endorsement} for key in keys],
        "policy": checkpoint_policy.text(settings(), signing or [key.vkey for key in keys], url),
    }


def _signing(note: StoredNote, vkeys: list[str]) -> list[str]:
    signed = SignedNote.parse(note.note)
    return [vkey for vkey in vkeys if signed.of(VerifyKey.parse(vkey))]


@blp.route("/v1/checkpoints/<number:log>/checkpoints", methods=["GET"])
@refuses(404)
@query(PageQuery)
@conditional
@blp.response(200, CheckpointPage, example=PAGE_EXAMPLE, headers=PAGE_HEADERS)
def list_checkpoints(log: int, query: dict[str, Any]) -> Any:
    """List the checkpoints of a log, newest first."""
    place = place_of(query, str)
    below = None
    if place is not None:
        (part,) = place.parts
        below = int(part) if part.isdecimal() and len(part) <= len(str(2**53)) else refuse_cursor()
    with transaction() as session:
        _log(session, log)
        current = epoch.current(session)
        check_epoch(place, current)
        found = checkpoints.notes_below(session, log, below, query["limit"] + 1)
    shown = found[: query["limit"]]
    following = encode_cursor(str(shown[-1].size), of=current) if len(found) > len(shown) else None
    response = page_response([_checkpoint(note) for note in shown], following)
    response.headers["Cache-Control"] = _A_MINUTE
    return response


def _checkpoint(note: StoredNote) -> str:
    return encode(
        {
            "size": note.size,
            "root": to_base64(note.root),
            "signed_at": stamp(note.signed_at),
            "witnesses": list(note.witnesses),
        }
    )


@blp.route("/v1/checkpoints/<number:log>/checkpoint", methods=["GET"])
@refuses(404)
@blp.response(200, _STRING, content_type=TEXT, example=NOTE_EXAMPLE, headers=_headers(_FIVE_SECONDS))
def get_newest_checkpoint(log: int) -> Any:
    """Get the newest checkpoint of a log as a signed note (C2SP tlog-checkpoint)."""
    with transaction() as session:
        _log(session, log)
        note = checkpoints.newest_note(session, log)
    if note is None:
        raise no_checkpoint()
    return _sent(note.note, TEXT, _FIVE_SECONDS)


@blp.route("/v1/checkpoints/<number:log>/checkpoints/<number:size>", methods=["GET"])
@refuses(404)
@blp.response(200, _STRING, content_type=TEXT, example=NOTE_EXAMPLE, headers=_headers(_FIVE_SECONDS))
def get_checkpoint(log: int, size: int) -> Any:
    """Get the checkpoint of a log with this size as a signed note (C2SP tlog-checkpoint)."""
    with transaction() as session:
        _log(session, log)
        return _sent(_published(session, log, size).note, TEXT, _FIVE_SECONDS)


@blp.route("/v1/checkpoints/<number:log>/tile/<number:level>/<path:number>", methods=["GET"])
@refuses(404)
@blp.response(200, BINARY, content_type=_BYTES, headers=_headers(_FOR_EVER))
def get_tile(log: int, level: int, number: str) -> Any:
    """Get a tile of a log's tree: 256 hashes of 32 bytes each (C2SP tlog-tiles).

    A number is written in groups of three digits, such as `x001/x234/067`. At the end of a tile that is not full stand
    `.p/` and its width, as in `005.p/17`; there are such tiles only as published checkpoints have them.
    """
    at, separator, partial = number.partition(".p/")
    place = _number(at)
    width = tiles.WIDTH if not separator else int(partial) if _is_width(partial) else 0
    first = (place * tiles.WIDTH + width) << (_HEIGHT * level) if 0 <= level < tiles.LEVELS else 0
    with transaction() as session:
        _log(session, log)
        end = None if width == tiles.WIDTH else first + (1 << (_HEIGHT * level))
        if not 0 < first < 2**53 or width == 0 or not checkpoints.is_published_between(session, log, first, end):
            _refuse_tile()
        return _sent(checkpoint_tiles.fetcher(session, log)(level, place, width), _BYTES, _FOR_EVER)


def _is_width(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= 3 and text[0] != "0" and int(text) < tiles.WIDTH


@blp.route("/v1/checkpoints/<number:log>/tile/entries/<path:number>", methods=["GET"])
@refuses(404)
@blp.response(200, BINARY, content_type=_BYTES, headers=_headers(_FOR_EVER))
def get_entries(log: int, number: str) -> Any:
    """Get the 256 entries below a tile of level 0: each 64 bytes long, after its length in two bytes."""
    place = _number(number)
    with transaction() as session:
        _log(session, log)
        found = None
        if place * tiles.WIDTH < 2**53 and checkpoints.is_published_between(
            session, log, (place + 1) * tiles.WIDTH, None
        ):
            found = checkpoint_tiles.entries(session, log, place)
    if found is None:
        _refuse_tile()
    return _sent(tiles.pack_entries(found), _BYTES, _FOR_EVER)


@blp.route("/v1/checkpoints/<number:log>/consistency", methods=["GET"])
@refuses(404)
@query(ConsistencyQuery)
@blp.response(200, _STRING, content_type=TEXT, example=CONSISTENCY_EXAMPLE, headers=_headers(_FOR_EVER))
def get_consistency(log: int, query: dict[str, Any]) -> Any:
    """Get the proof that a log has only grown between two published checkpoints.

    It has the older size, the hashes, an empty line and the note of the newer checkpoint, as C2SP tlog-witness sends
    it. Other sizes have no proof (404 `no_such_checkpoint`).
    """
    old, new = query["old"], query["new"]
    if old > new:
        refuse("query", {"from": [Phrase("Must not be more than `to`.")]})
    with transaction() as session:
        _log(session, log)
        _published(session, log, old)
        note = _published(session, log, new)
        batch = checkpoints.batch_of(session, log, new)
        assert batch is not None, "a note is of a batch"
        return _sent(checkpoint_proofs.consistency(session, batch, old, note.note).text(), TEXT, _FOR_EVER)


def _log(session: Session, number: int) -> None:
    """Refuse a log that does not exist."""
    if all(log.number != number for log in checkpoints.logs(session)):
        raise NotFound("no_such_log", "There is no log of checkpoints with this number.")


def _published(session: Session, log: int, size: int) -> StoredNote:
    note = checkpoints.note_of(session, log, size)
    if note is None:
        raise no_checkpoint()
    return note


def no_checkpoint() -> NotFound:
    """Return the refusal of a size that no published checkpoint has."""
    return NotFound(
        "no_such_checkpoint",
        "The log has no published checkpoint of this size; the list of its checkpoints says which there are.",
    )


def _number(text: str) -> int:
    try:
        return tiles.number_from(text)
    except ValueError:
        _refuse_tile()


def _refuse_tile() -> NoReturn:
    raise NotFound("no_such_tile", "No published checkpoint has this tile, or its number is not written as it should.")
