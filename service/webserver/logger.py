"""gunicorn's log lines, in the form of all others."""

import logging
from typing import Any

from gunicorn.glogging import Logger as GunicornLogger

from service import logs


class Logger(GunicornLogger):  # type: ignore[misc]  # the package has no types
    """Hands on what gunicorn says; there is no access log, as the application logs each request without its query."""

    def setup(self, cfg: Any) -> None:
        """Called by gunicorn when it starts and when it reads its configuration again."""
        self.cfg = cfg
        self.loglevel = self.LOG_LEVELS.get(cfg.loglevel.lower(), logging.WARNING)
        self.error_log.setLevel(self.loglevel)
        self.error_log.propagate = True
        logs.configure_process()

    def access(self, resp: Any, req: Any, environ: Any, request_time: Any) -> None:
        """Called by gunicorn after each request."""

    def reopen_files(self) -> None:
        """Called by gunicorn for SIGUSR1: there are none."""

    def close_on_exec(self) -> None:
        """Called by gunicorn: there is nothing to close."""
