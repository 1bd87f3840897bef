"""Nobody can tell from anything that they get when another player has quiet times (docs/CLOCKS.md, 11).

The same week is lived twice, on the same draw: in one life a player has quiet times, in the other none. Every response
that others can get is read again and again, with its headers: each hour in the drill, else every twelve hours. So is
every mail that goes to others: to one who is reminded often, and one who gets a digest. What may differ is when that
player's time runs out, which the others have to know; it is given in whole hours, and does not move with the hours of
the day.
"""

import asyncio
import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email import message_from_bytes, policy
from email.message import EmailMessage
from email.utils import parseaddr
from itertools import count, pairwise
from types import SimpleNamespace
from typing import NamedTuple

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import text

from service.api.context import context_of
from service.commands import host, notifications
from service.jobs import deadlines
from service.jobs.worker import work
from service.jobs.worker_context import WorkerContext, sessions
from service.mail.message import to_bytes
from service.store.migrate import upgrade
from service.store.purging import in_pieces
from tests.support.clock import Clock
from tests.support.databases import as_service
from tests.support.http_games import Game, start
from tests.support.web import Person, codes_for

BEGINS = datetime(2026, 11, 23, 6, 30, 0, 250_000, tzinfo=UTC)
HOURS = 7 * 24
SET_AT = 4
"""The hour at which the quiet times are set, while the game is running."""

PAUSED, RESUMED = (40, 112), (44, 116)
"""The hours at which the host pauses the game and resumes it, which the table gets by mail."""

MOVES = (8, 12, 32, 52, 56, 76, 100, 104, 132)
"""The hours at which the player to move moves."""

CHANGED_AT = (*MOVES, *PAUSED, *RESUMED)
"""The hours at which it may change when the time runs out."""

QUIET = {
    "zone": "Asia/Kolkata",
    "quiet": [
        {"days": ["mon", "tue", "wed", "thu", "fri"], "from": "21:45", "to": "07:15"},
        {"days": ["sat", "sun"], "from": "09:00", "to": "08:30"},
    ],
}
BELOW = ("", "/moves", "/moves/1", "/seats/0/goals", "/legal-moves", "/record", "/board.svg", "/moves.atom")
LISTS = ("/v1/games", "/v1/games?status=running", "/v1/games?my_turn=true", "/v1/games?mine=true&sort=runs_out_at")

_OUT = re.compile(rb'("runs_out_at":|"next":\{"step":"[a-z]+","at":)"([0-9TZ:.-]+)"')
_UNTIL = re.compile(rb" (?:has|is) time until ([^<\r]*)")
"""The same time in words, on the table's page and in mails."""

_ON_THE_HOUR = re.compile(rb".* \d\d:00(?: |\xc2\xa0)(?:your time|UTC)\.")

_OF_REQUEST = "X-Request-Id"

_EPOCH = re.compile(rb"\+[0-9a-f]{8}@")
"""The name of the database's history in a Message-ID: it is drawn by lot for each database."""

_ALIVE = text("UPDATE service_signs SET at = :now")
_JOBS = text("SELECT EXISTS (SELECT FROM procrastinate_jobs WHERE status = 'todo')")


class Seen(NamedTuple):
    """One response: who asked for what in which hour, its headers and its body."""

    hour: int
    reader: str
    path: str
    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes

    @property
    def times(self) -> list[str]:
        """The times at which another player's time runs out, or their next step is due."""
        if dict(self.headers)["Content-Type"] != "application/json":
            return []
        data = json.loads(self.body)
        found = []
        for row in data.get("items", [data]):
            clock = row.get("clock") or row
            if clock.get("runs_out_at") and clock.get("seat", row.get("turn")) != row["you"]:
                found += [clock["runs_out_at"], *([clock["next"]["at"]] if clock.get("next") else [])]
        return found

    @property
    def rest(self) -> "Seen":
        """The response without such times, the reader's own included."""
        headers = tuple(header for header in self.headers if header[0] != "Content-Length")
        return self._replace(body=_UNTIL.sub(b"", _OUT.sub(rb"\1", self.body)), headers=headers)


