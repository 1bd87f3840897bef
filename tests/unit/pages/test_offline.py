"""The pages as an app: the manifest and its icons, the service worker, and what pages allow for them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from importlib.resources import files
from io import BytesIO

import pytest
from flask import Flask
from flask.testing import FlaskClient
from PIL import Image, ImageChops
from sqlalchemy.orm import Session

from service.language.languages import CODES
from service.pictures import raster
from service.pictures.icon import icon
from tests.support import world
from tests.support.browsers import browser_of, signed_in
from tests.support.clock import NOW
from tests.support.mail.html_reader import heard

_SMALL = 4_500
"""The most bytes that the worker and its registration may have together."""


@pytest.mark.parametrize("code", CODES)
def test_the_manifest_names_a_start_and_icons_that_are_there(client: FlaskClient, code: str) -> None:
    answer = client.get("/manifest.webmanifest", headers={"Accept-Language": code})
    manifest = json.loads(answer.data)
    assert answer.mimetype == "application/manifest+json" and manifest["lang"] == code
    assert manifest["display"] == "standalone" and manifest["name"] and manifest["short_name"] == "Nova Luna"
    assert client.get(manifest["start_url"]).status_code == 303  # to the sign-in
    assert {each["sizes"] for each in manifest["icons"]} == {"192x192", "512x512"}
    for each in manifest["icons"]:
        found = client.get(each["src"])
        size = Image.open(BytesIO(found.data)).size
        assert found.mimetype == each["type"] and "{}x{}".format(*size) == each["sizes"]
        assert "maskable" in each["purpose"]


def test_the_icons_are_made_from_the_drawing(client: FlaskClient) -> None:
    assert client.get("/icon-64.png").status_code == 404
    for width in (192, 512):
        shipped = Image.open(BytesIO(client.get(f"/icon-{width}.png").data)).convert("RGB")
        drawn = Image.open(BytesIO(raster.png(icon(), width))).convert("RGB")
        assert ImageChops.difference(shipped, drawn).getbbox() is None


def test_each_page_can_be_installed_and_has_an_icon(app: Flask, session: Session, person: Callable[[str], str]) -> None:
    for browser in (browser_of(app), signed_in(app, session, person("Ann"), NOW)):
        page = browser.get("/")
        assert '<link rel="manifest" href="/manifest.webmanifest"' in page.text
        assert re.search('<link rel="icon" href="data:image/svg[+]xml,%3Csvg [^"]{200,700}">', page.text)
        policy = page.headers["Content-Security-Policy"]
        assert "manifest-src 'self'; img-src data:;" in policy


def test_the_worker_is_small_and_may_ask_this_site_alone(client: FlaskClient) -> None:
    worker, registration = client.get("/service-worker.js"), client.get("/scripts/offline.mjs")
    assert worker.mimetype == registration.mimetype == "text/javascript"
    assert worker.headers["Content-Security-Policy"] == "default-src 'none'; connect-src 'self'"
    assert worker.headers["Cache-Control"] == "no-cache"
    again = client.get("/service-worker.js", headers={"If-None-Match": worker.headers["ETag"]})
    assert again.status_code == 304
    assert len(worker.data) + len(registration.data) < _SMALL


def test_only_pages_that_register_the_worker_run_a_script(
    app: Flask, session: Session, person: Callable[[str], str]
) -> None:
    browser = signed_in(app, session, person("Ann"), NOW)
    page = browser.get("/tables")
    assert 'src="/scripts/offline.mjs"' in page.text and "no-store" in page.headers["Cache-Control"]
    assert "script-src 'self'" in page.headers["Content-Security-Policy"]
    assert "script-src" not in browser.get("/settings").headers["Content-Security-Policy"]


@pytest.mark.parametrize("code", CODES)
def test_the_page_for_lack_of_network_has_a_place_for_tables(client: FlaskClient, code: str) -> None:
    page = client.get("/offline", headers={"Accept-Language": code})
    assert page.status_code == 200 and page.headers["Content-Language"] == code
    worker = (files("service.pages") / "static/service-worker.js").read_text()
    for written in ('<ul class="tables"></ul>',):
        assert written in page.text and written in worker
    if code == "en":
        assert "The tables that you saw last" in heard(page.text)


def test_the_page_for_lack_of_network_names_no_reader(
    app: Flask, session: Session, person: Callable[[str], str]
) -> None:
    """It is kept in the browser after the sign-out, too."""
    page = signed_in(app, session, person("Ann"), NOW).get("/offline").text
    assert "Ann" not in page and "data-reader" not in page


def test_each_page_says_to_scripts_whose_it_is(app: Flask, session: Session, person: Callable[[str], str]) -> None:
    ann, ben = (signed_in(app, session, person(name), NOW) for name in ("Ann", "Ben"))
    table = world.match(session, person("Cleo"), person("Dora"))
    session.commit()
    for path in ("/", "/tables/open", f"/games/{table}", "/games/abcdefghijkL"):
        marks = [
            re.findall(r'<body[^>]* data-reader="([^"]*)"', each.get(path).text) for each in (ann, ben, browser_of(app))
        ]
        assert all(len(each) == 1 for each in marks) and len({each[0] for each in marks}) == 3
        assert marks[2] == [""] and marks[0][0]
