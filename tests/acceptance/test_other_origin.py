"""A client that is a page of another site plays over the API, in a real browser that keeps to the rules for it."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from playwright.sync_api import Page
from sqlalchemy.orm import Session

from tests.support import world
from tests.support.browser import chromium, needs_chromium
from tests.support.served import served
from tests.support.web import codes_for

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIEnvironment

pytestmark = needs_chromium

FETCH = """async ([address, method, headers, body]) => {
    const answer = await fetch(address, {method, headers, body: body && JSON.stringify(body), cache: "no-store"})
    const told = Object.fromEntries(answer.headers)
    const text = await answer.text()
    return {status: answer.status, headers: told, body: text && JSON.parse(text)}
}"""


def blank_page(environ: "WSGIEnvironment", start_response: "StartResponse") -> list[bytes]:
    start_response("200 OK", [("Content-Type", "text/html")])
    return [b"<!doctype html><title>A client</title>"]


@pytest.fixture
def page() -> Iterator[Page]:
    """Yield a page of another site than the service's."""
    with served(blank_page) as site, chromium() as browser:
        page = browser.new_page()
        page.goto(site)
        yield page


@pytest.mark.slow
def test_a_page_of_another_site_signs_in_and_plays(
    app: Flask, client: FlaskClient, session: Session, person: Callable[[str], str], page: Page
) -> None:
    email, ben = "another.origin@example.org", person("Ben")
    with served(app.wsgi_app) as service:

        def ask(method: str, path: str, body: Any = None, **headers: str) -> Any:
            told = {name.replace("_", "-"): value for name, value in headers.items()}
            if body is not None:
                told["Content-Type"] = "application/json"
            return page.evaluate(FETCH, [service + path, method, told, body])

        assert ask("POST", "/v1/sign-ins", {"email": email})["status"] == 202
        made = ask("POST", "/v1/tokens", {"email": email, "code": codes_for(app, email)[0], "name": "Cleo"})
        assert made["status"] == 201
        token = {"Authorization": f"Bearer {made['body']['token']}"}

        opened = ask("POST", "/v1/games", {"seats": 2}, **token, Idempotency_Key="one")
        assert opened["status"] == 201 and opened["headers"]["x-request-id"]
        path = opened["headers"]["location"]
        world.join(session, ben, path.rpartition("/")[2])
        session.commit()

        game = ask("GET", path, **token)
        assert (game["status"], game["body"]["status"]) == (200, "running")
        unchanged = ask("GET", path, **token, If_None_Match=game["headers"]["etag"])
        assert (unchanged["status"], unchanged["body"]) == (304, "")
        stale = ask("POST", path + "/moves", {"type": "refill"}, **token, If_Match='"0-0-00000000"')
        assert (stale["status"], stale["body"]["code"], stale["body"]["version"]) == (412, "stale_version", 0)

        wrong = ask("GET", path, Authorization="Bearer wrong")
        assert (wrong["status"], wrong["body"]["code"]) == (401, "token_invalid")
        assert ask("PUT", "/v1/nothing", {}, **token)["status"] == 404
        assert ask("HEAD", path, **token)["headers"]["etag"] == game["headers"]["etag"]
        assert page.evaluate(f"fetch('{service}/rules').then(() => 'read', () => 'kept')") == "kept"
