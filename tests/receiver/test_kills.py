"""kill -9 of the receiver anywhere between a mail's first byte and its acknowledgement: the relay brings it again, and it
is stored, and given to a worker, exactly once."""

import os
import random
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import psycopg
import pytest

from service.access.reply_addresses import ToTable, reply_address
from service.config import Settings
from tests.receiver.mails import mail
from tests.receiver.relay import Gone, Relay

ENVIRON = {
    "NOVALUNA_SECRET_KEY": "a-key-of-the-tests-that-is-long-enough",
    "NOVALUNA_MAIL_FROM": "nova-luna@play.example.org",
    "NOVALUNA_MAILIN": "lmtp://127.0.0.1:8024",
    "NOVALUNA_SMTP_URL": "smtp://127.0.0.1",
}


class Kept:
    """A receiver that is forked again whenever it was killed."""

    def __init__(self, port: int, process: "subprocess.Popen[str]") -> None:
        self.port = port
        self._process = process
        self._child = self._next()
        self.killed = 0

    def _next(self) -> int:
        assert self._process.stdout is not None
        return int(self._process.stdout.readline())

    def kill(self) -> None:
        """Kills it, and returns when another one was begun."""
        os.kill(self._child, signal.SIGKILL)
        self.killed += 1
        self._child = self._next()


@contextmanager
def kept(database_url: str) -> Iterator[Kept]:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(64)
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.receiver.forking", str(listener.fileno())],
            env=ENVIRON | {"DATABASE_URL": database_url, "PATH": os.environ["PATH"]},
            pass_fds=(listener.fileno(),),
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        try:
            yield Kept(listener.getsockname()[1], process)
        finally:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait(20)
            assert process.stdout is not None
            process.stdout.close()


def interrupted(receiver: Kept, address: str, raw: bytes, point: float) -> bool:
    """Brings a mail, and kills the receiver at a point: below 1 at that part of the dialogue, from 1 on so many thousandths
    of a second after its end was sent, if the acknowledgement does not come before. Says whether it came."""
    steps = ["LHLO relay.example.org", "MAIL FROM:<ann@example.org>", f"RCPT TO:<{address}>", "DATA"]
    with socket.create_connection(("127.0.0.1", receiver.port), timeout=20) as connection:
        lines = connection.makefile("rb")
        lines.readline()
        whole = "".join(f"{step}\r\n" for step in steps).encode()
        end = int(point * len(whole + raw)) if point < 1 else None
        connection.sendall(whole[:end])
        if end is None or end >= len(whole):
            while not lines.readline().startswith(b"354"):
                pass
            connection.sendall(raw if end is None else raw[: end - len(whole)])
        if end is None:
            connection.sendall(b".\r\n")
            select.select([connection], [], [], (point - 1) / 1000)
        receiver.kill()
        try:
            return end is None and lines.readline().startswith(b"250")
        except ConnectionError:
            return False


def retried(receiver: Kept, address: str, raw: bytes) -> None:
    """What a relay does: it brings the mail until it was taken."""
    while True:
        try:
            with Relay(receiver.port) as relay:
                [reply] = relay.bring("ann@example.org", [address], raw)
                if reply.code == 250:
                    return
                assert 400 <= reply.code < 500, reply
        except Gone:
            continue


@pytest.mark.drill
def test_a_mail_is_stored_once_wherever_the_receiver_was_killed(
    database_url: str, amount: Callable[[int], int]
) -> None:
    settings = Settings.from_environ(ENVIRON | {"DATABASE_URL": database_url})
    points = amount(50)
    chance = random.Random("kills")
    acknowledged = 0
    with kept(database_url) as receiver:
        for number in range(points):
            address = str(reply_address(settings, ToTable("TabLe2345678", 0, number, leaving=False)))
            raw = mail("2 F\n" + "x" * 2000, number)
            # A third of them in the dialogue, the others while it is being stored, most of them in the first moments.
            point = chance.random() if number % 3 == 0 else 1 + 12 * chance.random() ** 2
            came = interrupted(receiver, address, raw, point)
            acknowledged += came
            if not came:
                retried(receiver, address, raw)
        assert receiver.killed == points
    with psycopg.connect(database_url) as connection:
        stored = connection.execute("SELECT version, id FROM incoming ORDER BY version").fetchall()
        jobs = connection.execute(
            "SELECT (args->>'incoming')::bigint FROM procrastinate_jobs WHERE task_name = 'take_in' ORDER BY 1"
        ).fetchall()
    assert [version for version, _ in stored] == list(range(points))
    assert [id for (id,) in jobs] == sorted(id for _, id in stored)
    tries = max(id for _, id in stored)  # each of which took an id
    print(f"{points} kills: {acknowledged} too late, {tries - points} while it was being stored or after")
