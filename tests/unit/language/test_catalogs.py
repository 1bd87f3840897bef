"""The catalogs: every message is translated into every language, and there are no others."""

import ast
import re
from collections.abc import Iterator

import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.pofile import read_po

from scripts.messages import CATALOGS, KEYWORDS, SAID_IN, found
from service.language.languages import CODES, language

ROOT = CATALOGS.parents[2]
OTHERS = CODES[1:]
_FACT = re.compile(r"%\((\w+)\)s|%%|(%)")


@pytest.fixture(scope="module")
def extracted() -> Catalog:
    """Return all messages of the code and the templates."""
    return found()


def catalog(code: str) -> Catalog:
    with (CATALOGS / f"{code}.po").open("rb") as file:
        return read_po(file, locale=code)


def forms(text: str | tuple[str, ...] | list[str]) -> tuple[str, ...]:
    return (text,) if isinstance(text, str) else tuple(text)


def facts(text: str) -> set[str]:
    return {name or "a bare percent sign" for name, bare in _FACT.findall(text) if name or bare}


def messages(catalog: Catalog) -> Iterator[Message]:
    return (message for message in catalog if message.id)


@pytest.mark.parametrize("code", OTHERS)
def test_a_catalog_has_just_what_is_said(code: str, extracted: Catalog) -> None:
    assert {message.id for message in messages(catalog(code))} == {message.id for message in messages(extracted)}, (
        "run `make messages`, then translate what is new"
    )


@pytest.mark.parametrize("code", OTHERS)
def test_every_message_is_translated_with_the_same_facts(code: str) -> None:
    for message in messages(catalog(code)):
        assert not message.fuzzy, message.id
        needed = set().union(*map(facts, forms(message.id)))
        for form in forms(message.string or ""):
            assert form.strip(), f"{code}: {message.id!r} is not translated"
            assert needed - {"n"} <= facts(form) <= needed, f"{code}: {message.id!r}"


OTHER_WORDS = {
    "fr": {"goal": "tâche", "record": "registre", "disc": "disque", "tile": "carte"},
    "es": {"goal": "objetivo", "record": "registro", "disc": "disco", "tile": "baldosa"},
    "de": {"goal": "Ziel", "record": "Aufzeichnung", "disc": "Chip", "tile": "Karte"},
}
"""Words of the game, and what would translate them too, but is not what the catalog says everywhere else."""


@pytest.mark.parametrize("code", OTHERS)
def test_a_word_of_the_game_is_translated_alike_everywhere(code: str) -> None:
    """What the public log, *registro* in Spanish, is named in as well may have both."""
    wrong = [
        message.id
        for message in messages(catalog(code))
        for word, other in OTHER_WORDS[code].items()
        if re.search(rf"\b{word}s?\b", forms(message.id)[0], re.IGNORECASE)
        and not re.search(r"\blogs?\b", forms(message.id)[0])
        and any(re.search(rf"\b{other}e?s?\b", form, re.IGNORECASE) for form in forms(message.string or ""))
    ]
    assert wrong == []


_CODE = ("Authorization: Bearer", "Content-Type: application/json")
"""Texts that are meant for programs and stay as they are."""


def test_french_has_no_break_spaces_where_its_typography_wants_them() -> None:
    """Before ; : ! ? and within « »: no line may begin there."""
    rules = (ROOT / "docs" / "RULINGS.fr.md").read_text()
    for text in (*(form for message in messages(catalog("fr")) for form in forms(message.string or "")), prose(rules)):
        for code in _CODE:
            text = text.replace(code, "")
        wrong = re.findall(r".{,20}(?:[^\u00a0][;!?»]|[^\u00a0]:(?!\S)|«[^\u00a0]).{,20}", text)
        assert wrong == [], "a no-break space is missing; in a catalog `make messages` sets it"


def prose(markdown: str) -> str:
    """Return a text without its code spans."""
    return re.sub("`[^`]*`", "", markdown)


def test_what_is_said_stands_where_it_is_said() -> None:
    """A sentence that is composed at run time, or held by a variable, would be in no catalog."""
    for path in (path for folder in SAID_IN for path in (ROOT / folder).rglob("*.py") if path.name != "phrases.py"):
        tree = ast.parse(path.read_text())
        within = (node for outer in ast.walk(tree) if isinstance(outer, ast.JoinedStr) for node in ast.walk(outer))
        unseen = {id(node) for node in within if isinstance(node, ast.Call)}  # babel finds no message in an f-string
        for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
            name = getattr(call.func, "id", getattr(call.func, "attr", ""))
            assert name not in KEYWORDS or id(call) not in unseen, f"{path.relative_to(ROOT)}:{call.lineno}"
            for place in KEYWORDS.get(name, ()):
                message = call.args[place - 1] if len(call.args) >= place else None
                where = f"{path.relative_to(ROOT)}:{call.lineno}"
                assert not isinstance(message, ast.JoinedStr), where
                assert name != "phrase" or isinstance(message, ast.Constant), where


@pytest.mark.parametrize("code", OTHERS)
def test_a_miss_in_a_catalog_fails_a_test(code: str) -> None:
    with pytest.raises(LookupError):
        language(code).say("There is nothing that says this.")


def test_one_and_more_are_told_apart() -> None:
    assert [language(code).count("%(n)s tile", "%(n)s tiles", 1) for code in CODES] == [
        "1 tile", "1 tuile", "1 loseta", "1 Plättchen"
    ]  # fmt: skip
    assert language("fr").count("%(n)s seat is free.", "%(n)s seats are free.", 0) == "0 place est libre."
    assert language("de").count("%(n)s seat is free.", "%(n)s seats are free.", 0) == "0 Plätze sind frei."
