"""Tests in browsers wait in one way: Playwright's own would evaluate strings, which the pages forbid."""

from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.support.browser import until

TESTS = Path(__file__).resolve().parents[1]
_WAIT = "." + "wait_for_function("


def test_browsers_are_waited_for_in_one_place() -> None:
    waits = [path.name for path in TESTS.rglob("*.py") if _WAIT in path.read_text()]
    assert waits == ["browser.py"], "use tests.support.browser.until"


@pytest.mark.parametrize("condition", ["document.title === 'x'", "(() => 1)() === 1 && f", "() => p.then(() => 1)"])
def test_what_is_no_function_is_not_waited_for(condition: str) -> None:
    with pytest.raises(AssertionError, match="not a function"):
        until(Page.__new__(Page), condition)
