"""The fixtures of the web application, and of a database without it."""

from tests.support.app_fixtures import (
    app,
    client,
    clock,
    engine,
    limits,
    lines,
    make_app,
    offline,
    owner,
    session,
    sign_up,
)

__all__ = ["app", "client", "clock", "engine", "limits", "lines", "make_app", "offline", "owner", "session", "sign_up"]
