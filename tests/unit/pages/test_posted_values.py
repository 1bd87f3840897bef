"""Whatever a field of a form holds, the answer is a page that says so, or leads on."""

from __future__ import annotations

from collections.abc import Callable
from html.parser import HTMLParser
from urllib.parse import urldefrag

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy.orm import Session

from service.config import Settings
from tests.support import every_page
from tests.support.browsers import hidden, signed_in
from tests.support.clock import NOW

NUL = "a\0b"

_NOT_CHANGED = ("form", "own")
"""The fields that say which page a form is from, without which nothing else is read."""


class _Forms(HTMLParser):
    """Collects the forms of a page that are sent by POST: where each leads, and the first value of its fields."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str]]] = []
        self._fields: dict[str, str] | None = None
        self._select: str | None = None
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "form":
            self._fields = {} if given.get("method") == "post" else None
            if self._fields is not None:
                self.found.append((urldefrag(given.get("action") or "").url, self._fields))
        elif self._fields is not None and tag in ("input", "button", "textarea", "select"):
            self._select = given.get("name") if tag == "select" else None
            if name := given.get("name"):
                self._fields.setdefault(name, given.get("value") or "")
        elif self._fields is not None and tag == "option" and self._select and not self._fields[self._select]:
            self._fields[self._select] = given.get("value") or ""

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._fields = None


def _sent(browser: FlaskClient, pages: list[str]) -> dict[tuple[str, str], tuple[str, dict[str, str]]]:
    """Return the forms of these pages, one for each field: where it is sent, and the fields with NUL in that one."""
    found: dict[tuple[str, str], tuple[str, dict[str, str]]] = {}
    for page in pages:
        for action, fields in _Forms(browser.get(page).text).found:
            for name in fields:
                if name not in _NOT_CHANGED:
                    found.setdefault((action.partition("?")[0], name), (action, {**fields, name: NUL}))
    return found


@pytest.mark.slow
def test_nul_in_any_field_of_any_form_is_no_error_of_the_server(
    app: Flask, session: Session, settings: Settings, person: Callable[[str], str]
) -> None:
    pages = every_page.build(session, settings, person, ("Ann", "Ben", "Cleo"))
    browser = signed_in(app, session, pages.player, NOW)
    sent = _sent(browser, list({**pages.own, **pages.mailed, **pages.public}.values()))
    assert {("/account/tokens", "token"), ("/settings/times/quiet", "zone")} <= set(sent)
    assert {path.rpartition("/")[2] for path, name in sent if name in ("delete", "revoke")} >= {
        "notes",
        "invitation-links",
    }
    form = hidden(browser.get("/settings").text, "form")
    failed = []
    for (path, name), (action, fields) in sorted(sent.items(), key=lambda each: "deletion" in each[0][0]):
        fields |= {"form": form} if "form" in fields else {}
        if browser.post(action, data=fields).status_code >= 500:
            failed.append((path, name))
    assert not failed
