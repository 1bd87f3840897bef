"""The hooks of pre-commit run what `make check` runs, from the same environment."""

import re
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]


def test_the_hooks_before_a_commit_are_those_of_make_check() -> None:
    recipe = re.search(r"^check:.*\n((?:\t.*\n)+)", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert recipe is not None
    checked = {line.strip().removeprefix("$(BIN)/").removesuffix(" .") for line in recipe[1].splitlines()}
    config = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())
    [repo] = config["repos"]
    assert repo["repo"] == "local", "nothing is fetched"
    hooked = {hook["entry"].removesuffix(" --force-exclude").removeprefix(".venv/bin/") for hook in repo["hooks"]}
    assert hooked == checked
    assert {hook["language"] for hook in repo["hooks"]} == {"system"}
