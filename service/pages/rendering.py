"""Render pages with strict headers: no scripts unless a page needs its own, and the style sheet allowed by its hash."""

from __future__ import annotations

from functools import cache, partial
from typing import Any

from flask import Response

from engine.phrases import Phrase
from service.api.flask_adapter import asked_language
from service.api.headers import NOTHING, OF_PAGES
from service.language.languages import ENGLISH, Reader, language
from service.mail.rendering import OF_MAILS, environment, unbroken, whole
from service.mail.template_files import PackageTemplates
from service.pages import browser, kept_language
from service.pages.done import marked
from service.pictures.icon import favicon
from service.pictures.style_sheet import digest, style_sheet

_HEADERS = {
    **OF_PAGES,
    "Cache-Control": "private, no-store",
    "X-Robots-Tag": "noindex, nofollow",
}

_TEMPLATES = (PackageTemplates("service.pages"), *OF_MAILS)


def visitor() -> Reader:
    """Return the reader of a browser that is signed in, or else one with the language of the address or the browser."""
    session, code = browser.signed_in(), kept_language.kept()
    if session is not None:
        return session.reader
    return Reader(asked_language() if code is None else language(code))


def page(template: str, reader: Reader, status: int = 200, *, policy: str = "", **facts: Any) -> Response:
    """Render a page for a reader and return the response.

    The page's address may contain a secret, so it is not sent to other sites, cached, or indexed by search engines.
    `policy` allows what this page needs beyond what every page may do.
    """
    me, form = browser.signed_in(), browser.form_token()
    written = rendered(
        template,
        reader,
        style=style(),
        icon=icon(),
        me=me,
        reader_id=browser.reader_id(),
        form=form,
        done=marked(reader),
        status=status,
        with_language=kept_language.with_language,
        **facts,
    )
    return page_response(written, reader, status, policy=policy)


def rendered(template: str, reader: Reader, **facts: Any) -> str:
    """Render a template for a reader."""
    found = environment(_TEMPLATES, reader.language).get_template(template)
    return unbroken(found.render(moment=partial(whole, reader), **facts))


def page_response(written: str | bytes, reader: Reader, status: int = 200, *, policy: str = "") -> Response:
    """Return the response with a page for a reader, as `page` describes it."""
    response = Response(written, status, mimetype="text/html")
    response.headers["Content-Language"] = reader.language.code
    response.headers["Vary"] = "Accept-Language, Cookie"
    return headed(response, _policy(policy))


def see_other(address: str) -> Response:
    """Return a redirect to a page of this site after a POST."""
    return headed(Response(status=303, headers={"Location": address}))


def headed(response: Response, policy: str = NOTHING) -> Response:
    """Add the headers that every response here has and return it; `policy` is its Content-Security-Policy."""
    for name, value in {"Content-Security-Policy": policy, **_HEADERS}.items():
        response.headers[name] = value
    return response


def not_found(what: Phrase, reader: Reader, onward: str | None = None, onward_name: Phrase | None = None) -> Response:
    """Return the 404 page.

    Args:
        what: names what is missing or hidden.
        reader: the reader.
        onward: the address to go on to; None: the front page, or the tables of a browser that is signed in.
        onward_name: the text of the link to `onward`; None: to the table.
    """
    say = reader.language.say
    named = {} if onward_name is None else {"onward_name": say(onward_name)}
    return page("missing.html", reader, 404, what=say(what), onward=onward, **named)


@cache
def _policy(more: str) -> str:
    return (
        f"default-src 'none'; style-src {digest(style())}; manifest-src 'self'; img-src data:; form-action 'self'; "
        f"base-uri 'none'; frame-ancestors 'none'{more and '; '}{more}"
    )


@cache
def icon() -> str:
    """Return the address of the icon of all pages, which has the icon in it."""
    return favicon()


@cache
def style() -> str:
    """Return the style sheet of all pages."""
    sheets = environment(_TEMPLATES, ENGLISH)
    return style_sheet() + "".join(sheets.get_template(name).render() for name in ("night.css", "page.css"))
