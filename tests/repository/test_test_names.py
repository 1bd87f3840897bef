"""Test names are short enough to be read whole in a report, and say what holds."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

_TESTS = Path(__file__).parents[1]
_LONGEST = 70

_FRAGMENTS = ("test_who_", "test_of_", "test_it_", "test_they_")
"""Beginnings of names that continue the name of the file instead of saying what holds of what."""


@pytest.fixture(scope="module")
def names() -> list[tuple[str, str]]:
    """Return the names of all tests, each after its file."""
    return [
        (str(path.relative_to(_TESTS)), node.name)
        for path in sorted(_TESTS.rglob("test_*.py"))
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        if node.name.startswith("test_")
    ]


def test_no_test_name_is_longer_than_seventy_characters(names: list[tuple[str, str]]) -> None:
    assert [name for name in names if len(name[1]) > _LONGEST] == []


def test_no_test_name_is_a_fragment_without_its_subject(names: list[tuple[str, str]]) -> None:
    assert names
    assert [name for name in names if name[1].startswith(_FRAGMENTS)] == []
