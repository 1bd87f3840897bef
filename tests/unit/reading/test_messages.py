"""What of a mail is told to the others: the text as it was written, and nothing of the signature below it."""

import pytest

from service.reading.incoming_mail import read
from service.reading.reply_parser import ReplyCommands, parse_reply
from tests.unit.reading.corpus import told
from tests.unit.reading.eml import alternative, mail, page, part, plain, several
from tests.unit.reading.test_signatures import CLOSINGS

AS_WRITTEN = [
    "Schönes „Spiel“ – 10 m² … ½ 👨\u200d👩\u200d👧", ":-)", "👍", "Well done 🎉🎉", "«olé»", "1º", "a → b", "10°",
    ":D", "-2 for me", "“quoted”", "*stars*", "e\u0301", "ﬁn", "x²+y²", "(aside)",
    "- dash",
]  # fmt: skip
CONTACTS = [
    "+44 7700 900123", "(0)170 123 45 67", "Tel.: 030/123456", "Mobile: 07700900123", "12 Main Street, Springfield",
    "Hauptstr. 17", "Hauptstraße 17 a", "80331 München", "D-10115 Berlin", "12 rue de la Paix", "3 bis, avenue Foch",
    "75002 Paris", "Calle Mayor 12, 3º", "28013 Madrid", "London SW1A 1AA", "ann@example.org", "www.example.org",
    "Postfach 12", "Springfield, IL 62704",
]  # fmt: skip
FOOTERS = [
    "Mobil gesendet", "Von Samsung Galaxy-Smartphone gesendet.", "Mit K-9 Mail gesendet",
    "This email has been checked for viruses by Avast antivirus software.",
    "Diese E-Mail wurde von Avast-Antivirussoftware auf Viren geprüft.",
    "L'absence de virus dans ce courrier électronique a été vérifiée par le logiciel antivirus Avast.",
    "Sin virus. www.avast.com",
    "This message is confidential and intended for the addressee alone. " + "Others must delete it at once. " * 5,
]  # fmt: skip


def answer(text: str) -> ReplyCommands:
    return parse_reply(read(mail(plain(text))))


def said(text: str) -> str:
    (asked,) = answer(text).commands
    return told(asked).partition(" ")[2]


@pytest.mark.parametrize("verb", ["say", "sag", "dire", "decir:", "Say:", "note", "tell everybody"])
@pytest.mark.parametrize("text", AS_WRITTEN)
def test_a_text_stays_as_it_was_written(verb: str, text: str) -> None:
    if not (text == "- dash" and verb.endswith(":")):
        assert said(f"{verb} {text}\n").removeprefix("- ") == text.removeprefix("- ")
    if text not in ("1º", "10°", "x²+y²"):  # below a message, a bare number may be a move
        assert said(f"say hi\n{text}\n") == f"hi\n{text}"


@pytest.mark.parametrize(
    "line", ["say: hello", "say - hello", "say:hello", "dire : hello", "“say hello”", "- say hello", "👍 say hello"]
)
def test_what_introduces_a_text_is_not_part_of_it(line: str) -> None:
    assert said(line) == "hello"


@pytest.mark.parametrize("closing", CLOSINGS)
def test_a_message_ends_at_closing_words(closing: str) -> None:
    for below in ("", "Ann Smith\n12 Main Street, Springfield\n+44 7700 900123\n"):
        assert (
            said(f"say Good luck everybody!\nAnd have fun.\n{closing}\n{below}")
            == "Good luck everybody!\nAnd have fun."
        )


@pytest.mark.parametrize("contact", CONTACTS)
def test_no_signature_is_published_whatever_its_closing_words(contact: str) -> None:
    for above in ("Toodle-oo,\nAnn Smith\nHead of Sales\n", "Ann Smith\n", "Toodle-oo\n", ""):
        assert said(f"say Good luck everybody!\nAnd have fun.\n{above}{contact}\nmore\n") == (
            "Good luck everybody!\nAnd have fun."
        )


