"""The verifier in JavaScript, run in Node on many records at once."""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from engine import exploration
from engine.errors import RecordError

VERIFIER = Path(__file__).parents[2] / "verifier" / "nova-luna-verify.mjs"
NODE = shutil.which("node")

needs_node = pytest.mark.skipif(NODE is None, reason="needs Node 18 or later")

_ASK = f"""
import {{ readFileSync }} from "node:fs";
import {{ Fault, verify }} from {json.dumps(VERIFIER.as_uri())};
const found = JSON.parse(readFileSync(0, "utf8")).map((line) => {{
  try {{
    verify(new Uint8Array(Buffer.from(line, "base64")));
    return null;
  }} catch (fault) {{
    if (!(fault instanceof Fault)) throw fault;
    return [fault.code, fault.entry];
  }}
}});
console.log(JSON.stringify(found));
"""


def verify(lines: Sequence[bytes]) -> list[tuple[str, int | None] | None]:
    """Return the verifier's verdict on each line: None if it is valid, else the code and the entry."""
    assert NODE is not None
    given = json.dumps([base64.b64encode(line).decode() for line in lines])
    argv = [NODE, "--input-type=module", "-e", _ASK]
    done = subprocess.run(argv, input=given.encode(), capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return [None if each is None else (each[0], each[1]) for each in json.loads(done.stdout)]


class Proofs(NamedTuple):
    """A record with its proofs, as they are given to a verifier: a bundle, a policy, and a kept checkpoint or None."""

    record: dict[str, Any]
    bundle: bytes
    policy: bytes
    known: dict[str, Any] | None = None


_ASK_PROOFS = f"""
import {{ readFileSync }} from "node:fs";
import {{ Fault }} from {json.dumps((VERIFIER.parent / "values.mjs").as_uri())};
import {{ policyFrom }} from {json.dumps((VERIFIER.parent / "notes.mjs").as_uri())};
import {{ bundleFrom, knownFrom, verifyBundle }} from {json.dumps((VERIFIER.parent / "proofs.mjs").as_uri())};
const found = [], bytes = (text) => new Uint8Array(Buffer.from(text, "base64"));
for (const [record, bundle, policy, known] of JSON.parse(readFileSync(0, "utf8"))) {{
  try {{
    const believed = policyFrom(bytes(policy)), kept = known && knownFrom(bytes(known));
    found.push(await verifyBundle(record, bundleFrom(bytes(bundle)), believed, kept));
  }} catch (fault) {{
    if (!(fault instanceof Fault)) throw fault;
    found.push(fault.code);
  }}
}}
console.log(JSON.stringify(found));
"""


def _packed(data: bytes | None) -> str | None:
    return None if data is None else base64.b64encode(data).decode()


def verify_proofs(given: Sequence[Proofs]) -> list[Any]:
    """Return the verifier's verdict on each: a code, or a list of version, status, index and size for each proof."""
    assert NODE is not None
    packed = [
        [
            each.record,
            *map(_packed, (each.bundle, each.policy, None if each.known is None else json.dumps(each.known).encode())),
        ]
        for each in given
    ]
    argv = [NODE, "--input-type=module", "-e", _ASK_PROOFS]
    done = subprocess.run(argv, input=json.dumps(packed).encode(), capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    found: list[Any] = json.loads(done.stdout)
    return found


def audited(line: bytes) -> tuple[str, int | None] | None:
    """Return the audit's verdict on a line, as `verify` does."""
    try:
        exploration.check_any(line)
    except RecordError as error:
        return error.code, error.entry
    return None
