"""The page /rules: how to play in a few sentences, and then the rules by number."""

from __future__ import annotations

from functools import cache

from flask import Blueprint, Response
from markdown_it import MarkdownIt
from markupsafe import Markup

from service.api.rules import rules
from service.language.languages import CODES
from service.pages import requested_language
from service.pages.rendering import page

blp = Blueprint("rules_page", __name__)

_NAMES = {"en": "English", "fr": "Français", "es": "Español", "de": "Deutsch"}


@blp.get("/rules")
def show_rules() -> Response:
    """Show the rules in the language of the link, else in the one the browser asks for."""
    reader = requested_language.reader()
    others = [(code, _NAMES[code]) for code in CODES if code != reader.language.code]
    return page("rules.html", reader, by_number=_by_number(reader.language.code), others=others)


@cache
def _by_number(code: str) -> Markup:
    """Return the rules by number as HTML, without their heading; HTML in their text is escaped."""
    text, _ = rules(code)
    body = text.partition("\n")[2]
    return Markup(MarkdownIt("commonmark", {"html": False}).render(body))
