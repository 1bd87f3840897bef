"""Lines that ask for a seat by a code, in sentences of four languages."""

import pytest

from service.reading.commands import Join
from service.reading.grammar import command
from service.reading.suggestions import suggest

ID, TYPED, SECRET = "jaaRsQHGcUTL", "ab3de-fgh4j", "x4" + "aB_" * 13 + "-c"


@pytest.mark.parametrize("sentence", [
    "join %s", "I'd like to join %s", "Please join me to %s", "join table %s", "Join %s please", "join: %s",
    "I want to join the table with the code %s", "Ich möchte beitreten %s bitte", "%s beitreten",
    "Ich möchte dem Tisch %s beitreten", "Beitreten %s bitte", "Quiero unirme a %s", "me uno a %s",
    "unirme a la mesa %s", "Je voudrais rejoindre %s", "rejoindre la table %s", "rejoindre %s merci",
])  # fmt: skip
@pytest.mark.parametrize("code", [ID, TYPED, SECRET])
def test_a_code_beside_a_word_for_joining_asks_for_a_seat(sentence: str, code: str) -> None:
    assert command(sentence % code) == Join(code)


@pytest.mark.parametrize("line", [
    f"I'd like to join {ID}?", f"Ben will not join {ID}", f"I can't join {ID}", f"join {ID} and {ID[::-1]}",
    "I'd like to join tomorrow", "Ich möchte Donnerstag beitreten", "I'd like to join Kindergarten", "join",
    f"The code is {ID}", f"Don't join {ID}", "Quiero unirme a vosotros", "MOECHTE MITSPIELEN ABCDEFGHIJKL",
])  # fmt: skip
def test_other_sentences_ask_for_no_seat(line: str) -> None:
    assert not isinstance(command(line), Join)


@pytest.mark.parametrize("code", [ID, SECRET, TYPED, f"“{ID}”", f"{ID}."])
def test_a_code_alone_is_asked_about(code: str) -> None:
    close = suggest(code)
    assert command(code) is None and close is not None and not close.is_move
    assert close.suggestion.meant == (Join(code.strip("“”.")),)


@pytest.mark.parametrize("line", ["Donaudampfer", "KINDERGARTEN", "McDonaldsson", "entretenimos", "wellington-stone"])
def test_a_word_alone_is_no_code(line: str) -> None:
    assert suggest(line) is None
