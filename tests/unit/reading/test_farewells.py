"""What may follow an answer without changing it: apologies, thanks, good wishes and farewells."""

import pytest

from service.reading.commands import Yes
from service.reading.farewells import adds_nothing
from service.reading.grammar import command

NOTHING = [
    "", "sorry!", "Have fun all!", "See you then - good luck", "Thanks for your patience. Bye", "Cheers, Ben",
    "Viel Spaß euch noch!", "Tut mir leid. Viele Grüße", "Danke für euer Verständnis!", "Bonne partie à tous !",
    "Désolée, bisous", "¡Un saludo!", "Lo siento. ¡Suerte!", "Hasta entonces",
]  # fmt: skip
SOMETHING = ["but I can play", "sorry, not yet", "maybe", "Good luck with that", "2 F", "Viel Glück bei 3 F", "a" * 300]


@pytest.mark.parametrize("text", NOTHING)
def test_an_apology_or_a_wish_adds_nothing(text: str) -> None:
    assert adds_nothing(text)


@pytest.mark.parametrize("text", SOMETHING)
def test_anything_else_adds_something(text: str) -> None:
    assert not adds_nothing(text)


@pytest.mark.parametrize(
    "line",
    [
        "Ja, ich bin mir sicher. Viel Spaß euch noch!",
        "Ja, wirklich. Viel Glück euch allen",
        "Ja, leider",
        "Oui, sûre et certaine",
        "Oui, je confirme",
        "Oui, vraiment",
        "Sí, estoy seguro",
        "Sí, estoy segura.",
        "Sí, confirmo",
        "Yes, I'm sure. Have fun!",
        "Yes, I'm sure. Happy playing!",
    ],
)
def test_a_yes_may_be_confirmed_and_followed_by_a_farewell(line: str) -> None:
    assert command(line) == Yes()


@pytest.mark.parametrize("line", ["Yes, I'd love to play", "Ja, ich bin dabei. Viel Spaß!", "Oui, jouons", "Sí, juego"])
def test_a_yes_to_playing_is_told_from_others(line: str) -> None:
    assert command(line) == Yes(to_play=True)


@pytest.mark.parametrize("line", ["Yes, tomorrow", "Yes. Maybe.", "Ja, aber erst später. Viel Spaß!", "Oui, non"])
def test_a_yes_with_a_limit_is_no_command(line: str) -> None:
    assert command(line) is None
