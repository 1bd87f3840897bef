"""Measure whether turn mails with pictures are sent in the time that rendering takes.

It compares a worker as in `bench.worker`, with one renderer process, to that process alone with the same pictures.
"""

import os
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from statistics import median

from sqlalchemy import text
from sqlalchemy.orm import Session

from bench import seed, served
from bench.rounds import Finding, Goal
from bench.worker import PEOPLE, Office, relaying
from service.jobs.mail_pictures import WIDTH
from service.mail import scenes
from service.pictures.renderers import Renderers
from service.pictures.table import draw
from service.queries import turn_context

MAILS = 1_000
VERSION = 30
"""The version of the games, at which every display has some tiles."""

ALONE = 50
"""The number of pictures that are rendered alone, before and after."""

_WAITS = text(
    "SELECT tables.id, wait_seq FROM progress JOIN tables ON key = game WHERE wait_seq IS NOT NULL LIMIT :count"
)


def measure(rounds: int, mails: int = MAILS) -> Iterator[Finding]:
    """Measure mails per second, beside the pictures per second of one core."""
    with served.database() as database, served.connected(database.url) as engine, relaying() as relay:
        with Session(engine) as session, session.begin():
            seed.games(session, seed.sign_up(session, PEOPLE), mails, VERSION, 0)
        served.settle(engine)
        with Session(engine) as session:
            pictured = list(drawings(session, min(ALONE, mails)))
        office = Office(database, engine, relay, pictures=True)
        pairs = []
        for _ in range(min(rounds, 2)):  # each round takes minutes
            before = _alone(pictured)
            sent = office.catch_up(mails)
            pairs.append((sent, median((before, _alone(pictured)))))
        yield Finding(
            f"{mails:,} turn mails with pictures: rendering alone",
            Goal(0.8)
            if (os.cpu_count() or 1) < 4
            else None,  # on four cores and more, the worker renders with two or more processes
            tuple(sent / alone for sent, alone in pairs),
            f"{median(sent for sent, _ in pairs):.1f} mails/s",
            f"{median(alone for _, alone in pairs):.1f} pictures/s",
            cpu=(office.cpu,),
        )


def drawings(session: Session, count: int) -> Iterator[str]:
    """Yield the drawings of turn mails, `most` of them or as many as there are."""
    for game, wait in session.execute(_WAITS, {"count": count}).all():
        facts = turn_context.turn(session, game, wait, datetime.now(UTC))
        assert facts is not None
        yield draw(scenes.of_turn(facts))


def drawn(drawing: str) -> Callable[[], str]:
    """Return a function, as renderers expect, that returns a drawing made before."""
    return lambda: drawing


def _alone(pictured: list[str]) -> float:
    """Render pictures with one process; return how many per second."""
    renderers = Renderers(1, 0, 60.0)
    try:
        renderers.png(drawn(pictured[0]), WIDTH)
        begun = time.monotonic()
        for drawing in pictured:
            renderers.png(drawn(drawing), WIDTH)
        return len(pictured) / (time.monotonic() - begun)
    finally:
        renderers.close()
