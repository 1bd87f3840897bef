"""The grammar of answers, line by line, in four languages."""

import pytest

from service.language.languages import CODES
from service.reading.commands import Join, Pick
from service.reading.grammar import LONGEST, command
from service.reading.shown_words import SHOWN
from service.reading.suggestions import suggest
from tests.drills.worst.cost import MOST, cpu
from tests.unit.reading.corpus import told

FITS = {
    "2 F": [
        "2 F", "2f", "2F", "F2", "f 2", "2 - F", "2, F", "2: F", "2/F", "2 -> F", "2 → F", "2@F", "2 = f", "2. F",
        "02 F", "Nr. 2 auf Feld F", "number 2 at F", "No. 2, F", "choice 2, cell F", "second F", "the second at F",
        "Option 2 on F", "die zweite auf F", "la deuxième en F", "la segunda en F", "Yes, 2 F", "Ja: 2 auf F",
        "Oui, la 2 en F", "Sí, la 2 en F",
    ],
    "tile 17 F": [
        "tile 17 at F", "Tile 17 F", "tile #17 -> F", "Plättchen 17 auf F", "PLATTCHEN 17 auf f", "tuile 17 en F",
        "tuile 17 à F", "la ficha 17 a F", "F tile 17", "tile no. 17 at cell F", "loseta 17 en la casilla F", "17 F",
        "17f", "F17", "17 at F", "je prends la 17 en F", "ich nehme 17 auf F", "tomo la 17 en F", "I take 17 at F",
    ],
    "2 AA": ["2 AA", "2 aa", "AA2", "AA 2", "aa2", "2 at AA"],
    "tile 17 (1, -2)": [
        "17@1,-2", "17@1,−2", "17@1,–2", "17 @ 1, -2", "17@(1,-2)", "tile 17 at (1, -2)", "17@ 1 ; - 2",
        "tile 17: x=1, y=-2", "Plättchen 17 auf (1, -2)", "tuile 17 en (1 ; -2)", "1７@1,-2", "17 at 1,-2",
        "17 auf (1, -2)", "17 (1,-2)", "17 x1,y-2",
    ],
    "2 (0, 1)": ["choice 2 at 0,1", "2 at 0,1", "Wahl 2 auf (0, 1)", "choix 2 en (0, 1)"],
    "refill": [
        "refill", "Refill!", "REFILL the track", "fill up", "please refill", "auffüllen", "auffuellen", "Auffullen",
        "ich fülle auf", "bitte auffüllen", "remplir", "Je remplis la piste.", "remplis stp", "rellenar",
        "Rellenar la pista", "relleno, por favor",
    ],
    "resign": [
        "resign", "I resign", "give up", "aufgeben", "Ich gebe auf.", "abandonner", "J’abandonne", "abandon",
        "abandonar", "Me rindo", "quit", "I quit",
    ],
    "yes": [
        "yes", "Yes.", "Yes, please", "ja", "Ja!", "oui", "Oui.", "sí", "Si", "¡Sí!", "oui, abandonner", "Yes, gladly!",
        "Yes, I'd love to", "Yes - count me in", "yes that one", "Yes, that's what I meant",
        "Yes, thanks for the invitation!", "Ja, gerne!", "Ja klar", "Ja, das meine ich", "Ja. Danke für die Einladung!",
        "Oui, avec plaisir !", "Oui, c’est ça", "oui bien sûr", "Sí, con mucho gusto", "Si, por supuesto",
        "¡Sí, claro que sí!",
    ],
    "help": [
        "help", "Help!", "Hilfe", "aide", "ayuda", "¡Ayuda!", "sign up", "I'd like to register", "create an account",
        "Je voudrais m'inscrire", "Quiero registrarme", "Ich möchte mich anmelden", "Konto eröffnen",
    ],
    "history": ["history", "Verlauf", "historique", "historial"],
    "stop": ["stop", "STOP", "stopp", "unsubscribe", "arrêter", "parar", "keine Mails mehr", "darse de baja"],
    "mute": ["mute", "stumm", "silence", "silenciar"],
    "unmute": ["unmute", "hören", "écouter", "escuchar"],
    "solo": ["solo", "Solo, bitte", "play alone", "allein spielen", "jouer seul", "jugar solo", "jugar en solitario"],
    "block Ann": [
        "block Ann", "Block Ann!", "block: Ann", "please block Ann", "block player Ann", "blockieren Ann",
        "Blockiere Ann", "sperren Ann", "bloquer Ann", "Bloque Ann, stp", "bloquear Ann", "bloquea Ann, por favor",
    ],
    "unblock Ann": [
        "unblock Ann", "Unblock: Ann.", "freigeben Ann", "entsperren Ann", "débloquer Ann", "desbloquear Ann",
    ],
    "say Good game!": [
        "say Good game!", "Say: Good game!", "SAY Good game!", "sagen Good game!", "sag: Good game!", "dire Good game!",
        "decir Good game!", "say  Good   game!",
    ],
    "note F is for red": ["note F is for red", "Notiz: F is for red", "noter F is for red", "anotar F is for red"],
    "join 7QK2M-XN4TB": [
        "join 7QK2M-XN4TB", "join 7QK2M XN4TB", "join code 7QK2MXN4TB".replace("XN", "-XN"), "beitreten 7QK2M-XN4TB",
        "rejoindre 7QK2M-XN4TB", "unirse 7QK2M-XN4TB", "Join: 7QK2M-XN4TB.",
    ],
    "new 3 a@b.org": [
        "new 3 players, a@b.org", "New game for three with a@b.org", "neu 3 Spieler, a@b.org",
        "neue Partie zu dritt mit a@b.org", "nouvelle partie 3 joueurs, a@b.org", "nueva partida 3 jugadores, a@b.org",
        "new 3 players, a@b.org <mailto:a@b.org>", "I'd like to start a new game for 3 with a@b.org",
        "je voudrais une nouvelle partie à trois avec a@b.org", "Bonjour, une nouvelle partie à trois avec a@b.org svp",
        "Ich möchte ein neues Spiel zu dritt mit a@b.org", "quiero una partida nueva para 3 con a@b.org",
        "eine neue Partie zu dritt, a@b.org",
    ],
    "new 3 b@c.org d@e.org": ["new 3 players, Ben Smith <b@c.org>, Dora <d@e.org>", "new 3; Ben <b@c.org>; d@e.org"],
    "new 4 a@b.org c@d.org e@f.org": ["new 4 players, a@b.org, c@d.org, e@f.org", "new 4 a@b.org c@d.org and e@f.org"],
    "new ?": ["new", "new game", "neues Spiel", "nouvelle partie", "nueva partida"],
}  # fmt: skip

