"""Render a kind of mail from its template folder: `templates/KIND/` has `subject.txt`, `body.txt` and `body.html`.

The template engine escapes HTML, whatever a name contains. Text templates are not HTML; what a person typed is put into
them as a single line (`service.language.sanitize`). Templates are translated, and times are in the reader's zone.
"""

from __future__ import annotations

import re
from collections.abc import Hashable
from datetime import datetime
from functools import cache, partial
from threading import Lock
from typing import Any

import css_inline
from cachetools import LRUCache
from jinja2 import ChoiceLoader, Environment, StrictUndefined, pass_context
from jinja2.runtime import Context, Macro
from markupsafe import Markup

from service.language import full_stops, words
from service.language.answer_line import answer_line
from service.language.languages import Language, Reader
from service.mail.message import Content
from service.mail.template_files import PackageTemplates
from service.reading.shown_words import SHOWN

_BLANK = re.compile(r"\n{3,}")
_NOT_INLINED = ' data-css-inline="ignore"'
_IN_CELL = re.compile(r", (?:(?<=\(\d, )|(?<=\(-\d, )|(?<=\(\d\d, )|(?<=\(-\d\d, ))(?=-?\d+\))")
_YEAR = re.compile(r" (?=20\d\d(?!\d))")
_DAY = re.compile(r"(?<!\d)\d{1,2}\.? (?:de )?[^\W\d]{3,12}(?: de)?\Z")
_LONGEST_DAY = 24
_ZONE = re.compile(r":(?<=\d\d:)(\d\d) (?=[A-Z])")
_LETTER = re.compile(r" \((?<=[A-Z] \()(?=-?\d+,)")

OF_MAILS = (PackageTemplates("service.mail"),)
"""The templates of mails."""

_PIECES = 4_000_000
"""The size of the cache for pieces of tables in a language, such as a tile with the goals that it has covered."""


def render(kind: str, reader: Reader, **facts: Any) -> Content:
    """Render one mail; a variable that a template uses but is not given is an error.

    Every kind may have the variables `unsubscribe`, a link, `picture` and `plots`, each a `Picture`, and `answerable`,
    whether an answer to it is received; if so, the mail begins with the line above which the answer is written.
    """
    templates = environment(OF_MAILS, reader.language)
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
    """Return the text with no-break spaces inside cells' coordinates, before their letters, and inside times.

    Every pattern begins with a character that is rare in HTML, which makes the search several times faster.
    """
    times = _ZONE.sub(":\\1\u00a0", _with_unbroken_dates(html.replace("GMT-", "GMT&#8209;")))
    return _IN_CELL.sub(",&nbsp;", _LETTER.sub("&nbsp;(", times))


def _with_unbroken_dates(html: str) -> str:
    """Return the text with no-break spaces inside dates such as `27 November 2026`, which are found by their years."""
    parts: list[str] = []
    done = 0
    for found in _YEAR.finditer(html):
        end = found.start()
        day = _DAY.search(html, max(done, end - _LONGEST_DAY), end)
        if day is not None:
            parts += html[done : day.start()], day[0].replace(" ", "\u00a0"), "\u00a0"
            done = end + 1
    return "".join((*parts, html[done:]))


def whole(reader: Reader, at: datetime) -> str:
    """Return a time in the reader's form, which can only break between date and time of day."""
    return reader.moment(at).replace(" ", "\u00a0").replace(",\u00a0", ", ")


@cache
def environment(templates: tuple[PackageTemplates, ...], language: Language) -> Environment:
    """Return the templates of some packages in a language; the first package that has a name wins.

    Only `.html` is escaped. Templates translate by `_()`, `ngettext()` and `{% trans %}`, with values as ``%(name)s``.
    """
    made = Environment(
        loader=ChoiceLoader(templates),
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
    made.globals["once"] = _Once()
    made.globals["uncopied"] = Markup(_NOT_INLINED if templates == OF_MAILS else "")
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


class _Once:
    """Call a macro of these templates once for the same arguments: most of a table's pieces are on it many times.

    The macro must depend on nothing but its arguments and the language. It may be used by several threads.
    """

    def __init__(self) -> None:
        self._called: LRUCache[Hashable, Markup] = LRUCache(_PIECES, getsizeof=len)
        self._lock = Lock()

    def __call__(self, macro: Macro, *arguments: Hashable) -> Markup:
        return self.by(arguments, macro, *arguments)

    def by(self, same: Hashable, macro: Macro, *arguments: object) -> Markup:
        """Call a macro, or return what it gave for `same`, from which its arguments must follow.

        It is for arguments that cannot be hashed, or are larger than what they follow from.
        """
        key = macro.name, same
        with self._lock:
            found = self._called.get(key)
        if found is None:
            found = Markup(macro(*arguments))
            if len(found) <= _PIECES:
                with self._lock:
                    self._called[key] = found
        return found


def _with_one_full_stop(made: Environment, language: Language) -> None:
    """Install translation functions whose sentences end with one period, even after a name that ends with one.

    Like those of Jinja's extension, they escape the values that they put into HTML.
    """

    @cache
    def unfilled(message: str, is_html: bool) -> str:
        text = language.catalog.gettext(message)
        return Markup(text) if is_html else text

    @pass_context
    def gettext(context: Context, message: str, **facts: Any) -> str:
        text = unfilled(message, context.eval_ctx.autoescape)
        return language.fitted(text, facts) % full_stops.without(text, facts)

    @pass_context
    def ngettext(context: Context, one: str, more: str, number: int, **facts: Any) -> str:
        text = language.catalog.ngettext(one, more, number)
        written = full_stops.without(text, {"num": number, **facts})
        return language.fitted(Markup(text) if context.eval_ctx.autoescape else text, facts) % written

    made.globals.update(_=gettext, gettext=gettext, ngettext=ngettext)


def _inlined(html: str) -> str:
    return _inliner().inline(html).replace(_NOT_INLINED, "")


@cache
def _inliner() -> css_inline.CSSInliner:
    """Return the inliner that copies the style sheet into elements for programs that drop it, except dark colors."""
    return css_inline.CSSInliner(keep_style_tags=True, keep_at_rules=True, load_remote_stylesheets=False)
