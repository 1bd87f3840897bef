"""The processes of compose.yaml, with its roles and settings, run on this machine as in the containers."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from email.parser import BytesParser
from email.policy import default
from pathlib import Path
from smtplib import SMTP
from typing import Any

import httpx
import psycopg
import pytest
import yaml

from service.local.postgres import Postgres
from tests.drills.mailbox import code_in
from tests.support.mail.relay import Relay
from tests.support.mail.relay import running as running_relay
from tests.support.running import eventually, free_port

pytestmark = [pytest.mark.drill, pytest.mark.xdist_group("drills of proxies")]

ROOT = Path(__file__).parents[2]
OWNER, SERVICE = "nova_owner", "nova_service"
ADDRESS = "ann@example.org"


class Parts:
    """The services of compose.yaml, each to be started with its own command and settings.

    Args:
        postgres: stands in for the container of that name.
        relay: stands in for Mailpit.
    """

    def __init__(self, postgres: Postgres, relay: Relay) -> None:
        text = (ROOT / "compose.yaml").read_text()
        self._parts: dict[str, Any] = yaml.safe_load(text)["services"]
        self.relay, self.web, self.mailin = relay, free_port(), free_port()
        self._places = {
            f"postgresql://{SERVICE}:{SERVICE}@postgres/nova": postgres.url_of("nova", SERVICE),
            f"postgresql://{OWNER}:{OWNER}@postgres/nova": postgres.url_of("nova", OWNER),
            "smtp://mailpit:1025": f"smtp://127.0.0.1:{relay.port}",
            "smtp://0.0.0.0:8024": f"smtp://127.0.0.1:{self.mailin}",
        }

    def start(self, name: str) -> subprocess.Popen[bytes]:
        """Start the process of a service."""
        part = self._parts[name]
        environ = {key: self._places.get(value, value) for key, value in part["environment"].items()}
        assert len([value for value in part["environment"].values() if value in self._places]) >= 3
        environ["NOVALUNA_SECRET_KEY"] = "k" * 40
        words = part.get("command") or self._served()
        program = str(Path(sys.executable).with_name(words[0]))
        return subprocess.Popen([program, *words[1:]], env={"PATH": os.environ["PATH"], **environ}, cwd="/")

    def _served(self) -> list[str]:
        (command,) = [line[4:] for line in (ROOT / "Containerfile").read_text().splitlines() if line.startswith("CMD ")]
        return [word.replace("0.0.0.0:8000", f"127.0.0.1:{self.web}") for word in yaml.safe_load(command)]


@contextmanager
def running(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """Stop the process after the block; it must end regularly."""
    try:
        yield
    finally:
        process.terminate()
        assert process.wait(60) == 0


@pytest.fixture
def parts(open_folder: Path) -> Iterator[Parts]:
    with Postgres(open_folder) as postgres, running_relay() as relay:
        with psycopg.connect(postgres.url, autocommit=True) as connection:
            connection.execute(f"CREATE ROLE {OWNER} SUPERUSER LOGIN")
            connection.execute(f"CREATE DATABASE nova OWNER {OWNER}")
        with psycopg.connect(postgres.url_of("nova", OWNER), autocommit=True) as connection:
            connection.execute((ROOT / "ops" / "compose" / "roles.sql").read_bytes())
        parts = Parts(postgres, relay)
        assert parts.start("migrate").wait(120) == 0
        with ExitStack() as stack:
            for name in ("web", "worker", "mailin"):
                stack.enter_context(running(parts.start(name)))
            yield parts


@pytest.mark.slow
def test_compose_parts_sign_in_and_receive_mail(parts: Parts) -> None:
    with httpx.Client(base_url=f"http://127.0.0.1:{parts.web}", trust_env=False, timeout=60) as client:

        def is_ready() -> bool:
            try:
                return client.get("/readyz").status_code == 200
            except httpx.TransportError:
                return False

        eventually(is_ready)
        assert client.post("/v1/sign-ins", json={"email": ADDRESS}).status_code == 202
        eventually(lambda: parts.relay.mails)
        code = code_in(BytesParser(policy=default).parsebytes(parts.relay.mails[0]))[ADDRESS]
        made = client.post("/v1/tokens", json={"email": ADDRESS, "code": code, "name": "Ann"})
        assert made.status_code == 201
    with SMTP("127.0.0.1", parts.mailin, timeout=60) as mail:
        mail.sendmail(ADDRESS, ["nova-luna@localhost"], f"From: {ADDRESS}\r\nSubject: help\r\n\r\nhelp\r\n")
    eventually(lambda: len(parts.relay.mails) == 2)
    assert parts.relay.recipients == [ADDRESS, ADDRESS]
