"""The tools: hooks run what `make check` runs, and contracts name all modules that they are about."""

import ast
import re
import tomllib
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


def test_what_knows_no_web_framework_is_listed_completely() -> None:
    """All packages below the API, and whatever the dispatcher calls in front of Flask."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    listed = {module for each in contracts if "no web framework" in each["name"] for module in each["source_modules"]}
    layers = contracts[0]["layers"]
    below = " | ".join(layers[layers.index("mail | commands | metrics_port") :]).split(" | ")
    packages = {f"service.{name}" for name in below if (ROOT / "service" / name / "__init__.py").is_file()}
    assert packages - {"service.local"} <= listed  # which has a contract of its own
    dispatcher = ast.parse((ROOT / "service/api/dispatch.py").read_text())
    named = {node.module or "" for node in ast.walk(dispatcher) if isinstance(node, ast.ImportFrom)}
    called = {module for module in named if re.fullmatch(r"service\.api\.(?:show|make|read)_\w+", module)}
    assert called and called <= listed
