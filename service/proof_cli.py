"""The command `novaluna audit RECORD --proof BUNDLE --policy FILE`: verify a record and that a log committed to it."""

from itertools import islice
from typing import NamedTuple

from engine.audit import check
from engine.errors import RecordError
from engine.forms import parse
from service.checkpoints import bundles, policies, witness_file
from service.checkpoints.bundles import Bundle
from service.checkpoints.errors import CheckpointError
from service.checkpoints.policies import Policy
from service.checkpoints.verifying import Known, verify
from service.checkpoints.witness_file import known_from
from service.console import print_line, say
from service.exit_codes import BAD_USAGE, OK
from service.line_files import BROKEN, UnreadableFile, lines


class ProofFiles(NamedTuple):
    """The names of the files beside a record: proofs, policy, and a checkpoint that was kept, or None."""

    proof: str
    policy: str
    known: str | None


def audit_proof(name: str, files: ProofFiles) -> int:
    """Verify the one record in a file with its proofs, and print a line for each leaf, or the first fault.

    Returns:
        The exit code: 0 if all holds, 1 if the record is broken or the proofs are refused, 2 if a file can't be read.
    """
    try:
        found = list(islice(lines(name), 2))
        if len(found) != 1:
            raise UnreadableFile("one record was expected" if found else "nothing to read")
    except UnreadableFile as error:
        say(f"{name}: {error}")
        return BAD_USAGE
    try:
        proof = _read(files.proof, bundles.LARGEST)
        policy = _read(files.policy, policies.LARGEST)
        known = None if files.known is None else _known(files.known)
    except UnreadableFile as error:
        say(str(error))
        return BAD_USAGE
    try:
        told, code = _told(found[0], policy, proof, known), OK
    except RecordError as error:
        told, code = [error.detail], BROKEN
    except CheckpointError as error:
        told, code = [str(error)], BROKEN
    for text in told:
        print_line(f"{name}:1: {text}")
    return code


def _told(line: bytes, policy_text: bytes, proof: bytes, known: Known | None) -> list[str]:
    check(line)
    policy = Policy.parse(policy_text)
    told = [
        f"version {each.version}, {each.status}, index {each.index}, size {each.size}"
        for each in verify(parse(line), Bundle.parse(proof), policy, known)
    ]
    alone = policy.quorum is None
    signers = "signed by the operator alone" if alone else f"the quorum {policy.quorum} of the policy is met"
    return [*told, signers]


def _known(name: str) -> Known:
    try:
        return known_from(_read(name, witness_file.LARGEST))
    except ValueError as error:
        raise UnreadableFile(f"{name}: {error}") from None


def _read(name: str, most: int) -> bytes:
    """Return a file's bytes, one more than `most` at the most, which is enough to refuse it."""
    try:
        with open(name, "rb") as file:
            return file.read(most + 1)
    except OSError as error:
        raise UnreadableFile(f"{name}: {error.strerror}") from None
