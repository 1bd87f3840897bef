"""Recognize footers that mail programs and phones add to a mail, and closing words, in four languages."""

from __future__ import annotations

import re

from service.reading.attribution import plain

_FOOTER = re.compile(
    r"[\s<(\[*_]{0,4}(?:"
    r"sent (?:from|via|with|using|by) |get outlook for |get the new |sent by |from my \w|"
    r"(?:diese nachricht wurde )?(?:von|aus|mit) (?:meinem|meiner|"
    r"mobil|outlook|dem|der|yahoo|web\.de|gmx|t-online|\w+ mail).{0,80}"
    r"(?:gesendet|gesandt|verschickt|versendet)|gesendet (?:von|mit|aus|uber)|outlook fur (?:android|ios)|"
    r"holen sie sich outlook|beziehen sie outlook|hol dir |diese nachricht wurde |"
    r"envoye (?:de|depuis|a partir|avec|via|par)\b|telecharge[rz]? outlook|obtenez outlook|provenance : courrier|"
    r"enviado (?:desde|con|por|a traves|mediante|de)\b|obtener outlook|obten outlook|consigue outlook|descarga|"
    r"virus-?free|virenfrei|garanti sans virus|sans virus|libre de virus|www\.avast|"
    r"yahoo mail|proton ?mail|gmx|web\.de|aol|mailbox\.org|tuta\b|posteo)"
)
_CLOSING = re.compile(
    r"(?:(?:kind|best|warm|many)? ?regards|best|cheers|thanks|thank you|thx|love|yours(?: \w+)?|bye|see you|"
    r"(?:viele|liebe|schone|herzliche|beste|mit freundlichen) gru(?:ss|b)en?|gru(?:ss|b)e?|lg|vg|mfg|danke|tschuss|"
    r"cordialement|bien (?:a toi|cordialement)|amicalement|bises?|a bientot|merci|salutations|"
    r"saludos?(?: cordiales)?|un (?:saludo|abrazo)|abrazos?|gracias|besos|hasta (?:luego|pronto))\W{0,4}$"
)


def is_footer(line: str) -> bool:
    """Return whether a line is an automatic footer, such as `Sent from my iPhone`."""
    return len(line) < 200 and _FOOTER.match(plain(line)) is not None


def is_closing(line: str) -> bool:
    """Return whether a line closes a mail, such as `Cheers,` or `Viele Grüße`."""
    return len(line) < 40 and _CLOSING.fullmatch(plain(line)) is not None