WISHES: tuple[dict[str, object], ...] = (
    {"turn": "digest", "end": "digest", "reminder": "digest"},
    {"reminders": ["PT167H", "PT166H", "PT160H", "half", "PT3H"]},
    {},
)
"""How the others want their mails."""


SUBJECTS = {"Your turn", "Your time runs", "News from the table", "1 game waits for you"}
"""What the subjects of their mails begin with."""


class Mail(NamedTuple):
    """One mail: in which hour it was sent, to whom, its subject, headers and texts."""

    hour: int
    to: str
    subject: str
    raw: bytes

    @property
    def times(self) -> list[bytes]:
        """The times at which another player's time runs out."""
        return _UNTIL.findall(self.raw)

    @property
    def rest(self) -> "Mail":
        """The mail without such times."""
        return self._replace(raw=_EPOCH.sub(b"@", _UNTIL.sub(b"", self.raw)))


class Post:
    """A worker whose mails are kept instead of sent; those to the player `without` are of no interest."""

    def __init__(self, app: Flask, clock: Clock, without: Person) -> None:
        settings = replace(context_of(app).settings, mail_pictures=False)
        self.context = WorkerContext(settings, sessions(settings, 2), self, clock)
        self.without = without
        self.sent: list[EmailMessage] = []

    def deliver(
        self, message: EmailMessage, return_path: str | None = None, last_look: Callable[[], bool] | None = None
    ) -> bool:
        assert last_look is None or last_look()
        self.sent.append(message)
        return True

    def go_on(self, hour: int) -> list[Mail]:
        """Do what is due, and return the mails that others got, sorted."""
        with self.context.sessions.begin() as session:
            session.execute(_ALIVE, {"now": self.context.clock()})
        deadlines.look(self.context)
        self._work()
        in_pieces(self.context.sessions, notifications.queue_due_digests, self.context.clock(), 10)
        self._work()
        sent, self.sent = self.sent, []
        mails = (Mail(hour, parseaddr(str(mail["To"]))[1], str(mail["Subject"]), _decoded(mail)) for mail in sent)
        return sorted(mail for mail in mails if mail.to != self.without.email)

    def _work(self) -> None:
        """Do all jobs; the worker calls for digests, too, if the machine's own clock is at a multiple of 5 minutes."""
        with self.context.session() as session:
            has_jobs = session.scalar(_JOBS)
        if has_jobs:
            asyncio.run(work(self.context, until_idle=True))


def _decoded(mail: EmailMessage) -> bytes:
    """Return the headers and the text of each part of a mail."""
    read = message_from_bytes(to_bytes(mail), _class=EmailMessage, policy=policy.default)
    return b"".join(
        repr(part.items()).encode() + (b"" if part.is_multipart() else part.get_content().encode())
        for part in read.walk()
    )


class Life(NamedTuple):
    """The responses and mails that others than the player with quiet times got."""

    seen: list[Seen]
    mails: list[Mail]


@contextmanager
def _posting(app: Flask, clock: Clock, without: Person) -> Iterator[Post]:
    post = Post(app, clock, without)
    try:
        yield post
    finally:
        post.context.sessions.kw["bind"].dispose()


@pytest.fixture
def live(
    make_app: Callable[..., Flask],
    make_database: Callable[[], str],
    clock: Clock,
    monkeypatch: pytest.MonkeyPatch,
    amount: Callable[..., int],
) -> Callable[[bool], Life]:
    """Return a function that lives through the week, with or without quiet times, on a database of its own."""

    def lived(is_quiet: bool) -> Life:
        numbers = count(10**11)
        for module in ("commands.tables", "store.accounts"):
            monkeypatch.setattr(f"service.{module}.new_id", lambda: str(next(numbers)))
        monkeypatch.setattr("service.commands.tables.secrets", SimpleNamespace(token_bytes=bytes))
        url = make_database()
        upgrade(url, as_service(url))
        clock.now = BEGINS
        app = make_app(database_url=as_service(url))
        return _week(app, clock, is_quiet, amount(1, 4), amount(1, 12))

    return lived


