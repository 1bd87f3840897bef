"""The pages of one application, for those who read them in a browser."""

from tests.support.pages_site import app, client, person, session, settings

__all__ = ["app", "client", "person", "session", "settings"]