ELSEWHERE = [
    "Inviato da iPhone", "Verzonden vanaf mijn iPhone", "Skickat från min iPhone", "Wysłane z iPhone'a",
    "Odesláno z iPhonu", "Отправлено с iPhone", "Отправлено из мобильной Почты Mail.ru", "iPhoneから送信",
    "发自我的iPhone", "發自我的 iPhone", "나의 iPhone에서 보냄", "Enviado do meu iPhone", "Sendt fra min iPhone",
    "Lähetetty iPhonesta", "iPhone'umdan gönderildi", "Trimis de pe iPhone-ul meu", "Elküldve az iPhone-omról",
    "Στάλθηκε από το iPhone μου", "نُشر من الـ iPhone", "נשלח מה-iPhone שלי", "Sendt fra Outlook til Android",
    "Obtenir Outlook pour iOS", "Get BlueMail for Android", "Scarica Outlook per iOS", "Outlook voor iOS downloaden",
    "Secured by Proton", "Typed with thumbs", "Please excuse typos", "Sent on the go", "Unterwegs geschrieben",
    "Written on my phone, please excuse brevity", "Enviat des del meu iPhone", "Saadetud minu iPhone'ist",
]  # fmt: skip
SIGNED = [
    "— Ann", "-Ann", "-- Ann", "~ Ann", "– Ann Miller", "/Ann", "Dr. Ann Miller, MD", "Prof. Dr. Ann Miller",
    "Ann Miller, PhD", "Acme GmbH, Geschäftsführer: Max Müller, HRB 12345", "Amtsgericht München HRB 12345",
    "Herzlich", "Herzlichst, Ann", "Eure Ann", "À très bientôt", "Bis nächste Woche!", "Servus", "Rgds", "BR",
    "KR, Ann", "Warmly", "Nos vemos", "Un abrazo muy fuerte, Ana", "Servus\nAnn", "Herzlich\nAnn",
]  # fmt: skip
TALK = [
    "I bought an iPhone yesterday and can't read the pictures", "My iPhone is broken!", "Got a new iPhone",
    "Mein Android zeigt das nicht", "Bleak outlook for Ben", "It works with Outlook now", "J'ai un nouvel iPhone",
    "Sent you the link to an Android app", "The whole galaxy is ours", "- Ben\n- Cleo", "- my fault", "-2 for me",
    "Euer Zug", "Dein Zug", "Herzlich Willkommen, Ben", "Get it for Android, it is good", "Written with love",
    "You hear the siren.", "Please excuse me", "Dr. Who is on tonight", "Sent her a tile, too",
]  # fmt: skip


@pytest.mark.parametrize("end", [*ELSEWHERE, *SIGNED])
def test_a_message_ends_at_a_footer_or_a_signature(end: str) -> None:
    assert said(f"say Good luck everybody!\nAnd have fun.\n{end}\n") == "Good luck everybody!\nAnd have fun."


@pytest.mark.parametrize("talk", TALK)
def test_talk_that_resembles_a_footer_or_a_signature_is_told(talk: str) -> None:
    assert said(f"say Good luck everybody!\n{talk}\n") == f"Good luck everybody!\n{talk}"
    assert answer(f"{talk}\n\nI play tile 17 at F\n").commands, "no mark of a signature"


def test_servus_above_a_move_is_a_greeting() -> None:
    assert [told(asked) for asked in answer("Servus,\n2 F\n").commands] == ["2 F"]


@pytest.mark.parametrize("footer", FOOTERS)
def test_no_footer_is_published(footer: str) -> None:
    assert said(f"say Good luck!\n{footer}\n") == "Good luck!"


def test_a_name_below_unknown_closing_words_is_not_published() -> None:
    assert said("say Good luck!\nToodle-oo,\nAnn Smith\n") == "Good luck!"


def test_conversation_is_published() -> None:
    for text in ("Well played!\nThat was close, Ben.", "I had 3 moons,\nand you had 12", "No way!\nOn 2 December 2026"):
        assert said(f"say {text}\n") == text


