"""Fixtures for tests that read the pages of one application in a browser."""

from tests.support.pages_site import app, client, person, session, settings

__all__ = ["app", "client", "person", "session", "settings"]
