"""Choose the tests that may notice a mutant."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

from scripts.mutate.executed import ROOT, SOURCES, Executed
from scripts.mutate.mutants import Mutant, bound

MOST_SECONDS = 45.0
"""The longest time that the tests of one trial may take together, in seconds; slower tests are left out."""

_OF_IMPORTS = {
    "service/api": "tests/integration/contract/test_document.py::test_the_file_is_what_the_code_gives",
    "service/store": "tests/unit/store/test_schema.py::test_the_mapped_classes_are_what_the_migrations_make",
}
"""The test of what the modules in a folder declare when they are imported: the API's description, the tables."""


class Choice:
    """The choice of tests for each mutant, based on what was measured."""

    def __init__(self, executed: Executed) -> None:
        self._executed = executed
        self._by_line = cache(executed.by_line)

    def tests(self, mutant: Mutant) -> list[str]:
        """Return the tests that execute the mutant, mixed from all files.

        They are the fastest, as many as fit into `MOST_SECONDS`, after the one of what its module declares.
        """
        is_declaration = mutant.name is not None
        if mutant.name is None:
            lines = self._by_line(mutant.path)
            found = {test for line in range(mutant.lines[0], mutant.lines[1] + 1) for test in lines.get(line, ())}
        else:
            found = set(self._of_users(mutant.path, mutant.name))
        if not found and mutant.where:  # a function that only the import of its module calls
            found = set(self._of_users(mutant.path, mutant.where.partition(".")[0]))
            is_declaration = True
        if not found:  # code that only runs in processes which tests start
            found = set(self._named_for(Path(mutant.path)))
        declares = _OF_IMPORTS.get(str(Path(mutant.path).parent), "") if is_declaration else ""
        found |= {declares} & self._executed.seconds.keys()
        by_file: dict[str, list[str]] = {}
        left = MOST_SECONDS
        for test in sorted(found, key=lambda test: (test != declares, self._executed.seconds[test], test)):
            left -= self._executed.seconds[test]
            if left < 0 and by_file:
                break
            by_file.setdefault(test.partition("::")[0], []).append(test)
        # One of each file after the other, since those of a file often say the same: most mutants are noticed soon.
        return [test for each in zip_longest(*by_file.values()) for test in each if test is not None]

    def seconds(self, tests: Iterable[str]) -> float:
        """Return the seconds that these tests took together when they were measured."""
        return sum(self._executed.seconds[test] for test in tests)

    def _named_for(self, path: Path) -> Iterator[str]:
        """Yield the tests in files that are named for a module, such as `test_worker_faults.py` for `worker.py`."""
        files = re.compile(rf"tests/.*/{path.parent.name}/test_{path.stem}(?:_\w+)?\.py::")
        yield from (test for test in self._executed.seconds if files.match(test))

    def _of_users(self, path: str, name: str) -> Iterator[str]:
        """Yield the tests of all functions that use a name which the import of this module binds, or that import it."""
        for uses in (_uses(path, each) for each in name.split()):
            for user, first, last in uses.functions:
                lines = self._by_line(user)
                for line in range(first, last + 1):
                    yield from lines.get(line, ())
            yield from (test for test in self._executed.seconds if test.partition("[")[0] in uses.tests)


class _Part(NamedTuple):
    """A function, or a statement that runs when its module is imported.

    It has the name of the function, or the one that the statement binds, and the names that it uses.
    """

    name: str
    is_function: bool
    first: int
    last: int
    uses: frozenset[str]


class _Uses(NamedTuple):
    """The functions, by file and lines, that use a name, and the tests, by id without parameters, that import it."""

    functions: tuple[tuple[str, int, int], ...]
    tests: frozenset[str]


@cache
def _uses(path: str, name: str) -> _Uses:
    """Return the functions that use a name of a module, directly or through another such name."""
    imported = _imports(path, name)
    found: list[tuple[str, int, int]] = []
    seen: set[tuple[str, str]] = {(path, name)}
    left = [(path, name)]
    while left:
        where, wanted = left.pop()
        for user, text in _texts(*SOURCES):
            if user != where and not (where == path and wanted == name and imported.search(text)):
                continue
            parts = _parts(user)
            at_import = frozenset[str]().union(*(part.uses for part in parts if not part.is_function))
            for part in parts:
                if wanted not in part.uses:
                    continue
                if part.is_function:
                    found.append((user, part.first, part.last))
                if (not part.is_function or part.name in at_import) and (user, part.name) not in seen:
                    seen.add((user, part.name))
                    left.append((user, part.name))
    tests = frozenset(test for where, known in seen if where == path for test in _importing_tests(path, known))
    if not found and not tests:
        found = [(path, part.first, part.last) for part in _parts(path) if part.is_function]
    return _Uses(tuple(found), tests)


def _imports(path: str, name: str) -> re.Pattern[str]:
    """Return a pattern that finds the import of a name of a module, or its use through the module's name."""
    module = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    last = module.rpartition(".")[2]
    return re.compile(rf"\bfrom {re.escape(module)} import\b[^#]*?\b{name}\b|\b\w*{last}\.{name}\b")


@cache
def _importing_tests(path: str, name: str) -> frozenset[str]:
    """Return the tests that use a name which they import from a module, by their ids without parameters."""
    imported = _imports(path, name)
    return frozenset(
        f"{user}::{part.name}"
        for user, text in _texts("tests")
        if imported.search(text)
        for part in _parts(user)
        if part.is_function and name in part.uses
    )


@cache
def _texts(*tops: str) -> tuple[tuple[str, str], ...]:
    paths: list[Path] = [path for top in tops for path in sorted((ROOT / top).rglob("*.py"))]
    return tuple((str(path.relative_to(ROOT)), path.read_text()) for path in paths)


@cache
def _parts(path: str) -> tuple[_Part, ...]:
    """Return the functions of a file, and the statements that run when it is imported."""
    found: list[_Part] = []

    def look(body: list[ast.stmt], around: str | None) -> None:
        for node in body:
            names = frozenset(
                each.id if isinstance(each, ast.Name) else each.attr
                for each in ast.walk(node)
                if isinstance(each, ast.Name | ast.Attribute)
            )
            last = node.end_lineno or node.lineno
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                own = frozenset((around,)) if around else frozenset[str]()
                found.append(_Part(node.name, True, node.body[0].lineno, last, names | own))
            elif isinstance(node, ast.ClassDef):
                look(node.body, node.name)
            else:
                found.extend(_Part(around or name, False, node.lineno, last, names) for name in bound(node).split())

    look(ast.parse((ROOT / path).read_text()).body, None)
    return tuple(found)
