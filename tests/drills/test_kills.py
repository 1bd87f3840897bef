"""kill -9 of Postgres, the web server and the worker in turn, while games are played over HTTP.

What a client was told has happened is there afterwards, and nothing else; games go on; each wait that stands has had
its mail, and none had two.
"""

import os
import signal
from collections.abc import Callable, Iterator

import pytest

from engine.moves import Place, Refill, from_json
from engine.record import start as state_at_start
from engine.text import render
from tests.drills.client import Game
from tests.drills.clients import Clients
from tests.drills.service import Service, running_service
from tests.running import eventually

pytestmark = [pytest.mark.drill, pytest.mark.xdist_group("drill of kills")]

PROGRESS = 20
"""Moves that are acknowledged between a kill and the next."""

PARENTS = ("bin/postgres -D", "gunicorn", "service.cli worker")
CHILDREN = ("postgres: novaluna", "gunicorn", "service.cli worker")
"""What is killed: a part of the command line. Of several that have it the parents have the lowest number."""


def test_nothing_acknowledged_is_lost(amount: Callable[[int], int]) -> None:
    rounds = amount(10)
    in_full = rounds > 1
    with running_service() as service:
        clients = Clients(service.api, service.sign_up(6), 20 if in_full else 6)
        for number in range(rounds):
            with clients.playing():
                clients.await_moves(PROGRESS)
                for part in CHILDREN if number % 2 else PARENTS:
                    kill(service, part, -1 if number % 2 else 0)
                    clients.await_moves(PROGRESS)
            check_log(service, clients.games)
            service.await_empty_queue(hurried=not in_full)
            check_mails(service, clients.games)
        assert service.api.unanswered.keys() > {"503"}, "the kills disturbed nobody"
        clients.play_to_the_end()
        check_log(service, clients.games)
        service.await_empty_queue(hurried=not in_full)
        check_mails(service, clients.games)
        assert {game.get().json()["status"] for game in clients.games} == {"finished"}
        service.check_records()


def kill(service: Service, part: str, which: int) -> None:
    """Kills one of the processes whose command line has this part; it may have ended by itself a moment before."""

    def is_killed() -> bool:
        try:
            os.kill(service.running.pids(part)[which], signal.SIGKILL)
        except (IndexError, ProcessLookupError):
            return False
        return True

    eventually(is_killed)


def check_log(service: Service, games: list[Game]) -> None:
    """What was acknowledged is the log, as the API shows it and as it stands in the database."""
    query = "SELECT seq, seat, move FROM log JOIN tables ON tables.key = log.game WHERE tables.id = %s ORDER BY seq"
    with service.database() as connection:
        for game in games:
            assert game.log() == game.acknowledged
            made = [(seq, seat, render(move)) for seq, (seat, move) in sorted(game.acknowledged.items())]
            assert connection.execute(query, [game.id]).fetchall() == made


def check_mails(service: Service, games: list[Game]) -> None:
    """Every wait that stands has had its mail, and every player one at the end; no mail came twice or for no reason."""
    mails = service.mails()
    assert set(mails.values()) == {1}
    for game in games:
        begun, needed = mails_of(game)
        assert needed <= mails.keys()
        assert {mail for mail in mails if game.id in mail.split(".")} <= begun | needed
    with service.database() as connection:
        failed = "SELECT task_name, args FROM procrastinate_jobs WHERE status NOT IN ('todo', 'doing', 'succeeded')"
        assert connection.execute(failed).fetchall() == []


def mails_of(game: Game) -> tuple[set[str], set[str]]:
    """The names of the mails for all waits that there were, and of those that must have been sent by now."""
    begun = list(waits(game))
    accounts = [player.account for player in game.players]
    turns = [f"turn.{game.id}.{seq}.{accounts[seat]}" for seq, seat, _ in begun]
    if game.get().json()["status"] == "finished":
        return set(turns), {f"end.{game.id}.{account}" for account in accounts}
    return set(turns), {turns[-1]} if begun[-1][2] else set()


def waits(game: Game) -> Iterator[tuple[int, int, bool]]:
    """The waits of a game by its record: when each began, whose it is, and whether it stands still."""
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
