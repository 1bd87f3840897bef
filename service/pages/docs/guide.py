"""``/docs/guide``, ``/docs/errors`` and ``/docs/changelog``: what a developer reads beside the API reference.

The guide is ``docs/guide/*.md``, the changelog ``CHANGELOG.md``, and the errors are the table of
`service.api.problem_codes`.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

from flask import Blueprint, Response, abort
from markdown_it import MarkdownIt
from markupsafe import Markup

from service.api.context import settings
from service.api.problem_codes import CODES
from service.pages.docs.layout import page, rendered
from service.pages.docs.markdown import Rendered, anchor, render

blp = Blueprint("docs_guide", __name__)

_SHIPPED = Path(__file__).with_name("texts")
_IN_SOURCES = Path(__file__).resolve().parents[3]

EXAMPLE_ADDRESS = "http://127.0.0.1:8080"
"""The address of the service in the guide's files; a page shows the address of the service that it is on."""


class Chapter(NamedTuple):
    """A page of the guide: its name in addresses, and its name in the list of pages."""

    name: str
    title: str


CHAPTERS = (
    Chapter("first-game", "Your first game"),
    Chapter("signing-in", "Signing in"),
    Chapter("moving", "Moves, versions and retries"),
    Chapter("waiting", "Waiting for your turn"),
    Chapter("replaying", "Replaying a game"),
    Chapter("people", "People"),
    Chapter("errors", "Errors"),
    Chapter("limits", "Limits"),
    Chapter("browsers", "Clients in a browser"),
    Chapter("versions", "Versions and deprecation"),
)
"""The pages of the guide in the order in which they are read; the first one is the guide's address."""

_CHANGELOG = "CHANGELOG.md"
_ADDRESSES = {
    **{f"docs/guide/{each.name}.md": f"/docs/guide/{each.name}" for each in CHAPTERS},
    _CHANGELOG: "/docs/changelog",
}


@blp.get("/docs/guide")
def show_guide() -> Response:
    """Show the first page of the guide."""
    return page(_chapter(CHAPTERS[0].name, settings().base_url))


@blp.get("/docs/guide/<string:name>")
def show_chapter(name: str) -> Response:
    """Show a page of the guide."""
    if all(name != each.name for each in CHAPTERS):
        abort(404)
    return page(_chapter(name, settings().base_url))


@blp.get("/docs/errors")
def show_errors() -> Response:
    """Show every code of a problem with its explanation."""
    return page(_errors())


@blp.get("/docs/changelog")
def show_changelog() -> Response:
    """Show the changelog."""
    return page(_changelog())


@cache
def _chapter(name: str, base_url: str) -> str:
    file = f"docs/guide/{name}.md"
    found = render(_read(file).replace(EXAMPLE_ADDRESS, base_url), file, _ADDRESSES)
    place = [each.name for each in CHAPTERS].index(name)
    return _written(
        found,
        here="guide",
        chapter=name,
        before=CHAPTERS[place - 1] if place else None,
        after=CHAPTERS[place + 1] if place + 1 < len(CHAPTERS) else None,
    )


@cache
def _changelog() -> str:
    return _written(render(_read(_CHANGELOG), _CHANGELOG, _ADDRESSES), here="changelog")


@cache
def _errors() -> str:
    markdown = MarkdownIt("commonmark", {"html": False})
    subjects = [
        (
            anchor(subject),
            subject,
            [(code, statuses, Markup(markdown.renderInline(why))) for code, (statuses, why) in codes.items()],
        )
        for subject, codes in CODES.items()
    ]
    return rendered("errors.html", here="errors", subjects=subjects)


def _written(found: Rendered, **facts: object) -> str:
    usual = {"chapter": None, "before": None, "after": None}
    return rendered("guide.html", **(usual | facts), text=found, chapters_of_guide=CHAPTERS)


def _read(file: str) -> str:
    shipped = _SHIPPED / Path(file).name
    return (shipped if _SHIPPED.is_dir() else _IN_SOURCES / file).read_text(encoding="utf-8")
