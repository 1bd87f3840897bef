"""No line of our own mails could be taken for a command, so quoting it without any marks does nothing."""

import pytest

from service.language.languages import CODES, language
from service.reading.grammar import command
from service.reading.markup import lines_of
from service.reading.unmarked_quotes import end_of_ours
from tests.support.mail import kinds

OTHER_ENDS = ("invitation", "sign-in")
"""Kinds of mail that end with a part for programs as text, or cannot be stopped."""

NAMES = ("Ann", "solo", "2 F", "Stop")


@pytest.mark.slow
@pytest.mark.parametrize("code", CODES)
def test_no_line_of_any_kind_of_mail_asks_for_anything(code: str) -> None:
    lines = {
        line
        for compose in kinds.every_kind(language(code), NAMES).values()
        for line in compose().text.splitlines()
        if line.strip()
    }
    assert len(lines) > 200
    assert {line: found for line in lines if (found := command(line))} == {}


@pytest.mark.slow
@pytest.mark.parametrize("code", CODES)
def test_the_end_of_each_kind_of_mail_is_recognized(code: str) -> None:
    """A reply may stand below the whole mail, so what comes last in it must be known."""
    for kind, compose in kinds.every_kind(language(code), NAMES).items():
        content = compose()
        for lines in (content.text.splitlines(), [line.text for line in lines_of(content.html)]):
            end = end_of_ours([*lines, "", "1 B"])
            assert end is None or not any(map(str.strip, lines[end:])), kind
            assert end is not None or kind.startswith(OTHER_ENDS), kind


def test_a_row_of_a_drawing_would_be_a_move_without_its_bar() -> None:
    assert command("   1       F") is not None and command("   1 |       F") is None
