"""gunicorn's log lines in the format of all others."""

import logging
from typing import Any

from gunicorn.glogging import Logger as GunicornLogger

from service import logs


class Logger(GunicornLogger):  # type: ignore[misc]  # the package has no types
    """A logger that forwards gunicorn's messages, and keeps no access log: the application logs requests itself."""

    def setup(self, cfg: Any) -> None:
        """Set up gunicorn's own loggers; gunicorn calls it at the start and when it reloads its configuration."""
        self.cfg = cfg
        self.loglevel = self.LOG_LEVELS.get(cfg.loglevel.lower(), logging.WARNING)
        self.error_log.setLevel(self.loglevel)
        self.error_log.propagate = True
        logs.configure_process()

    def access(self, resp: Any, req: Any, environ: Any, request_time: Any) -> None:
        """Log nothing; gunicorn calls it after each request."""

    def reopen_files(self) -> None:
        """Reopen nothing; gunicorn calls it for SIGUSR1, but there are no files."""

    def close_on_exec(self) -> None:
        """Do nothing; gunicorn calls it, but there is nothing to close."""
