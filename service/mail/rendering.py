"""Renders a kind of mail from its template folder: `templates/KIND/` has `subject.txt`, `body.txt` and `body.html`.

HTML is escaped by the template engine, whatever a name holds. Text templates are not HTML; what a person typed comes
into them as a single line (`service.language.safe`).
"""

from __future__ import annotations

from datetime import datetime
from functools import cache
from typing import Any

import css_inline
from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

from service.language import words
from service.mail.message import Content


def render(kind: str, **facts: Any) -> Content:
    """The content of one mail. A fact that a template asks for and doesn't get is an error, not an empty place."""
    templates = _templates()
    return Content(
        subject=templates.get_template(f"{kind}/subject.txt").render(facts).strip(),
        text=templates.get_template(f"{kind}/body.txt").render(facts).strip() + "\n",
        html=_inliner().inline(templates.get_template(f"{kind}/body.html").render(facts)),
    )


def environment(*packages: str) -> Environment:
    """The templates of these packages, the first that has one of a name; only `.html` is escaped."""
    made = Environment(
        loader=ChoiceLoader([PackageLoader(package) for package in packages]),
        autoescape=lambda name: name is not None and name.endswith(".html"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {"counted": words.counted, "number": words.number, "capital": words.capital, "moment": moment}
    return made


def moment(at: datetime) -> str:
    """A time in words: `27 November 2026, 20:56 UTC`. `at` is UTC."""
    return f"{at.day} {at:%B %Y, %H:%M} UTC"


@cache
def _templates() -> Environment:
    return environment("service.mail")


@cache
def _inliner() -> css_inline.CSSInliner:
    """Copies the style sheet into the elements, for programs that drop it; the dark colours stay in it."""
    return css_inline.CSSInliner(keep_style_tags=True, keep_at_rules=True, load_remote_stylesheets=False)
