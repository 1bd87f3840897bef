"""Write accounts, and running games with their future moves, exactly as the service's commands would have left them.

The commands take a few milliseconds per move. Here the engine plays, the service's own pure functions compute the
projections, and COPY writes everything at once. `novaluna rebuild` and `novaluna audit` find no error (a test checks
it).
"""

import random
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from psycopg import sql
from sqlalchemy import text
from sqlalchemy.orm import Session

from bench.samples import header_of
from engine import State, record
from engine.clock.terms import ABANDONED_AFTER, Terms
from engine.draw import Draw
from engine.moves import Mark, to_json
from engine.text import render
from service.access import tokens
from service.clocks import entries as clock_entries
from service.clocks import steps
from service.clocks.quiet_times import Schedule
from service.clocks.seats import SeatFacts
from service.commands import projection
from service.ids import new_id
from service.queries import clock_values, replay
from service.store.accounts import Token, ensure_account
from service.store.log import HEAD_DIGITS, Entry, Progress

DISCS = 20
"""The goal discs of each player: the full number."""

REVISION = 2
"""The revision of a table after it was created and a second player has joined."""

PACE = timedelta(minutes=10)
"""The time between two entries."""

_FACTS = (SeatFacts(False, Schedule("UTC"), ()),) * 2
"""The settings of two players who have changed none."""

_COLUMNS = {
    "tables": "key id kind seats goal_discs visibility maker commitment created_at revision clock",
    "seats": "game seat account entropy joined_at",
    "draw_secrets": "game server_seed",
    "setups": "game header",
    "log": "game seq at seat by move hash",
    "progress": "game status version head last_at turn turn_account wait_seq"
    " acted_seq clock_seq clock clock_due_at runs_out_at",
}

Rows = dict[str, list[tuple[Any, ...]]]


@dataclass(frozen=True)
class Player:
    """An account and an access token for it."""

    account: str
    token: str


@dataclass(frozen=True)
class Game:
    """A running two-player game, and the moves that follow its version, each with who makes it."""

    id: str
    version: int
    tag: str
    players: tuple[Player, ...]
    following: tuple[tuple[Player, dict[str, Any]], ...]


def sign_up(session: Session, count: int) -> list[Player]:
    """Create accounts, each with an access token."""
    now = datetime.now(UTC)
    made = []
    for number in range(count):
        account = ensure_account(session, f"bench{number}@example.org", name=f"Bench {number}", language=None, now=now)
        token = tokens.new_token()
        session.add(Token(id=new_id(), account=account.id, hash=tokens.hash_of(token), created_at=now))
        made.append(Player(account.id, token))
    session.flush()
    return made


def games(
    session: Session,
    people: Sequence[Player],
    count: int,
    version: int,
    following: int,
    *,
    terms: Terms | None = None,
    last_at: datetime | None = None,
    pace: timedelta = PACE,
    nudged: bool = False,
) -> list[Game]:
    """Write games that were played randomly up to a version, and return them with the random moves after it.

    Nobody wants their mails, so no jobs are queued.

    Args:
        session: the transaction.
        people: the players; each pair of neighbors plays.
        count: the number of games.
        version: the version of each game. With a clock, the first entry is its mark.
        following: the number of moves to return after it.
        terms: the clock of each table, or None for none.
        last_at: the time of the last entry; None for about now.
        pace: the time between two entries.
        nudged: whether the first step of the clock follows, at its time. It is not counted in `version` or `last_at`.
    """
    chance = random.Random(f"{count} {version} {following}")
    made = []
    rows: Rows = {table: [] for table in _COLUMNS}
    for number, key in enumerate(_keys(session, count)):
        pair = people[number % len(people)], people[(number + 1) % len(people)]
        table, state, head = _played(
            key, pair, version, chance, rows, terms, last_at or datetime.now(UTC), pace, nudged
        )
        made.append(
            Game(
                table,
                version,
                f"{version}-{REVISION}-{head}",
                pair,
                _continued(state, version, pair, following, chance),
            )
        )
    _copy(session, rows)
    return made


def _keys(session: Session, count: int) -> Sequence[int]:
    keys = text("SELECT nextval(pg_get_serial_sequence('tables', 'key')) FROM generate_series(1, :count)")
    return session.scalars(keys, {"count": count}).all()


