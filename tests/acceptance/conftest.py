"""Fixtures for tests that read the pages of one application in a browser."""

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
