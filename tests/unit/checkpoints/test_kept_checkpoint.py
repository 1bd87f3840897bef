"""The checkpoint that somebody has kept: what the verifiers in Python and JavaScript take for one."""

import base64
import json
import subprocess
from collections.abc import Sequence

from service.checkpoints.witness_file import known_from
from tests.support.javascript import NODE, VERIFIER, needs_node

ROOT = "0jaKk8P2IHyopoHJSsIOI0dbMdXuZ9Du+ymnKRrmrW0="
SIZES = {
    "256": 256, "256.0": 256, "2.56e2": 256, "25600e-2": 256, "9007199254740991": 2**53 - 1,
    "256.5": None, "-1": None, "-256.0": None, "1e400": None, "9007199254740992": None, "9007199254740992.0": None,
    "NaN": None, "Infinity": None, '"256"': None, "true": None, "null": None, "[256]": None, "0": None, "0256": None,
}  # fmt: skip
"""Spellings of a size, and what each is read as; None: the file is refused."""

_ASK = f"""
import {{ readFileSync }} from "node:fs";
import {{ knownFrom }} from {json.dumps((VERIFIER.parent / "proofs.mjs").as_uri())};
const given = JSON.parse(readFileSync(0, "utf8")).map((text) => new Uint8Array(Buffer.from(text, "base64")));
console.log(JSON.stringify(given.map((bytes) => knownFrom(bytes)?.size ?? null)));
"""


def spelled(size: str) -> bytes:
    """Return the file of a kept checkpoint."""
    return f'{{"root": "{ROOT}", "size": {size}}}'.encode()


def in_python(data: bytes) -> int | None:
    """Return the size of a kept checkpoint as Python reads it; None if it refuses the file."""
    try:
        return known_from(data).size
    except ValueError:
        return None


def in_javascript(files: Sequence[bytes]) -> list[int | None]:
    """Return the sizes of kept checkpoints as JavaScript reads them."""
    assert NODE is not None
    given = json.dumps([base64.b64encode(data).decode() for data in files]).encode()
    done = subprocess.run([NODE, "--input-type=module", "-e", _ASK], input=given, capture_output=True, check=True)
    found: list[int | None] = json.loads(done.stdout)
    return found


def test_a_size_may_be_spelled_as_any_json_number() -> None:
    assert {size: in_python(spelled(size)) for size in SIZES} == SIZES


@needs_node
def test_kept_checkpoints_are_read_alike_in_python_and_javascript() -> None:
    one = spelled("256")
    files = [spelled(size) for size in SIZES]
    files += [b"", b"{", b"[]", b"null", b"\xef\xbb\xbf" + one, one.replace(b"root", b"r\xff"), one + b"\n", one + b"x"]
    files += [one.replace(b"}", b', "x": 1}'), b'{"format": "nova-luna-witness/1", "known": ' + one + b', "seen": NaN}']
    files += [b'{"format": "nova-luna-witness/1", "known": ' + one + b"}", b'{"format": "x", "known": ' + one + b"}"]
    files.append(one + b" " * (1 << 24))
    assert in_javascript(files) == [in_python(data) for data in files]
