"""Run the receiver's process: listen, receive mail, and stop on request without losing what was begun."""

from __future__ import annotations

import asyncio
import signal
import socket
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

import structlog

from service import logs, metrics, metrics_port
from service.config import ConfigError, Settings
from service.local.liveness import LivenessReporter
from service.receiver.ingest import sessions
from service.receiver.receiver import Receiver
from service.receiver.session import LmtpConnection, SmtpConnection
from service.store import signs, waking
from service.store.sign_of_life_thread import SignsOfLife

_log = structlog.get_logger(__name__)


def run(settings: Settings, descriptor: int | None = None) -> None:
    """Receive mail until TERM or INT. Sets up this process's logging.

    Args:
        settings: the settings of the service.
        descriptor: a listening socket to use in place of the address in the settings.

    Raises:
        ConfigError: the settings do not say where to listen.
        OSError: listening there is not possible.
    """
    if settings.mail_in is None:
        raise ConfigError(
            "NOVALUNA_MAILIN is not set. Say where mail is to be taken in, such as lmtp://127.0.0.1:8024."
        )
    logs.configure_process()
    metrics.begin(settings)
    metrics_port.offer(settings)
    waker = waking.Waker(settings)
    waking.use(waker)
    alive = SignsOfLife(settings, signs.MAILIN)
    alive.start()
    try:
        asyncio.run(_serve(settings, urlsplit(settings.mail_in), descriptor))
    finally:
        alive.stop()
        waker.close()


async def _serve(settings: Settings, place: SplitResult, descriptor: int | None) -> None:
    receiver = Receiver(settings, sessions(settings))
    loop = receiver.loop
    loop.set_exception_handler(_report)
    LivenessReporter().report_from(loop)
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    kind = SmtpConnection if place.scheme == "smtp" else LmtpConnection
    server = await listen(receiver, kind, place, descriptor)
    async with server:
        name = "" if place.scheme == "lmtp+unix" else server.sockets[0].getsockname()
        _log.info(
            "mail is taken in", by=place.scheme, host=name[0] if name else place.path, port=name[1] if name else None
        )
        await stop.wait()
        _log.info("mail is no longer taken in")
        server.close()
        await receiver.stop()


async def listen(
    receiver: Receiver, kind: type[SmtpConnection], place: SplitResult, descriptor: int | None = None
) -> asyncio.Server:
    """Listen at a place as `Settings.mail_in` names it, or on the socket with this descriptor.

    A Unix socket may be used by everybody; the folder that it lies in decides who can reach it.
    """

    def connection() -> SmtpConnection:
        return kind(receiver)

    if descriptor is not None:
        return await receiver.loop.create_server(connection, sock=socket.socket(fileno=descriptor))
    if place.scheme == "lmtp+unix":
        server = await receiver.loop.create_unix_server(connection, place.path)
        Path(place.path).chmod(0o666)
        return server
    assert place.port is not None, "the settings have checked it"
    return await receiver.loop.create_server(connection, place.hostname, place.port)


def _report(loop: asyncio.AbstractEventLoop, context: dict[str, object]) -> None:
    """Log an error that nobody awaited, without repeating what it was about."""
    _log.error("a connection failed", exc_info=context.get("exception"))
