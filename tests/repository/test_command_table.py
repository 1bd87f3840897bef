"""The table of commands in the README, which says of each what its help says first."""

import re
import subprocess
import sys
from pathlib import Path

README = Path(__file__).parents[2] / "README.md"

_ROW = re.compile(r"^\| `novaluna ([a-z-]+)([^`]*)` \| (.+) \|$", re.MULTILINE)
_OF_SEVERAL = {"games", "account", "game", "checkpoints"}
"""Commands that have commands of their own, which the table names instead."""


def told() -> dict[str, str]:
    """Return the first sentence of each command's help, without its full stop."""
    argv = [sys.executable, "-m", "service.cli", "--help"]
    printed = subprocess.run(argv, capture_output=True, text=True, check=True, env={"COLUMNS": "1000"}).stdout
    rows = re.findall(r"^    ([a-z-]+)\s+(\S.*)$", printed, re.MULTILINE)
    return {name: text.partition(". ")[0].rstrip(".") for name, text in rows}


def test_the_table_of_commands_says_what_their_help_says() -> None:
    rows = [(name, re.sub(r"\[(.+?)\]\(.+?\)|`", r"\1", text)) for name, _, text in _ROW.findall(README.read_text())]
    helps = told()
    assert {name for name, _ in rows} == set(helps)
    for name in set(helps) - _OF_SEVERAL:
        first = next(text for row, text in rows if row == name)
        assert first.startswith(helps[name]), (name, helps[name], first)
