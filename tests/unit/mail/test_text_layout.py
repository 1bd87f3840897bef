"""The text part of every kind of mail keeps its paragraphs apart."""

from __future__ import annotations

from itertools import pairwise

import pytest

from service.language.languages import CODES, language
from tests.support.mail import kinds


def _is_heading(line: str) -> bool:
    return len(line) > 4 and line == line.upper() and line[0].isalpha() and not line.endswith((".", ":"))


@pytest.mark.parametrize("code", CODES)
def test_each_heading_stands_after_an_empty_line(code: str) -> None:
    close = []
    for kind, compose in kinds.every_kind(language(code), ("Ann", "Ben", "Zoë"), b"").items():
        lines = compose().text.split("\n")
        close += [f"{kind}: {line}" for before, line in pairwise(lines) if before and _is_heading(line)]
    assert close == []


@pytest.mark.parametrize("code", CODES)
def test_no_mail_has_two_empty_lines_in_a_row_or_one_at_an_end(code: str) -> None:
    loose = [
        kind
        for kind, compose in kinds.every_kind(language(code), ("Ann", "Ben", "Zoë"), b"").items()
        if "\n\n\n" in (text := compose().text) or text != text.strip("\n") + "\n"
    ]
    assert loose == []
