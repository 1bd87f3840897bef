"""The audit and the verifier in JavaScript judge mutated proofs, notes and policies alike, with one of the codes."""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import astuple, replace
from random import Random
from typing import Any

import pytest

from engine import simulate
from service.checkpoints import leaves
from service.checkpoints.bundles import Bundle
from service.checkpoints.encoding import to_base64
from service.checkpoints.errors import CODES, CheckpointError
from service.checkpoints.notes import Checkpoint, signed, with_lines
from service.checkpoints.policies import Policy
from service.checkpoints.verifying import verify
from service.checkpoints.witness_file import known_from
from tests.support.checkpoint_vectors import POLICY, RECORDS, cases
from tests.support.javascript import Proofs, needs_node, verify_proofs
from tests.support.made_log import ORIGIN, MadeLog, entry_at, key, witness

pytestmark = [pytest.mark.drill, needs_node]

_BYTES = b"0129aAzZ+/= \t\n\r\x00\x7f\x80\xff\xe2\x80\x94-#"


def given_by_vectors() -> list[Proofs]:
    """Return the bundles of the vectors, good and bad."""
    return [
        Proofs(
            RECORDS[case["record"]],
            json.dumps(case["bundle"], ensure_ascii=False).encode(),
            case.get("policy", POLICY).encode(),
            case.get("known"),
        )
        for case in cases("bundle")
    ]


def told(given: Proofs) -> Any:
    """Return the verdicts of Python, in the form of `verify_proofs`."""
    try:
        policy = Policy.parse(given.policy)
        bundle = Bundle.parse(given.bundle)
        known = None if given.known is None else known_from(json.dumps(given.known).encode())
        return [list(astuple(each)) for each in verify(given.record, bundle, policy, known)]
    except CheckpointError as error:
        assert error.code in CODES
        return error.code


def compared(given: list[Proofs]) -> Counter[str]:
    """Return the number of times that each code was given, after comparing both verifiers."""
    found = verify_proofs(given)
    for each, other in zip(given, found, strict=True):
        assert told(each) == other, each
    return Counter(each if isinstance(each, str) else "right" for each in found)


def bytes_changed(data: bytes, rng: Random) -> bytes:
    at, what = rng.randrange(len(data) + 1), rng.randrange(4)
    new = bytes([rng.choice(_BYTES)])
    if what == 0:
        return data[:at] + new + data[at:]
    if what == 1:
        return data[:at] + new + data[at + 1 :]
    return data[:at] + data[at + rng.choice((1, 1, 2, 40)) :]


def lines_changed(text: str, rng: Random) -> str:
    lines = text.split("\n")
    at, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    match rng.randrange(5):
        case 0:
            del lines[at]
        case 1:
            lines.insert(at, lines[other])
        case 2:
            lines[at], lines[other] = lines[other], lines[at]
        case 3:
            lines[at] = rng.choice(("", "0", lines[at] + " ", lines[at][:-1], lines[at][::-1], "\ud800", "é" * 3))
        case _:
            lines = lines[:at]
    return "\n".join(lines)


def test_changed_bytes_and_lines_are_judged_alike(amount: Callable[..., int]) -> None:
    rng, good = Random(16), given_by_vectors()
    changed = []
    for number in range(amount(6000, 400)):
        each = rng.choice(good)
        if number % 4 == 0:
            each = each._replace(bundle=bytes_changed(each.bundle, rng))
        elif number % 4 == 1:
            each = each._replace(policy=bytes_changed(each.policy, rng))
        elif number % 4 == 2:
            lines = lines_changed(each.policy.decode(), rng).encode(errors="surrogatepass")
            each = each._replace(policy=lines)
        else:
            bundle = json.loads(each.bundle)
            texts = rng.choice([bundle["proofs"], bundle["consistency"] or bundle["proofs"]])
            at = rng.randrange(len(texts))
            texts[at] = lines_changed(texts[at], rng)
            each = each._replace(bundle=json.dumps(bundle).encode())
        changed.append(each)
    counts = compared(changed)
    assert len(counts) > 8
    print(counts)


def logs() -> Iterator[tuple[MadeLog, list[dict[str, Any]]]]:
    """Yield two logs, and the records of the games in them; they agree up to size 512."""
    records = [
        json.loads(line)
        for seats in (1, 2, 3)
        for line in simulate.records(1, seats, "proofs", "greedy", "full" if seats == 1 else 5)
    ]
    log = MadeLog(keys=[key(ORIGIN), key(ORIGIN, 2)])
    log.batch(entry_at(each, 3) for each in records)
    log.batch()
    other = log.copy(512, "other")
    for made in (log, other):
        made.batch(entry_at(each, len(each["log"])) for each in records)
        made.batch()
    yield log, records
    yield other, records


