"""No signature plays: nothing below its mark is read, and a number and a letter below a name or talk are queried."""

import pytest

from service.reading.greetings import is_introduction
from service.reading.incoming_mail import read
from service.reading.reply_parser import parse_reply
from tests.unit.reading.corpus import meant
from tests.unit.reading.eml import alternative, mail, page, plain

MARKS = [
    "-- ",
    "--",
    " --",
    "---",
    "- - -",
    "—",
    "–",
    "――",
    "− −",
    "__",
    "________",
    "==",
    "~~~~",
    "* * *",
    "***",
    "•••",
    "\u2500\u2500",
]
FOOTERS = [
    "Sent from my iPhone", "Sent from my Galaxy S24", "Sent via BlackBerry", "Get Outlook for Android",
    "Sent with Proton Mail", "Von meinem iPhone gesendet", "Gesendet mit der GMX Mail App",
    "Diese Nachricht wurde von meinem Android-Gerät mit K-9 Mail gesendet.", "Envoyé de mon iPhone",
    "Envoyé depuis l’application Mail Orange", "Télécharger Outlook pour iOS", "Enviado desde mi iPhone",
    "Enviado desde Outlook para Android", "Obtener Outlook para iOS",
]  # fmt: skip
CLOSINGS = [
    "Best,", "Kind regards", "Best wishes,", "Love", "Yours sincerely,", "Take care", "See you", "Cheers,", "Thanks",
    "Many thanks!", "Viele Grüße", "Liebe Grüsse", "LG", "Mit freundlichen Grüßen", "Herzliche Grüße,", "Bis bald",
    "Danke!", "Schönen Abend noch", "Cordialement", "Bien à toi,", "Amicalement", "Bises", "Bonne soirée", "À bientôt",
    "All the best", "Sincerely,", "With kind regards", "Ciao", "Cheers, Ann", "Thanks, Ann", "Lots of love", "LG Ann",
    "Gruß Ann", "Mit besten Grüßen", "Freundliche Grüße,", "Lieben Gruß", "Schönen Gruß Ann", "Bien à vous,", "Cdlt",
    "Amitiés", "Bonne journée !", "Sincères salutations", "Bisous", "À plus", "Viele Grüße aus Berlin", "Cordialmente",
    "Merci d’avance", "Saludos", "Un abrazo,", "Un cordial saludo", "Atentamente", "Hasta pronto", "Gracias",
]  # fmt: skip
BARE = [
    "3B",
    "3 B",
    "3 b",
    "B3",
    "3-B",
    "3/B",
    "No. 3 B",
    "Nr. 3B",
    "(3B)",
    "3 AA",
    "n° 3 B",
    "#3 B",
    "３Ｂ",
    "3.\u00a0B",
]


def says(text: str) -> tuple[str, ...]:
    return meant(parse_reply(read(mail(plain(text)))))


@pytest.mark.parametrize("mark", MARKS + FOOTERS)
def test_nothing_below_a_mark_is_read(mark: str) -> None:
    for below in ("Tom\n3 B", "3 B", "tile 3 at B", "stop", "say hello", "resign"):
        assert says(f"Nice move!\n{mark}\n{below}\n") == ()
        assert says(f"2 F\n\n{mark}\n{below}\n") == ("2 F",)
        assert says(f"say well played\n{mark}\nTom\n{below}\n") == ("say well played",)
    html = page(f"<p>Nice move!</p><div>{mark}<br>Tom<br>3 B</div>")
    assert meant(parse_reply(read(mail(html)))) == ()


@pytest.mark.parametrize("closing", CLOSINGS)
def test_no_bare_move_below_a_closing_is_played(closing: str) -> None:
    for below in ("Tom\n3 B", "3 B", "Tom Miller\n\n3B"):
        (asked,) = says(f"Nice move!\n\n{closing}\n{below}\n")
        assert asked.startswith("near 3")
        assert says(f"2 F\n{closing}\n{below}\n")[0] == "2 F"
        assert len(says(f"2 F\n{closing}\n{below}\n")) == 1


@pytest.mark.parametrize("bare", BARE)
def test_a_bare_move_below_a_name_or_talk_is_asked_back(bare: str) -> None:
    above = [
        "Tom", "Tom Miller", "Tom,", "TOM", "tom", "JD", "Al", "LG", "Ann-Marie", "Dr. Ann Example", "Żaneta", "Гена",
        "Müller & Söhne", "Nice move, Ben!", "Gut gespielt", "Bien joué !", "¡Qué jugada!", "12 High Street",
        "+49 170 1234567", "www.example.org",
    ]  # fmt: skip
    for line in above:
        asked = says(f"{line}\n{bare}\n")
        assert len(asked) == 1 and asked[0].startswith("near "), (line, bare)


@pytest.mark.parametrize(
    "above",
    [
        "Hi Ben!", "Hello", "Hi there,", "Dear all,", "Hi Ben and Cleo,", "Good morning Ben,", "Sure.", "OK",
        "Here is my move:", "My move", "So:",
        "Hallo zusammen,", "Lieber Ben,", "Guten Abend!", "Mein Zug:", "Hier mein Zug", "Also gut.", "Moin",
        "Servus Ben!",
        "Bonjour Ben,", "Chère Ann,", "Salut !", "Voici mon coup :", "D’accord.", "Coucou",
        "¡Hola, Ben!", "Hola:", "Buenos días", "Querida Ann:", "Mi jugada:", "Vale.", "🙂", "…",
    ],
)  # fmt: skip
def test_a_greeting_does_not_stand_in_the_way(above: str) -> None:
    assert is_introduction(above)
    assert says(f"{above}\n\n2 F\n") == ("2 F",)
    assert says(f"{above}\n2 F\nTom\n3B\n") == ("2 F",)


@pytest.mark.parametrize(
    "move", ["I take 2 on F", "tile 17 F", "17@1,-2", "choice 2, cell F", "ich nehme 2 auf F", "je prends la 2 en F"]
)
def test_a_move_that_is_no_address_is_played_below_talk(move: str) -> None:
    for above in ("Nice move, Ben!", "Thanks!", "Das war knapp."):
        (asked,) = says(f"{above}\n\n{move}\n\nTom\n")
        assert not asked.startswith("near")
    (asked,) = says(f"Nice move!\n\nBest,\nTom\n{move}\n")
    assert asked.startswith("near"), "below a closing no move is certain"


def test_a_move_that_one_of_two_texts_has_below_a_mark_is_asked_back() -> None:
    both = alternative(plain("Hi Ben!\n-- \n3 B\n"), page("<p>Hi Ben!</p><p>3 B</p>"))
    assert meant(parse_reply(read(mail(both)))) == ("near 3 B",)


def test_an_answer_below_the_quote_that_follows_a_signature_is_read() -> None:
    quote = "On Sat, 28 Nov 2026 at 10:15, Nova Luna wrote:\n\n> It is\n> your\n> turn\n"
    assert says(f"-- \nTom\n\n{quote}\n2 F\n") == ("2 F",)
    assert says("Nice!\n-- \nTom\n> 3 B\n3 B\n") == (), "what a signature quotes is no quote"
