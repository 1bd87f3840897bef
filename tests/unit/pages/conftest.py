"""One application on one database for all tests of the pages, the people in them, and their browsers."""

from collections.abc import Callable

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy.orm import Session

from tests.support.browsers import signed_in
from tests.support.clock import NOW
from tests.support.pages_site import app, client, emptied, pages_database, person, session, settings

__all__ = ["app", "client", "emptied", "pages_database", "person", "session", "settings"]


@pytest.fixture
def enter(app: Flask, session: Session) -> Callable[[str], FlaskClient]:
    """Return a function that signs a browser in to an account."""
    return lambda account: signed_in(app, session, account, NOW)


@pytest.fixture
def ann(person: Callable[[str], str]) -> str:
    return person("Ann")


@pytest.fixture
def ben(person: Callable[[str], str]) -> str:
    return person("Ben")
