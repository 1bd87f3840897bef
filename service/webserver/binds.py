"""Check the addresses that gunicorn is to listen on, before it starts and fails by a wrong one."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence

from gunicorn.config import Config
from gunicorn.util import parse_address

from service.config import ConfigError
from service.hosts import check_host

_MOST = 65_535
_PORT = f"a number from 1 to {_MOST}"
_BIND = f"an address with a port from 0 to {_MOST}, such as 127.0.0.1:8000, or unix:/run/nova-luna.sock."


def check_binds(environ: Mapping[str, str], arguments: Sequence[str]) -> None:
    """Refuse a port or an address in the settings that gunicorn cannot listen on.

    Args:
        environ: the environment, of which gunicorn reads `PORT` and `GUNICORN_CMD_ARGS`.
        arguments: those of gunicorn's command line.

    Raises:
        ConfigError: one is wrong; the text names the variable or the option.
    """
    port = environ.get("PORT")
    if port is not None and not (port.isascii() and port.isdigit() and 1 <= int(port) <= _MOST):
        raise ConfigError(f"PORT is wrong: it must be {_PORT}.")
    sources = {"GUNICORN_CMD_ARGS": shlex.split(environ.get("GUNICORN_CMD_ARGS", "")), "--bind": arguments}
    for source, given in sources.items():
        for bind in _binds(given):
            if not _can_be(bind):
                raise ConfigError(f"{source} is wrong: what gunicorn is to bind must be {_BIND}")


def _binds(arguments: Sequence[str]) -> Iterator[str]:
    """Yield the addresses in arguments, which gunicorn's own parser finds."""
    found, _ = Config().parser().parse_known_args(list(arguments))
    for listed in found.bind or ():
        yield from (each.strip() for each in listed.split(","))


def _can_be(bind: str) -> bool:
    try:
        address = parse_address(bind)
        if isinstance(address, tuple):
            check_host(address[0])
            return bool(0 <= address[1] <= _MOST)
    except (RuntimeError, ValueError):
        return False
    return True
