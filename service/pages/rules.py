"""/rules: how the game goes, in a few sentences and then by number, for those who play."""

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
    """The page, in the language that the link names or the browser asks for."""
    reader = requested_language.reader()
    others = [(code, _NAMES[code]) for code in CODES if code != reader.language.code]
    return page("rules.html", reader, by_number=_by_number(reader.language.code), others=others)


@cache
def _by_number(code: str) -> Markup:
    """The rules by number as HTML, without their heading; what is HTML in the text would be shown as it is typed."""
    text, _ = rules(code)
    body = text.partition("\n")[2]
    return Markup(MarkdownIt("commonmark", {"html": False}).render(body))
