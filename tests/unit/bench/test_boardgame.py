"""The comparison with boardgame.io, as far as it can be tested without it."""

import json
import os
from pathlib import Path

import pytest

from bench import boardgame
from bench.spent import Meter


def test_without_node_it_is_said_and_left_out(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(boardgame.Missing, match="there is no node and no npm here"):
        next(boardgame.measure())


def test_a_peer_that_takes_no_players_in_is_left_out(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    node = tmp_path / "node"
    node.write_text("#!/bin/sh\necho 'Error: no state 0 of match 7' >&2\nexit 1\n")
    node.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    with pytest.raises(boardgame.Missing, match="it took no players in"):
        boardgame.Played(1, "", Meter({}))()


def test_what_is_fetched_is_pinned_by_hash_and_names_no_place() -> None:
    lock = json.loads((boardgame.FOLDER / "package-lock.json").read_text())
    packages = {name: package for name, package in lock["packages"].items() if name}
    assert packages["node_modules/koa-compose"]["version"] == "4.1.0"
    for name, package in packages.items():
        assert "resolved" not in package, name
        assert package["integrity"].startswith("sha512-"), name
