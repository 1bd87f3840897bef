"""What stands beside ours, as far as it can be told without it."""

import json
from pathlib import Path

import pytest

from bench import boardgame


def test_without_node_it_is_said_and_left_out(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(boardgame.Missing, match="there is no node and no npm here"):
        next(boardgame.measure())


def test_what_is_fetched_is_pinned_by_hash_and_names_no_place() -> None:
    lock = json.loads((boardgame.FOLDER / "package-lock.json").read_text())
    packages = {name: package for name, package in lock["packages"].items() if name}
    assert packages["node_modules/koa-compose"]["version"] == "4.1.0"
    for name, package in packages.items():
        assert "resolved" not in package, name
        assert package["integrity"].startswith("sha512-"), name
