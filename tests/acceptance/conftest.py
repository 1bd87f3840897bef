"""Fixtures for tests that read the pages of one application in a browser."""

from collections.abc import Callable

import pytest
from sqlalchemy.orm import Session

from tests.support import world
from tests.support.pages_site import app, client, emptied, pages_database, person, session, settings
from tests.support.windows import browser, enter, own_app, site

__all__ = [
    "app",
    "browser",
    "client",
    "emptied",
    "enter",
    "own_app",
    "pages_database",
    "person",
    "session",
    "settings",
    "site",
]


@pytest.fixture
def ann(person: Callable[[str], str]) -> str:
    return person("Ann")


@pytest.fixture
def ben(person: Callable[[str], str]) -> str:
    return person("Ben")


@pytest.fixture
def game(session: Session, ann: str, ben: str) -> str:
    """Return the id of a match of Ann and Ben with twelve moves."""
    table = world.match(session, ann, ben)
    for _ in range(12):
        world.move(session, table)
    session.commit()
    return table
