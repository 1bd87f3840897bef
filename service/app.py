"""Assemble the parts of the service into one Flask application; nothing else does."""

from collections.abc import Callable
from datetime import datetime
from functools import partial
from itertools import count
from typing import Any

import psycopg
from flask import Flask, request
from flask.typing import ResponseReturnValue
from werkzeug.middleware.proxy_fix import ProxyFix

from service.access.limits import Limiter
from service.api import (
    absences,
    boards,
    calendars,
    checkpoints,
    compression,
    deliveries,
    dispatch,
    documents,
    events,
    explorations,
    explored_moves,
    explored_views,
    exports,
    flask_adapter,
    game_clocks,
    game_proofs,
    games,
    health,
    imported_moves,
    imported_views,
    imports,
    invitation_links,
    invitations,
    joining,
    me,
    messages,
    methods,
    middleware,
    moves,
    notes,
    notifications,
    own_invitations,
    players,
    quiet_times,
    rematches,
    request_limits,
    rules,
    sign_ins,
    solo_sessions,
    spreadsheets,
    stories,
    tiles,
    tokens,
)
from service.api.application_context import Context
from service.api.converters import IdConverter, NumberConverter, WholeNumberConverter, id_schema, number_schema
from service.api.downloads import Downloads
from service.api.openapi import Api
from service.api.requests import READ_LIMIT
from service.commands import checkpoint_policy
from service.config import Settings
from service.events.hub import Hub
from service.pages import browser, error_pages, resources
from service.store import closed_connections, connecting, migrate, primary, timeouts
from service.store.autocommit_pool import AutocommitPool
from service.store.base import db, engine_url
from service.store.clock import by_statements
from service.store.rate_limits import RateLimitStorage
from service.store.replicas import Replica, Replicas
from service.store.slots import Slots
from service.store.unit import repeated

# In the order of openapi.yaml.
_RESOURCES = (
    sign_ins,
    tokens,
    me,
    quiet_times,
    absences,
    players,
    exports,
    notifications,
    calendars,
    deliveries,
    games,
    joining,
    invitations,
    invitation_links,
    own_invitations,
    rematches,
    moves,
    game_clocks,
    messages,
    notes,
    solo_sessions,
    events,
    boards,
    stories,
    spreadsheets,
    game_proofs,
    checkpoints,
    imports,
    imported_moves,
    imported_views,
    explorations,
    explored_moves,
    explored_views,
    tiles,
    rules,
    health,
)
# Seconds that a request waits for a connection of the pool, which has more than there are concurrent requests.
_POOL_SECONDS = 2


class _Application(Flask):
    """A Flask application that does not check at each request whether a view is a coroutine; none is."""

    def ensure_sync(self, func: Callable[..., Any]) -> Callable[..., Any]:
        return func

    def dispatch_request(self) -> ResponseReturnValue:
        """Run the view, and again if a deadlock broke its transaction, before there is any response."""
        tries = count()

        def view() -> ResponseReturnValue:
            if next(tries):
                browser.forget_read()
                for _, file in request.files.items(multi=True):  # the earlier try may have read them
                    file.seek(0)
            return super(_Application, self).dispatch_request()

        return repeated(view)


