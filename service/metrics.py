"""The metrics of the service for Prometheus: their one list, and a function for each event that is counted.

Nothing is counted before `begin`; afterwards a count takes a few microseconds. All processes of one machine with the
same port share a folder of small files, so that any of them can serve the sums of all (`service.metrics_port`). Labels
never identify anybody: no account, game, address or text is one.
"""

from __future__ import annotations

import fcntl
import os
import stat
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import structlog

from service.config import ConfigError, Settings

if TYPE_CHECKING:
    from prometheus_client import Counter, Histogram

NO_ROUTE = "none"
"""The label in place of a route for addresses that do not exist."""

_UNHEARD = "none"
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_REQUEST_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
_REPLAY_SECONDS = (0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05)
_LOCK = "lock"
_FOLDER_VARIABLE = "PROMETHEUS_MULTIPROC_DIR"


@dataclass(frozen=True, slots=True)
class _Counted:
    requests: Histogram
    replays: Histogram
    entries: Counter
    mails: Counter
    relays: Counter
    spectators: Counter
    mails_in: Counter
    bounces: Counter
    overloaded: Counter
    given_up: Counter
    database_errors: Counter
    repeated: Counter
    set_aside: Counter
    clock_steps: Counter
    reminders: Counter
    checkpoints: Counter


_log = structlog.get_logger(__name__)
_counted: _Counted | None = None
_lock: int | None = None


def begin(settings: Settings) -> None:
    """Start counting in this process and in those that it forks; do nothing if no port is set.

    Where the folder can't be made, such as on a full disk, nothing is counted, and the log says so.

    Raises:
        ConfigError: the folder for the counts belongs to somebody else.
    """
    global _counted, _lock
    if not settings.metrics_port or _counted is not None:
        return
    folder = folder_of(settings.metrics_port)
    try:
        _lock = _share(folder)
    except OSError as error:
        _log.warning("metrics are off: their folder can't be created", folder=str(folder), why=error.strerror)
        return
    os.environ[_FOLDER_VARIABLE] = str(folder)  # the library reads it when it is imported, below
    from service import metrics_files

    metrics_files.use()
    with suppress(OSError), metrics_files.alone_in(folder, seconds=0):
        metrics_files.put_together(folder)
    _counted = _make()


def folder_of(port: int) -> Path:
    """Return the folder that all processes with this port share; it does not survive a reboot."""
    return Path(tempfile.gettempdir()) / f"nova-luna-metrics-{os.geteuid()}-{port}"


def _share(folder: Path) -> int:
    """Create the folder and share its lock; empty it if nobody else holds the lock. Return the lock's descriptor."""
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & 0o077:
        raise ConfigError(
            f"NOVALUNA_METRICS_PORT needs the folder {folder}, which is not this account's alone. Remove it."
        )
    lock = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        pass
    else:
        for left in folder.iterdir():
            if left.name != _LOCK:
                left.unlink()
    fcntl.flock(lock, fcntl.LOCK_SH)
    return lock


def _make() -> _Counted:
    from prometheus_client import CollectorRegistry, Counter, Histogram

    registry = CollectorRegistry()  # its own registry: what is served is read from the folder
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
        relays=Counter(
            "novaluna_relay_mails",
            "Mails by the mail server that they were given to, if there are several, and whether it accepted them.",
            ("relay", "outcome"),
            registry=registry,
        ),
        spectators=Counter(
            "novaluna_spectator_reads",
            "Reads without an access token that replicas may answer, by who did: replica, or primary, if none was "
            "close enough behind, or the one asked failed or might not know it yet.",
            ("answered_by",),
            registry=registry,
        ),
        mails_in=Counter(
            "novaluna_mails_in",
            "Mails that were brought, by recipient, and what came of it: kept, again (as it was here before), put off "
            "for want of a database, not proven, looping, too large, to an address that there is not, or a connection "
            "too many.",
            ("outcome",),
            registry=registry,
        ),
        bounces=Counter(
            "novaluna_bounces",
            "Reports of deliveries that the worker read, and what came of each: of_nobody, as it came to no return "
            "path, unknown, noted, counted against the address, or stopped, as it was one too many.",
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
        repeated=Counter(
            "novaluna_transactions_repeated",
            "Transactions that were run again, because the database had broken them off for another one: deadlocks.",
            registry=registry,
        ),
        set_aside=Counter(
            "novaluna_set_aside",
            "Rows that a task which works through many could not work on, and left for later while it did the others.",
            ("task",),
            registry=registry,
        ),
        clock_steps=Counter(
            "novaluna_clock_steps", "Entries made because of time: steps of clocks, bots' moves.", registry=registry
        ),
        reminders=Counter("novaluna_reminders", "Mails queued to remind somebody of their time.", registry=registry),
        checkpoints=Counter(
            "novaluna_checkpoints",
            "Checkpoints by what became of them: signed, published, published_without_quorum, as too few witnesses "
            "cosigned in time, or refused, once a minute, as something has to be set right first.",
            ("outcome",),
            registry=registry,
        ),
    )
    counted.database_errors.labels(_UNHEARD)  # so that it is served before the first one
    counted.mails_in.labels("kept")
    counted.relays.labels(_UNHEARD, "failed")
    counted.spectators.labels("replica")
    counted.checkpoints.labels("refused")
    return counted


