"""No secret and no address is in any log line, whatever happens: all log lines are searched for all of them."""

import asyncio
import json
import re
from dataclasses import dataclass
from email import message_from_bytes, policy
from email.message import EmailMessage
from io import StringIO
from urllib.parse import unquote

import pytest
from flask import Flask
from sqlalchemy import text

from service.access.links import never_mail_link, table_link
from service.config import Settings
from service.jobs.worker import work
from service.jobs.worker_context import WorkerContext, sessions
from service.mail.relay import Relay
from service.store.base import db
from tests.support.clock import Clock
from tests.support.mail import relay as relays
from tests.support.web import KEYS, Person, codes_for, sign_up_by_code

CODE = re.compile(r"\b[0-9A-Z]{5}-[0-9A-Z]{5}\b")
RELAY_S_OWN = '"mail.log"'
SIGNED = re.compile(r"[A-Za-z0-9_-]{25,}")


class Broken:
    """A transport with a bug, whose error quotes the mail."""

    def deliver(self, message: EmailMessage, return_path: str | None = None, last_look: object = None) -> bool:
        raise ValueError(f"To: {message['To']}\n{message.as_string()}")


@dataclass
class Scene:
    """A private game of two, made over HTTP, with everything that must not be logged."""

    app: Flask
    ann: Person
    ben: Person
    private: set[str]

    def play(self) -> None:
        client = self.app.test_client()
        made = client.post("/v1/games", json={"seats": 2, "visibility": "private"}, headers=self.ann.headers)
        game = f"/v1/games/{made.get_json()['id']}"
        invited = {"email": "carla.of.nowhere@example.org"}
        assert client.post(f"{game}/invitations", json=invited, headers=self.ann.headers).status_code == 201
        assert client.post(f"{game}/invitations", json={"email": self.ben.email}, headers=self.ann.headers).status_code
        self.private.add(invited["email"])
        settings = Settings(database_url="postgresql:///", secret_keys=KEYS)
        links = [
            table_link(settings, self.ann.account, made.get_json()["id"]),
            never_mail_link(settings, self.ben.email),
        ]
        for url in links:
            path = url.removeprefix(settings.base_url)
            assert client.get(path).status_code in (200, 404)
            self.private.update(SIGNED.findall(unquote(path.partition("?")[2])))

    def break_things(self) -> None:
        client = self.app.test_client()
        code = codes_for(self.app, self.ann.email)[0]
        self.private.add(code)
        for path in ("/v1/me", "/v1/games", f"/v1/{self.ann.token}/{self.ann.email}", "/v1/games?cursor=" + code):
            client.get(path, headers={"Authorization": f"Bearer {self.ann.token}x"})
            client.post(path, data=self.ann.token.encode(), headers=self.ann.headers)
        for body in (self.ann.email, {self.ann.token: code}, {"email": [self.ann.email]}):
            client.post("/v1/sign-ins", json=body)
            client.post("/v1/tokens", json=body)
        for fault in ("crash", "database"):
            assert client.get(f"/{fault}", headers=self.ann.headers).status_code == 500


@pytest.fixture
def scene(app: Flask) -> Scene:
    ann = sign_up_by_code(app, "ann.ominous@example.org", "Ann Ominous")
    ben = sign_up_by_code(app, "ben.igne@example.org", "Ben Igne")

    def crash() -> str:
        raise ValueError(f"no such person: <{ann.email}>, Bearer {ann.token}, code {codes_for(app, ann.email)[0]}")

    def database() -> str:
        insert = text("INSERT INTO accounts (id, email, name, created_at) VALUES (:token, :email, :email, now())")
        db.session.execute(insert, {"token": ann.token, "email": ann.email})
        return ""

    private = {ann.email, ben.email, ann.token, ben.token, "Ominous", "Igne", KEYS[0]}
    for view in (crash, database):
        app._got_first_request = False  # the first was the one to sign up; a fault is added to the existing mail
        app.add_url_rule(f"/{view.__name__}", view_func=view)
    return Scene(app, ann, ben, private)


def test_no_line_of_web_or_worker_holds_what_is_private(
    lines: StringIO, scene: Scene, database_url: str, clock: Clock
) -> None:
    scene.play()
    scene.break_things()
    relay = relays.Relay(
        answer_rcpt=[f"550 5.1.1 <{scene.ben.email}>: nobody here", f"451 4.7.1 <{scene.ben.email}>: greylisted"]
    )
    with relays.running(relay):
        settings = Settings(
            database_url=database_url, secret_keys=KEYS, smtp_url=f"smtp://post:hunter2-secret@127.0.0.1:{relay.port}"
        )
        own = sessions(settings, 4)
        plain = Settings(database_url=database_url, secret_keys=KEYS, smtp_url=f"smtp://127.0.0.1:{relay.port}")
        asyncio.run(work(WorkerContext(plain, own, Relay.from_url(str(plain.smtp_url)), clock), until_idle=True))
        scene.app.test_client().post("/v1/sign-ins", json={"email": scene.ann.email})
        asyncio.run(work(WorkerContext(settings, own, Broken(), clock), until_idle=True))
        scene.app.test_client().post("/v1/sign-ins", json={"email": "dora.unseen@example.org"})
        asyncio.run(work(WorkerContext(settings, own, Relay.from_url(str(settings.smtp_url)), clock), until_idle=True))
        own.kw["bind"].dispose()
    private = scene.private | {"hunter2", "dora.unseen"}
    for mail in relay.mails:
        message = message_from_bytes(mail, policy=policy.default)
        body = message.get_body(("plain",))
        assert body is not None
        private.update(CODE.findall(body.get_content()))
        private.update(SIGNED.findall(body.get_content()))
    said = "\n".join(line for line in lines.getvalue().splitlines() if RELAY_S_OWN not in line)
    events = [json.loads(line) for line in said.splitlines()]
    assert {"request", "mail sent", "not done"} <= {event["event"] for event in events}
    assert sum("error" in event for event in events) >= 2
    assert relay.mails
    assert [secret for secret in private if secret in said] == []