AROUND = [
    "{}", " {} ", "\t{}", "{}.", "{} !", "- {}", "* {}", "• {}", '"{}"', "„{}“", "«\u00a0{}\u00a0»", "*{}*",
    "\u200b{}\ufeff", "{}\u00a0", "👉 {}", "{} 👍", "Hallo, {}", "{} please", "{}, bitte", "{} s'il te plaît",
    "{}, gracias", "({})",
]  # fmt: skip
"""What may stand around any line."""

FULL_WIDTH = {ord("0") + n: 0xFF10 + n for n in range(10)} | {ord("A") + n: 0xFF21 + n for n in range(26)}


@pytest.mark.parametrize(("meaning", "line"), [(meaning, line) for meaning, lines in FITS.items() for line in lines])
def test_what_fits(meaning: str, line: str) -> None:
    asked = command(line)
    assert asked is not None and told(asked) == meaning
    if isinstance(asked, Pick):
        assert asked.raw == line


@pytest.mark.parametrize("first", ["a", "7", "_", "-", "__", "--", "-_"])
def test_an_invitations_code_fits_whatever_it_begins_with(first: str) -> None:
    code = first + "x8Gk2M1qWzVv3r8ZgkT0aBcDeFgHiJkLmNo-qRsT_Vw"[len(first) :]
    for around in AROUND:
        for word in ("join ", "join: ", "rejoindre ", "beitreten "):
            assert command(around.format(word + code)) == Join(code), around


