"""Settings of the web server: ``gunicorn -c python:service.gunicorn_conf service.wsgi:app``."""

import os
import signal
import sys
from typing import Protocol

from service import metrics_port
from service.config import ConfigError, Settings
from service.local.child import die_with_parent

try:
    _settings = Settings.from_environ(os.environ)
except ConfigError as error:
    sys.exit(f"novaluna: {error}")

worker_class = "service.web_worker.Worker"
workers = _settings.web_processes
threads = _settings.web_threads
# Loaded once and forked: a process that died is replaced at once. The application opens no connection before a request.
preload_app = True
graceful_timeout = 5
# Clients at once of each process, waiting ones mostly; below the number of files that a process may have open.
worker_connections = 800
# Of those that no process has taken yet; all are taken at once, to be worked on or refused.
backlog = 512
# The most that it can be told to read: what is wrong with a long query is better said by the application.
limit_request_line = 8190
limit_request_fields = 64
# Its default path is one for all instances of a user, which then take it from each other.
control_socket_disable = True

# There is no access log: the application logs each request itself, without the query, which holds secrets of links.
loglevel = "warning"


class _Arbiter(Protocol):
    pid: int


def post_fork(server: _Arbiter, worker: object) -> None:
    """A worker whose arbiter is killed ends at once, and doesn't take requests beside those of the next one."""
    die_with_parent(signal.SIGKILL)
    if os.getppid() != server.pid:
        os._exit(1)
    metrics_port.offer(_settings)
