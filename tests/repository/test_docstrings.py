"""Docstrings: the first line is a full sentence, and a function's begins with a verb.

A tool-tip shows a docstring alone, so its first line has to make sense without the code around it. Tests are left out:
their docstrings may continue their names.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

CHECKED = ("bench", "demo", "engine", "migrations", "scripts", "service", "tests")

FRAGMENTS = frozenset(
    [
        "Around",
        "As",
        "How",
        "Of",
        "Or",
        "So",
        "That",
        "These",
        "This",
        "Those",
        "What",
        "When",
        "Where",
        "Whether",
        "Which",
        "Who",
        "Whom",
        "Whose",
    ]
)
"""First words of a docstring that continues its object's name instead of describing the object."""

NOUNS = frozenset(["A", "An", "Each", "Every", "It", "No", "One", "The"])
"""First words that a property or a class may begin with, but not a function."""

VAGUE = re.compile(r"^(?:Return|Say|Tell) (?:what|how|who|whom)\b|\bso many\b", re.IGNORECASE)
"""Wordings that leave open what is returned, or how many; a noun or the parameter's name says it."""

Documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def documented(tree: ast.Module) -> Iterator[tuple[Documented, str]]:
    for node in ast.walk(tree):
        if isinstance(node, Documented) and (text := ast.get_docstring(node)) is not None:
            yield node, text


def is_property(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any("property" in ast.unparse(each) for each in node.decorator_list)


def wrong(node: Documented, text: str) -> str | None:
    summary = text.partition("\n")[0]
    word = summary.split()[0].strip("`,:;") if summary else ""
    if not summary.endswith((".", "?", "…", "`")):
        return "its first line is no full sentence"
    if text != summary and text.split("\n")[1]:
        return "no empty line follows the first"
    if (vague := VAGUE.search(summary)) is not None:
        return f"it is vague: {vague[0]!r}"
    if word in FRAGMENTS:
        return f"it begins with {word!r}"
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not is_property(node):
        if word in NOUNS:
            return f"it begins with {word!r} instead of a verb"
        if word.endswith("s") and not word.endswith(("ss", "us")):
            return f"it begins with {word!r} instead of an imperative"
    return None


@pytest.mark.parametrize("package", CHECKED)
def test_first_lines_are_sentences_that_stand_alone(package: str) -> None:
    found = sorted((ROOT / package).glob("**/*.py"))
    assert found
    for path in found:
        for node, text in documented(ast.parse(path.read_text())):
            name = getattr(node, "name", path.name)
            why = None if name.startswith("test_") else wrong(node, text)
            assert why is None, f"{path.relative_to(ROOT)}: {name}: {why}"


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ('"""Whether it holds."""', "begins with 'Whether'"),
        ('"""Return a tile"""', "no full sentence"),
        ('def f() -> int:\n    """The number."""', "instead of a verb"),
        ('def f() -> int:\n    """Return how many tiles there are."""', "it is vague"),
        ('def f() -> int:\n    """Wait for so many seconds."""', "it is vague"),
        ('def f() -> int:\n    """Returns the number."""', "instead of an imperative"),
        ('def f() -> int:\n    """Return the number.\n    Or not."""', "no empty line"),
    ],
)
def test_a_fragment_is_found(code: str, why: str) -> None:
    ((node, text),) = documented(ast.parse(code))
    assert why in str(wrong(node, text))


def test_a_property_may_begin_with_a_noun() -> None:
    nodes = dict(documented(ast.parse('class C:\n    @property\n    def f(self) -> int:\n        """The number."""')))
    assert [wrong(node, text) for node, text in nodes.items()] == [None]


def test_a_constant_is_documented_in_one_way() -> None:
    """By a string below a public one, and by a comment above a private one; `#` with a colon is a third way."""
    found = [path for package in CHECKED for path in (ROOT / package).glob("**/*.py")]
    marked = re.compile(r"^\s*#[:]", re.MULTILINE)
    assert [path for path in found if marked.search(path.read_text())] == []
