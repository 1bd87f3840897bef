"""The library of Go's checksum database reads our notes, trees, paths and tiles, and we read its notes.

On Debian: apt install golang-go golang-golang-x-mod-dev. GO names the program if it is not on the path.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from service.checkpoints import merkle
from service.checkpoints.encoding import to_base64
from service.checkpoints.keys import SigningKey
from service.checkpoints.notes import SignedNote, signed
from service.checkpoints.policies import Policy
from service.checkpoints.tiles import TreeBuilder
from tests.support.made_log import ORIGIN, MadeLog, key

GO = os.environ.get("GO") or shutil.which("go")
GOPATH = os.environ.get("GOPATH", "/usr/share/gocode")
LIBRARY = Path(GOPATH, "src/golang.org/x/mod/sumdb")

pytestmark = pytest.mark.skipif(
    GO is None or not LIBRARY.is_dir(), reason="needs Go and golang.org/x/mod; on Debian: golang-golang-x-mod-dev"
)

SIZE = 1_280
SEED = hashlib.sha256(b"a seed of Go's").digest()


@pytest.fixture(scope="module")
def log() -> MadeLog:
    made = MadeLog()
    for _ in range(SIZE // 256):
        made.batch()
    return made


def proofs(log: MadeLog) -> list[dict[str, Any]]:
    """Return paths of ours: right ones, and behind each the same with a wrong hash."""
    found: list[dict[str, Any]] = []
    for size in (1, 2, 3, 255, 256, 257, 1_023, SIZE):
        node = log.nodes(size).node
        for index in {0, size // 2, size - 1}:
            found.append({"Index": index, "Size": size, "Path": merkle.inclusion_path(index, size, node)})
        for old in {1, size // 2 or 1, size}:
            found.append({"Old": old, "Size": size, "Path": merkle.consistency_path(old, size, node)})
    both: list[dict[str, Any]] = []
    for each in found:
        wrong = [*each["Path"][:-1], bytes(32)]
        both += [each, {**each, "Path": wrong}]
    return [{**each, "Path": [to_base64(part) for part in each["Path"]]} for each in both]


@pytest.fixture(scope="module")
def asked(log: MadeLog) -> dict[str, Any]:
    good = log.note()
    tiles = [*log.tiles(SIZE).values()]
    go_key = SigningKey("go.example/log", SEED)
    skey = base64.b64encode(b"\x01" + SEED).decode()
    return {
        "Vkey": log.keys[0].public.vkey,
        "Notes": [
            good,
            good + key(ORIGIN, 2).sign("stranger\n"),
            good.replace(str(SIZE), "1281", 1),
            good.replace("\n\n", "\n"),
            good[:-1],
            signed(f"a\n\nb — {ORIGIN}\n", log.keys),
        ],
        "Skey": f"PRIVATE+KEY+go.example/log+{go_key.public.id.hex()}+{skey}",
        "Text": f"go.example/log\n{SIZE}\n{to_base64(log.checkpoint(SIZE).root)}\n",
        "Entries": [entry.hex() for entry in log.entries],
        "Proofs": proofs(log),
        "Tiles": [{"Level": tile.level, "Number": tile.number, "Width": tile.width} for tile in tiles],
    }


@pytest.fixture(scope="module")
def found(asked: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    assert GO is not None
    environ = {
        **os.environ,
        "GO111MODULE": "off",
        "GOPATH": GOPATH,
        "GOFLAGS": "",
        "CGO_ENABLED": "0",
        "GOCACHE": str(tmp_path_factory.mktemp("go")),
    }
    argv = [GO, "run", str(Path(__file__).with_name("main.go"))]
    done = subprocess.run(argv, input=json.dumps(asked).encode(), capture_output=True, check=False, env=environ)
    assert done.returncode == 0, done.stderr.decode()
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def test_go_opens_our_notes_and_refuses_what_we_refuse(asked: dict[str, Any], found: dict[str, Any]) -> None:
    good, stranger, changed, joined, cut, two_parts = found["Opened"]
    assert good == stranger == asked["Notes"][0].partition("\n\n")[0] + "\n"
    assert all(each.startswith("refused: ") for each in (changed, joined, cut))
    assert two_parts == f"a\n\nb — {ORIGIN}\n"


def test_we_accept_the_note_that_go_signs(asked: dict[str, Any], found: dict[str, Any]) -> None:
    ours = SigningKey("go.example/log", SEED)
    assert found["Signed"] == signed(asked["Text"], [ours])
    policy = Policy.parse(f"log {ours.public.vkey}\nquorum none\n")
    assert policy.check(SignedNote.parse(found["Signed"])).size == SIZE


def test_go_computes_the_same_roots(log: MadeLog, found: dict[str, Any]) -> None:
    builder = TreeBuilder()
    for size, entry in enumerate(log.entries, 1):
        for _ in builder.add([merkle.leaf_hash(entry)]):
            pass
        assert builder.root().hex() == found["Roots"][str(size)]


def test_go_follows_our_paths_and_no_wrong_ones(asked: dict[str, Any], found: dict[str, Any]) -> None:
    for given, right, wrong in zip(asked["Proofs"][::2], found["Proved"][::2], found["Proved"][1::2], strict=True):
        assert right == "", given
        assert wrong != "", given


def test_go_cuts_the_same_tiles(log: MadeLog, asked: dict[str, Any], found: dict[str, Any]) -> None:
    tiles = list(log.tiles(SIZE).values())
    assert [path.replace("tile/8/", "tile/", 1) for path in found["TilePath"]] == [tile.path for tile in tiles]
    assert found["TileData"] == [tile.hashes.hex() for tile in tiles]
