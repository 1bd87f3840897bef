"""The checks after every fault: each acknowledged write exists exactly once, nothing else does, and all works."""

from collections.abc import Iterator, Sequence

from engine.moves import Place, Refill, from_json
from engine.record import start as state_at_start
from engine.text import render
from service.jobs.worker import LANES
from tests.drills.client import Game
from tests.drills.service import Service
from tests.support.running import eventually

BEATING = 20.0
"""Seconds within which each worker must have sent a heartbeat; it sends one every 5."""

KEPT_HEADERS = ("Content-Type", "ETag", "Location")


def check_answers(games: Sequence[Game], addresses: Sequence[str]) -> None:
    """Check that the last move of each game, sent again with its key to each address, gets the same response."""
    for game in games:
        if (sent := game.last) is None:
            continue
        for address in addresses:
            again = game.api.send("POST", sent.path, sent.who, sent.body, address=address, Idempotency_Key=sent.key)
            assert (again.status_code, again.content) == (201, sent.answer.content)
            assert [again.headers[name] for name in KEPT_HEADERS] == [
                sent.answer.headers[name] for name in KEPT_HEADERS
            ]


def check_log(service: Service, games: Sequence[Game], moves: int) -> None:
    """Check that the acknowledged moves are the log of each game, in the API and in the database.

    In all games together there are so many `moves`.
    """
    query = "SELECT seq, seat, move FROM log JOIN tables ON tables.key = log.game WHERE tables.id = %s ORDER BY seq"
    with service.database() as connection:
        for game in games:
            assert game.log() == game.acknowledged
            made = [(seq, seat, render(move)) for seq, (seat, move) in sorted(game.acknowledged.items())]
            assert connection.execute(query, [game.id]).fetchall() == made
        all_moves = "SELECT count(*) FROM log JOIN tables ON tables.key = log.game WHERE tables.clock IS NULL"
        assert connection.execute(all_moves).fetchone() == (moves,), "there are moves that nobody was told of"


def check_mails(
    service: Service, games: Sequence[Game], doubles: int = 0, excused: frozenset[str] = frozenset()
) -> None:
    """Check that every current wait has had its mail and every player one at the end, and that there are no others.

    No mail was sent twice, except for so many `doubles`, and those `excused` whose sender could not know that they had
    arrived.
    """
    mails = service.mailbox.mails_by_name()
    twice = {name: number for name, number in mails.items() if number > 1 and name not in excused}
    assert sum(twice.values()) - len(twice) <= doubles, twice
    for game in games:
        begun, needed = mails_of(game)
        assert needed <= mails.keys(), _story(service, needed - mails.keys())
        assert {mail for mail in mails if game.id in mail.split(".")} <= begun | needed
    with service.database() as connection:
        failed = "SELECT task_name, args FROM procrastinate_jobs WHERE status NOT IN ('todo', 'doing', 'succeeded')"
        assert connection.execute(failed).fetchall() == []


def _story(service: Service, missing: set[str]) -> str:
    """Return the queue's rows about missing mails."""
    query = """
        SELECT job.id, status::text, attempts, array_agg(event.type || ' ' || event.at ORDER BY event.id)
          FROM procrastinate_jobs job LEFT JOIN procrastinate_events event ON event.job_id = job.id
         WHERE args->>'game' = %s AND (args->>'wait' = %s OR args->>'account' = %s) GROUP BY job.id
    """
    with service.database() as connection:
        jobs = {
            mail: connection.execute(query, [parts[1], parts[2], parts[-1]]).fetchall()
            for mail in missing
            if (parts := mail.split("."))
        }
    return f"mails that did not come, and their jobs: {jobs}"


def check_workers(services: Sequence[Service]) -> None:
    """Fail unless the expected number of workers run on one database, and they, and no others, send heartbeats."""
    query = "SELECT id, last_heartbeat::text FROM procrastinate_workers WHERE last_heartbeat > '-infinity'"
    processes = sum(service.workers for service in services)
    expected = processes * LANES
    with services[0].database() as connection:
        seen = dict(connection.execute(query).fetchall())

        def all_beat() -> bool:
            now = dict(connection.execute(query).fetchall())
            beating = [worker for worker, beat in now.items() if seen.get(worker) != beat]
            assert len(beating) <= expected, "a worker that is gone gives signs of life"
            running = [pid for service in services for pid in service.worker_pids()]
            return len(beating) == expected and len(running) == processes

        eventually(all_beat, BEATING)


def mails_of(game: Game) -> tuple[set[str], set[str]]:
    """Return the keys of the mails for all waits so far, and of those that must have been sent by now."""
    begun = list(waits(game))
    accounts = [player.account for player in game.players]
    turns = [f"turn.{game.id}.{seq}.{accounts[seat]}" for seq, seat, _ in begun]
    if game.get().json()["status"] == "finished":
        return set(turns), {f"end.{game.id}.{account}" for account in accounts}
    return set(turns), {turns[-1]} if begun[-1][2] else set()


def waits(game: Game) -> Iterator[tuple[int, int, bool]]:
    """Yield the waits of a game by its record: when each began, whose it is, and whether it still lasts."""
    record = game.get("/record").json()
    state = state_at_start(record, record["draw"]["tiles"])
    began, seat, stands = 0, state.turn, True
    for entry in record["log"]:
        assert seat is not None
        step = state.advance(entry["seat"], from_json(entry["move"]))
        if step.turn != seat:
            yield began, seat, False
            began, seat, stands = entry["seq"], step.turn, True
        elif isinstance(step.move, Place | Refill):
            stands = False
    if seat is not None:
        yield began, seat, stands
