"""Have witnesses cosign a checkpoint (C2SP tlog-witness, add-checkpoint).

What a witness sends is limited in size and time, and believed only as far as its signature goes.
"""

from __future__ import annotations

import http.client
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from urllib.parse import urlsplit

from service.bounded_http import SCHEMES, connection_to, within
from service.checkpoints.encoding import from_decimal
from service.checkpoints.errors import CheckpointError
from service.checkpoints.keys import VerifyKey
from service.checkpoints.notes import SignedNote, with_lines
from service.checkpoints.proofs import Consistency

SECONDS = 10.0
"""The time that one request to a witness may take, from connecting to the last byte."""

_MOST = 16_384
"""The bytes of a response that are read."""

_TRIES = 2

Post = Callable[[str, str], tuple[int, bytes]]
"""Sends a body to a URL and returns the status and the beginning of the response; raises OSError."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of asking a witness.

    Attributes:
        line: its valid cosignature, or None.
        size: the size of the tree that it knows; None if it did not say.
        is_ahead: it has signed a larger tree, or another one of the same size, or ours does not begin with its tree.
        problem: why there is no cosignature, for the log; empty if there is one.
    """

    line: str | None = None
    size: int | None = None
    is_ahead: bool = False
    problem: str = ""


def ask(post: Post, key: VerifyKey, url: str, size: int, old: int, prove: Callable[[int], Consistency]) -> Answer:
    """Ask a witness to cosign a checkpoint.

    Args:
        post: sends the request.
        key: the witness's key.
        url: its submission prefix.
        size: the size of the checkpoint.
        old: the size of the tree that it is thought to know.
        prove: returns the proof of consistency from a size, with the note.
    """
    for _ in range(_TRIES):
        proof = prove(old)
        try:
            status, body = post(url.rstrip("/") + "/add-checkpoint", proof.text())
        except (OSError, http.client.HTTPException, ValueError) as error:
            return Answer(problem=f"it can't be reached: {type(error).__name__}")
        if status == 200:
            line = _valid(proof.note, body, key)
            return Answer(line, size) if line else Answer(problem="its answer has no valid signature of its key")
        if status == 422:
            return Answer(size=old, is_ahead=True, problem=f"its tree of size {old} is not the beginning of ours")
        if status != 409:
            return Answer(problem=f"it answered with the status {status}")
        try:
            known = from_decimal(body.decode("ascii").removesuffix("\n"))
        except ValueError:
            return Answer(problem="it answered with 409 and no size")
        if known > size:
            return Answer(size=known, is_ahead=True, problem=f"it has signed a tree of size {known}")
        if known == old == size:
            return Answer(size=known, is_ahead=True, problem=f"it has signed another tree of size {known}")
        old = known
    return Answer(problem="it names a size, and does not take a proof from there")


def _valid(note: str, body: bytes, key: VerifyKey) -> str | None:
    """Return the first valid signature line of this key in a response; others are ignored."""
    for line in body.decode(errors="replace").split("\n"):
        try:
            if SignedNote.parse(with_lines(note, [f"{line}\n"])).signers([key]):
                return f"{line}\n"
        except CheckpointError:
            continue
    return None


def post(url: str, body: str) -> tuple[int, bytes]:
    """Send a body by POST and return the status and the beginning of the response. Redirects are not followed.

    Raises:
        OSError, http.client.HTTPException, ValueError: there was no answer in time, or it is no HTTP.
    """
    parts = urlsplit(url)
    if parts.scheme not in SCHEMES or not parts.hostname:
        raise ValueError("the URL of a witness begins with https:// or http://")
    with closing(connection_to(parts, SECONDS)) as connection, within(connection, SECONDS):
        connection.request("POST", parts.path, body.encode(), {"Content-Type": "text/plain; charset=utf-8"})
        response = connection.getresponse()
        return response.status, response.read(_MOST)
