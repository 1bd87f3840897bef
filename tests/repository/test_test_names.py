"""Test names are short enough to be read whole in a report."""

from __future__ import annotations

import ast
from pathlib import Path

_TESTS = Path(__file__).parents[1]
_LONGEST = 70


def test_no_test_name_is_longer_than_seventy_characters() -> None:
    names = [
        f"{path.relative_to(_TESTS)}: {node.name}"
        for path in sorted(_TESTS.rglob("test_*.py"))
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        if node.name.startswith("test_") and len(node.name) > _LONGEST
    ]
    assert names == []
