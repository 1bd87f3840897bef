"""Update the catalogs of all languages from the code and the templates.

    make messages

New messages are added without a translation, which a test refuses; messages that nothing uses any more are removed.
"""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract
from babel.messages.pofile import read_po, write_po

from service.language.languages import CODES

_ROOT = Path(__file__).parents[1]
CATALOGS = _ROOT / "service" / "language" / "catalogs"

SAID_IN = (
    "engine",
    *map("service/{}".format, ("access", "api", "clocks", "commands", "language", "mail", "pages", "queries")),
)
"""Texts on the command line are in English only."""

_PHRASES = ("say", "phrase", "Phrase", "MalformedMove", "InvalidText")
_REFUSING = (
    "ClockError",
    "IllegalMove",
    "SetupError",
    "Unreadable",
    "Unauthorized",
    "Forbidden",
    "NotFound",
    "Conflict",
    "Gone",
    "StalePrecondition",
    "PreconditionRequired",
    "Malformed",
    "IllegalMoveRefused",
    "LimitReached",
    "Unavailable",
)
KEYWORDS: dict[str, tuple[int, ...]] = {
    **dict.fromkeys(_PHRASES, (1,)),
    **dict.fromkeys(_REFUSING, (2,)),
    "conflict": (4,),
    "count": (1, 2),
}
"""Which arguments of a call are messages: the first, singular and plural, or the second after a code."""

_IN_TEMPLATES: dict[str, tuple[int, ...]] = {"_": (1,), "gettext": (1,), "ngettext": (1, 2)}

# Catalogs have no creation dates, so that they differ in their messages only.
_NO_TIME = datetime(2026, 11, 28, tzinfo=UTC)


def spaced(text: str) -> str:
    """Put no-break spaces into a French text before ; : ! ? and within « », where its typography has them.

    Only a plain space would allow a line break there, so plain spaces may be typed.
    """
    return re.sub(" (?=[;:!?»])|(?<=«) ", "\u00a0", text)


def _is_translated(message: Message) -> bool:
    return bool(message.id and message.string and all(message.string))


def found() -> Catalog:
    """Return all messages of the project, with the files that they are in."""
    catalog = Catalog()
    for place, message in _messages():
        catalog.add(message, locations=[(place, 0)], flags=[])
    return catalog


def _messages() -> Iterator[tuple[str, str | tuple[str, str]]]:
    for folder in SAID_IN:
        for path in sorted((_ROOT / folder).rglob("*")):
            if path.suffix == ".py":
                method, keywords = "python", KEYWORDS
            elif path.suffix in (".html", ".txt") and "templates" in path.parts:
                method, keywords = "jinja2", _IN_TEMPLATES
            else:
                continue
            place = path.relative_to(_ROOT).as_posix()
            with path.open("rb") as file:
                for _, message, _, _ in extract(method, file, keywords, options={"silent": "true"}):
                    if isinstance(message, tuple):
                        yield place, (message[0], message[1])
                    else:
                        yield place, message


def main() -> None:
    """Update the catalog of each language."""
    template = found()
    for code in CODES[1:]:
        path = CATALOGS / f"{code}.po"
        catalog = Catalog(code)
        if path.exists():
            with path.open("rb") as file:
                catalog = read_po(file, locale=code)
        catalog.update(template, no_fuzzy_matching=True)
        catalog.obsolete.clear()
        catalog.fuzzy = False
        if code == "fr":
            for message in filter(_is_translated, catalog):
                string = message.string or ""
                message.string = spaced(string) if isinstance(string, str) else tuple(map(spaced, string))
        catalog.project, catalog.version = "Nova Luna by post", "1"
        catalog.header_comment = "# Says in another language what Nova Luna by post says in English."
        catalog.creation_date = catalog.revision_date = _NO_TIME
        catalog.last_translator, catalog.language_team = "the maintainers", code
        with path.open("wb") as file:
            write_po(file, catalog, width=120, sort_output=True, include_lineno=False)


if __name__ == "__main__":
    main()