def is_on() -> bool:
    """Return whether this process counts."""
    return _counted is not None


def answered(method: str, route: str, status: int, seconds: float) -> None:
    """Count a request that was answered, and the seconds it took; `route` is the template of its path."""
    if _counted is not None:
        known = method if method in _METHODS else "other"
        _counted.requests.labels(known, route, str(status)).observe(seconds)


def replayed(seconds: float) -> None:
    """Count a replay of a game, and the seconds it took."""
    if _counted is not None:
        _counted.replays.observe(seconds)


def entry_added(count: int = 1) -> None:
    """Count entries that were added to a log."""
    if _counted is not None:
        _counted.entries.inc(count)


def mail(kind: str, outcome: str) -> None:
    """Count a try to send a mail; `kind` is the job's name, `outcome` is sent, retried, refused or dropped."""
    if _counted is not None:
        _counted.mails.labels(kind, outcome).inc()


def relay(name: str, outcome: str) -> None:
    """Count a mail that was given to one of several relays, host and port; `outcome` is accepted or failed."""
    if _counted is not None:
        _counted.relays.labels(name, outcome).inc()


def spectator_read(answered_by: str) -> None:
    """Count a read that replicas may answer; `answered_by` is replica or primary."""
    if _counted is not None:
        _counted.spectators.labels(answered_by).inc()


def mail_in(outcome: str) -> None:
    """Count a mail that arrived.

    Args:
        outcome: kept, again, put_off, not_proven, no_account, loops, too_large, unknown or busy.
    """
    if _counted is not None:
        _counted.mails_in.labels(outcome).inc()


def bounce(followed: str) -> None:
    """Count a delivery report that was read; `followed` is one of the outcomes in `service.commands.bounces`."""
    if _counted is not None:
        _counted.bounces.labels(followed).inc()


def overloaded(count: int) -> None:
    """Count requests that were refused because of overload."""
    if _counted is not None:
        _counted.overloaded.inc(count)


def connection_given_up() -> None:
    """Count a database connection that was closed because nothing arrived on it."""
    if _counted is not None:
        _counted.given_up.inc()


def set_aside(task: str) -> None:
    """Count a row that a task could not process; `task` is the task's name."""
    if _counted is not None:
        _counted.set_aside.labels(task).inc()


def database_error(sqlstate: str | None) -> None:
    """Count a request refused because of the database; `sqlstate` is None if the database did not respond at all."""
    if _counted is not None:
        _counted.database_errors.labels(sqlstate[:2] if sqlstate else _UNHEARD).inc()


def transaction_repeated() -> None:
    """Count a transaction that is run again after a deadlock."""
    if _counted is not None:
        _counted.repeated.inc()


def clock_steps(count: int) -> None:
    """Count entries that were written because of a clock."""
    if _counted is not None and count:
        _counted.clock_steps.inc(count)


def reminders(count: int) -> None:
    """Count queued mails that remind players of their time."""
    if _counted is not None and count:
        _counted.reminders.inc(count)


def checkpoint(outcome: str) -> None:
    """Count a step of a checkpoint: signed, published, published_without_quorum or refused."""
    if _counted is not None:
        _counted.checkpoints.labels(outcome).inc()
