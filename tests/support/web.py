"""Fixtures around the web application: an app on a fresh database, a clock that stands still, people who sign up."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from itertools import count

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import text

from service.access import secrets
from service.api import boards, context
from service.app import create_app
from service.config import Settings
from service.pictures.renderers import Renderers
from service.store.base import db
from service.store.connecting import TimeoutPolicy
from tests.support.clock import Clock

#: Shared by all applications of these tests, and with their niceness, since they would leave it little time otherwise.
RENDERERS = Renderers(1, 8, 120.0, niceness=0)

KEYS = ("a secret key for the tests, no less than 32 characters",)

#: Time-outs at the database: a lock or a statement that waits on a busy machine must not fail a test.
PATIENT = TimeoutPolicy(statement=60, lock=60, idle=60)

#: More than any test needs at the same time, so that no request waits for a connection.
THREADS = 24


@dataclass(frozen=True)
class Person:
    """A person with an account, and the headers of their requests."""

    account: str
    email: str
    token: str

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def make_app(database_url: str, clock: Clock) -> Iterator[Callable[..., Flask]]:
    """Yield a function that creates applications on this test's database, without limits unless settings give them."""
    made: list[Flask] = []

    def make(**changes: object) -> Flask:
        unlimited = dict.fromkeys((each.name for each in fields(Settings) if each.name.startswith("limit_")), 0)
        usual = {"database_url": database_url, "secret_keys": KEYS, "web_threads": THREADS, **unlimited}
        app = create_app(Settings(**usual | changes), clock, PATIENT)  # type: ignore[arg-type]
        boards.Pictures(RENDERERS, room=9).init_app(app)
        made.append(app)
        return app

    yield make
    for app in made:
        with app.app_context():
            db.session.remove()
            db.engine.dispose()
            context.pool().close()


@pytest.fixture(scope="session")
def offline() -> FlaskClient:
    """Return a client of an application without a database, for requests that are refused before any look-up."""
    nowhere = Settings(database_url="postgresql:///none?host=/nonexistent", secret_keys=KEYS)
    return create_app(nowhere, Clock()).test_client()


@pytest.fixture
def app(make_app: Callable[..., Flask]) -> Flask:
    return make_app()


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    return app.test_client()


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


@pytest.fixture
def sign_up(app: Flask) -> Callable[..., Person]:
    """Return a function that signs a person up with a mailed code, as a client does."""
    numbers = count(1)

    def sign(name: str | None = None, email: str | None = None) -> Person:
        client = app.test_client()
        address = email or f"player{next(numbers)}@example.org"
        assert client.post("/v1/sign-ins", json={"email": address}).status_code == 202
        given = {"email": address, "code": codes_for(app, address)[0]} | ({"name": name} if name else {})
        made = client.post("/v1/tokens", json=given)
        assert made.status_code == 201, made.text
        return Person(made.get_json()["account"]["id"], address, made.get_json()["token"])

    return sign
