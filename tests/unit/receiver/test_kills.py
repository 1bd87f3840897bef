"""kill -9 of the receiver at any point between the first byte of a mail and its acknowledgment.

The relay brings the mail again, and it is stored and played exactly once.
"""

import os
import random
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from engine.moves import Place
from engine.text import parse
from service.access.reply_addresses import ToTable, own_address, reply_address
from service.config import Settings
from service.jobs.incoming_mail import take_in
from service.jobs.worker_context import WorkerContext, sessions
from service.mail.maildir import Maildir
from tests.support import world
from tests.support.clock import NOW
from tests.unit.receiver.lmtp_relay import Gone, LmtpRelay
from tests.unit.receiver.sample_mails import mail

ENVIRON = {
    "NOVALUNA_SECRET_KEY": "a-key-of-the-tests-that-is-long-enough",
    "NOVALUNA_MAIL_FROM": "nova-luna@play.example.org",
    "NOVALUNA_MAILIN": "lmtp://127.0.0.1:8024",
    "NOVALUNA_SMTP_URL": "smtp://127.0.0.1",
}


class ReforkedReceiver:
    """A receiver that is forked again whenever it is killed."""

    def __init__(self, port: int, process: "subprocess.Popen[str]") -> None:
        self.port = port
        self._process = process
        self._child = self._next()
        self.killed = 0

    def _next(self) -> int:
        assert self._process.stdout is not None
        return int(self._process.stdout.readline())

    def kill(self) -> None:
        """Kill it, and return when its successor was started."""
        os.kill(self._child, signal.SIGKILL)
        self.killed += 1
        self._child = self._next()


@contextmanager
def kept(database_url: str) -> Iterator[ReforkedReceiver]:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(64)
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.unit.receiver.forking", str(listener.fileno())],
            env=ENVIRON | {"DATABASE_URL": database_url, "PATH": os.environ["PATH"]},
            pass_fds=(listener.fileno(),),
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        try:
            yield ReforkedReceiver(listener.getsockname()[1], process)
        finally:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait(20)
            assert process.stdout is not None
            process.stdout.close()


def interrupted(receiver: ReforkedReceiver, address: str, raw: bytes, point: float, takes: float = 0.0) -> bool:
    """Bring a mail, kill the receiver at some point, and return whether it had acknowledged the mail.

    A point below 1 is that fraction of the dialogue. From 1 on, the rest is that fraction of the `takes` seconds in
    which the mail should be stored; the receiver is killed at once if it acknowledges earlier.
    """
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
            select.select([connection], [], [], (point - 1) * takes)
        receiver.kill()
        try:
            return end is None and lines.readline().startswith(b"250")
        except ConnectionError:
            return False


def retried(receiver: ReforkedReceiver, address: str, raw: bytes) -> None:
    """Bring a mail until it is taken, as a relay does."""
    while True:
        try:
            with LmtpRelay(receiver.port) as relay:
                [reply] = relay.bring("ann@example.org", [address], raw)
                if reply.code == 250:
                    return
                assert 400 <= reply.code < 500, reply
        except Gone:
            continue


class Play:
    """Solos of one player, each started when the one before is over; every mail is the next move."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._sessions = sessions(settings, 2)
        self._context = WorkerContext(settings, self._sessions, Maildir(Path(os.devnull)), lambda: NOW)
        self.solos: list[str] = []
        self.written: list[str] = []
        with self._sessions.begin() as session:
            self._ann = world.account(session, "Ann")

    def next_move(self) -> tuple[str, str]:
        """Return the address that the next mail goes to, and its text."""
        with self._sessions.begin() as session:
            if not self.solos or world.loaded(session, self.solos[-1]).status != "running":
                self.solos.append(world.solo(session, self._ann))
            table = world.loaded(session, self.solos[-1])
            move = next(move for move in table.state.legal_moves() if isinstance(move, Place))
            address = reply_address(self.settings, ToTable(self.solos[-1], 0, table.version, leaving=False))
        self.written.append(f"{move.tile}@{move.x},{move.y}")
        return str(address), self.written[-1]

    def read_all(self) -> None:
        """Read all mails stored so far as a worker does, also those it has read before, as if it had been killed."""
        with self._sessions.begin() as session:
            ids = [job["incoming"] for job in world.jobs(session, "take_in")]
        for id in ids:
            take_in(self._context, int(id))

    def played(self) -> list[str]:
        """Return all moves in the logs, in their order."""
        with self._sessions.begin() as session:
            moves = [parse(entry.move) for solo in self.solos for entry in world.loaded(session, solo).entries]
        return [f"{move.tile}@{move.x},{move.y}" for move in moves if isinstance(move, Place)]

    def close(self) -> None:
        self._sessions.kw["bind"].dispose()


@pytest.mark.drill
def test_a_mail_is_played_once_wherever_the_receiver_was_killed(
    database_url: str, amount: Callable[[int], int]
) -> None:
    play = Play(Settings.from_environ(ENVIRON | {"DATABASE_URL": database_url}))
    points = amount(50)
    chance = random.Random("kills")
    acknowledged = 0
    with kept(database_url) as receiver:
        began = time.monotonic()
        retried(receiver, own_address(play.settings), mail("help"))  # how long a new process takes for one
        takes = time.monotonic() - began
        for number in range(points):
            address, move = play.next_move()
            raw = mail(f"{move}\n\n" + "> x\n" * 500, number)
            # A third of the kills are in the dialogue, the others while the mail is being stored.
            point = chance.random() if number % 3 == 0 else 1 + chance.random()
            came = interrupted(receiver, address, raw, point, takes)
            acknowledged += came
            if not came:
                retried(receiver, address, raw)
            play.read_all()
        assert receiver.killed == points
    assert play.played() == play.written
    play.close()
    with psycopg.connect(database_url) as connection:
        stored = [id for (id,) in connection.execute("SELECT id FROM incoming ORDER BY id").fetchall()]
        asked = "SELECT (args->>'incoming')::bigint FROM procrastinate_jobs WHERE task_name = 'take_in' ORDER BY 1"
        assert [id for (id,) in connection.execute(asked).fetchall()] == stored
    assert len(stored) == len(play.written) + 1 == points + 1
    # Each try takes an id.
    print(f"{points} kills: {acknowledged} too late, {stored[-1] - points - 1} while it was being stored or after")
