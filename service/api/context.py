"""Find the context of a Flask application, and what is in it."""

from datetime import datetime

from flask import Flask, current_app, request

from service.access.limits import Limiter
from service.api.application_context import EXTENSION, Context
from service.commands.account_limits import AccountLimits
from service.commands.code_limits import CodeLimits
from service.config import Settings
from service.events.hub import Hub
from service.store.autocommit_pool import AutocommitPool


def context_of(app: Flask) -> Context:
    """Return the context of an application."""
    context: Context = app.extensions[EXTENSION]
    return context


def context() -> Context:
    """Return the context of this application."""
    return context_of(current_app)


def now() -> datetime:
    """Return the time, in UTC, by the application's clock."""
    return context().clock()


def settings() -> Settings:
    """Return the settings of this application."""
    return context().settings


def limiter() -> Limiter:
    """Return the rate limiter of this application."""
    return context().limiter


def pool() -> AutocommitPool:
    """Return the autocommit connection pool, for statements on the hot path."""
    return context().pool


def hub() -> Hub:
    """Return the hub that passes new events on in this process."""
    return context().hub


def client_ip() -> str:
    """Return the caller's IP address: the peer's, or the one forwarded by the proxies that the settings trust."""
    return request.remote_addr or ""


def code_limits() -> CodeLimits:
    """Return the limits on the codes that this caller may request and try."""
    limits = settings()
    per_ip, per_address = limits.limit_sign_ins_per_ip, limits.limit_sign_ins_per_address
    return CodeLimits(limiter(), client_ip(), per_ip, per_address, limits.limit_code_tries)


def bounds() -> AccountLimits:
    """Return the limits on the open tables, games and invitations of an account."""
    return AccountLimits(settings(), limiter())
