"""A server that accepts one connection and follows a script, for what no real mail server can be made to do."""

import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Thread

PATIENCE = 60.0
"""Seconds that either side may take."""

Talk = Callable[[socket.socket], None]


@contextmanager
def serving(talk: Talk) -> Iterator[int]:
    """Run a server that talks to its first client in this way, and yield its port."""

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
