"""The fixtures of the web application, and of databases without it."""

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
from tests.support.databases import make_database, make_module_database

__all__ = [
    "app",
    "client",
    "clock",
    "engine",
    "limits",
    "lines",
    "make_app",
    "make_database",
    "make_module_database",
    "offline",
    "owner",
    "session",
    "sign_up",
]
