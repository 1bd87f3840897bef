"""Sentences in four languages that probably mean a move: which move is guessed, and that none is played."""

import pytest

from service.reading.commands import Inquiry, Refill
from service.reading.guesses import GuessedMove
from service.reading.incoming_mail import read
from service.reading.reply_parser import parse_reply
from tests.unit.reading.corpus import meant
from tests.unit.reading.eml import alternative, mail, page, plain
from tests.unit.reading.reference_reader import tells

TOLD = {
    "choice 2 F": [
        "I'll take the second tile and put it at F", "2nd tile, F", "Place 2 into F, thanks Ben!",
        "the second one goes to F", "Second tile to F please", "I'd like the 2nd at F", "second one -> F",
        "second one → F", "Let me put number 2 at F", "F for the second", "I think I will take 2 and F",
        "my move is the 2 on F", "moon 2 F", "2 at F would be great", "tile two on F", "The 2nd tile should go on F.",
        "Could be fun: 2 on F!", "put the second tile on cell F", "das zweite Plättchen auf F",
        "Ich hätte gern die zweite auf Feld F", "die 2 kommt nach F", "F mit 2", "2. Plättchen auf F",
        "zweite Kachel, Feld F", "Ich möchte die 2 bitte auf F legen", "Bitte setz die zweite auf F",
        "ich würde die 2 nehmen und auf F legen", "Je prends la 2 et je la mets en F", "la deuxième tuile en F",
        "Je voudrais la deuxième tuile en case F", "Je mets la 2 sur F", "Pose la deuxième tuile en F s'il te plaît",
        "On va prendre la 2 pour la case F", "Para mí la 2 en F", "La segunda ficha en la casilla F",
        "Quiero la segunda en F", "Pon la 2 en F, por favor",
        "Hi Ben,\nI would like to take the second tile\nand put it on F.\nCheers\nTom",
        "The second tile.\nOn F, please.", "Tom\n2F",
    ],
    "tile 2 F": [
        "Well, tile 2 goes on F", "Das Plättchen 2 kommt auf F", "Je voudrais la tuile 2 en F",
        "Quiero la ficha 2 en F",
    ],
    "tile 17 F": ["I would like 17 at F", "Die 17 kommt auf F", "je mets la 17 en F", "quiero la 17 en F"],
    "b F": ["the blue one at F", "Nimm bitte die blaue und leg sie auf F", "je pose la bleue en F", "la azul en F"],
    "choice 2 AA": ["the second goes to AA please, Ben", "la 2 se va a AA"],
    "choice 2 (1, -2)": ["the second tile goes at (1, -2)"],
    "choice 2": [
        "2", "2.", "I take 2", "the second one", "option 2", "Ich nehme die 2", "je prends la 2", "tomo la 2",
        "2 please",
    ],
    "tile 2": ["tile 2", "Plättchen 2", "la tuile 2", "ficha 2"],
    "F": ["F", "F.", "f", "at F", "in F please", "cell F", "auf F", "en F", "Feld F"],
    "A": ["A", "A.", "a"],
    "I": ["I"],
    "b": ["the blue one", "take the blue one", "die blaue", "la bleue", "la azul"],
}  # fmt: skip
OPEN = [
    "not 2 F", "2 F or 3 B", "2 at F or G", "2 or 3 at F", "either the second or the third on F",
    "if Ben takes 3, then 2 F", "2 F unless Ben is there", "I won't take 2 at F", "don't put 2 on F", "2 F?",
    "should I take 2 at F?", "instead of 3 put 2 on F", "Play 2 at F, then 3 at B", "no 2 F", "nicht 2 auf F",
    "2 F oder 3 B", "wenn Ben 3 nimmt, dann 2 auf F", "keine 2 auf F", "2 auf F, oder doch B",
    "soll ich 2 auf F legen?", "pas 2 en F", "2 F ou 3 B", "si Ben prend la 3, la 2 en F", "je ne prends pas la 2 en F",
    "ni 2 ni 3 en F", "sans la 2 en F", "no la 2 en F", "2 F o 3 B", "si Ben toma la 3, la 2 en F", "¿la 2 en F?",
    "ni la 2 en F", "nunca la 2 en F", "Not now.\nthe second one on F, but not yet",
    "the second one on F\nthe third one on F", "2 tiles and 3 discs on F", "Nice move!",
    "We were 2 at Plan B yesterday", "Vitamin C is good for you", "See you at 5", "I am 40", "Tom",
    "the second time we meet", "take the first tile and put it at A, then refill", "should I refill and take 1 at A?",
    "don't refill, take the second tile at A", "No refill, the first one at A", "A nice game",
]  # fmt: skip


def said(read: GuessedMove | None) -> str:
    if read is None:
        return ""
    tile = f"choice {read.choice}" if read.choice else f"tile {read.tile}" if read.tile else read.color or ""
    return f"{tile} {read.cell or read.at or ''}".strip()


@pytest.mark.parametrize(("meaning", "text"), [(meaning, text) for meaning, texts in TOLD.items() for text in texts])
def test_a_sentence_is_likely_a_move_and_not_played(meaning: str, text: str) -> None:
    for raw in (
        plain(text),
        alternative(plain(text), page("<br>".join(text.split("\n")))),
        plain(f"Hello Ben,\n\n{text}\n\n-- \nTom\n3 B\n"),
    ):
        answer = parse_reply(read(mail(raw)))
        assert said(answer.guess) == meaning and not answer.commands
        assert answer.suggestion is not None and tells(text, meaning)


@pytest.mark.parametrize("text", OPEN)
def test_what_is_open_is_asked_openly(text: str) -> None:
    answer = parse_reply(read(mail(plain(text))))
    assert answer.guess is None and all(isinstance(asked, Inquiry) for asked in answer.commands)


@pytest.mark.parametrize("between", ["\n", "\n\n"])
@pytest.mark.parametrize(
    "text",
    ["I'll take the second tile and put it at F", "je mets la 2 sur F", "das zweite Plättchen auf F", "Pon la 2 en F"],
)
def test_a_likely_move_below_what_is_said_is_not_said(text: str, between: str) -> None:
    answer = parse_reply(read(mail(plain(f"say good luck{between}{text}\n"))))
    assert meant(answer) == ("say good luck", f"near {text}") and said(answer.guess) == "choice 2 F"


def test_a_bare_move_below_a_long_text_is_asked_back_with_its_reading() -> None:
    answer = parse_reply(read(mail(plain("say hello\nTom\n3B\n"))))
    assert meant(answer) == ("say hello\nTom", "near 3B") and said(answer.guess) == "choice 3 B"


@pytest.mark.parametrize("text", ["refill and take 1 at A", "bitte erst auffüllen, dann die zweite auf F"])
def test_a_move_behind_a_refill_is_not_guessed(text: str) -> None:
    answer = parse_reply(read(mail(plain(text))))
    assert answer.guess is None and answer.suggestion is not None and answer.suggestion.meant == (Refill(),)


def test_two_texts_that_tell_different_moves_are_asked_openly() -> None:
    both = alternative(plain("I'd like the 2nd at F"), page("<p>I'd like the 3rd at F</p>"))
    assert parse_reply(read(mail(both))).guess is None


def test_a_move_that_is_certain_leaves_nothing_likely() -> None:
    answer = parse_reply(read(mail(plain("2 F\nI'd like the third one at B after that"))))
    assert len(answer.commands) == 1 and answer.guess is None
