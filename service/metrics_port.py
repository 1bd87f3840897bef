"""Serve the metrics and the state of the job queue in the Prometheus text format on a port of their own.

Every process that counts tries to open the port. One gets it and serves the sums of all processes that share its
folder; when it ends, another one takes over. The queue's state is read from the database at most every few seconds.
"""

from __future__ import annotations

import errno
import threading
import time
from collections.abc import Iterable
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import psycopg
import structlog

from service import metrics
from service.config import Settings
from service.store import due_games, mail_domains, queue, slots
from service.store.connecting import WEB, connect_args
from service.store.timeouts import connection_class

if TYPE_CHECKING:  # at run time, it must not be imported before `metrics.begin`
    from prometheus_client.metrics_core import Metric

AGAIN = 5.0
"""Seconds between two tries to open the port while another process has it."""

FRESH = 5.0
"""Seconds for which a state read from the database is served."""

_OURS = "novaluna_database_up"
"""A metric that the service always has."""

_ALONE_SECONDS = 2.0
_ANSWER_SECONDS = 10.0
_LONGEST = 10_000_000
_CONNECTIONS = connection_class(WEB)

_log = structlog.get_logger(__name__)


class _State(NamedTuple):
    """The state of the queue and of held mails, for how long the oldest work in a game is due, and the open streams."""

    queue: queue.QueueState
    mails: mail_domains.DomainState
    late: float
    streams: float


class ProcessCollector:
    """A Prometheus collector of the sums over all processes, those that have ended too."""

    def __init__(self, folder: Path) -> None:
        from prometheus_client.multiprocess import MultiProcessCollector

        self._folder = folder
        self._files = MultiProcessCollector(None, str(folder))  # type: ignore[no-untyped-call]
        self._lock = threading.Lock()

    def collect(self) -> Iterable[Metric]:
        """Return the metrics that the processes count; while they are read, no process puts files together."""
        from service import metrics_files

        with self._lock, metrics_files.alone_in(self._folder, _ALONE_SECONDS):
            metrics_files.put_together(self._folder)
            return list(self._files.collect())  # type: ignore[no-untyped-call]


class QueueCollector:
    """A Prometheus collector that reads from the database the state of the queue and of clocks, and the streams."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._lock = threading.Lock()
        self._asked = float("-inf")
        self._state: _State | None = None

    def collect(self) -> Iterable[Metric]:
        """Yield the gauges; if the database does not answer, only the one that says so."""
        with self._lock:
            if time.monotonic() >= self._asked + FRESH:
                self._state = self._ask()
                self._asked = time.monotonic()
            state = self._state
        yield _gauge(_OURS, "1 if the database answers, else 0.", float(state is not None))
        if state is not None:
            jobs = state.queue
            yield _gauge("novaluna_jobs_due", "Jobs that are due and wait for a worker.", jobs.due)
            yield _gauge("novaluna_jobs_running", "Jobs that workers have taken.", jobs.running)
            yield _gauge("novaluna_oldest_due_job_seconds", "For how long the oldest due job has been due.", jobs.age)
            yield _gauge("novaluna_mails_held", "Mails that wait until their domain may have more.", state.mails.held)
            yield _gauge("novaluna_mail_domains_paused", "Domains that get no mail for a while.", state.mails.paused)
            yield _gauge("novaluna_oldest_due_clock_seconds", "For how long something is due in a game.", state.late)
            yield _gauge("novaluna_open_streams", "Open streams and requests that wait for events.", state.streams)

    def _ask(self) -> _State | None:
        told = connect_args(self._settings, WEB, "novaluna metrics")
        try:
            with _CONNECTIONS.connect(self._settings.database_url, **told) as connection:
                late, streams = (connection.execute(asked).fetchone() for asked in (due_games.LATE, slots.COUNT))
                mails = mail_domains.state(connection)
                return _State(
                    queue.state(connection), mails, *(float(row[0]) if row else 0.0 for row in (late, streams))
                )
        except psycopg.Error as error:
            _log.warning("could not read the queue's metrics", exc_info=error)
            return None


def _gauge(name: str, text: str, value: float) -> Metric:
    from prometheus_client.metrics_core import GaugeMetricFamily

    gauge = GaugeMetricFamily(name, text)
    gauge.add_metric([], value)
    return gauge


def offer(settings: Settings) -> None:
    """Start a thread that serves the metrics, if this process counts; call it after any fork and `metrics.begin`."""
    if metrics.is_on():
        threading.Thread(target=_serve, args=(settings,), name="metrics", daemon=True).start()


def _serve(settings: Settings) -> None:
    from prometheus_client import CollectorRegistry, start_http_server

    registry = CollectorRegistry()
    registry.register(ProcessCollector(metrics.folder_of(settings.metrics_port)))
    registry.register(QueueCollector(settings))
    waits = False
    while True:
        try:
            _, thread = start_http_server(settings.metrics_port, settings.metrics_host, registry)
        except OSError as error:
            if not waits:
                _report(settings, error)
            waits = True
            time.sleep(AGAIN)
        else:
            thread.join()


def _report(settings: Settings, error: OSError) -> None:
    if error.errno != errno.EADDRINUSE:
        _log.error("no metrics", exc_info=error)
    elif _are_told(settings):
        _log.info("metrics are served by another process")
    else:
        _log.warning("no metrics: another program has their port", port=settings.metrics_port)


def _are_told(settings: Settings) -> bool:
    """Return whether the service's metrics are served at the port."""
    connection = HTTPConnection(settings.metrics_host, settings.metrics_port, timeout=_ANSWER_SECONDS)
    try:
        connection.request("GET", "/metrics")
        return _OURS.encode() in connection.getresponse().read(_LONGEST)
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()
