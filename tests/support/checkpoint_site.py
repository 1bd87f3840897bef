"""A service with checkpoints: its database, its data folder, its witnesses, and the maker of its checkpoints."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import text

from service.config import Settings
from service.jobs import checkpoints as jobs
from service.jobs.checkpoints import CheckpointMaker
from service.jobs.witnesses import Post
from service.jobs.worker_context import sessions
from service.store import checkpoints
from service.store.checkpoints import StoredNote
from tests.support import world
from tests.support.clock import Clock
from tests.support.witness import Witnesses

ORIGIN = "nova-luna.example.org/v1/checkpoints/1"
SEEDS = (b"1" * 32, b"2" * 32)


class Site:
    """A service's database, its data folder, and the maker of its checkpoints."""

    def __init__(self, database_url: str, data_dir: Path, clock: Clock) -> None:
        self.clock = clock
        self.witnesses = Witnesses("w1", "w2", origin=ORIGIN)
        self.post: Post = self.witnesses.post
        self.settings = Settings(
            database_url=database_url,
            secret_keys=world.KEYS,
            base_url="https://nova-luna.example.org",
            data_dir=data_dir,
            checkpoint_keys=SEEDS[:1],
        )
        self.sessions = sessions(self.settings, 2, jobs.BATCH)
        self.maker = self.restarted()

    def restarted(self) -> CheckpointMaker:
        """Return the maker of a worker that has just started."""
        self.maker = CheckpointMaker(self.settings, self.sessions, self.clock, self.post)
        return self.maker

    def witnessed(self, quorum: str) -> None:
        """Have the witnesses cosign from now on, by this quorum."""
        assert self.settings.data_dir is not None
        file = self.settings.data_dir / "policy"
        file.write_text(self.witnesses.policy(quorum))
        self.settings = replace(self.settings, checkpoint_policy=file)
        self.restarted()

    def play(self) -> None:
        """Start a game."""
        with self.sessions.begin() as session:
            number = session.scalar(text("SELECT count(*) FROM accounts"))
            world.match(session, world.account(session, f"Ann{number}"), world.account(session, f"Ben{number}"))

    def notes(self, stage: str = checkpoints.PUBLISHED) -> list[StoredNote]:
        """Return the newest note of each log at a stage, oldest log first."""
        with self.sessions() as session:
            found = [checkpoints.newest_note(session, log.number, stage) for log in checkpoints.logs(session)]
        return [note for note in found if note is not None]

    def sizes(self, stage: str = checkpoints.PUBLISHED) -> list[int]:
        """Return the size of the newest checkpoint of each log at a stage, oldest log first."""
        return [note.size for note in self.notes(stage)]

    def next_day(self) -> None:
        """Let a day pass."""
        self.clock.advance(days=1)


@pytest.fixture(name="site")
def make_site(database_url: str, tmp_path: Path, clock: Clock) -> Iterator[Site]:
    """Yield a site of the test's own."""
    made = Site(database_url, tmp_path, clock)
    yield made
    made.sessions.kw["bind"].dispose()
