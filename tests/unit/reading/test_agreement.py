"""The yes and the no that the words of an answer say without being the command."""

import pytest

from service.reading.agreement import agreement

YES = (
    "I'd love to!",
    "Sure, count me in :-)",
    "OK",
    "I'm in!",
    "Let's play!",
    "Thanks for the invitation. I would like to play.",
    "Hi Ann,\n\nI'd love to!\n\nBest,\nCleo, who is not here",
    "Gerne!",
    "Klar, ich bin dabei",
    "Ich nehme die Einladung an",
    "Freue mich drauf",
    "Bien sûr, avec plaisir",
    "D’accord",
    "J’accepte !",
    "¡Claro que sí!",
    "Me apunto",
)
NO = (
    "No.",
    "No thanks",
    "Sorry, I have no time",
    "Leider nein",
    "Nein danke!",
    "Non merci",
    "No puedo, lo siento",
    "Hi!\nNope",
)
OPEN = (
    "",
    "Hello",
    "Thanks for the invitation",
    "Sure? What is this?",
    "I'd love to, but I can't",
    "I'd love to!\nBut only in January.",
    "No, I'd love to",
    "No thanks\nSure",
    "No problem",
    "Let me think about it",
    "Not now",
    "Not sure",
    "Regards,\nI'd love to",
    "\n".join(["Sure"] + ["Hello"] * 12),
    "Sure " * 50,
    "Luego",
    "Thanks for the invitation\nWith love,\nCleo",
    "I love this game",
)


@pytest.mark.parametrize(
    ("said", "written"),
    [*((True, each) for each in YES), *((False, each) for each in NO), *((None, each) for each in OPEN)],
)
def test_the_words_of_an_answer_say_yes_or_no_or_leave_it_open(said: bool | None, written: str) -> None:
    assert agreement(written.split("\n")) is said


def test_what_was_left_out_is_passed_over() -> None:
    assert agreement([None, "", "Sure", None]) is True
