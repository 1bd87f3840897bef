"""Log lines: one JSON object each on standard output, without secrets and without personal data.

An exception is logged as the types of its chain, their messages, and where they were raised. The text of a database
error is left out where it can quote a row. This module is loaded before gevent patches the standard library in the web
server's worker (`service.webserver.worker`), so it recognizes database errors by their package's name, without
importing it.
"""

import json
import logging
import re
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from typing import Any, TextIO

import structlog
from structlog.typing import EventDict, WrappedLogger

_FRAMES = 12

_OF_THE_MACHINE = ("08", "25", "53", "55", "57", "58")
"""The classes of SQLSTATEs that concern connections, resources and the server itself."""

# What the text of an error could quote: an email address, a mailed code, a token or a link's signature.
_PRIVATE = re.compile(
    r"(?<![^\s<>\"'(),;:])[^\s<>\"'(),;:]+@[^\s<>\"'(),;:]+"
    r"|\b[0-9A-Z]{5}-[0-9A-Z]{5}\b"
    r"|(?<![\w=-])(?=[\w=-]*[A-Z])(?=[\w=-]*[a-z])[\w=-]{25,}"
)
"""Each alternative matches only at the start of a word; otherwise every position of a long word would be tried."""

encode = json.JSONEncoder(default=repr).encode  # one encoder for all lines: creating it takes longer than using it


class _Lines(structlog.WriteLogger):
    """A logger that writes its lines directly; ``logging`` itself would take longer than some requests."""

    def __init__(self, stream: TextIO, name: str = "") -> None:
        super().__init__(stream)
        self.name = name


def _as_json(logger: WrappedLogger, method: str, event: EventDict) -> str:
    return encode(event)


def _silent(line: str) -> None:
    """Discard a line, as no stream was configured."""


_write: Callable[[str], object] = _silent


def write(line: str) -> None:
    """Write a line that is already formatted; structlog's processing would take longer than a short request."""
    _write(line)


def configure(stream: TextIO = sys.stdout, level: int = logging.INFO) -> None:
    """Set up logging for this process, for structlog's own lines and for those of libraries."""
    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_logger_name,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        describe_error,
    ]
    structlog.configure(
        processors=[*shared, _as_json],
        logger_factory=lambda *names: _Lines(stream, *names),
        wrapper_class=structlog.make_filtering_bound_logger(level),
        cache_logger_on_first_use=True,
    )
    global _write
    _write = _Lines(stream).msg if level <= logging.INFO else _silent
    handler = logging.StreamHandler(stream)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[*shared, _redact],
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, _as_json],
        )
    )
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(level)
    logging.getLogger("alembic").setLevel(logging.WARNING)  # it logs each component that it loads


def configure_process(stream: TextIO = sys.stdout) -> None:
    """Set up logging for this process, and log uncaught exceptions of all threads, and warnings, in the same way."""
    configure(stream)
    logging.captureWarnings(True)
    sys.excepthook = lambda kind, error, trace: _uncaught(error)
    threading.excepthook = lambda told: _uncaught(told.exc_value)
    sys.unraisablehook = lambda told: _uncaught(told.exc_value)


def _uncaught(error: BaseException | None) -> None:
    if not isinstance(error, KeyboardInterrupt):
        structlog.get_logger(__name__).critical("uncaught", exc_info=error)


def _redact(logger: WrappedLogger, method: str, event: EventDict) -> EventDict:
    """Redact the message of a library, which can quote any input."""
    event["event"] = redacted(str(event["event"]))
    return event


def redacted(text: str) -> str:
    """Return the text without anything that could be an address, a code, a token or a signature."""
    return _PRIVATE.sub("…", text)


def describe_error(logger: WrappedLogger, method: str, event: EventDict) -> EventDict:
    """Put an exception into the event as ``error``: its chain of types, messages and frames, the innermost last."""
    given = event.pop("exc_info", None)
    if given is True:
        given = sys.exc_info()
    error = given[1] if isinstance(given, tuple) else given
    if isinstance(error, BaseException):
        event["error"] = [_described(link) for link in _chain(error)]
    return event


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)


def _described(error: BaseException) -> dict[str, Any]:
    frames = traceback.extract_tb(error.__traceback__)[-_FRAMES:]
    described: dict[str, Any] = {
        "kind": f"{type(error).__module__}.{type(error).__qualname__}",
        "where": [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames],
    }
    packages = _packages(error)
    if "psycopg" in packages:
        described["sqlstate"] = getattr(error, "sqlstate", None)
        text = _of_database(error)
    else:
        text = None if "sqlalchemy" in packages else str(error)
    if text is not None:
        described["text"] = redacted(text)
    return described


def _packages(error: BaseException) -> set[str]:
    return {kind.__module__.partition(".")[0] for kind in type(error).__mro__}


def _of_database(error: Any) -> str | None:
    """Return the driver's words about a connection, or the server's about its machine; they quote no row."""
    if error.sqlstate is None:
        return str(error) if "OperationalError" in {kind.__name__ for kind in type(error).__mro__} else None
    return error.diag.message_primary if error.sqlstate[:2] in _OF_THE_MACHINE else None


def reason(error: BaseException) -> str:
    """Return the type of an error, with the message of the system or the database if that quotes no data."""
    kind, cause = type(error).__name__, getattr(error, "orig", None) or error
    why = cause.strerror if isinstance(cause, OSError) else None
    if "psycopg" in _packages(cause):
        why = _of_database(cause)
    return f"{kind}: {redacted(why.strip())}" if why else kind