@pytest.mark.parametrize("around", AROUND)
def test_what_stands_around_does_no_harm(around: str) -> None:
    for meaning, lines in FITS.items():
        if not meaning.startswith(("say", "note")):
            asked = command(around.format(lines[0]))
            assert asked is not None and told(asked) == meaning, (around, lines[0])


@pytest.mark.parametrize(
    ("line", "meaning"),
    [
        ("1\ufe0f\u20e3 B", "1 B"), ("2\u20e3 F", "2 F"), ("1\ufe0f\u20e3\U0001f171\ufe0f", "1 B"),
        ("**1 A**", "1 A"), ("__1 A__", "1 A"), ("***1 A***", "1 A"), ("** 1 A **", None),
        ("**say hi**", "say hi"), ("**say** *hi*", "say *hi*"),
        ("1 \u0410", "1 A"), ("2 \u0415", "2 E"), ("\u041a2", "2 K"), ("1 \u0391", "1 A"), ("1 \u0392", "1 B"),
        ("1 \u0410\u0410", "1 AA"), ("1 \u0412", None), ("1 \u0421", None), ("1 \u0410\u0412", None),
    ],
)  # fmt: skip
def test_what_keyboards_and_converters_write_for_plain_signs(line: str, meaning: str | None) -> None:
    asked = command(line)
    assert (None if asked is None else told(asked)) == meaning


@pytest.mark.parametrize("line", ["2 F", "F2", "tile 17 at F", "17@1,-2", "AA 2"])
def test_capitals_and_full_width(line: str) -> None:
    right = command(line)
    assert right is not None
    for other in (line.lower(), line.upper(), line.translate(FULL_WIDTH)):
        if other != "aa 2":  # where the line begins with a word
            asked = command(other)
            assert asked is not None and told(asked) == told(right), other


@pytest.mark.parametrize("code", CODES)
def test_the_words_that_mails_tell_fit(code: str) -> None:
    assert set(SHOWN[code]) == set(SHOWN["en"])
    for verb, word in SHOWN[code].items():
        given = {
            "say": " hi",
            "note": " hi",
            "block": " Ann",
            "unblock": " Ann",
            "join": " 7QK2M-XN4TB",
            "new": " 3, a@b.org",
            "away": " 1.12. - 5.12.",
            "quiet": " 22:00-07:00",
            "more": " P2D",
            "reminders": " P1D, PT3H",
        }.get(verb, "")
        asked = command(word + given)
        assert (
            asked is not None and type(asked).__name__.lower().removesuffix("time").removeprefix("account") == verb
        ), (verb, word)


NOTHING = [
    "", "   ", "Ann", "Hello Ben,", "Thanks!", "Viele Grüße", "Bis morgen um 10:15", "28.11.2026", "10:15", "<3", "--",
    "…", "www.example.org", "+49 170 1234567", "Good luck to you all", "new phone, who is this",
    "A new phone, who is this", "let's play", "Nova Luna", "Let me think about it", "F", "?", "¿", "___",
    "Sent from my iPhone", "Von meinem iPhone gesendet", "Envoyé de mon iPhone", "Enviado desde mi iPhone",
    "https://example.org/2/F", "ann@example.org", "Am Samstag", "join us for dinner", "Block Ann?",
    "Ben, 28.11.2026 10:15", "Remis", "Remis?", "draw", "Really?", "Yes?",
]  # fmt: skip


@pytest.mark.parametrize("line", NOTHING)
def test_what_says_nothing(line: str) -> None:
    assert command(line) is None
    close = suggest(line)
    assert close is None, close


