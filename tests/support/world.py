"""A small world for tests of commands: accounts, tables and games that the commands themselves make."""

from datetime import datetime, timedelta

from sqlalchemy import text
from sqlalchemy.orm import Session

from engine import Match
from engine.clock.terms import Terms
from engine.track import MoonTrack
from service.access import secrets
from service.commands import matches, players, start, tables
from service.commands.entries import Played
from service.commands.expectation import Expectation
from service.commands.invitations import PURPOSE
from service.commands.play import play
from service.queries.table import LoadedTable, load
from service.store.accounts import ensure_account
from service.store.invitations import Invitation
from tests.support.clock import NOW

KEYS = ("a-secret-key-of-the-tests-that-is-long-enough",)


def later(**span: float) -> datetime:
    """Return the time that is this long after NOW."""
    return NOW + timedelta(**span)


def account(session: Session, name: str) -> str:
    """Create an account with this name, at name@example.org, and return its id."""
    return ensure_account(session, f"{name.lower()}@example.org", name=name, language=None, now=NOW).id


def open_table(
    session: Session, maker: str, *, seats: int = 2, goal_discs: int = 20, visibility: str = "public"
) -> str:
    """Create a table, and return its id."""
    made = tables.create(
        session, maker, tables.TableSettings(seats=seats, goal_discs=goal_discs, visibility=visibility), now=NOW
    )
    return made.id


def with_bots(
    session: Session,
    *accounts: str,
    bots: int = 1,
    terms: Terms | None = None,
    visibility: str = "public",
    now: datetime = NOW,
) -> str:
    """Start a match of these accounts and a number of bots, and return its id."""
    made = matches.open_match(
        session,
        accounts[0],
        tables.TableSettings(seats=len(accounts) + bots, goal_discs=20, visibility=visibility, terms=terms),
        bots=bots,
        now=now,
    )
    for each in accounts[1:]:
        join(session, each, made.id)
    return made.id


def join(session: Session, who: str, table: str, *, invitation: str | None = None, entropy: str = "") -> None:
    """Take a seat at a table."""
    players.join(session, who, table, invitation=invitation, entropy=entropy, keys=KEYS, now=NOW)


def secret_of(invitation: Invitation) -> str:
    """Return the secret in the mail of this invitation."""
    return secrets.secret(KEYS, PURPOSE, invitation.id)


def match(session: Session, *accounts: str, goal_discs: int = 20) -> str:
    """Start a match of these accounts, and return its id."""
    table = open_table(session, accounts[0], seats=len(accounts), goal_discs=goal_discs)
    for each in accounts[1:]:
        join(session, each, table)
    return table


def solo(session: Session, who: str) -> str:
    """Start a solo, and return its id."""
    made = tables.create(
        session, who, tables.TableSettings(seats=1, goal_discs=21, visibility="private", kind="solo"), now=NOW
    )
    start.start_solo(session, who, made.id, "", NOW)
    return made.id


def loaded(session: Session, table: str) -> LoadedTable:
    """Return the table in its current state."""
    found = load(session, table)
    assert found is not None
    return found


def moon(table: LoadedTable) -> MoonTrack:
    """Return the moon track of a match."""
    assert isinstance(table.state, Match)
    return table.state.moon


def move(session: Session, table: str, *, now: datetime = NOW) -> Played:
    """Make the first legal move of the player to move: the nearest tile at the first open cell, or else a refill."""
    game = loaded(session, table)
    seat = game.state.turn
    assert seat is not None
    return play(session, game, seat, game.state.legal_moves()[0], Expectation([game.version]), now)


def play_out(session: Session, table: str) -> LoadedTable:
    """Play the first legal moves to the end, and return the finished table."""
    game = loaded(session, table)
    while game.status == "running":
        game = move(session, table).table
    return game


def jobs(session: Session, task: str) -> list[dict[str, int | str]]:
    """Return the arguments of a task's deferred jobs, oldest first."""
    query = text("SELECT args FROM procrastinate_jobs WHERE task_name = :task ORDER BY id")
    return list(session.scalars(query, {"task": task}))
