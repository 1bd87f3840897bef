"""The mail that is answered: a turn mail of the service, and how programs refer to it in the four languages."""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass, replace
from functools import cache

from service.language.answer_line import answer_line
from service.language.languages import language
from service.language.people import People
from service.mail import turn
from tests.support.mail import facts
from tests.unit.reading.eml import SERVICE

WHO = f"Nova Luna <{SERVICE}>"


@dataclass(frozen=True, slots=True)
class Tongue:
    """The phrases of mail programs in one language."""

    code: str
    gmail: str
    apple: str
    moz: str
    outlook: tuple[str, str, str, str]
    sent: str
    original: str
    forwarded: str
    iphone: str
    outlook_phone: str
    android: str
    closing: str


TONGUES = {
    tongue.code: tongue
    for tongue in (
        Tongue(
            "en",
            f"On Sat, Nov 28, 2026 at 10:15 AM {WHO} wrote:",
            f"On 28. Nov 2026, at 10:15, {WHO} wrote:",
            "On 11/28/26 10:15, Nova Luna wrote:",
            ("From", "Sent", "To", "Subject"),
            "Saturday, November 28, 2026 10:15 AM",
            "Original Message",
            "Forwarded message",
            "Sent from my iPhone",
            "Get Outlook for iOS",
            "Sent from my Galaxy",
            "Best,\nAnn",
        ),
        Tongue(
            "fr",
            f"Le sam. 28 nov. 2026 à 10:15, {WHO} a écrit :",
            f"Le 28 nov. 2026 à 10:15, {WHO} a écrit :",
            "Le 28/11/2026 à 10:15, Nova Luna a écrit\u00a0:",
            ("De", "Envoyé", "À", "Objet"),
            "samedi 28 novembre 2026 10:15",
            "Message d'origine",
            "Message transféré",
            "Envoyé de mon iPhone",
            "Télécharger Outlook pour iOS",
            "Envoyé depuis mon appareil Galaxy",
            "Amicalement,\nAnne",
        ),
        Tongue(
            "es",
            f"El sáb, 28 nov 2026 a las 10:15, Nova Luna (<{SERVICE}>) escribió:",
            f"El 28 nov 2026, a las 10:15, {WHO} escribió:",
            "El 28/11/26 a las 10:15, Nova Luna escribió:",
            ("De", "Enviado", "Para", "Asunto"),
            "sábado, 28 de noviembre de 2026 10:15",
            "Mensaje original",
            "Mensaje reenviado",
            "Enviado desde mi iPhone",
            "Obtener Outlook para iOS",
            "Enviado desde mi Galaxy",
            "Un saludo,\nAna",
        ),
        Tongue(
            "de",
            f"Am Sa., 28. Nov. 2026 um 10:15 Uhr schrieb {WHO}:",
            f"Am 28.11.2026 um 10:15 schrieb {WHO}:",
            "Am 28.11.26 um 10:15 schrieb Nova Luna:",
            ("Von", "Gesendet", "An", "Betreff"),
            "Samstag, 28. November 2026 10:15",
            "Ursprüngliche Nachricht",
            "Weitergeleitete Nachricht",
            "Von meinem iPhone gesendet",
            "Holen Sie sich Outlook für iOS",
            "Von meinem Galaxy gesendet",
            "Viele Grüße\nAnn",
        ),
    )
}


@dataclass(frozen=True, slots=True)
class Original:
    """The turn mail: its subject, its text, and the inside of its HTML's body."""

    tongue: Tongue
    subject: str
    text: str
    html: str

    @property
    def lines(self) -> list[str]:
        """Return the lines of the text."""
        return self.text.rstrip("\n").split("\n")

    def quoted(self, mark: str = "> ", width: int = 0) -> str:
        """Return the text as programs quote it, wrapped if there is a width."""
        lines = self.lines
        if width:
            lines = [piece for line in lines for piece in (textwrap.wrap(line, width) or [""])]
        return "\n".join((mark + line).rstrip() for line in lines)


@cache
def original(code: str) -> Original:
    """Return the mail in this language."""
    names = ("Ann", "Ben")
    state = facts.match(2)
    told = facts.turn(state, facts.play(state, 9)[-4:], names=names)
    told = replace(told, people=People(names, told.seat, language(code)))
    content = turn.compose(told, facts.BASE, facts.PAGE, facts.STOP)
    line = answer_line(language(code))
    text = content.text if line in content.text else f"{line}\n\n{content.text}"
    body = re.search(r"<body[^>]*>(.*)</body>", content.html, re.DOTALL)
    assert body is not None
    html = body[1] if line in body[1] else f"<p>{line}</p>{body[1]}"
    return Original(TONGUES[code], content.subject, text, html)