NEAR = [
    ("2 F?", ["2 F"], True),
    ("2", [], True),
    ("17", [], True),
    ("2 F 3 G", ["2 F", "3 G"], True),
    ("2 F or 3 G", ["2 F", "3 G"], True),
    ("2 F oder 3 G", ["2 F", "3 G"], False),
    ("1 A o 2 B", ["1 A", "2 B"], True),
    ("1 A y 2 B", ["1 A", "2 B"], True),
    ("1 A O 2 B", ["1 A", "2 B"], True),
    ("2 F e 3 G", ["2 F", "3 G"], True),
    ("2 F a 3 G", ["2 F", "3 G"], True),
    ("F2 o G3", ["2 F", "3 G"], True),
    ("A 1 B 2", ["1 A", "2 B"], True),
    ("1 Y o 2 A", ["1 Y", "2 A"], True),
    ("2 F, 3 G", ["2 F", "3 G"], True),
    ("1. 2 F", ["2 F"], True),
    ("2 A no", ["2 A"], True),
    ("2 F no.", ["2 F"], True),
    ("2 F - no", ["2 F"], True),
    ("-2 F", [], True),
    ("0 F", [], True),
    ("100 F", [], True),
    ("2 §", [], True),
    ("2 F\ufffd", ["2 F"], True),
    ("2 ü", [], True),
    ("2 ZßF", [], True),
    ("auff llen", ["refill"], True),
    ("2 FF F", [], True),
    ("17@1", [], True),
    ("tile 17", [], True),
    ("refil", ["refill"], True),
    ("refll!", ["refill"], True),
    ("auffülen", ["refill"], True),
    ("remplire", ["refill"], True),
    ("hlep", ["help"], False),
    ("Could you refill?", ["refill"], False),
    ("I would like 2 F this time", ["2 F"], False),
    ("ich hätte gern 17@1,-2", ["tile 17 (1, -2)"], False),
    ("the red one at F", [], False),
    ("say", [], False),
    ("notiz:", [], False),
    ("join", [], False),
    ("block", [], False),
    ("débloquer :", [], False),
    ("join 7QK", [], False),
    ("new 3 players, ben@example.org please tell him I said hi", [], False),
    ("2 F, what do you think?", ["2 F"], False),
    ("Noch eine Runde?", ["rematch"], False),
    ("¿Otra partida?", ["rematch"], False),
    ("Rematch?", ["rematch"], False),
]


@pytest.mark.parametrize(("line", "could", "is_move"), NEAR)
def test_what_almost_fits(line: str, could: list[str], is_move: bool) -> None:
    assert command(line) is None
    close = suggest(line)
    assert close is not None and [told(asked) for asked in close.suggestion.meant] == could and close.is_move == is_move
    assert close.suggestion.line == line


@pytest.mark.parametrize(
    "line", ["2 F" * 100, "9" * 5_000, "a" * 100_000, "@" * 50_000, "new " + "a@b.c " * 20_000, "say " + "x" * 90_000]
)
def test_a_line_that_is_too_long_is_no_command(line: str) -> None:
    assert command(line) is None


def test_a_line_that_is_too_long_is_no_attempt_at_a_move() -> None:
    attempt, long = "2 F " + "9" * (LONGEST - 4), "2 F " + "9" * (LONGEST - 3)
    close = suggest(attempt)
    assert close is not None and close.is_move
    assert suggest(long) is None


@pytest.mark.parametrize("line", ["new " + "a." * 1_900, "2 " * 59, "x=" * 45 + "1,2", "((((" * 25, "tile " * 18,
    "1 " + "- " * 55, "say" + " " * 3_900, "new 3 " + "@" * 3_900, "a'" * 59])  # fmt: skip
def test_a_line_at_its_longest_takes_no_time(line: str) -> None:
    assert cpu(lambda: (command(line), suggest(line))) < MOST / 20
    assert command(line) is None
