"""No line of our own mails could be taken for a command, so quoting it without any marks does nothing."""

import pytest

from service.language.languages import CODES, language
from service.reading.grammar import command
from tests.support.mail import kinds

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


def test_a_row_of_a_drawing_would_be_a_move_without_its_bar() -> None:
    assert command("   1       F") is not None and command("   1 |       F") is None
