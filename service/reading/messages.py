"""Find where a message to the table ends, so that nothing is published that its writer did not mean for the others.

A message is one paragraph. It ends at closing words, at what a program adds, and at a line with a phone number, a
postal address or a mail address; with that line ends also what leads to it, such as a name. It ends at a name with a
dash in front or with a title. A last line that looks like a name, below one that ends in a comma, is a signature
whatever the closing words are, and a short last line that names a phone is a footer whatever its language is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from service.reading.attribution import plain
from service.reading.footers import is_closing, is_footer

_MOST_WORDS, _LONGEST_NAME = 4, 50

_PHONE = re.compile(r"(?<![\w@.,-])[(]?(?:\+|00?)?[(]?\d(?:[\s()/.–-]{0,3}\d){6,15}(?![\w@])")
_LABEL = re.compile(
    r"\W{0,3}(?:tel(?:efono?|ephone)?|phone|mobile|cell|fax|handy|mobil|movil|portable|port|t|m|f|e-?mail|mail|web)\s?[.:]"
)
_ADDRESS = re.compile(r"[\w.+-]@[\w-]+\.\w|(?<!\w)www\.\w")
_STREET = re.compile(
    r"(?:^|\s)\d{1,5}\s?[a-z]?,? (?:[\w'.-]+ ){1,4}(?:street|st|road|rd|avenue|ave|lane|ln|drive|dr|way|close|court|ct|"
    r"square|sq|place|pl|boulevard|blvd|terrace|gardens|crescent|row|mews)\b(?!')|"
    r"(?:strasse|str\.|\bweg|gasse|allee|\bplatz|platz|\bring|ufer|damm|weg|\bhof) \d{1,4}\s?[a-z]?\b|"
    r"(?:^|\s)\d{1,4}(?: ?bis| ?ter)?,? (?:rue|avenue|av\.|boulevard|bd|place|chemin|allee|impasse|quai|route|cours) |"
    r"(?:^|\s)(?:calle|c/|avenida|avda\.?|plaza|paseo|camino|carretera)\s.{2,40}\d|"
    r"^\W*(?:[a-z]{1,3}-)?\d{4,5} [a-z][a-z-]{2,}|\b[a-z]{1,2}\d[a-z\d]? \d[a-z]{2}\b|\b[a-z]{2} \d{5}\b|"
    r"\b(?:p\.? ?o\.? ?box|postfach|boite postale|apartado) \d"
)
_COMPANY = re.compile(
    r"\bgmbh\b\W{0,3}(?:$|hr|gesch|sitz|\d)|\bhr[ab] ?\d|\b(?:geschaftsfuhr(?:er|ung)|handelsregister)\s?:|"
    r"\bamtsgericht \w|\b(?:ust-?id\S{0,9}|siren|siret|rcs|cif|nif|vat(?: no)?)\s?[:\d]|\bregistered in england\b"
)
_DASHED = re.compile(r"\s{0,4}(?:[-‐‑‒–—―−~]{1,3}|[/^])\s{0,3}(?=\S)")
_TITLES = re.compile(r"(?:(?:Dr|Prof|Mag|Dipl)\b\.?(?:-?\w{2,6}\.)?\s)+")
_DEGREE = re.compile(r",\s?(?:M\.?D|Ph\.?D|M\.?Sc|B\.?Sc|MBA|LL\.?M|Esq|CEO|CTO|CFO)\.?\s*$")
_PHONE_NAMED = re.compile(r"iPhon|iPad|iOS|Android|Outlook|BlackBerry|BlueMail")
_OF_TALK = re.compile(
    r"(?<!['-])\b(?:an?|the|some|i|i'm|my|we|you|he|she|it|is|are|on|now|not|no|too|with|works?|got|has|have|broken?|new|"
    r"ein(?:e[nmr]?)?|der|die|das|ich|mein\w*|du|wir|ihr|ist|auf|mit|nicht|kein\w*|jetzt|nur|auch|geht|hab\w*|neu\w*|kaputt|"
    r"une?|la?|les?|j|je|mon|tu|il|elle|nous|vous|est|sur|avec|pas|una?|el|los|yo|mi|es|con|sin|muy)\b"
)
"""Words of a sentence about a phone, which its footer in an unknown language does not contain."""

_GREETING_TOO = re.compile(r"\W{0,3}(?:servus|salut|ade)\W{0,3}$")
"""What closes a message, but begins a mail as well."""

_YOURS = re.compile(r"(?:eure|euer) (?=\S)")
_OF_THE_GAME = frozenset(
    ("zug", "spiel", "runde", "partie", "reihe", "wahl", "sieg", "gluck", "pech", "schuld", "idee", "fehler", "freund")
)
_MOST_PHONE_WORDS = 6
_WORD = re.compile(r"[^\W\d_][\w'’.-]*")
_ENDS_SENTENCE = re.compile(r"[.!?…:;)\"”“»]\s*$|[^\w\s.,'’-]\s*$")


def published(lines: Sequence[str]) -> int:
    """Return the number of a message's lines that are for the others; the first is always one of them."""
    end = next((at for at, line in enumerate(lines) if at and is_end(line)), len(lines))
    signed = next((at for at in range(1, end) if _is_signed(lines, at)), end)
    if signed < end:
        end = signed
    elif end < len(lines):
        while end > 1 and _leads_to_signature(lines[end - 1]):
            end -= 1
    elif end > 1 and (_names_phone(lines[-1]) or _is_yours(lines[-1])):
        end -= 1
    elif end > 2 and is_name(lines[-1]) and _is_salute(lines[-2]):
        end -= 2
    return end


