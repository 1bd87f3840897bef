"""A workshop on a fresh database whose mail goes into a Maildir, and a session to set things up with."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

import pytest
from sqlalchemy.orm import Session

from service.config import Settings
from service.jobs.workshop import Workshop, sessions
from service.mail.maildir import Maildir
from tests.service.games.world import KEYS, NOW


@dataclass
class Clock:
    """A clock that a test sets."""

    now: datetime = NOW

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def workshop(database_url: str, tmp_path: Path, clock: Clock) -> Iterator[Workshop]:
    settings = Settings(
        database_url=database_url,
        secret_keys=KEYS,
        base_url="https://nova-luna.example.org",
        mail_from="Nova Luna by post <nova-luna@example.org>",
        data_dir=tmp_path,
    )
    made = Workshop(settings, sessions(settings, 2), Maildir(tmp_path / "mail"), clock)
    yield made
    with made.sessions() as session:
        session.get_bind().dispose()  # type: ignore[union-attr]


@pytest.fixture
def session(workshop: Workshop) -> Iterator[Session]:
    with workshop.sessions() as session:
        yield session


def sending_by(workshop: Workshop, post: object) -> Workshop:
    """The same workshop with another post."""
    return replace(workshop, post=post)
