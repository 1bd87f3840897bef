"""Settings of the web server: ``gunicorn -c python:service.gunicorn_conf service.wsgi:app``.

It is read before the worker makes the standard library gevent's (`service.webserver.worker`), so what it imports must
hold no lock and open nothing.
"""

import os
import resource
import sys

from service.config import ConfigError, Settings
from service.webserver import hooks

try:
    _settings = Settings.from_environ(os.environ)
except ConfigError as error:
    sys.exit(f"novaluna: {error}")

worker_class = "service.webserver.worker.Worker"
logger_class = "service.webserver.logger.Logger"
workers = _settings.web_processes
threads = _settings.web_threads
# Loaded once and forked: a process that died is replaced at once. The application opens no connection before a request.
preload_app = True
graceful_timeout = 3
# A process whose loop stands still for so long is replaced.
timeout = 10
# Clients at once of each process, waiting ones mostly.
worker_connections = 10_000
# Of those that no process has taken yet; all are taken at once, to be worked on or refused.
backlog = 512
# The most that it can be told to read: what is wrong with a long query is better said by the application.
limit_request_line = 8190
limit_request_fields = 64
# No header is believed for who sends it: what a proxy says of its clients, ProxyFix reads (NOVALUNA_TRUSTED_PROXIES).
forwarded_allow_ips = ""
forwarder_headers = ""
secure_scheme_headers: dict[str, str] = {}
# Its default path is one for all instances of a user, which then take it from each other.
control_socket_disable = True

# There is no access log: the application logs each request itself, without the query, which holds secrets of links.
loglevel = "warning"

_OTHER_FILES = 200
_soft, _hard = resource.getrlimit(resource.RLIMIT_NOFILE)
_most = worker_connections + _OTHER_FILES
if _soft != resource.RLIM_INFINITY and _soft < _most:
    _soft = _most if _hard == resource.RLIM_INFINITY else min(_most, _hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (_soft, _hard))
    worker_connections = max(_OTHER_FILES, _soft - _OTHER_FILES)

on_starting = hooks.on_starting
post_fork = hooks.post_fork


def post_worker_init(worker: object) -> None:
    """The worker is about to serve, and may have threads of its own."""
    from service import metrics_port  # which needs what was loaded by now

    metrics_port.offer(_settings)