def is_end(line: str) -> bool:
    """Return whether a message ends above a line: at closing words, a footer, or what tells how to reach somebody."""
    return is_closing(line) or is_footer(line) or _is_contact(line) or _GREETING_TOO.match(line.casefold()) is not None


def is_name(line: str) -> bool:
    """Return whether a line may be the name below a mail: one to four words with capitals, and nothing else."""
    bare = line.strip().strip("-–—~,.* ")
    words = bare.split()
    return (
        0 < len(words) <= _MOST_WORDS
        and len(bare) <= _LONGEST_NAME
        and not _ENDS_SENTENCE.search(bare)
        and all(_WORD.fullmatch(word) for word in words)
        and all(not word[0].islower() for word in (words[0], words[-1]))
    )


def _is_contact(line: str) -> bool:
    low = plain(line)
    return (
        any(pattern.search(low) for pattern in (_PHONE, _ADDRESS, _STREET, _COMPANY)) or _LABEL.match(low) is not None
    )


def _is_signed(lines: Sequence[str], at: int) -> bool:
    """Return whether a line is a name with a title, or with a dash in front and no item of a list."""
    line = lines[at]
    if len(line) > _LONGEST_NAME:
        return False
    bare = _DEGREE.sub("", _TITLES.sub("", line, count=1))
    if bare != line and is_name(bare):
        return True
    dash = _DASHED.match(line)
    beside = (*lines[at - 1 : at], *lines[at + 1 : at + 2])
    return dash is not None and is_name(line[dash.end() :]) and not any(map(_DASHED.match, beside))


def _names_phone(line: str) -> bool:
    """Return whether a last line may be the footer of a phone, in a language that is not known."""
    is_short = len(line) <= _LONGEST_NAME and len(line.split()) <= _MOST_PHONE_WORDS
    if not is_short or _PHONE_NAMED.search(line) is None:
        return False
    return _ENDS_SENTENCE.search(line) is None and _OF_TALK.search(plain(line)) is None


def _is_yours(line: str) -> bool:
    """Return whether a last line is closing words such as `Eure Ann`; `Euer Zug` is none."""
    low = plain(line).rstrip(" .")
    found = _YOURS.match(low)
    return found is not None and low[found.end() :] not in _OF_THE_GAME and is_name(line)


def _is_salute(line: str) -> bool:
    return line.rstrip().endswith(",") and len(line.split()) <= _MOST_WORDS


def _leads_to_signature(line: str) -> bool:
    """Return whether a line above a postal address and the like may belong to it: a name, a title, or closing words."""
    return len(line) <= _LONGEST_NAME and len(line.split()) <= _MOST_WORDS and not _ENDS_SENTENCE.search(line)
