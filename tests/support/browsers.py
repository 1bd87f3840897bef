"""Browsers that are signed in to the pages, as tests use them."""

from __future__ import annotations

import re
from datetime import datetime
from html import unescape
from itertools import count

from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy.orm import Session
from werkzeug.test import TestResponse

from service.access import tokens
from service.ids import new_id
from service.store.accounts import SESSION, Token

COOKIE = "__Host-novaluna-session"

_networks = count(1)


def browser_of(app: Flask) -> FlaskClient:
    """Return a browser without cookies: a client on the site's own origin by https, in a network of its own."""
    client, number = app.test_client(), next(_networks)
    client.environ_base["wsgi.url_scheme"] = "https"
    client.environ_base["REMOTE_ADDR"] = f"10.0.{number // 256}.{number % 256}"
    return client


def session_secret(session: Session, account: str, now: datetime) -> str:
    """Begin a session of an account, as a sign-in does, and return the secret in its cookie."""
    secret = tokens.new_token()
    hashed = tokens.session_hash_of(secret)
    session.add(Token(id=new_id(), account=account, hash=hashed, label="Firefox", created_at=now, kind=SESSION))
    session.commit()
    return secret


def signed_in(app: Flask, session: Session, account: str, now: datetime) -> FlaskClient:
    """Return a browser with a session of an account, as a sign-in leaves it."""
    client = browser_of(app)
    client.set_cookie(COOKIE, session_secret(session, account, now), secure=True)
    return client


def hidden(page: str, name: str) -> str:
    """Return the value of a page's first hidden field with this name."""
    found = re.search(rf'name="{name}" value="([^"]*)"', page)
    assert found, f"there is no field {name}"
    return unescape(found[1])


def without_nonces(page: str) -> str:
    """Return a page without the token of its forms, which is new each time."""
    return re.sub(r'name="form" value="[^"]*"', "", page)


def send(browser: FlaskClient, page: str, path: str, **fields: str) -> TestResponse:
    """Send a form of a page, with the token that its page gave it."""
    return browser.post(path, data={"form": hidden(browser.get(page).text, "form"), **fields})
