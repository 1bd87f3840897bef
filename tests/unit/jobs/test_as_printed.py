"""A newcomer who does nothing but what the mails say.

Each command in them, and on the page for programs that they lead to, works as it is printed.
"""

import re
import shlex
from html import unescape
from itertools import pairwise

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy.orm import Session
from werkzeug.test import TestResponse

from service.jobs.worker_context import WorkerContext
from service.mail.maildir import Maildir, address_of
from tests.support.mail.text import text_of
from tests.unit.jobs.job_queue import mail_jobs, run

BASE = "https://nova-luna.example.org"
CODE = re.compile(r"^[0-9A-Z]{5}-[0-9A-Z]{5}$", re.MULTILINE)


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    return app.test_client()


class Newcomer:
    """A person with an inbox and a shell."""

    def __init__(self, address: str, client: FlaskClient, context: WorkerContext, session: Session) -> None:
        self.address = address
        self.token = ""
        self._client = client
        self._context = context
        self._session = session

    def newest(self) -> str:
        """Return the text of the newest mail, after the worker has sent everything."""
        run(self._context)
        assert {job.status for job in mail_jobs(self._session)} == {"succeeded"}
        assert isinstance(self._context.transport, Maildir)
        mine = [mail for mail in self._context.transport.messages() if address_of(mail) == self.address]
        return text_of(mine[-1])

    def paste(self, command: str, **blanks: str) -> TestResponse:
        """Run a curl command from a mail, with its blanks filled in."""
        for blank, filled in blanks.items():
            command = command.replace(blank.replace("_", " "), filled.replace("'", "'\\''"))
        words = shlex.split(command.replace("$TOKEN", self.token))
        assert words[:3] == ["curl", "-X", "POST"]
        headers = dict(word.split(": ", 1) for option, word in pairwise(words) if option == "-H")
        return self._client.post(words[3].removeprefix(BASE), headers=headers, data=words[-1])

    def sign_in(self) -> None:
        """Request a code, and exchange it as its mail says."""
        assert self._client.post("/v1/sign-ins", json={"email": self.address}).status_code == 202
        self._exchange(self.newest())

    def programs(self, text: str) -> list[str]:
        """Return the commands on the page for programs that a mail leads to."""
        link = next(line for line in text.splitlines() if line.startswith(f"{BASE}/programs?"))
        page = self._client.get(link.removeprefix(BASE))
        assert page.status_code == 200
        return [unescape(command) for command in re.findall("<pre>(curl .*?)</pre>", page.text)]

    def _exchange(self, text: str) -> None:
        code = CODE.search(text)
        assert code is not None
        _, exchange = self.programs(text)
        answer = self.paste(
            exchange, YOUR_ADDRESS=self.address, THE_CODE=code[0], YOUR_NAME=self.address.split("@")[0].title()
        )
        assert answer.status_code == 201, answer.text
        self.token = answer.get_json()["token"]


def commands(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("curl ")]


def test_from_an_invitation_to_a_move(client: FlaskClient, context: WorkerContext, session: Session) -> None:
    ann = Newcomer("ann@example.org", client, context, session)
    ben = Newcomer("o'ben@example.org", client, context, session)
    cleo = Newcomer("cleo@example.org", client, context, session)
    ann.sign_in()
    headers = {"Authorization": f"Bearer {ann.token}"}
    made = client.post("/v1/games", headers=headers, json={"seats": 2, "discs": "full", "visibility": "private"})
    table = made.get_json()["id"]
    for address in (ben.address, cleo.address):
        asked = client.post(f"/v1/games/{table}/invitations", headers=headers, json={"email": address})
        assert asked.status_code == 201, asked.text

    invited = cleo.newest()
    declining = cleo.programs(invited)[-1]
    assert cleo.paste(declining, YOUR_INVITATION=invited.splitlines()[-1]).status_code == 204

    invited = ben.newest()
    ask, exchange, accept, _ = ben.programs(invited)
    assert ben.paste(ask, YOUR_ADDRESS=ben.address).status_code == 202
    code = CODE.search(ben.newest())
    assert code is not None
    answer = ben.paste(exchange, YOUR_ADDRESS=ben.address, THE_CODE=code[0], YOUR_NAME="Ben")
    assert answer.status_code == 201, answer.text
    ben.token = answer.get_json()["token"]
    assert ben.paste(accept, YOUR_INVITATION=invited.splitlines()[-1]).status_code == 201

    view = client.get(f"/v1/games/{table}", headers=headers).get_json()
    mover = (ann, ben)[view["turn"]["seat"]]
    text = mover.newest()
    page = next(line for line in text.splitlines() if line.startswith(f"{BASE}/games/{table}?link="))
    shown = client.get(page.removeprefix(BASE))
    assert shown.status_code == 200 and page.endswith("#move") and 'id="move"' in shown.text
    moved = mover.paste(commands(text)[0])
    assert moved.status_code == 201, moved.text
    assert mover.paste(commands(text)[0]).status_code == 409


def test_a_change_of_address(client: FlaskClient, context: WorkerContext, session: Session) -> None:
    ann = Newcomer("ann@example.org", client, context, session)
    ann.sign_in()
    headers = {"Authorization": f"Bearer {ann.token}"}
    assert client.patch("/v1/me", headers=headers, json={"email": "new@example.org"}).status_code < 300
    new = Newcomer("new@example.org", client, context, session)
    new.token = ann.token
    confirmed = new.paste(commands(new.newest())[0])
    assert confirmed.status_code < 300, confirmed.text
    assert client.get("/v1/me", headers=headers).get_json()["email"] == "new@example.org"
    assert "no longer uses this address, ann@example.org" in ann.newest()
