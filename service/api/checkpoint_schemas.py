"""The schemas of the logs of checkpoints, of their checkpoints, and of the leaves and proofs of a game."""

from __future__ import annotations

from typing import Any

from service.api.fields import QueryWhole
from service.api.response_fields import const, flag, moment, nested, text, texts, whole
from service.api.schema import RequestSchema, ResponseSchema
from service.api.validators import Range
from service.queries.exports import STATUSES

MOST = 2**53 - 1
"""The largest size of a tree."""

LOG_STATES = ("open", "closed")


class CheckpointKeySchema(ResponseSchema):
    """A key of a log of checkpoints."""

    vkey = text("The public key in the form of C2SP signed-note: the origin, the key id and the key.")
    signs = flag("Whether it signed the newest checkpoint.")
    endorsement = text(
        "The note by which an earlier key of the log endorses this one; null for the first key.", allow_none=True
    )


class CheckpointLogSchema(ResponseSchema):
    """A log of checkpoints."""

    log = whole("Its number.", minimum=1)
    origin = text("Its name, with which its checkpoints begin.")
    state = text("Whether it goes on.", enum=LOG_STATES)
    size = whole("The size of its newest checkpoint; 0 if it has none yet.", minimum=0, maximum=MOST)
    keys = nested(CheckpointKeySchema, "All keys that it has had, oldest first.", many=True)
    policy = text("The policy by which its checkpoints can be verified (C2SP tlog-policy).")


class CheckpointLogsSchema(ResponseSchema):
    """The logs of checkpoints."""

    logs = nested(CheckpointLogSchema, "All logs, oldest first; at most the last one is open.", many=True)


class CheckpointSchema(ResponseSchema):
    """A checkpoint."""

    size = whole("The number of entries in the log.", minimum=0, maximum=MOST)
    root = text("The root hash of the tree of these entries, in base64.")
    signed_at = moment("When the operator signed it, according to the operator.")
    witnesses = texts("The witnesses that cosigned it, by their names in the policy.")


class CheckpointPage(ResponseSchema):
    """A page of checkpoints, newest first."""

    items = nested(CheckpointSchema, many=True)
    next = text("The cursor of the next page; null on the last page.", allow_none=True)


class CheckpointLeafSchema(ResponseSchema):
    """A leaf of a game in the log: the checkpoint commits to the game up to this version."""

    version = whole("The version.", minimum=0)
    status = text("`finished` if the game was over at this version.", enum=STATUSES)
    index = whole("The index of its entry in the log.", minimum=0, maximum=MOST)
    size = whole("The size of the first checkpoint that has it.", minimum=0, maximum=MOST)
    signed_at = moment("When that checkpoint was signed, according to the operator.")


class GameCheckpointsSchema(ResponseSchema):
    """The checkpoints that commit to a game."""

    leaves = nested(CheckpointLeafSchema, "By version.", many=True)
    next_at = moment("When the next checkpoint is due.")


class ProofBundleSchema(ResponseSchema):
    """A bundle of proofs, which `novaluna audit` and the page `/verify` check."""

    format = const("nova-luna-proof/1")
    proofs = texts("A proof for each leaf (C2SP tlog-proof).")
    consistency = texts("The proof that the log has only grown since the size that was given.")


class ConsistencyQuery(RequestSchema):
    """The two sizes between which consistency is proved."""

    old = QueryWhole(
        data_key="from",
        required=True,
        validate=Range(1, MOST),
        metadata={"description": "The size of the older checkpoint.", "example": 256},
    )
    new = QueryWhole(
        data_key="to",
        required=True,
        validate=Range(1, MOST),
        metadata={"description": "The size of the newer checkpoint.", "example": 512},
    )


class BundleQuery(RequestSchema):
    """The size from which a bundle proves consistency."""

    old = QueryWhole(
        data_key="from",
        validate=Range(1, MOST),
        metadata={
            "description": "The size of a checkpoint that you have; the bundle then proves that the log has only grown"
            " since.",
            "example": 256,
        },
    )


ORIGIN = "nova.example/v1/checkpoints/1"
_VKEY = f"{ORIGIN}+8a75d3b3+AbpAJex+F70Ml5vHYQCFIw16kmGeyb7KTH83bBw1ccMD"
_ROOT = "0jaKk8P2qkdJxqoJqf2FQm1vG3pJ7sZ0dTq0v5pA1xE="
_SIGNED_AT = "2026-11-28T00:10:04.120Z"

LOGS_EXAMPLE: dict[str, Any] = {
    "logs": [
        {
            "log": 1,
            "origin": ORIGIN,
            "state": "open",
            "size": 1280,
            "keys": [{"vkey": _VKEY, "signs": True, "endorsement": None}],
            "policy": f"log {_VKEY} https://{ORIGIN}\nquorum none\n",
        }
    ]
}
PAGE_EXAMPLE: dict[str, Any] = {
    "items": [{"size": 1280, "root": _ROOT, "signed_at": _SIGNED_AT, "witnesses": ["w1"]}],
    "next": None,
}
NOTE_EXAMPLE = f"{ORIGIN}\n1280\n{_ROOT}\n\n— {ORIGIN} inXTs…\n"
CONSISTENCY_EXAMPLE = f"old 256\n{_ROOT}\n\n{NOTE_EXAMPLE}"
PROOF_EXAMPLE = f"c2sp.org/tlog-proof@v1\nextra bm92YS1sdW5h…\nindex 1033\n{_ROOT}\n\n{NOTE_EXAMPLE}"
LEAVES_EXAMPLE: dict[str, Any] = {
    "leaves": [
        {"version": 0, "status": "running", "index": 17, "size": 256, "signed_at": "2026-11-27T00:10:03.981Z"},
        {"version": 31, "status": "finished", "index": 1033, "size": 1280, "signed_at": _SIGNED_AT},
    ],
    "next_at": "2026-11-29T00:10:00.000Z",
}
BUNDLE_EXAMPLE: dict[str, Any] = {
    "format": "nova-luna-proof/1",
    "proofs": [PROOF_EXAMPLE],
    "consistency": [CONSISTENCY_EXAMPLE],
}
