"""Settings of the web server: ``gunicorn -c python:service.gunicorn_conf service.wsgi:app``."""

import os
import signal
import sys
from typing import Protocol

from service.config import ConfigError, Settings
from service.local.child import die_with_parent

try:
    _settings = Settings.from_environ(os.environ)
except ConfigError as error:
    sys.exit(f"novaluna: {error}")

worker_class = "gthread"
workers = _settings.web_processes
threads = _settings.web_threads
graceful_timeout = 5
# Its default path is one for all instances of a user, which then take it from each other.
control_socket_disable = True

loglevel = "warning"
accesslog = "-"
# Without the query, which holds the secrets of links, and without addresses of people.
access_log_format = "%(t)s %(m)s %(U)s %(s)s %(B)s bytes %(M)s ms"


class _Arbiter(Protocol):
    pid: int


def post_fork(server: _Arbiter, worker: object) -> None:
    """A worker whose arbiter is killed ends at once, and doesn't take requests beside those of the next one."""
    die_with_parent(signal.SIGKILL)
    if os.getppid() != server.pid:
        os._exit(1)
