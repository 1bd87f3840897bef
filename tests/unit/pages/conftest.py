"""One application on one database for all tests of the pages."""

from tests.support.pages_site import app, client, person, session, settings

__all__ = ["app", "client", "person", "session", "settings"]
