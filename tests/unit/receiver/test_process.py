"""`novaluna mailin` as a process: where it listens, what it says, how it ends."""

import json
import os
import signal
import smtplib
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from service.access.reply_addresses import ToTable, reply_address
from service.config import ConfigError, Settings
from service.receiver.server import run
from tests.support.metrics import told
from tests.support.running import free_port
from tests.unit.receiver.sample_mails import mail
from tests.unit.receiver.test_kills import ENVIRON

GAME = ToTable("TabLe2345678", 0, 1, leaving=False)


@contextmanager
def mailin(environ: Mapping[str, str]) -> Iterator["subprocess.Popen[str]"]:
    process = subprocess.Popen(
        [sys.executable, "-m", "service.cli", "mailin"],
        env={"PATH": os.environ["PATH"], **environ},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def test_receiver_listens_and_ends_when_asked_with_no_secret_in_its_log(database_url: str, tmp_path: Path) -> None:
    path = tmp_path / "mailin"
    environ = ENVIRON | {"DATABASE_URL": database_url, "NOVALUNA_MAILIN": f"lmtp+unix://{path}"}
    address = str(reply_address(Settings.from_environ(environ), GAME))
    metrics = free_port()
    environ["NOVALUNA_METRICS_PORT"] = str(metrics)
    with mailin(environ) as process:
        assert process.stdout is not None
        said = process.stdout.readline()
        assert json.loads(said)["event"] == "mail is taken in"
        assert path.stat().st_mode & 0o777 == 0o666
        with smtplib.LMTP(str(path)) as client:
            client.sendmail("ann@example.org", [address], mail(f"2 F\n> {address}"))
            with pytest.raises(smtplib.SMTPRecipientsRefused):
                client.sendmail("ann@example.org", [address.replace("play", "leave")], mail())
            client.docmd("VRFY", address)
            client.docmd(address)
        counted = told(metrics)
        for outcome in ("kept", "unknown"):
            assert f'novaluna_mails_in_total{{outcome="{outcome}"}} 1.0' in counted
        process.send_signal(signal.SIGTERM)
        rest, errors = process.communicate(timeout=60)
        assert process.returncode == 0
    lines = [json.loads(line) for line in (said + rest).splitlines()]
    assert [line["event"] for line in lines] == ["mail is taken in", "a mail came in", "mail is no longer taken in"]
    assert errors == ""
    for secret in (address[-60:-25], "ann@example.org", "example.org"):
        assert secret not in (said + rest).lower()
    with psycopg.connect(database_url) as connection:
        assert connection.execute("SELECT kind FROM incoming").fetchall() == [("play",)]


def test_without_a_place_it_ends_with_a_sentence() -> None:
    settings = Settings.from_environ(ENVIRON | {"DATABASE_URL": "postgresql:///none", "NOVALUNA_MAILIN": ""})
    with pytest.raises(ConfigError, match=r"^NOVALUNA_MAILIN is not set\. "):
        run(settings)


def test_at_a_place_that_is_taken_it_ends_with_a_sentence(database_url: str) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        there = f"smtp://127.0.0.1:{taken.getsockname()[1]}"
        with mailin(ENVIRON | {"DATABASE_URL": database_url, "NOVALUNA_MAILIN": there}) as process:
            _, errors = process.communicate(timeout=60)
            assert process.returncode == 1
            assert "address already in use" in errors
            assert len(errors.splitlines()) == 1
