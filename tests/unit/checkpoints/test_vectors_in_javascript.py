"""The verifier in JavaScript gives what the vectors expect, for each kind of case."""

import json
import subprocess
from typing import Any

import pytest

from tests.support.checkpoint_vectors import CASES, FILE
from tests.support.javascript import NODE, VERIFIER, needs_node

pytestmark = needs_node

_ASK = f"""
import {{ createHash }} from "node:crypto";
import {{ readFileSync }} from "node:fs";
const load = (name) => import(new URL(name, {json.dumps(VERIFIER.as_uri())}));
const tree = await load("merkle.mjs"), notes = await load("notes.mjs"), proofs = await load("proofs.mjs");
const {{ Fault }} = await load("values.mjs"), {{ hex, sha256, utf8 }} = await load("sha256.mjs");
const {{ cases, policy: usual, records }} = JSON.parse(readFileSync({json.dumps(str(FILE))}, "utf8"));
const made = (count) => Array.from({{ length: count }}, (_, number) =>
  tree.leafHash(createHash("sha512").update(`entry ${{number}}`).digest()));
const whole = tree.treeOf(made(70_000));
const kept = (value) => (value ? proofs.knownFrom(utf8(JSON.stringify(value))) : null);
const kinds = {{
  leaf({{ record, version, status }}) {{
    const links = tree.linksOf(records[record]);
    return hex(tree.leafHash(tree.entryOf(links[0], version, status, links[version])));
  }},
  bundle: ({{ record, bundle, known }}, policy) =>
    proofs.verifyBundle(records[record], proofs.bundleFrom(utf8(JSON.stringify(bundle))), policy, kept(known)),
  key: ({{ note }}, policy) => proofs.endorsed(notes.noteFrom(note), policy),
  async witness({{ known, note, path }}, policy) {{
    const seen = await notes.checkpointOf(notes.noteFrom(note), policy);
    const {{ size, root }} = proofs.follow(kept(known), seen, path.map(notes.hashFrom));
    return {{ size, root: notes.toBase64(root) }};
  }},
  scan: ({{ record, entries }}) => tree.scan(records[record], entries),
  tree: ({{ size }}) => hex((size === 70_000 ? whole : tree.treeOf(made(size))).root),
  tile({{ level, n, width }}) {{
    const tile = whole.tiles.find((each) => each.level === level && each.number === n && each.width === width);
    return {{ path: tree.tilePath(level, n, width), sha256: hex(sha256(tile.hashes)) }};
  }},
}};
const found = [];
for (const one of cases) {{
  try {{
    found.push({{ ok: await kinds[one.kind](one, notes.policyFrom(one.policy ?? usual)) }});
  }} catch (fault) {{
    if (!(fault instanceof Fault)) throw fault;
    found.push({{ refused: fault.code }});
  }}
}}
console.log(JSON.stringify(found));
"""


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    assert NODE is not None
    done = subprocess.run([NODE, "--input-type=module", "-e", _ASK], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return {case["name"]: each for case, each in zip(CASES, json.loads(done.stdout), strict=True)}


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_javascript_gives_what_the_vector_expects(case: dict[str, Any], found: dict[str, Any]) -> None:
    assert found[case["name"]] == case["expect"]