def _week(app: Flask, clock: Clock, is_quiet: bool, step: int, reading: int) -> Life:
    client, life = app.test_client(), Life([], [])
    people = [_signed_up(app, name) for name in ("Ann", "Ben", "Cleo", "Dora")]
    game = start(client, *people[:3], clock="week")
    quiet = game.to_move()
    others = [person for person in people if person != quiet]
    for person, wishes in zip(others, WISHES, strict=True):
        assert client.patch("/v1/me/notifications", json=wishes, headers=person.headers).status_code == 200
    readers = {"nobody": None, **{f"player {index}": person for index, person in enumerate(people) if person != quiet}}
    with _posting(app, clock, without=quiet) as post:
        post.go_on(0)  # codes differ from one life to the other
        for hour in range(0, HOURS, step):
            if hour == SET_AT and is_quiet:
                assert client.put("/v1/me/quiet-times", json=QUIET, headers=quiet.headers).status_code == 200
            if hour in MOVES:
                game.move()
            with post.context.sessions.begin() as session:
                if hour in PAUSED:
                    host.pause(session, game.id, clock.now + timedelta(days=9), "a storm", clock.now)
                if hour in RESUMED:
                    host.resume(session, game.id, "it is over", clock.now)
            for name, reader in readers.items() if hour % reading == 0 else ():
                life.seen.extend(_seen(client, hour, name, reader, path) for path in _paths(game, reader))
            life.mails.extend(post.go_on(hour))
            clock.advance(hours=step)
    return life


def _signed_up(app: Flask, name: str) -> Person:
    client, email = app.test_client(), f"{name.lower()}@example.org"
    assert client.post("/v1/sign-ins", json={"email": email}).status_code == 202
    asked = {"email": email, "code": codes_for(app, email)[0], "name": name}
    made = client.post("/v1/tokens", json=asked).get_json()
    return Person(made["account"]["id"], email, made["token"])


def _paths(game: Game, reader: Person | None) -> list[str]:
    lists = LISTS if reader else LISTS[:2]
    return [*(game.path + below for below in BELOW), *lists, game.path.removeprefix("/v1")]


def _seen(client: FlaskClient, hour: int, name: str, reader: Person | None, path: str) -> Seen:
    answer = client.get(path, headers=reader.headers if reader else {})
    headers = tuple(sorted((key, value) for key, value in answer.headers.items() if key != _OF_REQUEST))
    return Seen(hour, name, path, answer.status_code, headers, answer.data)


@pytest.mark.slow
@pytest.mark.drill
def test_clocks_11_1_others_learn_nothing_of_quiet_times(live: Callable[[bool], Life]) -> None:
    (without, plain_mails), (quiet, mails) = live(False), live(True)
    assert all(seen.status == 200 for seen in quiet)
    for one, other in zip(without, quiet, strict=True):
        assert one.rest == other.rest
    assert [seen.times for seen in without] != [seen.times for seen in quiet]
    by_request: dict[tuple[str, str], list[Seen]] = {}
    for each in quiet:
        by_request.setdefault((each.reader, each.path), []).append(each)
        assert all(time.endswith(":00:00.000Z") for time in each.times)
    for following in by_request.values():
        for before, after in pairwise(following):
            assert before.times == after.times or any(before.hour < hour <= after.hour for hour in CHANGED_AT)
    for plain, mail in zip(plain_mails, mails, strict=True):
        assert plain.rest == mail.rest
        assert all(map(_ON_THE_HOUR.fullmatch, mail.times))
    assert [mail.times for mail in plain_mails] != [mail.times for mail in mails]
    assert {mail.subject.partition(":")[0] for mail in mails} == SUBJECTS
