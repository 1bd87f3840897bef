"""``/v1/games/{game_id}/checkpoints``, ``/proofs`` and ``/proof``, and the same of solo sessions."""

from __future__ import annotations

from typing import Any

from flask import Response

from engine.record import stamp
from service.api.at_table import at_table
from service.api.blueprint import Blueprint
from service.api.bodies import query
from service.api.checkpoint_schemas import (
    BUNDLE_EXAMPLE,
    LEAVES_EXAMPLE,
    PROOF_EXAMPLE,
    BundleQuery,
    GameCheckpointsSchema,
    ProofBundleSchema,
)
from service.api.checkpoints import TEXT, no_checkpoint
from service.api.context import now, settings
from service.api.json_response import json_response
from service.checkpoints.leaves import FINISHED, RUNNING
from service.commands import checkpoint_logs
from service.errors import NotFound
from service.queries import checkpoint_proofs
from service.queries.table import LoadedTable
from service.store import checkpoints
from service.store.unit import transaction

blp = Blueprint(
    "proofs", __name__, description="Proofs that a game is in a signed checkpoint, and so was not rewritten since."
)

_STRING: dict[str, Any] = {"type": "string"}
_HEADERS = {
    "Content-Disposition": {"description": "The name of a file to save it as.", "schema": _STRING},
}


@blp.route("/v1/games/<id:game_id>/checkpoints", methods=["GET"])
@at_table("match", whole_log=False)
@blp.response(200, GameCheckpointsSchema, example=LEAVES_EXAMPLE)
def list_game_checkpoints(account: str | None, table: LoadedTable) -> Any:
    """List the versions of a game that published checkpoints commit to.

    A checkpoint has every game that has changed since the one before. Whoever may read the game's record may read this.
    """
    return _leaves(table)


@blp.route("/v1/games/<id:game_id>/proofs/<number:version>", methods=["GET"])
@at_table("match", whole_log=False)
@blp.response(200, _STRING, content_type=TEXT, example=PROOF_EXAMPLE, headers=_HEADERS)
def get_proof(account: str | None, table: LoadedTable, version: int) -> Any:
    """Get the proof that the newest checkpoint commits to a game at a version (C2SP tlog-proof).

    The versions that have one are in the list of checkpoints of the game; others have none (404 `not_in_checkpoint`).
    """
    return _proof(table, version)


@blp.route("/v1/games/<id:game_id>/proof", methods=["GET"])
@at_table("match", whole_log=False)
@query(BundleQuery)
@blp.response(200, ProofBundleSchema, example=BUNDLE_EXAMPLE, headers=_HEADERS)
def get_proof_bundle(account: str | None, table: LoadedTable, query: dict[str, Any]) -> Any:
    """Get all proofs of a game under the newest checkpoint, for `novaluna audit --proof` and the page `/verify`.

    With `from`, the bundle also proves that the log has only grown since the checkpoint of that size. A game that is in
    no checkpoint yet has no proof (404 `not_in_checkpoint`).
    """
    return _bundle(table, query.get("old"))


@blp.route("/v1/solo-sessions/<id:session_id>/checkpoints", methods=["GET"])
@at_table("solo", whole_log=False)
@blp.response(200, GameCheckpointsSchema, example=LEAVES_EXAMPLE)
def list_solo_checkpoints(account: str | None, table: LoadedTable) -> Any:
    """List the versions of a solo session that published checkpoints commit to, as of a game."""
    return _leaves(table)


@blp.route("/v1/solo-sessions/<id:session_id>/proofs/<number:version>", methods=["GET"])
@at_table("solo", whole_log=False)
@blp.response(200, _STRING, content_type=TEXT, example=PROOF_EXAMPLE, headers=_HEADERS)
def get_solo_proof(account: str | None, table: LoadedTable, version: int) -> Any:
    """Get the proof that the newest checkpoint commits to a solo session at a version, as of a game."""
    return _proof(table, version)


@blp.route("/v1/solo-sessions/<id:session_id>/proof", methods=["GET"])
@at_table("solo", whole_log=False)
@query(BundleQuery)
@blp.response(200, ProofBundleSchema, example=BUNDLE_EXAMPLE, headers=_HEADERS)
def get_solo_proof_bundle(account: str | None, table: LoadedTable, query: dict[str, Any]) -> Any:
    """Get all proofs of a solo session under the newest checkpoint, as of a game."""
    return _bundle(table, query.get("old"))


def _leaves(table: LoadedTable) -> Response:
    with transaction() as session:
        note, leaves = checkpoint_proofs.leaves_of(session, table.table.key)
        indexes = [leaf.at for leaf in leaves]
        first = {} if note is None else checkpoints.first_with(session, note.log, indexes)
    shown = [
        {
            "version": leaf.version,
            "status": FINISHED if leaf.finished else RUNNING,
            "index": leaf.at,
            "size": first[leaf.at][0],
            "signed_at": stamp(first[leaf.at][1]),
        }
        for leaf in leaves
    ]
    due = checkpoint_logs.due_after(now(), settings().checkpoint_every)
    return json_response({"leaves": shown, "next_at": stamp(due)})


def _proof(table: LoadedTable, version: int) -> Response:
    with transaction() as session:
        found = checkpoint_proofs.leaf_at(session, table.table.key, version)
        if found is None:
            raise _not_in_checkpoint()
        note, leaf = found
        batch = checkpoints.batch_of(session, note.log, note.size)
        assert batch is not None, "a note is of a batch"
        (proof,) = checkpoint_proofs.inclusion(session, batch, note, [leaf])
    headers = {"Content-Disposition": f'attachment; filename="{table.table.id}-{version}.tlog-proof"'}
    return Response(proof.text(), content_type=f"{TEXT}; charset=utf-8", headers=headers)


def _bundle(table: LoadedTable, old: int | None) -> Response:
    with transaction() as session:
        note, _ = checkpoint_proofs.leaves_of(session, table.table.key)
        if note is not None and old is not None and checkpoints.note_of(session, note.log, old) is None:
            raise no_checkpoint()
        found = checkpoint_proofs.bundle(session, table.table.key, old)
    if found is None:
        raise _not_in_checkpoint()
    headers = {"Content-Disposition": f'attachment; filename="{table.table.id}.proof.json"'}
    return json_response(found.to_json(), headers)


def _not_in_checkpoint() -> NotFound:
    return NotFound(
        "not_in_checkpoint",
        "No published checkpoint has this version of the game; the list of its checkpoints says which have one, and"
        " when the next one is due.",
    )
