"""A server that takes one call and talks as it is told, for what no real mail server can be brought to do."""

import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Thread

PATIENCE = 60.0
"""Seconds that either side may take."""

Talk = Callable[[socket.socket], None]


@contextmanager
def serving(talk: Talk) -> Iterator[int]:
    """A server that talks so to who calls it first; its port."""

    def serve() -> None:
        connection, _ = listener.accept()
        with connection, suppress(ConnectionResetError):
            talk(connection)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = Thread(target=serve, daemon=True)
        server.start()
        yield listener.getsockname()[1]
        server.join(PATIENCE)
        assert not server.is_alive()
