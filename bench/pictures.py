"""Whether turn mails with pictures leave in the time that rendering takes.

A worker as in `bench.worker`, with one process that renders, against that process alone with the same pictures.
"""

import os
import time
from collections.abc import Callable, Iterator
from statistics import median

from sqlalchemy import text
from sqlalchemy.orm import Session

from bench import seed, served
from bench.rounds import Finding, Goal
from bench.worker import PEOPLE, Office, relaying
from service.jobs.illustrator import WIDTH
from service.mail import shown
from service.pictures.renderers import Renderers
from service.pictures.table import draw
from service.queries import mail_facts

MAILS = 1_000
VERSION = 30
"""Some tiles are on every display then."""

ALONE = 50
"""So many of the pictures are rendered alone, before and after."""

_WAITS = text(
    "SELECT tables.id, wait_seq FROM progress JOIN tables ON key = game WHERE wait_seq IS NOT NULL LIMIT :count"
)


def measure(rounds: int, mails: int = MAILS) -> Iterator[Finding]:
    """Mails a second, with one core's pictures a second beside it."""
    with served.database() as database, served.connected(database.url) as engine, relaying() as relay:
        with Session(engine) as session, session.begin():
            seed.games(session, seed.sign_up(session, PEOPLE), mails, VERSION, 0)
        served.settle(engine)
        with Session(engine) as session:
            pictured = list(drawings(session, min(ALONE, mails)))
        office = Office(database, engine, relay, pictures=True)
        pairs = []
        for _ in range(min(rounds, 2)):  # each takes minutes
            before = _alone(pictured)
            sent = office.catch_up(mails)
            pairs.append((sent, median((before, _alone(pictured)))))
        yield Finding(
            f"{mails:,} turn mails with pictures: rendering alone",
            Goal(0.8) if (os.cpu_count() or 1) < 4 else None,  # from four cores on the worker renders on two and more
            tuple(sent / alone for sent, alone in pairs),
            f"{median(sent for sent, _ in pairs):.1f} mails/s",
            f"{median(alone for _, alone in pairs):.1f} pictures/s",
            cpu=(office.cpu,),
        )


def drawings(session: Session, count: int) -> Iterator[str]:
    """The pictures of so many turn mails, or of as many as there are."""
    for game, wait in session.execute(_WAITS, {"count": count}).all():
        facts = mail_facts.turn(session, game, wait)
        assert facts is not None
        yield draw(shown.of_turn(facts))


def drawn(drawing: str) -> Callable[[], str]:
    """A drawing that was made before, as renderers ask for one."""
    return lambda: drawing


def _alone(pictured: list[str]) -> float:
    """Pictures a second of one process."""
    renderers = Renderers(1, 0, 60.0)
    try:
        renderers.png(drawn(pictured[0]), WIDTH)
        begun = time.monotonic()
        for drawing in pictured:
            renderers.png(drawn(drawing), WIDTH)
        return len(pictured) / (time.monotonic() - begun)
    finally:
        renderers.close()
