"""What the service counts of itself, for Prometheus: the one list of it, and a function for each place that counts.

Nothing is counted before `begin`, and then it costs some microseconds a count. All processes of one machine that are
told the same port share a folder of small files, so that any of them can tell the sums of all (`service.metrics_port`).
Labels name kinds and never whom or what: no account, game, address or text of somebody is one.
"""

from __future__ import annotations

import fcntl
import os
import stat
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from service.config import ConfigError, Settings

if TYPE_CHECKING:
    from prometheus_client import Counter, Histogram

NO_ROUTE = "none"
"""In place of a route, for addresses that there are not."""

_UNHEARD = "none"
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_REQUEST_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
_REPLAY_SECONDS = (0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05)
_FOLDER_VARIABLE = "PROMETHEUS_MULTIPROC_DIR"


@dataclass(frozen=True, slots=True)
class _Counted:
    requests: Histogram
    replays: Histogram
    entries: Counter
    mails: Counter
    mails_in: Counter
    bounces: Counter
    overloaded: Counter
    given_up: Counter
    database_errors: Counter
    set_aside: Counter


_counted: _Counted | None = None
_lock: int | None = None


def begin(settings: Settings) -> None:
    """From now on this process, and those that it forks, count; if there is no port to tell it on, nothing happens.

    Raises:
        ConfigError: the folder for it is somebody else's.
    """
    global _counted, _lock
    if not settings.metrics_port or _counted is not None:
        return
    folder = folder_of(settings.metrics_port)
    _lock = _share(folder)
    os.environ[_FOLDER_VARIABLE] = str(folder)  # it is read when the library is imported, which is below
    _counted = _make()


def folder_of(port: int) -> Path:
    """The folder of the processes that are told this port. It lies where nothing outlives the machine's start."""
    return Path(tempfile.gettempdir()) / f"nova-luna-metrics-{os.geteuid()}-{port}"


def _share(folder: Path) -> int:
    """Makes the folder, empties it if no process counts in it any more, and holds it; gives the lock's descriptor."""
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & 0o077:
        raise ConfigError(
            f"NOVALUNA_METRICS_PORT needs the folder {folder}, which is not this account's alone. Remove it."
        )
    lock = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        pass
    else:
        for left in folder.glob("*.db"):
            left.unlink()
    fcntl.flock(lock, fcntl.LOCK_SH)
    return lock


def _make() -> _Counted:
    from prometheus_client import CollectorRegistry, Counter, Histogram

    registry = CollectorRegistry()  # of its own: what is told comes from the folder
    counted = _Counted(
        requests=Histogram(
            "novaluna_request_seconds",
            "Requests by the template of their address, and the time that each took.",
            ("method", "route", "status"),
            buckets=_REQUEST_SECONDS,
            registry=registry,
        ),
        replays=Histogram(
            "novaluna_replay_seconds",
            "Replays of a game's log, and the time that each took.",
            buckets=_REPLAY_SECONDS,
            registry=registry,
        ),
        entries=Counter("novaluna_log_entries", "Entries added to the logs of games.", registry=registry),
        mails=Counter(
            "novaluna_mails",
            "Mails by the kind of job, and what came of the try: sent, retried, refused for good, or dropped unsent.",
            ("kind", "outcome"),
            registry=registry,
        ),
        mails_in=Counter(
            "novaluna_mails_in",
            "Mails that were brought, by recipient, and what came of it: kept, again (as it was here before), put off for "
            "want of a database, not proven, looping, too large, to an address that there is not, or a connection too many.",
            ("outcome",),
            registry=registry,
        ),
        bounces=Counter(
            "novaluna_bounces",
            "Reports of deliveries that the worker read, and what came of each: of_nobody, as it came to no return path, "
            "unknown, noted, counted against the address, or stopped, as it was one too many.",
            ("followed",),
            registry=registry,
        ),
        overloaded=Counter(
            "novaluna_overloaded", "Requests refused because there was too much to do.", registry=registry
        ),
        given_up=Counter(
            "novaluna_database_connections_given_up",
            "Connections that were closed because the database did not answer in time.",
            registry=registry,
        ),
        database_errors=Counter(
            "novaluna_database_errors",
            "Requests refused because the database was away, busy, slow or full, by the class of its SQLSTATE.",
            ("sqlstate_class",),
            registry=registry,
        ),
        set_aside=Counter(
            "novaluna_set_aside",
            "Rows that a task which works through many could not work on, and left for later while it did the others.",
            ("task",),
            registry=registry,
        ),
    )
    counted.database_errors.labels(_UNHEARD)  # so that it is told before there was one
    counted.mails_in.labels("kept")
    return counted


def is_on() -> bool:
    """Whether this process counts."""
    return _counted is not None


def answered(method: str, route: str, status: int, seconds: float) -> None:
    """A request was answered; `route` is the template of its address."""
    if _counted is not None:
        known = method if method in _METHODS else "other"
        _counted.requests.labels(known, route, str(status)).observe(seconds)


def replayed(seconds: float) -> None:
    """A game was replayed."""
    if _counted is not None:
        _counted.replays.observe(seconds)


def entry_added() -> None:
    """An entry was added to a log."""
    if _counted is not None:
        _counted.entries.inc()


def mail(kind: str, outcome: str) -> None:
    """A mail job of this name was tried; `outcome` is sent, retried, refused or dropped."""
    if _counted is not None:
        _counted.mails.labels(kind, outcome).inc()


def mail_in(outcome: str) -> None:
    """A mail was brought; `outcome` is kept, again, put_off, not_proven, loops, too_large, unknown or busy."""
    if _counted is not None:
        _counted.mails_in.labels(outcome).inc()


def bounce(followed: str) -> None:
    """A report of a delivery was read; `followed` is one of what `service.commands.bounces` names."""
    if _counted is not None:
        _counted.bounces.labels(followed).inc()


def overloaded(count: int) -> None:
    """So many requests were refused because there was too much to do."""
    if _counted is not None:
        _counted.overloaded.inc(count)


def connection_given_up() -> None:
    """A connection to the database was closed because nothing came."""
    if _counted is not None:
        _counted.given_up.inc()


def set_aside(task: str) -> None:
    """A task of this name could not work on one of its rows."""
    if _counted is not None:
        _counted.set_aside.labels(task).inc()


def database_error(sqlstate: str | None) -> None:
    """A request was refused because of the database; without a SQLSTATE nothing was heard of it at all."""
    if _counted is not None:
        _counted.database_errors.labels(sqlstate[:2] if sqlstate else _UNHEARD).inc()
