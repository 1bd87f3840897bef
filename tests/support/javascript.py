"""The verifier in JavaScript, run in Node on many records at once."""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

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
    """Return what the verifier says of each line: None if it is valid, else the code and the entry."""
    assert NODE is not None
    given = json.dumps([base64.b64encode(line).decode() for line in lines])
    argv = [NODE, "--input-type=module", "-e", _ASK]
    done = subprocess.run(argv, input=given.encode(), capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return [None if each is None else (each[0], each[1]) for each in json.loads(done.stdout)]