def _played(
    key: int,
    pair: tuple[Player, Player],
    version: int,
    chance: random.Random,
    rows: Rows,
    terms: Terms | None,
    last_at: datetime,
    pace: timedelta,
    nudged: bool,
) -> tuple[str, State, str]:
    """Add the rows of a game at this version; return its id, its state and the head of its ETag.

    A random game that ends too early is played anew.
    """
    begun = last_at.replace(microsecond=0) - version * pace
    while True:
        table, seed = new_id(), secrets.token_bytes(32)
        draw = Draw(seed, table, ("", ""))
        header = header_of(draw, DISCS, begun)
        game = replay.start(header, draw.tiles)
        progress = projection.begin(header, game.state)
        log: list[tuple[Any, ...]] = []
        assert game.state.turn is not None, "it has just started"
        clock = None if terms is None else clock_entries.begin(terms, ABANDONED_AFTER, _FACTS, game.state.turn, begun)
        while progress.turn is not None and progress.version < version:
            move = render(
                chance.choice(game.state.legal_moves()) if log or terms is None else Mark("clock", terms.to_json())
            )
            entry = Entry(progress.version + 1, progress.last_at + pace, progress.turn, "", move)
            step = game.advance(entry)
            if clock is not None:
                clock = clock_entries.after(clock, clock_values.entry_of(entry, step), step.turn, _FACTS)
            progress = projection.after(progress, entry, step, clock, _FACTS)
            log.append((key, *entry, progress.head))
        if progress.turn is None:
            continue
        if clock is not None and nudged:
            due = steps.due(clock, _FACTS)
            assert due is not None, "its clock runs"
            entry = Entry(progress.version + 1, due.at, due.seat, "", render(due.move))
            step = game.advance(entry)
            clock = clock_entries.after(clock, clock_values.entry_of(entry, step), step.turn, _FACTS)
            progress = projection.after(progress, entry, step, clock, _FACTS)
            log.append((key, *entry, progress.head))
        break
    maker = pair[0].account
    commitment = bytes.fromhex(draw.commitment)
    agreed = None if terms is None else record.canonical(terms.to_json()).decode()
    rows["tables"].append((key, table, "match", 2, DISCS, "public", maker, commitment, begun, REVISION, agreed))
    rows["seats"] += [(key, seat, player.account, "", begun) for seat, player in enumerate(pair)]
    rows["draw_secrets"].append((key, seed))
    rows["setups"].append((key, record.canonical(header).decode()))
    rows["log"] += log
    rows["progress"].append((key, *_projected(progress, pair)))
    return table, game.state, progress.head.hex()[:HEAD_DIGITS]


def _projected(progress: Progress, pair: tuple[Player, Player]) -> tuple[Any, ...]:
    assert progress.turn is not None
    account = pair[progress.turn].account
    stands = progress.status, progress.version, progress.head, progress.last_at, progress.turn
    clock = progress.clock, progress.clock_due_at, progress.runs_out_at
    return *stands, account, progress.wait_seq, progress.acted_seq, progress.version, *clock


def _continued(
    state: State, version: int, pair: tuple[Player, Player], following: int, chance: random.Random
) -> tuple[tuple[Player, dict[str, Any]], ...]:
    moves: list[tuple[Player, dict[str, Any]]] = []
    while state.turn is not None and len(moves) < following:
        move = chance.choice(state.legal_moves())
        moves.append((pair[state.turn], {**to_json(move), "expected_version": version + len(moves)}))
        state.advance(state.turn, move)
    return tuple(moves)


def _copy(session: Session, rows: Mapping[str, Sequence[tuple[Any, ...]]]) -> None:
    connection = session.connection().connection.driver_connection
    assert connection is not None
    for table, columns in _COLUMNS.items():
        names = sql.SQL(", ").join(map(sql.Identifier, columns.split()))
        into = sql.SQL("COPY {} ({}) FROM STDIN").format(sql.Identifier(table), names)
        with connection.cursor() as cursor, cursor.copy(into) as copy:
            for row in rows[table]:
                copy.write_row(row)
