"""Quoted text is told apart from the answer, however programs mark it, and also where they don't."""

from textwrap import wrap

import pytest

from service.language.answer_line import answer_line, is_answer_line
from service.language.languages import CODES, language
from service.reading.commands import Games, Rules, Status
from service.reading.grammar import command
from service.reading.incoming_mail import read
from service.reading.lines import Line
from service.reading.markup import lines_of
from service.reading.quoting import written_text
from service.reading.reply_parser import parse_reply
from tests.unit.reading.corpus import meant
from tests.unit.reading.eml import mail, page, plain
from tests.unit.reading.original import original


def says(text: str) -> tuple[str, ...]:
    return meant(parse_reply(read(mail(plain(text)))))


def written(text: str) -> list[str]:
    return [line for line in written_text([Line(line) for line in text.split("\n")]).lines if line and line.strip()]


ATTRIBUTIONS = [
    "On Sat, Nov 28, 2026 at 10:15 AM Nova Luna <nova-luna@example.org> wrote:",
    "On Sat, Nov 28, 2026 at 10:15\u202fAM Nova Luna <\nnova-luna+abcdefghijklmnop@example.org> wrote:",
    "On Saturday, 28 November 2026 at 10:15,\nNova Luna\n<nova-luna@example.org>\nwrote:",
    "On 28/11/2026 10:15, Nova Luna wrote:",
    "Nova Luna <nova-luna@example.org> wrote on Sat, 28 Nov 2026 10:15:",
    "Nova Luna <nova-luna@example.org> wrote:",
    "Nova Luna writes:",
    "At 10:15 28.11.2026, you wrote:",
    "---- On Sat, 28 Nov 2026 10:15:00 +0100 Nova Luna <nova-luna@example.org> wrote ----",
    "2026-11-28 10:15 GMT+01:00 Nova Luna <nova-luna@example.org>:",
    "Am 28.11.2026 um 10:15 schrieb Nova Luna <nova-luna@example.org>:",
    "Am Sa., 28. Nov. 2026 um 10:15 Uhr schrieb Nova Luna <\nnova-luna@example.org>:",
    "Am 28. November 2026 10:15:00 MEZ schrieb Nova Luna\n<nova-luna@example.org>:",
    "Nova Luna <nova-luna@example.org> schrieb am Sa., 28. Nov. 2026, 10:15:",
    "Nova Luna <nova-luna@example.org> hat am 28.11.2026 10:15 CET geschrieben:",
    "Zitat von Nova Luna <nova-luna@example.org>:",
    "Le sam. 28 nov. 2026 à 10:15, Nova Luna <nova-luna@example.org> a écrit\u00a0:",
    "Le 28/11/2026 à 10:15, Nova Luna a écrit :",
    "Le samedi 28 novembre 2026 à 10:15:00 UTC+1, Nova Luna\n<nova-luna@example.org> a écrit :",
    "Citation de Nova Luna <nova-luna@example.org>:",
    "El sáb, 28 nov 2026 a las 10:15, Nova Luna (<nova-luna@example.org>) escribió:",
    "El 28 de noviembre de 2026 10:15:00 CET, Nova Luna\n<nova-luna@example.org> escribió:",
    "El 28/11/2026 a las 10:15, Nova Luna escribió:",
    "W dniu 28.11.2026 o 10:15, Nova Luna pisze:",
    "Il giorno sab 28 nov 2026 alle ore 10:15 Nova Luna <nova-luna@example.org> ha scritto:",
    "Op za 28 nov 2026 om 10:15 schreef Nova Luna <nova-luna@example.org>:",
]


@pytest.mark.parametrize("attribution", ATTRIBUTIONS)
def test_lines_above_a_quote(attribution: str) -> None:
    assert written(f"Hello\n\n{attribution}\n\n> 5 G\n") == ["Hello"]
    assert written(f"Hello\n\n{attribution}\n5 G\n\n6 H\n") == ["Hello"], "nothing is marked, so all the rest is quoted"
    quoted = attribution.replace("\n", "\n> ")
    assert written(f"> {quoted}\n> 5 G\n\nHello\n") == ["Hello"]
    assert says(f"{attribution}\n> 5 G\n\n2 F\n") == ("2 F",)


