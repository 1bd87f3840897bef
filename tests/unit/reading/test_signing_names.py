"""Names that sign a mail: none of them takes a command back, and none is taken for a misspelled command."""

import pytest

from service.reading.commands import Pick, Refill, Say
from service.reading.incoming_mail import read
from service.reading.reply_parser import ReplyCommands, parse_reply
from tests.unit.reading.eml import mail, plain


def answer(text: str) -> ReplyCommands:
    return parse_reply(read(mail(plain(text))))


@pytest.mark.parametrize("below", [
    "Noé", "Noe", "-Noé", "NOÉ", "\nNoé", "O.", "\n-O.", "LG\nNoé", "LG\nNO", "À bientôt\n\nNoé", "Viele Grüße,\n\nOr",
    "Best\nUndo", "Best wishes\nNoe",
])  # fmt: skip
@pytest.mark.parametrize(("above", "kind"), [("1 A", Pick), ("refill", Refill)])
def test_a_name_below_a_command_does_not_hold_it(above: str, kind: type, below: str) -> None:
    asked = answer(f"{above}\n{below}\n")
    assert asked.held == () and [type(each) for each in asked.commands] == [kind]
    assert asked.suggestion is None


@pytest.mark.parametrize("below", [
    "nö", "Nö!", "noe, warte", "noe, lieber nicht", "NO", "LG\nno", "LG\nno wait", "LG Ann\nNein", "LG\nAnn\nNein",
    "or\n3 F", "Thanks!\nUndo", "Undo", "LG\nNo!",
])  # fmt: skip
def test_a_denial_below_a_move_holds_it(below: str) -> None:
    assert [type(asked) for asked in answer(f"1 A\n{below}\n").held] == [Pick]


@pytest.mark.parametrize("name", ["Helena", "James", "Hilde", "Hilke", "Stan", "Saul", "Helena.", "\nHelena"])
def test_a_name_below_a_move_is_no_misspelled_command(name: str) -> None:
    asked = answer(f"1 A\n{name}\n")
    assert [type(each) for each in asked.commands] == [Pick] and asked.suggestion is None


def test_a_name_below_a_message_is_no_misspelled_command() -> None:
    assert answer("say hi\nHelena").suggestion is None
    assert [type(asked) for asked in answer("say hi\nHelena").commands] == [Say]


def test_a_misspelled_command_is_still_asked_about() -> None:
    alone, below = answer("Refil"), answer("1 A\nrefil")
    assert alone.suggestion is not None and alone.suggestion.meant == (Refill(),)
    assert below.suggestion is not None and below.suggestion.meant == (Refill(),)
