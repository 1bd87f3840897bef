"""Applications of tests are closed: one left open goes on with its threads, and logs into what later tests read."""

import ast
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]

_OPENS = TESTS / "support/web.py"
_PROCESSES = {TESTS / "unit/api/at_version.py", TESTS / "unit/service/metered_game.py"}
"""What tests run as processes of their own, with which their applications end."""


def calls_of(name: str, path: Path) -> list[int]:
    """Return the lines in which a module calls a function of this name."""
    calls = (node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call))
    return [call.lineno for call in calls if isinstance(call.func, ast.Name) and call.func.id == name]


def test_applications_are_made_only_where_they_are_closed() -> None:
    made = {path for path in TESTS.rglob("*.py") if calls_of("create_app", path)}
    assert made == {_OPENS, *_PROCESSES}, "use tests.support.web.opened or the fixture make_app"