@pytest.mark.parametrize(
    "line",
    [
        "-----Original Message-----",
        "----- Original Message -----",
        "-------- Original message --------",
        "-----Ursprüngliche Nachricht-----",
        "-------- Weitergeleitete Nachricht --------",
        "-----Original-Nachricht-----",
        "-----Message d'origine-----",
        "----- Mail original -----",
        "-------- Message transféré --------",
        "-----Mensaje original-----",
        "---------- Forwarded message ---------",
        "*-----Original Message-----*",
        "------------------ 原始邮件 ------------------",
        "Begin forwarded message:",
        "Anfang der weitergeleiteten Nachricht:",
        "Début du message réexpédié :",
        "Inicio del mensaje reenviado:",
        "From: Nova Luna <nova-luna@example.org>\nSent: Saturday, November 28, 2026\nTo: Ann\nSubject: Your turn",
        "*From:* Nova Luna <nova-luna@example.org>\n*Date:* Saturday\n*To:* Ann\n*Subject:* Your turn",
        "________________________________\nVon: Nova Luna <nova-luna@example.org>\nGesendet: Samstag\nAn: Ann\n"
        "Betreff: Du bist am Zug",
        "De : Nova Luna\nEnvoyé : samedi 28 novembre 2026 10:15\nÀ : Anne\nObjet : À toi de jouer",
        "De: Nova Luna\nEnviado el: sábado\nPara: Ana\nAsunto: Tu turno",
        "Von:    Nova Luna\nAn:    Ann\nDatum:    28.11.2026\nBetreff:    Du bist am Zug",
        "From: Nova Luna\nSent: Saturday, November 28, 2026\n10:15\nTo: Ann Example\n"
        "<ann@example.net>\nSubject: Your turn",
        "##- Write your answer above this line -##",
        "##- Schreib deine Antwort über diese Zeile -##",
    ],
)
def test_lines_below_which_all_is_quoted(line: str) -> None:
    assert written(f"Hello\n\n{line}\n\n5 G\n\nmore\n") == ["Hello"]
    assert says(f"2 F\n{line}\n\n5 G\n") == ("2 F",)
    assert says(f"{line}\n\n5 G\n\nmore") == ()


@pytest.mark.parametrize(
    "head",
    [
        "-----Ursprüngliche Nachricht-----",
        "-----Original Message-----\nFrom: Nova Luna\nSent: Saturday\nTo: Ann\nSubject: Your turn\n",
        "________________________________\nVon: Nova Luna\nGesendet: Samstag\nAn: Ann\nBetreff: Du bist am Zug\n",
        "De : Nova Luna\nEnvoyé : samedi 28 novembre 2026 10:15\nÀ : Anne\nObjet : À toi de jouer",
        "-------- Original Message --------\nOn 12/1/26 02:36, Nova Luna <nova-luna@example.org> wrote:",
        "-------- Original Message --------\n\nOn 12/1/26 02:36, Nova Luna\n<nova-luna@example.org> wrote:\n",
    ],
)
def test_an_answer_below_marked_quotes_and_a_header_block_is_read(head: str) -> None:
    quote = f"{head}\n> It is your turn\n>\n> 5 G\n"
    assert says(f"{quote}\n2 F\n\nBest,\nAnn\n") == says(f"{quote}2 F\n") == ("2 F",)
    assert written(f"Hello\n\n{quote}\nBest,\nAnn\n") == ["Hello", "Best,", "Ann"]
    assert says(f"{head}\nIt is your turn\n> 5 G\n\n2 F\n") == (), "a whole mail that quotes another"
    assert says(f"{quote}\n{head}\n\n2 F\n\nmore\n") == ()


@pytest.mark.parametrize(
    "text",
    [
        "On second thought: the red one is better.",
        "As you wrote, it is my turn:",
        "Am Montag war ich weg:",
        "Le rouge est mieux :",
        "El rojo es mejor:",
        "I have seen this: nice",
        "To: do",
        "An: alle",
        "- one\n- two",
        "2026-11-28 10:15",
        "--- really? ---",
        "Please write:",
    ],
)
def test_what_only_looks_like_it(text: str) -> None:
    assert written(f"{text}\n\n2 F\n") == [*text.split("\n"), "2 F"]
    (meant,) = says(f"{text}\n\n2 F\n")
    assert meant.removeprefix("near ") == "2 F"


@pytest.mark.parametrize(
    "tail",
    [
        "Sent from my iPhone",
        "Von meinem iPhone gesendet",
        "Envoyé de mon iPhone",
        "Enviado desde mi iPhone",
        "On Saturday, November 28, 2026, 10:15 AM, Nova Luna <nova-luna@example.org> wrote:",
        "Am 28.11.2026 um 10:15 schrieb Nova Luna <nova-luna@example.org>:",
        "Le sam. 28 nov. 2026 à 10:15, Nova Luna <nova-luna@example.org> a écrit :",
        "El 28/11/2026 a las 10:15, Nova Luna escribió:",
    ],
)
def test_what_programs_put_right_behind_an_answer(tail: str) -> None:
    assert says(f"2 F {tail}\n\n> 5 G\n") == ("2 F",)
    assert says(f"Hello!\n2 F  {tail}\n") == ("2 F",)


@pytest.mark.parametrize("mark", [">", "> ", ">>", " > ", "| ", "›", "&gt; "])
def test_marks_of_quotes(mark: str) -> None:
    assert says(f"{mark}5 G\n{mark}\n\n2 F\n\n{mark}6 H\n") == ("2 F",)


def test_the_second_half_of_a_quoted_line_that_was_broken_is_quoted() -> None:
    long = "> 2. Tile 16: blue, time cost 6. Goals: 3 yellow; 2 red; 1 red and cell"
    assert says(f"{long}\n5 G\n> more\n\n2 F\n") == ("2 F",)
    assert says("> Which?\n3 G\n> more\n") == ("3 G",), "an answer in the middle of a quote is one"


