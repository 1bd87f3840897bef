"""The people of a large site and their data beside their games, as rows for COPY."""

import base64
import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from bench.samples import id_of
from bench.seed import Player
from service.access import tokens

Rows = Iterable[str]
"""Lines in the text format of COPY."""

TOKENS, INVITATIONS = 300, 500
"""The number of the reader's access tokens, and of invitations to the reader's newest table."""

_READER, _REGULAR, _FIRST = 0, 1, 2
_FEWEST, _JOBS = 6_000, 6_000


@dataclass(frozen=True)
class Population:
    """The accounts' ids; the first is the reader's, the second that of a regular, who sits at very many tables."""

    accounts: tuple[str, ...]

    @property
    def reader(self) -> Player:
        """The account that requests lists."""
        return Player(self.accounts[_READER], token_of(_READER))

    @property
    def regular(self) -> Player:
        """The account that plays more than any other."""
        return Player(self.accounts[_REGULAR], token_of(_REGULAR))

    def sitting(self, number: int, seats: int, special: Sequence[str]) -> tuple[str, ...]:
        """Return the accounts at the table with this number: the special ones, and others that vary by table."""
        others = len(self.accounts) - _FIRST
        free = seats - len(special)
        return (*special, *(self.accounts[_FIRST + (number * 7919 + each) % others] for each in range(free)))


def people(games: int) -> Population:
    """Return enough accounts for a number of games, and for an index on them to be useful."""
    return Population(tuple(id_of(-number) for number in range(1, max(_FEWEST, games // 8) + 1)))


def token_of(number: int) -> str:
    """Return the access token of the account with this number, in the service's form."""
    return base64.urlsafe_b64encode(hashlib.sha256(f"token {number}".encode()).digest()).rstrip(b"=").decode()


def binary(value: bytes) -> str:
    """Return bytes in the text format of COPY."""
    return f"\\\\x{value.hex()}"


def rows(
    games: int, population: Population, tables: Sequence[tuple[int, str]], now: datetime
) -> Iterator[tuple[str, str, Rows]]:
    """Yield table, columns and rows of everything around the games; `tables` are keys and ids, newest last."""
    accounts, at = population.accounts, now.isoformat()
    later, past = (now + timedelta(days=9)).isoformat(), (now - timedelta(hours=30)).isoformat()
    yield (
        "accounts",
        "id, email, name, created_at",
        (f"{id}\tplayer{number}@example.org\tPlayer {number}\t{at}\n" for number, id in enumerate(accounts)),
    )
    yield "tokens", "id, account, hash, created_at, expires_at", _tokens(accounts, now)
    yield (
        "former_addresses",
        "account, email, until",
        (f"{id}\tformer{number}@example.org\t{at}\n" for number, id in enumerate(accounts)),
    )
    yield (
        "never_mail",
        "address_hash, at",
        (f"{binary(hashlib.sha256(id.encode()).digest())}\t{at}\n" for id in accounts[::10]),
    )
    yield "invitations", "id, game, email, invited_by, created_at, expires_at", _invitations(accounts, tables, now)
    recently = datetime.now(UTC).isoformat()  # the queue uses the database's clock
    shown = json.dumps({"players": [], "filling": "." * 900})
    digest = binary(bytes(32))
    yield (
        "idempotency",
        "account, method, path, key, body_hash, status, headers, body, created_at",
        (
            f"{accounts[number % len(accounts)]}\tPOST\t/v1/games/{tables[-1 - number][1]}/moves\t{number}\t{digest}"
            f"\t201\t{{}}\t{shown}\t{past if number % 50 == 0 else at}\n"
            for number in range(games // 4)
        ),
    )
    yield (
        "procrastinate_jobs",
        "id, queue_name, task_name, queueing_lock, args, status, attempts",
        (
            f"{number}\tdefault\tmail_turn\tturn:{tables[-number % games][1]}:{number}\t"
            f'{{"game": "{tables[-number % games][1]}", "wait": 0}}\t'
            f"{'todo' if number % 200 == 0 else 'succeeded'}\t0\n"
            for number in range(1, max(games // 10, _JOBS))
        ),
    )
    yield (
        "procrastinate_events",
        "job_id, type, at",
        (
            f"{number}\t{kind}\t{past if number % 20 == 0 else recently}\n"
            for number in range(1, max(games // 10, _JOBS))
            for kind in ("started", "succeeded")
            if number % 200
        ),
    )
    yield (
        "codes",
        "id, purpose, email, created_at, expires_at",
        (f"{id}\tsign-in\tplayer{number}@example.org\t{at}\t{later}\n" for number, id in enumerate(accounts[:300])),
    )


def _tokens(accounts: Sequence[str], now: datetime) -> Rows:
    at = now.isoformat()
    for number, id in enumerate(accounts):
        # One in fifty expires within a year; one in a thousand has expired.
        ends = {0: now - timedelta(days=1), 50: now + timedelta(days=300)}.get(number % 1000 or 1)
        if number % 1000 == 999:
            ends = now - timedelta(days=1)
        elif number % 50 == 49:
            ends = now + timedelta(days=300)
        hashed = binary(tokens.hash_of(token_of(number)))
        yield f"{id}\t{id}\t{hashed}\t{at}\t{ends.isoformat() if ends else chr(92) + 'N'}\n"
    for number in range(TOKENS):
        hashed = binary(hashlib.sha256(f"further token {number}".encode()).digest())
        made = (now - timedelta(minutes=number)).isoformat()
        yield f"further{number:05}\t{accounts[_READER]}\t{hashed}\t{made}\t\\N\n"


def _invitations(accounts: Sequence[str], tables: Sequence[tuple[int, str]], now: datetime) -> Rows:
    for number, (game, _) in enumerate(tables[::4]):
        made, ends = now - timedelta(days=20), now - timedelta(days=6)
        by = accounts[_FIRST + number % (len(accounts) - _FIRST)]
        yield f"invited{number}\t{game}\tplayer{number}@example.org\t{by}\t{made.isoformat()}\t{ends.isoformat()}\n"
    game = tables[-1][0]
    for number in range(INVITATIONS):
        made = now - timedelta(minutes=number)
        ends = made + timedelta(days=14)
        yield (
            f"newest{number}\t{game}\tguest{number}@example.org\t{accounts[_READER]}\t{made.isoformat()}"
            f"\t{ends.isoformat()}\n"
        )
