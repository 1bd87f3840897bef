"""`novaluna witness` and `audit --proof` with the service itself, over HTTP: its log, its tiles and its proofs."""

import json
import urllib.request
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from flask import Flask
from sqlalchemy.orm import Session

from tests.support import world
from tests.support.checkpointed import checkpoint_of
from tests.support.clock import Clock
from tests.support.command_line import Ran, run_in
from tests.support.served import served


@pytest.fixture
def url(app: Flask) -> Iterator[str]:
    with served(app) as address:
        yield address


def fetched(address: str) -> bytes:
    with urllib.request.urlopen(address) as answer:
        body: bytes = answer.read()
    return body


def test_log_of_the_service_is_followed_scanned_and_proved(
    app: Flask, url: str, session: Session, clock: Clock, tmp_path: Path
) -> None:
    file, records = tmp_path / "witness.json", tmp_path / "r.jsonl"
    table = world.match(session, world.account(session, "Ann"), world.account(session, "Ben"), goal_discs=5)
    session.commit()

    def look() -> Ran:
        records.write_bytes(fetched(f"{url}/v1/games/{table}/record"))
        return run_in({}, "witness", url, "--file", str(file), "--records", str(records))

    checkpoint_of(app)
    first = look()
    assert (first.code, first.err) == (0, "")
    assert ": version 0, index " in first.out and first.out.endswith(": same\n")
    kept = tmp_path / "kept.json"
    kept.write_bytes(file.read_bytes())
    world.play_out(session, table)
    session.commit()
    for _ in range(3):
        clock.now += timedelta(days=1)
        checkpoint_of(app)
    second = look()
    assert (second.code, second.err) == (0, "")
    assert second.out.count(": same\n") == 2
    known = json.loads(file.read_text())["known"]
    assert known["size"] == 256 * 4

    bundle, policy = tmp_path / "a.proof.json", tmp_path / "policy.txt"
    (log,) = json.loads(fetched(f"{url}/v1/checkpoints"))["logs"]
    policy.write_text(log["policy"])
    bundle.write_bytes(fetched(f"{url}/v1/games/{table}/proof?from=256"))
    ran = run_in({}, "audit", str(records), "--proof", str(bundle), "--policy", str(policy), "--known", str(kept))
    assert (ran.code, ran.err) == (0, "")
    assert "finished, index " in ran.out and "signed by the operator alone" in ran.out
