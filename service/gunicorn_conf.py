"""The settings of gunicorn: ``gunicorn -c python:service.gunicorn_conf service.wsgi:app``.

gevent patches the standard library before the settings are checked, as psycopg, which checks them, decides when it is
imported how to wait. Nothing that is imported at the top may import psycopg, hold a lock or open anything.
"""

import os
import resource
import sys

from service.config import ConfigError, Settings
from service.console import say
from service.exit_codes import BAD_USAGE
from service.webserver import hooks
from service.webserver.binds import check_binds
from service.webserver.worker import Worker

Worker.setup()
try:
    _settings = Settings.from_environ(os.environ)
    check_binds(os.environ, sys.argv[1:])
except ConfigError as error:
    say(str(error))
    sys.exit(BAD_USAGE)

worker_class = "service.webserver.worker.Worker"
logger_class = "service.webserver.logger.Logger"
workers = _settings.web_processes
threads = _settings.web_threads
# Loaded once and then forked, so a process that died is replaced at once. No connection is opened before a request.
preload_app = True
graceful_timeout = 3
# Seconds after which a process whose loop has stopped turning is replaced.
timeout = 10
# Concurrent clients of each process, mostly idle ones.
worker_connections = 10_000
# Connections that no process has accepted yet. All are accepted at once, to be answered or refused.
backlog = 512
# The longest request line that gunicorn can be set to read: the application gives a better error for a long query.
limit_request_line = 8190
limit_request_fields = 64
# gunicorn trusts no forwarding header: ProxyFix reads those of trusted proxies (NOVALUNA_TRUSTED_PROXIES).
forwarded_allow_ips = ""
forwarder_headers = ""
secure_scheme_headers: dict[str, str] = {}
# The default path is shared by all instances of a user, which would take it from each other.
control_socket_disable = True

# No access log: the application logs each request itself, without the query, which holds the secrets of links.
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
    """Start the threads of a new worker process: the metrics port, the note of the schema and the signs of life."""
    from service import metrics_port  # these need modules that are loaded by now
    from service.queries import readiness
    from service.store import sign_of_life_thread, signs

    metrics_port.offer(_settings)
    readiness.note_schema(_settings)
    sign_of_life_thread.SignsOfLife(_settings, signs.WEB).start()
