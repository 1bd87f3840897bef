"""Render the guide's Markdown: HTML in it is text, headings have anchors, and links lead to pages of the site."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from itertools import pairwise
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

_NO_WORD = re.compile(r"[^\w\s-]")


class Rendered(NamedTuple):
    """A page: its title, its HTML without the title, and the anchors and texts of its chapters."""

    title: str
    html: Markup
    chapters: list[tuple[str, str]]


def render(text: str, path: str, pages: Mapping[str, str]) -> Rendered:
    """Render a Markdown file whose first heading is its title.

    Args:
        text: the file.
        path: its path in the repository, to which its links are relative.
        pages: the addresses of pages by the paths of their files. A link to any other file becomes plain text.
    """
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = markdown.parse(text)
    title = tokens[1].content
    chapters: list[tuple[str, str]] = []
    for token, following in pairwise(tokens):
        if token.type == "heading_open":
            said = _plain(following)
            token.attrSet("id", anchor(said))
            if token.tag == "h2":
                chapters.append((anchor(said), said))
        elif token.type == "inline":
            _lead(token, posixpath.dirname(path), pages)
    for token in tokens:
        if token.type == "table_open" or token.type == "fence":
            token.attrSet("tabindex", "0")
    html = markdown.renderer.render(tokens[3:], markdown.options, {})
    return Rendered(title, Markup(html), chapters)


def anchor(heading: str) -> str:
    """Return the anchor of a heading, as GitHub makes it."""
    return _NO_WORD.sub("", heading.strip().lower()).replace(" ", "-")


def _plain(inline: Token) -> str:
    return "".join(part.content for part in inline.children or ())


def _lead(inline: Token, folder: str, pages: Mapping[str, str]) -> None:
    """Let the links of a paragraph lead to pages of the site."""
    kept: list[Token] = []
    is_dropped = False
    for part in inline.children or ():
        if part.type == "link_open":
            address = _address(str(part.attrGet("href")), folder, pages)
            is_dropped = address is None
            if address is not None:
                part.attrSet("href", address)
        if not (is_dropped and part.type in ("link_open", "link_close")):
            kept.append(part)
    inline.children = kept


def _address(href: str, folder: str, pages: Mapping[str, str]) -> str | None:
    """Return the address that a link leads to on the site, None if nothing is there."""
    if ":" in href or href.startswith(("/", "#")):
        return href
    file, mark, within = href.partition("#")
    page = pages.get(posixpath.normpath(posixpath.join(folder, file)))
    return page and f"{page}{mark}{within}"