def forged(log: MadeLog, other: MadeLog, records: list[dict[str, Any]], rng: Random) -> Proofs:
    """Return proofs that are signed as they should be, and may lie in anything that is signed or around it."""
    record = rng.choice(records)
    last = len(record["log"])
    proofs = []
    for _ in range(rng.choice((1, 1, 2))):
        source = rng.choice((log, log, log, other))
        version = rng.choice((3, last))
        size = rng.choice((256, 512, 1024) if version == 3 else (768, 1024))
        proof = source.proof(record, version, size)
        if rng.random() < 0.3:
            proof = _lying(proof, rng, log, leaves.links(record))
        proofs.append(proof)
    steps = []
    for _ in range(rng.choice((0, 1, 1, 2))):
        source = rng.choice((log, log, log, other))
        old, new = rng.choice((0, 256, 512, 768)), rng.choice((512, 768, 1024, 1024))
        if old <= new:
            step = source.consistency(old, new)
            steps.append(step._replace(path=step.path[rng.randrange(2) :]) if rng.random() < 0.1 else step)
    known = None
    if rng.random() < 0.4:
        size = rng.choice((0, 256, 512, 768, 1024))
        known = {"size": size, "root": to_base64(rng.choice((log, log, other)).checkpoint(size).root)}
    names = [f"witness w{number} {witness(number).public.vkey}" for number in (1, 2)]
    group = [*names, f"group g {rng.choice(('any', 'all', '2', '1'))} w1 w2"]
    policy = log.policy(*group, quorum=rng.choice((*["none"] * 8, "g", "w1")))
    bundle = Bundle(tuple(each.text() for each in proofs), tuple(each.text() for each in steps))
    tail = dict(record)
    if rng.random() < 0.15:
        tail["log"] = tail["log"][: rng.choice((2, 3, last - 1))]
        tail["result"] = None
    return Proofs(tail, json.dumps(bundle.to_json()).encode(), policy.encode(), known)


def _lying(proof: Any, rng: Random, log: MadeLog, links: list[bytes]) -> Any:
    """Return a proof with one thing in it changed; a changed checkpoint is signed anew, perhaps by witnesses too."""
    size = int(proof.note.split("\n")[1])
    other = leaves.RUNNING if proof.status == leaves.FINISHED else leaves.FINISHED
    as_other = leaves.entry(links[0], proof.version, other, links[proof.version])
    changes: list[Callable[[], Any]] = [
        lambda: replace(proof, index=rng.choice((0, proof.index + 1, size, 2**53 - 1))),
        lambda: replace(proof, path=proof.path[1:]),
        lambda: replace(proof, path=(*proof.path, bytes(32))),
        lambda: replace(proof, version=rng.choice((0, proof.version + 1, 2**32 - 1))),
        lambda: replace(proof, status=other),
        lambda: replace(proof, status=other, entry=as_other),
        lambda: replace(proof, status=other, entry=as_other),
        lambda: replace(proof, entry=proof.entry[:32] + bytes(32)),
        lambda: replace(proof, entry=bytes(32) + proof.entry[32:]),
        lambda: replace(proof, note=_note(log, size, origin=ORIGIN + "x")),
        lambda: replace(proof, note=_note(log, size + 256)),
        lambda: replace(proof, note=_note(log, 0)),
        lambda: replace(proof, note=_note(log, size, root=bytes(32))),
        lambda: replace(proof, note=log.note(size, *map(witness, rng.sample((1, 2, 3), rng.randrange(1, 4))))),
        lambda: replace(proof, note=with_lines(proof.note, [witness(1).cosign("other\n", 1)])),
        lambda: replace(proof, note=with_lines(proof.note, [witness(1).cosign("other\n", 1)] * 100)),
        lambda: replace(proof, note=signed(log.checkpoint(size).text(), [key(ORIGIN, 3)])),
        lambda: replace(proof, note=signed(log.checkpoint(size).text() + "more\n", log.keys)),
    ]
    return rng.choice(changes)()


def _note(log: MadeLog, size: int, *, origin: str = ORIGIN, root: bytes | None = None) -> str:
    here = log.checkpoint(min(size, log.size))
    return signed(Checkpoint(origin, size, here.root if root is None else root).text(), log.keys)


@pytest.mark.slow
def test_signed_lies_are_judged_alike_and_each_code_is_met(amount: Callable[..., int]) -> None:
    rng = Random(61)
    (log, records), (other, _) = logs()
    counts = compared([forged(log, other, records, rng) for _ in range(amount(3000, 300))])
    print(counts)
    later = CODES[CODES.index("signature_bad") : CODES.index("not_consistent") + 1]
    assert set(counts) >= {"right", *later}
