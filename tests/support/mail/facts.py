"""Facts for mails, from games that the engine plays, without a database."""

from datetime import UTC, datetime

from engine import State
from engine.draw import Draw
from engine.game import Match
from engine.table import Step
from service.language.people import People
from service.queries.recipients import Recipient
from service.queries.turn_context import Made, Turn

BASE = "https://nova-luna.example.org"
PAGE = f"{BASE}/games/TabLe2345678?link=WyJh.c2ln"
REPLY_TO = f"nova-luna+play-{'a2' * 20}@example.org"
RECORD = f"{BASE}/games/TabLe2345678/record?link=IlRh.c2ln"
STOP = f"{BASE}/unsubscribe?link=WyJi.c2ln"
NEVER = f"{BASE}/never-mail?link=ImEi.c2ln"
TABLE = "TabLe2345678"
GUEST, ENTER = (f"nova-luna+{mark}-{'b3' * 20}@example.org" for mark in ("guest", "enter"))
ANSWERS = {"TabLe2345678": f"nova-luna+play-{'a2' * 20}@example.org", "InViTe234567": GUEST}
AT = datetime(2026, 11, 27, 20, 56, tzinfo=UTC)
NAMES = ("Ann", "Ben", "Cleo")


def match(seats: int = 3) -> Match:
    """Return a match at its start, in which seat 0 moves first."""
    return Match(seats, 20, Draw(bytes(32), "mail", ("",) * seats).tiles, list(range(seats))[::-1])


def play(state: Match, moves: int) -> list[Step]:
    """Make the first legal move a number of times, and return the steps."""
    steps = []
    for _ in range(moves):
        steps.append(state.advance(state.turn, state.legal_moves()[0]))
    return steps


def turn(
    state: State,
    happened: list[Step],
    *,
    first: bool = False,
    names: tuple[str | None, ...] = NAMES,
    seat: int | None = None,
    over_http: bool = True,
) -> Turn:
    """Return the facts of the turn mail to the player to move, or to the player at this seat."""
    seat = state.turn if seat is None else seat
    assert seat is not None
    return Turn(
        to=Recipient("reader@example.org", names[seat], "AcCoUnt23456"),
        table=TABLE,
        people=People(names, seat),
        seat=seat,
        version=7,
        state=state,
        happened=tuple(map(Made, happened)),
        first=first,
        over_http=over_http,
    )
