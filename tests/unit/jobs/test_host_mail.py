"""What the host does in a game, as the table gets it by mail: with the reason, also if it ends the game."""

from datetime import timedelta

import pytest
from sqlalchemy.orm import Session

from engine.clock.terms import PRESETS, Terms
from service.commands import host, tables
from service.jobs.worker_context import WorkerContext
from tests.support import world
from tests.support.clock import NOW
from tests.support.mail.text import text_of
from tests.unit.jobs.writing import Post, taking_mail

REASON = "The mails were lost on Monday"
PEOPLE = ("Ann", "Ben", "Cleo")


@pytest.fixture
def post(session: Session, context: WorkerContext) -> Post:
    return Post(taking_mail(context), session)


def start(post: Post, seats: int) -> tuple[str, int]:
    """Start a game with a clock; return its id and the seat to move."""
    people = [world.account(post.session, name) for name in PEOPLE[:seats]]
    made = tables.create(
        post.session,
        people[0],
        tables.TableSettings(seats=seats, goal_discs=20, visibility="public", terms=Terms(PRESETS["days-3"])),
        now=NOW,
    )
    for account in people[1:]:
        world.join(post.session, account, made.id)
    post.run()
    return made.id, world.loaded(post.session, made.id).state.turn or 0


def told(post: Post, seats: int) -> list[list[bool]]:
    """Do the jobs that are due, and return for each player whether the mails that they bring give the reason."""
    addresses = [f"{name.lower()}@example.org" for name in PEOPLE[:seats]]
    before = [len(post.got(address)) for address in addresses]
    post.run()
    return [
        [REASON in text_of(mail) for mail in post.got(address)[count:]]
        for address, count in zip(addresses, before, strict=True)
    ]


@pytest.mark.parametrize("seats", [2, 3])
def test_whoever_is_at_the_table_reads_why_a_game_was_ended(post: Post, seats: int) -> None:
    game, _ = start(post, seats)
    host.end(post.session, game, REASON, NOW)
    assert told(post, seats) == [[True]] * seats


@pytest.mark.parametrize("seats", [2, 3])
def test_whoever_is_at_the_table_reads_why_a_player_was_put_out(post: Post, seats: int) -> None:
    game, seat = start(post, seats)
    host.put_out(post.session, game, (seat + 1) % seats, REASON, NOW)
    assert told(post, seats) == [[True]] * seats


def test_whoever_is_at_the_table_reads_why_a_game_was_paused(post: Post) -> None:
    game, _ = start(post, 3)
    host.pause(post.session, game, NOW + timedelta(days=2), REASON, NOW)
    assert told(post, 3) == [[True]] * 3
