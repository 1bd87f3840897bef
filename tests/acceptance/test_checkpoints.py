"""A host makes checkpoints, a player verifies a game with them, and a restored backup is noticed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from tests.drills.client import start
from tests.drills.service import Service, open_folder, running_service
from tests.support.command_line import Ran, run_in
from tests.support.running import free_port, up

ROOT = Path(__file__).parents[2]

YEAR, MINUTE, NOTE, PRIVATE = (
    "public, max-age=31536000, immutable",
    "public, max-age=60",
    "public, max-age=5",
    "private",
)

CACHED = {
    "/v1/checkpoints": MINUTE,
    "/v1/checkpoints/1/checkpoints": MINUTE,
    "/v1/checkpoints/1/checkpoints/256": NOTE,
    "/v1/checkpoints/1/checkpoint": NOTE,
    "/v1/checkpoints/1/tile/0/001": YEAR,
    "/v1/checkpoints/1/tile/1/000.p/2": YEAR,
    "/v1/checkpoints/1/tile/entries/001": YEAR,
    "/v1/checkpoints/1/consistency?from=256&to=512": YEAR,
}
"""How long each public resource may be kept."""


@pytest.fixture
def service() -> Iterator[Service]:
    with running_service() as service:
        yield service


def by_node(*arguments: str | Path) -> Ran:
    command = ["node", ROOT / "verifier" / "nova-luna-verify.mjs", *arguments]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    return Ran(ended.returncode, ended.stdout, ended.stderr)


def novaluna(*arguments: str | Path) -> Ran:
    kept = {name: os.environ[name] for name in ("HOME", "PATH", "TMPDIR") if name in os.environ}
    return run_in(kept, *map(str, arguments))


@pytest.mark.drill
@pytest.mark.long
def test_game_is_proved_and_a_restored_backup_is_noticed(service: Service, tmp_path: Path) -> None:
    data, url = service.running.data, service.running.address
    (ann,) = service.sign_up(1, "marks")
    solo, chance = start(service.api, [ann]), Random("marks")
    assert solo.move(chance) and solo.move(chance)
    first = novaluna("checkpoints", "make", "--data", data)
    assert first.code == 0 and first.out.splitlines()[1] == "256", first
    seen = tmp_path / "witness.json"
    assert novaluna("witness", url, "--file", seen).code == 0
    kept = Path(shutil.copy(seen, tmp_path / "kept.json"))
    backup = tmp_path / "backup"
    assert novaluna("backup", "--data", data, backup).code == 0
    assert solo.move(chance)
    second = novaluna("checkpoints", "make", "--data", data)
    assert second.code == 0 and second.out.splitlines()[1] == "512", second

    for path, cached in CACHED.items():
        assert service.api.insist("GET", path, None, expected=200).headers["Cache-Control"] == cached, path
    for suffix in ("/checkpoints", "/proofs/2", "/proof"):
        answer = service.api.insist("GET", solo.path + suffix, ann, expected=200)
        assert answer.headers["Cache-Control"].startswith(PRIVATE), suffix
        service.api.insist("GET", solo.path + suffix, None, expected=404)

    record, bundle, policy = tmp_path / "r.json", tmp_path / "r.proof.json", tmp_path / "policy"
    record.write_bytes(solo.get("/record", ann).content)
    bundle.write_bytes(solo.get("/proof?from=256", ann).content)
    policy.write_text(service.api.get("/v1/checkpoints").json()["logs"][0]["policy"])
    asked = record, "--proof", bundle, "--policy", policy, "--known", kept
    for told in (novaluna("audit", *asked), by_node(*asked)):
        assert told.code == 0 and told.out.count(", size 512") == 2, told
        assert "signed by the operator alone" in told.out
    assert novaluna("witness", url, "--file", seen).code == 0
    assert json.loads(seen.read_text())["known"]["size"] == 512

    with open_folder() as folder:
        new = folder / "data"
        assert novaluna("restore", "--data", new, backup).code == 0
        shutil.copytree(data / "checkpoints", new / "checkpoints")
        shutil.copy(data / "checkpoint-keys", new)
        service.stop_processes()
        with up(new, None, "--port", str(free_port())) as restored:
            for command in ("status", "make"):
                told = novaluna("checkpoints", command, "--data", new)
                assert told.code == 1 and "checkpoint_rolled_back: " in told.err, told
                assert "size 512, which the database lacks" in told.err
            told = novaluna("witness", restored.address, "--file", seen)
            assert told.code == 2 and "rolled_back: the log had 512 leaves, and shows 256 now" in told.err, told
