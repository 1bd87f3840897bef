"""The text part of every kind of mail keeps its paragraphs apart."""

from __future__ import annotations

from itertools import pairwise

import pytest

from service.language.languages import ENGLISH
from tests.support.mail import kinds


@pytest.fixture(scope="module")
def texts() -> dict[str, str]:
    """Return the text part of each kind of mail, in one language, as all use the same templates."""
    every = kinds.every_kind(ENGLISH, ("Ann", "Ben", "Zoë"), b"")
    return {kind: compose().text for kind, compose in every.items()}


def _is_heading(line: str) -> bool:
    return len(line) > 4 and line == line.upper() and line[0].isalpha() and not line.endswith((".", ":"))


@pytest.mark.slow
def test_each_heading_stands_after_an_empty_line(texts: dict[str, str]) -> None:
    close = [
        f"{kind}: {line}"
        for kind, text in texts.items()
        for before, line in pairwise(text.split("\n"))
        if before and _is_heading(line)
    ]
    assert close == []


@pytest.mark.slow
def test_no_mail_has_two_empty_lines_in_a_row_or_one_at_an_end(texts: dict[str, str]) -> None:
    loose = [kind for kind, text in texts.items() if "\n\n\n" in text or text != text.strip("\n") + "\n"]
    assert loose == []
