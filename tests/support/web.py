"""The web application in tests: its usual settings, people with accounts, and the codes that were mailed."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from datetime import datetime

from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import text

from service.access import secrets, tokens
from service.api import boards, context
from service.app import create_app
from service.config import Settings
from service.ids import new_id
from service.pictures.renderers import Renderers
from service.store.base import db
from service.store.connecting import TimeoutPolicy
from tests.support import kept_connections
from tests.support.clock import Clock
from tests.support.shared_routes import SharedMap

RENDERERS = Renderers(1, 8, 120.0, niceness=0)
"""Shared by all applications of these tests, with their niceness, since they would leave it little time otherwise."""

KEYS = ("a secret key for the tests, no less than 32 characters",)

PATIENT = TimeoutPolicy(statement=60, lock=60, idle=60)
"""Time-outs at the database: a lock or a statement that waits on a busy machine must not fail a test."""

THREADS = 24
"""More than any test needs at the same time, so that no request waits for a connection."""


Flask.url_map_class = SharedMap


@dataclass(frozen=True)
class Person:
    """A person with an account, and the headers of their requests."""

    account: str
    email: str
    token: str

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}


def make(clock: Callable[[], datetime], **changes: object) -> Flask:
    """Return an application with these settings and, of the others, those usual in tests, which include no limits."""
    unlimited = dict.fromkeys((each.name for each in fields(Settings) if each.name.startswith("limit_")), 0)
    usual = {"secret_keys": KEYS, "web_threads": THREADS, **unlimited}
    app = create_app(Settings(**usual | changes), clock, PATIENT)  # type: ignore[arg-type]
    boards.Pictures(RENDERERS, room=9).init_app(app)
    if kept := kept_connections.OF.get(context.context_of(app).settings.database_url):
        with app.app_context():
            kept.lend(_of_connections(app), db.engine, context.pool())
    return app


def close(app: Flask) -> None:
    """End an application's streams, and close its connections to the database, or keep them for the next one."""
    with app.app_context():
        db.session.remove()
        context.hub().close()
        if kept := kept_connections.OF.get(context.context_of(app).settings.database_url):
            kept.give_back(_of_connections(app), db.engine, context.pool())
        else:
            db.engine.dispose()
            context.pool().close()


def _of_connections(app: Flask) -> tuple[object, ...]:
    """Return the settings that connections depend on."""
    settings = context.context_of(app).settings
    return settings.web_threads, settings.database_pooler, settings.reads_urls


@contextmanager
def opened(settings: Settings, clock: Callable[[], datetime], policy: TimeoutPolicy = PATIENT) -> Iterator[Flask]:
    """Yield an application with exactly these settings, and close it."""
    app = create_app(settings, clock, policy)
    try:
        yield app
    finally:
        close(app)


def without_database() -> FlaskClient:
    """Return a client of an application without a database."""
    nowhere = Settings(database_url="postgresql:///none?host=/nonexistent", secret_keys=KEYS)
    return create_app(nowhere, Clock()).test_client()


_SIGN_UP = """
WITH signed_up AS (
    INSERT INTO accounts (id, email, name, created_at)
    VALUES (%(account)s, %(email)s, %(name)s::text, %(now)s::timestamptz)
    ON CONFLICT (email) DO UPDATE SET email = excluded.email RETURNING id
)
INSERT INTO tokens (id, account, hash, created_at)
SELECT %(token)s, id, %(hash)s, %(now)s::timestamptz FROM signed_up RETURNING account
"""


def sign_up(app: Flask, address: str, name: str | None = None) -> Person:
    """Sign a person up, with what the exchange of a mailed code leaves in the database, but in a tenth of the time."""
    known, token = context.context_of(app), tokens.new_token()
    arguments: dict[str, object] = {"account": new_id(), "email": address, "name": name, "now": known.clock()}
    (account,) = known.pool.write(_SIGN_UP, arguments | {"token": new_id(), "hash": tokens.hash_of(token)}, wakes=False)
    return Person(account, address, token)


def sign_up_by_code(app: Flask, address: str, name: str | None = None) -> Person:
    """Sign a person up with a mailed code, as a client does."""
    client = app.test_client()
    assert client.post("/v1/sign-ins", json={"email": address}).status_code == 202
    given = {"email": address, "code": codes_for(app, address)[0]} | ({"name": name} if name else {})
    made = client.post("/v1/tokens", json=given)
    assert made.status_code == 201, made.text
    return Person(made.get_json()["account"]["id"], address, made.get_json()["token"])


def codes_for(app: Flask, email: str, purpose: str = "sign-in") -> list[str]:
    """Return the codes mailed to an address, newest first, as the mails show them."""
    query = "SELECT codes.id FROM codes JOIN procrastinate_jobs ON args->>'code' = codes.id"
    query += (
        " WHERE email = :email AND purpose = :purpose AND task_name = 'mail_code' ORDER BY procrastinate_jobs.id DESC"
    )
    with app.app_context():
        ids = db.session.scalars(text(query), {"email": email, "purpose": purpose}).all()
    keys = context.context_of(app).settings.secret_keys
    return [secrets.code(keys, purpose, id) for id in ids]