@pytest.mark.parametrize("code", CODES)
def test_an_answer_below_an_unmarked_mail_of_ours(code: str) -> None:
    head = "From: Nova Luna <nova-luna@example.org>\nSent: Saturday\nTo: Ann\nSubject: Your turn\n\n"
    assert says(f"{head}{original(code).text}\n\n2 F\n") == ("2 F",)
    assert says(f"{head}{original(code).text}\n\n2 F\n1 B\n\nSent from my iPhone\n") == ("2 F", "1 B")
    assert says(f"{head}{original(code).text}\n") == ()
    assert says(f"{head}Whatever\n\n2 F\n") == (), "below a mail that is not ours nothing is sure"
    assert says(f"{head}{original(code).text}\n\n2 F\nif I may\n") == ("2 F",)
    assert says(f"{head}{original(code).text}\n\nWell then:\n2 F\n") == ("2 F",)


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize(
    "head",
    [
        "-----Original Message-----\n",
        "From: Nova Luna <nova-luna@example.org>\nSent: Saturday\nTo: Ann\nSubject: Your turn\n\n",
        "On 28/11/2026 10:15, Nova Luna wrote:\n\n",
        "",
    ],
)
def test_all_paragraphs_below_the_end_of_our_mail_are_read(head: str, code: str) -> None:
    ours = original(code).text
    assert says(f"{head}{ours}\nrefill\n\n1 B\n") == ("refill", "1 B")
    assert says(f"{head}{ours}\n1 A\n\nsay hello all\nand good luck\n\nAnn") == ("1 A", "say hello all\nand good luck")
    assert says(f"{head}{ours}\nHi,\n\n1 A\n\nAnn\n") == ("1 A",)
    assert says(f"{head}{ours}\n1 A\n\n{head}{ours}\n2 F\n") == ("2 F",), "what is above the last of our mails is not"


def test_a_notice_below_our_mail_needs_no_word() -> None:
    notice = "Acme Ltd is a company of the Acme Group.\nThink before you print.\n"
    understood = parse_reply(read(mail(plain(f"say hello\n\n{original('en').text}\n{notice}"))))
    assert meant(understood) == ("say hello",) and understood.untold == ()


@pytest.mark.parametrize("code", CODES)
def test_paragraphs_below_our_mail_as_html_are_read(code: str) -> None:
    ours = original(code).html
    head = '<div style="border:none;border-top:solid #E1E1E1 1.0pt;padding:3.0pt 0cm 0cm 0cm"><b>From:</b> Nova</div>'
    raw = mail(page(f"{head}{ours}<p>refill</p><p>1 A</p><p>Ann</p>"))
    assert meant(parse_reply(read(raw))) == ("refill", "1 A")


def test_the_last_link_is_known_however_programs_change_it() -> None:
    start, _, link = original("en").text.rstrip().rpartition("\n")
    for end in (
        f"<{link}>",
        link.replace("/unsubscribe?link=", "/unsubscribe?\nlink="),
        link[:-6] + "\n" + link[-6:],
        "https://safe.example.net/?url=https%3A%2F%2Fnova-luna.example.org%2Funsubscribe%3Flink%3DWyJi.c2ln",
        "https://safe.example.net/Zm9v",
    ):
        assert says(f"{start}\n{end}\n\n1 B\n\n1 A\n") == ("1 B", "1 A")


def test_commands_below_a_mail_of_ours_without_its_end_are_asked_about() -> None:
    start = original("en").text.partition("NO MORE MAILS")[0]
    for tail, expected in {
        "2 F\n\nAnn\n": ("near 2 F",),
        "resign\n\nsay bye\n\nBest,\nAnn\n": ("near resign",),
        "refill\n\n1 A\n": ("near refill",),
        "Well then\n\n2 F\n": ("near 2 F",),
        "2 F\nif I may\n": (),
        "status\n\nhelp\n": ("help",),
        "yes\n\nAnn\n": ("yes",),
    }.items():
        assert says(f"{start}{tail}") == expected
    assert says(f"1 A\n\n{start}2 F\n") == ("1 A",)


@pytest.mark.parametrize("code", CODES)
def test_the_line_above_which_one_answers(code: str) -> None:
    line = answer_line(language(code))
    assert line.isascii() == (code == "en") and len(line) < 66
    assert is_answer_line(line) and is_answer_line(f"> {line}") and is_answer_line(f"  {line}\u00a0")
    assert not is_answer_line("## 2 F ##") and not is_answer_line("Write your answer above this line")
    assert line in original(code).text


@pytest.mark.parametrize("code", CODES)
def test_no_line_of_our_mails_fits(code: str) -> None:
    """Neither a whole line nor a piece of one that a program wrapped at any width is a command."""
    harmless = (type(None), Status, Games, Rules)  # a heading may be the word that asks for the part below it
    lines = original(code).text.split("\n")
    for width in (1_000, 76, 72, 66, 60, 40):
        assert [
            piece for line in lines for piece in wrap(line, width) if not isinstance(command(piece), harmless)
        ] == []
    assert [line.text for line in lines_of(original(code).html) if not isinstance(command(line.text), harmless)] == []
