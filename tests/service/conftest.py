"""The fixtures of the web application, for all tests of the service."""

from tests.web import app, client, clock, make_app, offline, sign_up

__all__ = ["app", "client", "clock", "make_app", "offline", "sign_up"]