def test_paragraphs_below_a_message_are_named() -> None:
    read_as = answer("say Hi Ann!\n\nSorry for the delay,\nI was ill.\n\nHope you are well!\n\nBest,\nBen\n\nMore\n")
    assert list(map(told, read_as.commands)) == ["say Hi Ann!"]
    assert read_as.untold == ("Sorry for the delay, I was ill.", "Hope you are well!")


@pytest.mark.parametrize("below", ["Ben", "Ann Smith\n12 Main Street", "Cheers, Ann", "> quoted", "2 F"])
def test_a_name_below_a_message_is_not_worth_a_word(below: str) -> None:
    assert answer(f"say Hi Ann!\n\n{below}\n").untold == ()


def test_conversation_below_a_move_needs_no_word() -> None:
    assert answer("2 F\n\nSorry for the delay!\n").untold == ()


def test_the_text_that_ends_at_a_signature_mark_is_published() -> None:
    both = alternative(plain("say hello\n-- \nAnn\n"), page("<div>say hello<br>Ann</div>"))
    for raw in (both, alternative(plain("say hello\nAnn\n"), page("<div>say hello</div><div>--<br>Ann</div>"))):
        assert list(map(told, parse_reply(read(mail(raw))).commands)) == ["say hello"]


MARKED = [
    '<br id="lineBreakAtBeginningOfSignature"><div dir="ltr">{}</div>',
    '<div><div dir="ltr" class="gmail_signature" data-smartmail="gmail_signature">{}</div></div>',
    '<div id="Signature">{}</div>',
    '<div id="x_ms-outlook-mobile-signature">{}</div>',
    '<div class="protonmail_signature_block"><div class="protonmail_signature_block-user">{}</div></div>',
    '<pre class="moz-signature" cols="72">{}</pre>',
    '<div class="ydp1a2b3signature">{}</div>',
    '<div id="AppleMailSignature">{}</div>',
    '<div data-smartmail="gmail_signature">{}</div>',
    '<div data-signature-widget="container">{}</div>',
    '<div id="sig">{}</div>',
    '<div class="elementToProof" id="Signature-1">{}</div>',
    '<div class="bloop_sign">{}</div>',
    "<signature>{}</signature>",
    '<div name="signature">{}</div>',
]
"""Signatures as the HTML of mail programs marks them, without a line of dashes above."""


@pytest.mark.parametrize("marked", MARKED)
def test_no_signature_that_the_markup_marks_is_told_to_the_others(marked: str) -> None:
    signature = marked.format("Cécile Martin<div>Service contentieux, cabinet Durand</div>")
    html = f"<div>dire Bien joué !{signature}</div>"
    text = "dire Bien joué !\nCécile Martin\nService contentieux, cabinet Durand\n"
    for raw in (mail(page(html)), mail(alternative(plain(text), page(html)))):
        read_as = parse_reply(read(raw))
        assert list(map(told, read_as.commands)) == ["say Bien joué !"] and read_as.untold == ()


@pytest.mark.parametrize("marked", MARKED)
def test_what_is_written_inside_a_marked_signature_is_read(marked: str) -> None:
    assert list(map(told, parse_reply(read(mail(page(marked.format("2 F"))))).commands)) == ["2 F"]
    assert list(map(told, parse_reply(read(mail(page("2 F" + marked.format("1 B"))))).commands)) == ["2 F", "1 B"]
    inside = parse_reply(read(mail(page(marked.format("say Good luck<div>to all</div>")))))
    assert list(map(told, inside.commands)) == ["say Good luck\nto all"]


@pytest.mark.parametrize("kind", ["text/plain", "text/html"])
def test_a_message_ends_where_its_part_of_the_mail_ends(kind: str) -> None:
    picture = b"Content-Type: image/png\nContent-Transfer-Encoding: base64\n\niVBORw0KGgo=\n"
    end = "<br>" if kind == "text/html" else "\n"
    notice = end.join(("Ann Müller", "Acme", "This is meant for its addressee alone."))
    raw = mail(several("mixed", part(kind, "say Good luck!"), picture, part(kind, notice)))
    assert [told(asked) for asked in parse_reply(read(raw)).commands] == ["say Good luck!"]
