"""Times such as `in 2 h` are not played as the choice and the cell that they also spell."""

import pytest

from service.reading.commands import Pick
from service.reading.incoming_mail import read
from service.reading.reply_parser import parse_reply
from tests.unit.reading.eml import mail, plain


@pytest.mark.parametrize("line", [
    "In 2 h", "in 2h", "dans 2 h", "en 2 h", "um 3 h", "at 3 h", "à 3 h", "a las 3 h", "in 2 d", "dans 2 j", "in 3 T",
    "in 2 W.", "Auf 2 H", "In 3 m", "en 2 s", "ok, in 2 h", "I play in 2 h", "Je joue dans 2 h",
])  # fmt: skip
def test_a_time_that_spells_a_move_is_asked_about(line: str) -> None:
    asked = parse_reply(read(mail(plain(line))))
    assert asked.commands == () and asked.suggestion is not None and asked.guess is not None


@pytest.mark.parametrize(("line", "choice", "cell"), [
    ("2 d", 2, "D"), ("2 h", 2, "H"), ("2 H please", 2, "H"), ("H 2", 2, "H"), ("2 in H", 2, "H"), ("2 at h", 2, "H"),
    ("take 2 at H", 2, "H"), ("In 2 B", 2, "B"), ("at choice 2 H", 2, "H"),
])  # fmt: skip
def test_a_move_to_a_cell_with_the_letter_of_a_unit_is_played(line: str, choice: int, cell: str) -> None:
    (asked,) = parse_reply(read(mail(plain(line)))).commands
    assert isinstance(asked, Pick) and (asked.choice, asked.cell) == (choice, cell)
