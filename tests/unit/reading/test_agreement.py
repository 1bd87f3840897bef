"""The yes and the no that the words of an answer say without being the command."""

import pytest

from service.reading.agreement import agreement
from service.reading.commands import Refill, Stop, Yes
from service.reading.incoming_mail import read
from service.reading.reply_parser import parse_reply
from tests.unit.reading.eml import mail, plain

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
    "Sure, why not!",
    "Why not?",
    "Yes, why not",
    "Klar, warum nicht!",
    "Warum nicht!",
    "Pourquoi pas !",
    "¿Por qué no?",
    "Yes, when do we start?",
    "Ja! Wer spielt noch mit?",
    "Oui, avec grand plaisir ! Qui d’autre joue ?",
    "Sí, ¿cuándo empezamos?",
    "Yes, can’t wait!",
    "Yes, no problem",
    "I want to play!",
    "Ich will mitspielen",
    *("Ja super", "yes lets play", "oui finalement", "De acuerdo", "Klar doch", "in Ordnung", "Geht klar", "ça marche"),
    *("bueno", "venga", "Jup", "Passt!", "👍", "👍🏽 !", "hell yes"),
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
    "Keine Zeit",
    "Pas cette fois",
    "Sorry, can't",
    "Nein, leider keine Zeit",
    "Non, je n’ai pas le temps en ce moment",
    "No, gracias, ahora no puedo",
    "No, thanks, too busy right now",
    "Je n'ai pas le temps en ce moment",
    "Désolée, je n'ai pas le temps en ce moment",
    *("Ich kann leider nicht", "I don't have time", "hell no", "well no", "hello no", "Oh no!", "no way", "👎"),
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
    "Yes? What is this?",
    "Yes, but only in January",
    "Yes, if Ben plays",
    "Yes, when I'm back",
    "Yes, or no",
    "Yes, I can't say",
    "Ja, wenn ich Zeit habe",
    "Oui, mais pas tout de suite",
    "No, wait",
    "No, but maybe later",
    "Not sure why not",
    "Why not ask Ben?",
    "Bueno, no lo sé",
    "👍👎",
)


@pytest.mark.parametrize(
    ("said", "written"),
    [*((True, each) for each in YES), *((False, each) for each in NO), *((None, each) for each in OPEN)],
)
def test_the_words_of_an_answer_say_yes_or_no_or_leave_it_open(said: bool | None, written: str) -> None:
    assert agreement(written.split("\n")) is said


@pytest.mark.parametrize(
    ("written", "yes"), [("Ja! Wer spielt noch mit?", True), ("I want to play", True), ("No, who are you?", False)]
)
def test_a_question_beside_a_yes_or_a_no_does_not_hide_it(written: str, yes: bool) -> None:
    answer = parse_reply(read(mail(plain(written))))
    assert answer.agreement is yes and answer.to_question().commands == ((Yes() if yes else Stop()),)


def test_a_command_is_no_agreement() -> None:
    for written in ("2 F\nSure!", "new 3\nSure!", "note Sure!"):
        assert parse_reply(read(mail(plain(written)))).agreement is None


def test_what_was_left_out_is_passed_over() -> None:
    assert agreement([None, "", "Sure", None]) is True


@pytest.mark.parametrize("written", [
    "No!", "No, I want to keep playing", "Nein - ich bleibe", "non, finalement je joue", "hell no", "No\nthanks",
])  # fmt: skip
def test_a_reply_that_begins_with_a_no_says_no(written: str) -> None:
    assert parse_reply(read(mail(plain(written)))).says_no


@pytest.mark.parametrize("written", [
    "No idea", "No problem", "Yes", "Sure!", "No. 2 at F", "Nonsense", "maybe", "no wait, yes", "",
])  # fmt: skip
def test_other_replies_do_not_say_no(written: str) -> None:
    assert not parse_reply(read(mail(plain(written)))).says_no


@pytest.mark.parametrize("written", ["non, finalement je joue 1 en A", "No, 1 A", "Nein, ich spiele 1 auf A"])
def test_the_move_behind_a_no_is_a_probable_move(written: str) -> None:
    asked = parse_reply(read(mail(plain(written))))
    assert asked.commands == () and asked.guess is not None and (asked.guess.choice, asked.guess.cell) == (1, "A")


@pytest.mark.parametrize("written", ["refil pls", "Please refil", "re fil", "auf fülen"])
def test_a_misspelled_refill_is_one_beside_polite_words_and_in_two(written: str) -> None:
    suggestion = parse_reply(read(mail(plain(written)))).suggestion
    assert suggestion is not None and suggestion.meant == (Refill(),)


@pytest.mark.parametrize("written", ["hell no", "well no", "hello no"])
def test_a_no_is_no_misspelled_refill(written: str) -> None:
    assert parse_reply(read(mail(plain(written)))).suggestion is None
