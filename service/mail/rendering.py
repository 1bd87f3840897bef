"""Render a kind of mail from its template folder: `templates/KIND/` has `subject.txt`, `body.txt` and `body.html`.

The template engine escapes HTML, whatever a name contains. Text templates are not HTML; what a person typed is put into
them as a single line (`service.language.sanitize`). Templates are translated, and times are in the reader's zone.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from functools import cache, partial
from typing import Any

import css_inline
from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined, pass_context
from jinja2.runtime import Context

from service.language import full_stops, words
from service.language.answer_line import answer_line
from service.language.languages import Language, Reader
from service.mail.message import Content
from service.reading.command_words import SHOWN

_BLANK = re.compile(r"\n{3,}")
_NOT_INLINED = ' data-css-inline="ignore"'
_CELL = re.compile(r"\((-?\d+), (-?\d+)\)")
_DATE = re.compile(r"(?<!\d)\d{1,2}\.? (?:de )?[^\W\d]{3,12} (?:de )?20\d\d(?!\d)")
_ZONE = re.compile(r"(?<=\d\d:\d\d) (?=[A-Z])")
_LETTER = re.compile(r" \((?<=[A-Z] \()(?=-?\d+,)")


def render(kind: str, reader: Reader, **facts: Any) -> Content:
    """Render one mail; a variable that a template uses but is not given is an error.

    Every kind may have the variables `unsubscribe`, a link, `picture` and `plots`, each a `Picture`, and `answerable`,
    whether an answer to it is received; if so, the mail begins with the line above which the answer is written.
    """
    templates = environment(("service.mail",), reader.language)
    facts["answer_line"] = answer_line(reader.language)
    plain, marked = facts | {"moment": reader.moment}, facts | {"moment": partial(whole, reader)}
    return Content(
        subject=templates.get_template(f"{kind}/subject.txt").render(plain).strip(),
        text=_BLANK.sub("\n\n", templates.get_template(f"{kind}/body.txt").render(plain).strip()) + "\n",
        html=unbroken(_inlined(templates.get_template(f"{kind}/body.html").render(marked))),
        picture=facts.get("picture"),
        plots=facts.get("plots"),
    )


def unbroken(html: str) -> str:
    """Return the text with no-break spaces inside cells' coordinates, before their letters, and inside times."""
    times = _DATE.sub(lambda found: found[0].replace(" ", "\u00a0"), html.replace("GMT-", "GMT&#8209;"))
    return _CELL.sub(r"(\1,&nbsp;\2)", _LETTER.sub("&nbsp;(", _ZONE.sub("\u00a0", times)))


def whole(reader: Reader, at: datetime) -> str:
    """Return a time in the reader's form, which can only break between date and time of day."""
    return reader.moment(at).replace(" ", "\u00a0").replace(",\u00a0", ", ")


@cache
def environment(packages: tuple[str, ...], language: Language) -> Environment:
    """Return the templates of these packages in a language; the first package that has a name wins.

    Only `.html` is escaped. Templates translate by `_()`, `ngettext()` and `{% trans %}`, with values as ``%(name)s``.
    """
    made = Environment(
        loader=ChoiceLoader([PackageLoader(package) for package in packages]),
        autoescape=lambda name: name is not None and name.endswith(".html"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,  # they come with the release
        extensions=["jinja2.ext.i18n"],
    )
    made.install_gettext_callables(  # type: ignore[attr-defined]  # the extension's
        language.catalog.gettext, language.catalog.ngettext, newstyle=True
    )
    _with_one_full_stop(made, language)
    made.globals["language"] = language
    made.globals["word"] = SHOWN[language.code]  # the commands of answers
    made.filters |= {
        "capital": words.capital,
        "number": language.number,
        "joined": language.joined,
        "listed": language.listed,
        "quoted": language.quoted,
        "tiles": partial(words.tiles, language=language),
        "goal_discs": partial(words.goal_discs, language=language),
    }
    return made


def _with_one_full_stop(made: Environment, language: Language) -> None:
    """Install translation functions whose sentences end with one period, even after a name that ends with one."""
    one_form: Callable[..., Any] = made.globals["gettext"]  # type: ignore[assignment]  # a global can be anything
    of_number: Callable[..., Any] = made.globals["ngettext"]  # type: ignore[assignment]

    @pass_context
    def gettext(context: Context, message: str, **facts: Any) -> Any:
        return one_form(context, message, **full_stops.without(language.catalog.gettext(message), facts))

    @pass_context
    def ngettext(context: Context, one: str, more: str, number: int, **facts: Any) -> Any:
        text = language.catalog.ngettext(one, more, number)
        return of_number(context, one, more, number, **full_stops.without(text, facts))

    made.globals.update(gettext=gettext, ngettext=ngettext)


def _inlined(html: str) -> str:
    return _inliner().inline(html).replace(_NOT_INLINED, "")


@cache
def _inliner() -> css_inline.CSSInliner:
    """Return the inliner that copies the style sheet into elements for programs that drop it, except dark colors."""
    return css_inline.CSSInliner(keep_style_tags=True, keep_at_rules=True, load_remote_stylesheets=False)
