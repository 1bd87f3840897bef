"""The language that people ask for, and the one that they write in."""

import pytest

from service.language.languages import CODES
from service.reading.commands import Speak
from service.reading.grammar import command
from service.reading.language_detection import SHOWN, language_of_text
from service.reading.suggestions import suggest


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("français", "fr"),
        ("Francais!", "fr"),
        ("FRANÇAIS", "fr"),
        ("en français, s’il vous plaît", "fr"),
        ("En francais s'il te plait", "fr"),
        ("langue : français", "fr"),
        ("language: fr", "fr"),
        ("language=fr-CA", "fr"),
        ("Écris-moi en français", "fr"),
        ("french please", "fr"),
        ("Deutsch", "de"),
        ("auf deutsch", "de"),
        ("Bitte auf Deutsch.", "de"),
        ("Sprache: Deutsch", "de"),
        ("lang de", "de"),
        ("Schreib mir bitte auf Deutsch", "de"),
        ("allemand", "de"),
        ("español", "es"),
        ("en espanol por favor", "es"),
        ("¡Español!", "es"),
        ("idioma: español", "es"),
        ("castellano", "es"),
        ("English", "en"),
        ("> in English, please", "en"),
        ("auf Englisch", "en"),
        ("I would like to write in English", "en"),
        ("switch to english, thanks", "en"),
    ],
)
def test_a_language_is_asked_for_by_its_name(line: str, code: str) -> None:
    assert command(line.removeprefix("> ")) == Speak(code)


@pytest.mark.parametrize(
    "line",
    [
        "fr",
        "de",
        "es",
        "en",
        "language",
        "language: pl",
        "language: xx",
        "my English is bad, sorry",
        "french or german",
        "auf deutsch oder englisch",
        "2 english",
        "english_2",
        "deutsch@example.org",
        "My German friend Ben said hello",
        "Sprechen Sie Deutsch?",
        "english " * 9,
    ],
)
def test_what_says_more_or_less_is_no_such_wish(line: str) -> None:
    assert not isinstance(command(line), Speak)


def test_a_question_whether_a_language_is_spoken_is_asked_back() -> None:
    unclear = suggest("Sprechen Sie Deutsch?")
    assert unclear is not None and unclear.suggestion.meant == (Speak("de"),)
    assert suggest("My English is bad, sorry") is None


@pytest.mark.parametrize("code", CODES)
def test_the_word_that_mails_tell_asks_for_it(code: str) -> None:
    assert command(SHOWN[code]) == Speak(code)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Let me play alone\nsolo", "en"),
        ("I will play with me friends", "en"),
        ("Ich will allein spielen\nsolo", "de"),
        ("Me gustaría jugar\nsolo", "es"),
        ("nouvelle partie 2 joueurs, ben@example.org", "fr"),
        ("Bonjour,\n\nsolo\n\nMerci", "fr"),
        ("Qu'est-ce que c'est ? Je ne comprends pas.", "fr"),
        ("neues Spiel 2, ben@example.org", "de"),
        ("Hallo, was ist das hier?", "de"),
        ("solo bitte", "de"),
        ("nueva partida 3 jugadores", "es"),
        ("Hola, ¿qué es esto?", "es"),
        ("Quiero jugar", "es"),
        ("new game 2 players", "en"),
        ("What is this?", "en"),
        ("How do I start?", "en"),
        ("Hilfe", "de"),
        ("Regeln?", "de"),
        ("Anmelden", "de"),
        ("Ja", "de"),
        ("Aide", "fr"),
        ("Inscription", "fr"),
        ("Solo svp", "fr"),
        ("S'inscrire, svp", "fr"),
        ("Partie en solo, svp", "fr"),
        ("Règles ?", "fr"),
        ("Oui merci", "fr"),
        ("ayuda", "es"),
        ("registrarme", "es"),
        ("Sí", "es"),
        ("help", None),
        ("yes", None),
        ("Please sign me up", "en"),
        ("stop", None),
        ("solo", None),
        ("", None),
        ("Dzień dobry, co to jest?", None),
        ("12345", None),
    ],
)
def test_the_language_of_a_text_is_known_by_its_common_words(text: str, code: str | None) -> None:
    assert language_of_text(text.splitlines()) == code


def test_a_long_text_is_looked_at_as_far_as_it_needs() -> None:
    assert language_of_text(["bonjour merci " * 100_000, *["hello"] * 100_000]) == "fr"
