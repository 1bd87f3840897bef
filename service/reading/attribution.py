"""Recognize what mail programs write above a quoted mail: attributions, header blocks and separator lines.

An attribution (`On … wrote:`) may be wrapped over several lines. Each test looks at a few lines of bounded length.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

MOST_LINES = 5
_LONGEST = 500

_WROTE = re.compile(
    r"\b(?:wrote|writes|said|says|schrieb|schreibt|geschrieben|"
    r"ecrit|ecrivait|escribio|escribe|ha scritto|schreef|escreveu|"
    r"napisala?|pisze|skrev|kirjoitti|napsala?|irta|yazdi)\b"
)
_START = re.compile(
    r"\W{0,6}(?:on|at|in|am|um|le|el|il|em|op|den|dnia|w dniu|zitat|"
    r"quoting|quote|citando|citation|cita|a|von|from|de|da|van)\b"
)
_CITED = re.compile(
    r"\W{0,4}(?:zitat von|quoting|quote from|citando a|cita de|citation de|quotation by)\b.{3,200}:\W{0,3}$"
)
_DATE = re.compile(
    r"\d{4}-\d\d-\d\d|\d{1,2}[./-] ?\d{1,2}[./-] ?\d{2,4}|\b\d{1,2}\.? (?:de |d')?[a-z]{3,10}\.?,? (?:de )?\d{4}|"
    r"\b[a-z]{3,10}\.? \d{1,2},? \d{4}|\b\d{1,2}[:.h]\d\d\b"
)
_ADDRESS = re.compile(r"[<(\[]?\b[\w.+-]{1,64}@[\w.-]{1,255}\b")
_DATED = re.compile(r".{0,120}\b(?:19|20)\d\d\b.{0,200}@[^\s>]{1,255}>?\)?\W{0,3}:\W{0,3}$")
_ENDS = re.compile(r"(?:[:：]|wrote|geschrieben|ecrit|escribio)[\W_]{0,8}$")

_SEPARATOR = re.compile(
    r"[\s*>|]{0,8}[-_=]{2,}[\s*]{0,4}(?:original ?(?:message|nachricht|-nachricht|appointment)|originalnachricht|"
    r"(?:urspruengliche|ursprungliche|urspr\.|weitergeleitete|weitergeleitet) ?nachricht|forwarded (?:message|mail)|"
    r"reply message|antwort nachricht|(?:message|mail|e-mail|courriel) (?:original|d.origine|transfere|initial)|"
    r"message reexpedie|mensaje (?:original|reenviado)|correo original|mensagem original|messaggio originale|"
    r"oorspronkelijk bericht|oprindelig meddelelse)[\s*]{0,4}(?:[-_=]{2,}|$|de\b|von\b|from\b|\()"
)
_DASHES = re.compile(r"[\s*]{0,4}-{4,}\s{0,4}\w[^-]{2,60}-{4,}\s*$")
_BEGINS = re.compile(
    r"\W{0,4}(?:begin forwarded message|anfang der weitergeleiteten nachricht|debut du message (?:reexpedie|transfere)|"
    r"inicio del mensaje reenviado|message du \d|mensaje de fecha|en reponse a\b.{0,200})\b.{0,60}$"
)
_RULE = re.compile(r"\s{0,8}[_=*-]{5,}\s*$")

_FROM = "from|von|de|expediteur|exp|da|van|fra|fran"
_OTHER = (
    "sent|date|gesendet|datum|envoye|envoye le|enviado|enviado el|fecha|data|le|enviada em|verzonden|to|an|a|para|pour|"
    "destinataire|cc|kopie|subject|betreff|objet|asunto|sujet|oggetto|assunto|onderwerp|reply-to|antwort an|repondre a|"
    "responder a|importance|wichtigkeit|importancia|received|empfangen"
)
_HEADER = re.compile(rf"[\s*_>|]{{0,6}}(?:(?P<who>{_FROM})|{_OTHER})[*_]{{0,3}}\s?[*_]{{0,3}}:[*_]{{0,3}}(?:\s|$|<|\S)")


def plain(text: str) -> str:
    """Return a text in lower case, without accents and with single spaces, as the patterns of this module expect it."""
    if text.isascii():
        return " ".join(text[: 2 * _LONGEST].casefold().split())
    letters = unicodedata.normalize("NFKD", text[: 2 * _LONGEST])  # one character may become 18
    letters = letters[: 4 * _LONGEST].casefold().replace("’", "'")
    return " ".join("".join(letter for letter in letters if not unicodedata.combining(letter)).split())


def attribution(lines: Sequence[str]) -> int:
    """Return the number of lines that form an attribution (`On … wrote:`), or 0 if they do not begin with one.

    The first line must not be empty.
    """
    first = plain(lines[0]) if lines else ""
    if not (_START.match(first) or _ADDRESS.search(first) or _DATE.search(first) or _WROTE.search(first)):
        return 0
    joined = ""
    for count, line in enumerate(lines[:MOST_LINES], 1):
        added = plain(line)
        if count > 1 and not added:
            return 0
        joined = f"{joined} {added}".strip()[:_LONGEST]
        if _is_attribution(joined):
            return count
    return 0


def _is_attribution(text: str) -> bool:
    if len(text) < 8:
        return False
    if _CITED.match(text):
        return True
    if not _ENDS.search(text):
        return False
    if _WROTE.search(text):
        return bool(_DATE.search(text) or _ADDRESS.search(text) or "nova luna" in text)
    return bool(_DATED.match(text))


def separator(line: str) -> bool:
    """Return whether a line announces an older mail: `-----Original Message-----`."""
    text = plain(line)
    return bool(_SEPARATOR.match(text) or _BEGINS.match(text) or _DASHES.match(line[:_LONGEST]))


def rule(line: str) -> bool:
    """Return whether a line consists of dashes only. Such a line may stand above a header block."""
    return bool(_RULE.match(line[:_LONGEST]))


def is_header(line: str) -> bool:
    """Return whether a line is a header field of a quoted mail, such as `Subject: Your turn`."""
    return _HEADER.match(plain(line)) is not None


def headers(lines: Sequence[str]) -> bool:
    """Return whether the lines begin with a block of header fields, such as `From:`, `Gesendet:` or `Objet :`."""
    at = 0
    while at < len(lines) and at < 3 and (rule(lines[at]) or not lines[at].strip()):
        at += 1
    found, who, misses = 0, False, 0
    for line in lines[at : at + 14]:
        header = _HEADER.match(plain(line))
        if header is None:
            if not found or misses == 2:
                break
            misses += 1
            continue
        found, misses = found + 1, 0
        who = who or header["who"] is not None
    return found >= 3 or (found == 2 and who)
