"""The pages /rules and /rules/{version}: how to play in a few sentences, and then the rules by number."""

from __future__ import annotations

import re
from functools import cache

from flask import Blueprint, Response, url_for
from markdown_it import MarkdownIt
from markupsafe import Markup

from engine.phrases import Phrase
from engine.rules import VERSIONS, newest
from service.api.rules import rules
from service.pages import requested_language
from service.pages.kept_language import with_language
from service.pages.rendering import not_found, page

blp = Blueprint("rules_page", __name__)

_NOT_HERE = Phrase("There is no such version of the rules.")
_RULE = re.compile(r"<li>([0-9]+[.][0-9]+) ")


@blp.get("/rules")
def show_rules() -> Response:
    """Show the newest rules in the language of the link, else in the one the browser asks for."""
    return _page("/rules", newest().version)


@blp.get("/rules/<version>")
def show_rules_of_version(version: str) -> Response:
    """Show a version of the rules; 404 if there is none of this name."""
    if version not in VERSIONS:
        onward = with_language(url_for("rules_page.show_rules"))
        return not_found(_NOT_HERE, requested_language.reader(), onward, Phrase("The rules"))
    return _page(f"/rules/{version}", version)


def _page(address: str, version: str) -> Response:
    reader = requested_language.reader()
    code = reader.language.code
    others = requested_language.others(reader.language)
    versions = [other for other in VERSIONS if other != version]
    by_number = _by_number(rules(code, version)[0])
    return page(
        "rules.html", reader, by_number=by_number, others=others, address=address, version=version, versions=versions
    )


@cache
def _by_number(text: str) -> Markup:
    """Return the text of the rules by number as HTML, without their heading; HTML in it is escaped.

    Each rule has its number as its id.
    """
    body = text.partition("\n")[2]
    written = MarkdownIt("commonmark", {"html": False}).render(body)
    return Markup(_RULE.sub(r'<li id="\1">\1 ', written))
