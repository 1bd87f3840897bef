"""The fixtures of the web application, for the tests of the contract."""

from tests.web import app, client, clock, make_app, offline, sign_up

__all__ = ["app", "client", "clock", "make_app", "offline", "sign_up"]
