"""Keep how this process logs while a test runs what sets up the logging of a process of its own."""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import structlog

from service import logs


@contextmanager
def kept() -> Iterator[None]:
    """Put back, at the end of the block, all that `service.logs.configure_process` sets."""
    root, before, write = logging.getLogger(), structlog.get_config(), logs._write
    handlers, level = root.handlers[:], root.level
    hooks = sys.excepthook, threading.excepthook, sys.unraisablehook
    try:
        yield
    finally:
        root.handlers, root.level = handlers, level
        sys.excepthook, threading.excepthook, sys.unraisablehook = hooks
        logging.captureWarnings(False)
        logs._write = write
        structlog.configure(**before)
