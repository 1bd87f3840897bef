"""No note, policy, proof or bundle costs more than half a second of CPU to read, and bundles cost in proportion."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from service.checkpoints import notes, policies
from service.checkpoints.bundles import Bundle
from service.checkpoints.errors import CheckpointError
from service.checkpoints.notes import SignedNote
from service.checkpoints.policies import Policy
from service.checkpoints.proofs import Consistency, Proof
from service.checkpoints.verifying import verify
from tests.drills.worst.cost import dear
from tests.support.checkpoint_vectors import RECORDS
from tests.support.made_log import ORIGIN, MadeLog, entry_at, key, witness

pytestmark = pytest.mark.drill

RECORD = RECORDS["a"]
LINE = key(ORIGIN).sign("text\n")
UNITS = (
    "a",
    " ",
    "\n",
    "\n\n",
    "\n\n\n",
    "— ",
    "+",
    "=",
    "A" * 43 + "=\n",
    LINE,
    "# ",
    "group g any w1\n",
    "log \t",
    "é",
    "\x00",
)
READERS: dict[str, tuple[Callable[[str], object], int]] = {
    "note": (SignedNote.parse, notes.LARGEST),
    "policy": (Policy.parse, policies.LARGEST),
    "proof": (Proof.parse, 10**6),
    "consistency": (Consistency.parse, 10**6),
    "note of a policy": (
        lambda text: Policy.parse(MadeLog().policy()).check(SignedNote.parse(f"{ORIGIN}\n\n{text}")),
        notes.LARGEST,
    ),
}


def quietly(work: Callable[[], object]) -> None:
    try:
        work()
    except CheckpointError:
        pass  # what is refused has been read


@pytest.mark.parametrize("name", READERS)
def test_repeated_units_are_cheap_to_read(name: str) -> None:
    read, largest = READERS[name]
    for unit in UNITS:
        for head in ("", "text\n\n", "c2sp.org/tlog-proof@v1\nextra ", "old 1\n"):

            def work(size: int, unit: str = unit, head: str = head) -> None:
                whole = head + unit * (size // len(unit))
                quietly(lambda: read(whole))

            assert dear(work, largest) is None, (name, head, unit)


def test_policy_of_many_witnesses_and_signatures_is_cheap() -> None:
    parties = [witness(number) for number in range(100)]
    lines = [f"witness w{number} {each.public.vkey}" for number, each in enumerate(parties)]
    names = [f"w{number}" for number in range(100)]
    groups = [f"group g{number} any {name} {f'g{number - 1}' if number else ''}" for number, name in enumerate(names)]
    log = MadeLog()
    log.batch()
    policy, note = (
        Policy.parse(log.policy(*lines, *groups, quorum="g99")),
        SignedNote.parse(log.note(256, *parties[:99])),
    )
    assert dear(lambda size: policy.check(note), 1) is None


def test_bundle_costs_in_proportion_to_its_proofs() -> None:
    log = MadeLog()
    log.batch([entry_at(RECORD, 12)])
    proof, policy = log.proof(RECORD, 12, 256).text(), Policy.parse(log.policy())
    data = json.dumps(Bundle((proof,) * 2_000, (log.consistency(0, 256).text(),) * 2_000).to_json()).encode()
    assert dear(lambda size: verify(RECORD, Bundle.parse(data), policy), 1) is None