def create_app(
    settings: Settings,
    clock: Callable[[], datetime] | None = None,
    policy: connecting.TimeoutPolicy = connecting.WEB,
) -> Flask:
    """Create the application for these settings; it opens no connection before the first request.

    Args:
        settings: the settings of this process.
        clock: returns the time in UTC, which every request uses; None: the database's clock.
        policy: the time-outs for the database.
    """
    checkpoint_policy.check(settings)
    migrate.revisions()  # of this release, as another's files may be put in their place
    app = _Application("service", static_folder=None)
    app.config.update(
        MAX_CONTENT_LENGTH=READ_LIMIT,
        SQLALCHEMY_DATABASE_URI=engine_url(settings.database_url),
        SQLALCHEMY_ENGINE_OPTIONS=_engine_options(settings, policy),
    )
    app.json.sort_keys = False  # type: ignore[attr-defined]  # of Flask's default provider
    app.url_map.merge_slashes = False
    app.url_map.strict_slashes = True
    app.url_map.converters.update({"id": IdConverter, "int": WholeNumberConverter, "number": NumberConverter})
    flask_adapter.init_app(app)
    db.init_app(app)
    circuit = timeouts.Circuit()
    with app.app_context():
        timeouts.bind(db.engine, policy, circuit)
        closed_connections.watch(db.engine)
        primary.watch(db.engine, settings.database_url)
    pool = _autocommit_pool(settings, policy, circuit)
    clock = clock or by_statements(pool)
    storage = RateLimitStorage(lambda: db.engine, clock)
    limiter = Limiter(storage, settings.secret_keys[0], clock, storage.within)
    slots = Slots(pool, settings.secret_keys[0])
    replicas = _replicas(settings, policy) if settings.reads_urls else None
    context = Context(settings, clock, limiter, pool, Hub(settings, clock, slots), Downloads(slots), replicas)
    context.init_app(app.extensions)
    _register(app)
    dispatch.init_app(app, context)
    compression.init_app(app)
    request_limits.init_app(app, context)
    if settings.trusted_proxies:
        app.wsgi_app = ProxyFix(  # type: ignore[method-assign]  # as Flask's documentation has it
            app.wsgi_app, x_for=settings.trusted_proxies, x_proto=0, x_host=0
        )
    methods.init_app(app)
    middleware.init_app(app)
    return app


def _engine_options(settings: Settings, policy: connecting.TimeoutPolicy) -> dict[str, object]:
    """Return the SQLAlchemy engine's options: a connection per concurrent request, and as many for the rate limits."""
    return {
        "pool_size": settings.web_threads,
        "max_overflow": settings.web_threads,
        "pool_timeout": _POOL_SECONDS,
        "hide_parameters": True,  # error texts are logged, and parameters are addresses and names
        "connect_args": connecting.connect_args(settings, policy, "novaluna web"),
    }


def _autocommit_pool(settings: Settings, policy: connecting.TimeoutPolicy, circuit: timeouts.Circuit) -> AutocommitPool:
    """Return the autocommit connections of the hot path; a request never holds one of each kind at a time."""
    told = connecting.connect_args(settings, policy, "novaluna web")
    connect = partial(timeouts.maker(policy, circuit), settings.database_url, autocommit=True, **told)
    return AutocommitPool(connect, settings.web_threads, confirms=primary.is_asked_for(settings.database_url))


def _replicas(settings: Settings, policy: connecting.TimeoutPolicy) -> Replicas:
    """Return the replicas for requests without a token, which wait less long for one than for the primary."""

    def connect_to(url: str, policy: connecting.TimeoutPolicy) -> Callable[[], psycopg.Connection[Any]]:
        told = connecting.connect_args(settings, policy, "novaluna reads")
        return partial(timeouts.maker(policy, timeouts.Circuit()), url, autocommit=True, **told)

    replicas = [
        Replica(str(number), connect_to(url, connecting.READS), settings.web_threads)
        for number, url in enumerate(settings.reads_urls, 1)
    ]
    confirms = primary.is_asked_for(settings.database_url)
    return Replicas(replicas, connect_to(settings.database_url, policy), confirms=confirms)


def _register(app: Flask) -> None:
    api = Api(app)
    api.register_converter(IdConverter, id_schema)
    api.register_converter(NumberConverter, number_schema)
    for resource in _RESOURCES:
        api.register_blueprint(resource.blp)
    for blueprint in (documents.blp, *resources.BLUEPRINTS):
        app.register_blueprint(blueprint)
    error_pages.init_app(app)
    documents.init_app(app, api.described)


def openapi_yaml() -> str:
    """Return the text of openapi.yaml, which is the same for all settings and needs no database."""
    app = create_app(Settings(database_url="postgresql:///", secret_keys=("unused",)))
    return documents.of(app).yaml
