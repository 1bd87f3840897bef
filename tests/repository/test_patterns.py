"""Regular expressions match the same on every Python that the project runs on."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

_ROOT = Path(__file__).parents[2]
_POSSESSIVE_GROUP = re.compile(r"(?<!\\)\)(?:[*+?]|\{[0-9]*,?[0-9]*\})\+")


def _texts(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        match node:
            case ast.Constant(value=str() as text):
                yield text
            case ast.Constant(value=bytes() as data):
                yield data.decode("latin-1")


def test_no_group_is_repeated_possessively() -> None:
    """Before Python 3.11.5, and so in Debian 12, `(?:ab?c)*+` matches "a"; `(?>(?:ab?c)*)` is right everywhere."""
    found = [
        f"{path.relative_to(_ROOT)}: {text}"
        for package in ("engine", "service")
        for path in sorted((_ROOT / package).rglob("*.py"))
        for text in _texts(path)
        if _POSSESSIVE_GROUP.search(text)
    ]
    assert found == []
