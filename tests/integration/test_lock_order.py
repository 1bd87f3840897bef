"""Transactions that lock the same rows wait for each other in no circle, and a deadlock costs a request only time.

Each race is the same every time: the first transaction stands still at a statement until the second waits for a lock.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import event, text
from werkzeug.test import TestResponse

from service import metrics
from service.clocks.absences import Period
from service.commands import absences, accounts, players
from service.store import talk as stored
from service.store.base import db
from tests.support import clocked
from tests.support.clock import NOW
from tests.support.clocked import AUTOPILOT, DAY, HOUR, START
from tests.support.http_games import SignUp, start
from tests.support.running import eventually
from tests.support.web import KEYS, Person

Request = Callable[[FlaskClient], TestResponse]


def deletion(who: Person) -> Request:
    return lambda client: client.delete("/v1/me", headers=who.headers)


def rename(who: Person) -> Request:
    return lambda client: client.patch("/v1/me", json={"name": "Zoe"}, headers=who.headers)


def join(game: str, who: Person, **headers: str) -> Request:
    return lambda client: client.post(f"/v1/games/{game}/players", json={}, headers={**who.headers, **headers})


@pytest.fixture
def repeated(monkeypatch: pytest.MonkeyPatch) -> list[None]:
    """Return a list with one more element for each transaction that was run again."""
    counted: list[None] = []
    monkeypatch.setattr(metrics, "transaction_repeated", lambda: counted.append(None))
    return counted


class Race:
    """A request in another thread, and the transaction of this one, which it overtakes or waits for."""

    def __init__(self, app: Flask, threads: ThreadPoolExecutor) -> None:
        self._app, self._threads = app, threads
        self.sent: Future[TestResponse] | None = None

    def send(self, request: Request) -> None:
        """Send the request, and return as soon as it waits for a lock or is answered."""
        self.sent = sent = self._threads.submit(lambda: request(self._app.test_client()))
        waiting = text("SELECT count(*) FROM pg_stat_activity WHERE cardinality(pg_blocking_pids(pid)) > 0")
        with db.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            eventually(lambda: sent.done() or connection.scalar(waiting) >= 1)

    @contextmanager
    def sending(self, request: Request, after: str) -> Iterator[None]:
        """Send the request when this thread's transaction has run a statement that begins like this."""
        own = db.session.connection()

        def ran(connection: Any, cursor: Any, statement: str, *more: Any) -> None:
            if self.sent is None and " ".join(statement.split()).startswith(after):
                self.send(request)

        event.listen(own, "after_cursor_execute", ran)
        yield
        event.remove(own, "after_cursor_execute", ran)

    def answer(self) -> TestResponse:
        assert self.sent is not None, "the statement was not run"
        return self.sent.result()


@pytest.fixture
def race(app: Flask) -> Iterator[Race]:
    with app.app_context(), ThreadPoolExecutor(1) as threads:
        yield Race(app, threads)
        db.session.rollback()


def opened(app: Flask, maker: Person, seats: int = 2) -> str:
    made = app.test_client().post("/v1/games", json={"seats": seats}, headers=maker.headers)
    return str(made.get_json()["id"])


ENTRY = "WITH entry AS ( INSERT INTO log"
TABLE = "UPDATE tables SET"


def test_both_players_of_a_game_delete_their_accounts(
    app: Flask, race: Race, repeated: list[None], sign_up: SignUp
) -> None:
    ann, ben = sign_up("Ann"), sign_up("Ben")
    game = start(app.test_client(), ann, ben)
    with race.sending(deletion(ann), after=ENTRY):
        accounts.delete_account(db.session(), KEYS, ben.account, NOW)
    db.session.commit()
    assert race.answer().status_code == 204 and repeated == []
    query = text("SELECT status FROM tables WHERE id = :id")
    assert db.session.scalar(query, {"id": game.id}) == "finished"


def test_two_delete_their_accounts_one_of_whom_has_resigned_before(
    app: Flask, race: Race, repeated: list[None], sign_up: SignUp
) -> None:
    ann, ben, cleo = sign_up("Ann"), sign_up("Ben"), sign_up("Cleo")
    first = start(app.test_client(), ann, ben, cleo)
    start(app.test_client(), ann, ben, cleo)
    assert first.post(ann, {"type": "resign"}).status_code == 201
    with race.sending(deletion(ann), after=ENTRY):
        accounts.delete_account(db.session(), KEYS, ben.account, NOW)
    db.session.commit()
    assert race.answer().status_code == 204 and repeated == []


def test_a_message_is_sent_while_another_player_deletes_the_account(
    app: Flask, race: Race, repeated: list[None], sign_up: SignUp
) -> None:
    ann, ben = sign_up("Ann"), sign_up("Ben")
    game = start(app.test_client(), ann, ben)
    key = db.session.scalar(text("SELECT key FROM tables WHERE id = :id"), {"id": game.id})
    stored.add(db.session(), key, ann.account, "Hello", NOW)
    race.send(deletion(ben))
    db.session.commit()
    assert race.answer().status_code == 204 and repeated == []


def test_the_last_seat_is_taken_while_the_maker_takes_another_name(
    app: Flask, race: Race, repeated: list[None], sign_up: SignUp
) -> None:
    ann, ben = sign_up("Ann"), sign_up("Ben")
    game = opened(app, ann)
    with race.sending(rename(ann), after=TABLE):
        players.join(db.session(), ben.account, game, invitation=None, entropy="", keys=KEYS, now=NOW)
    db.session.commit()
    assert race.answer().status_code == 200 and repeated == []


def test_the_last_seat_is_taken_while_the_maker_is_erased(
    app: Flask, race: Race, repeated: list[None], sign_up: SignUp
) -> None:
    ann, ben = sign_up("Ann"), sign_up("Ben")
    game = opened(app, ann)
    with race.sending(deletion(ann), after=TABLE):
        players.join(db.session(), ben.account, game, invitation=None, entropy="", keys=KEYS, now=NOW)
    db.session.commit()
    assert race.answer().status_code == 204 and repeated == []
    query = text("SELECT move FROM log JOIN tables ON key = game WHERE id = :id")
    assert db.session.scalars(query, {"id": game}).all() == ["resign"]


def test_a_seat_at_a_table_whose_maker_is_being_erased_is_refused(
    app: Flask, race: Race, repeated: list[None], sign_up: SignUp
) -> None:
    ann, ben = sign_up("Ann"), sign_up("Ben")
    game = opened(app, ann)
    with race.sending(join(game, ben), after=TABLE):
        accounts.delete_account(db.session(), KEYS, ann.account, NOW)
    db.session.commit()
    answer = race.answer()
    assert (answer.status_code, answer.get_json()["code"]) == (409, "table_closed") and repeated == []


def test_one_is_back_and_another_goes_away_in_the_same_games(
    app: Flask, race: Race, repeated: list[None], sign_up: SignUp
) -> None:
    both, session = (sign_up("Ann"), sign_up("Ben")), db.session()
    accounts_of_both = [each.account for each in both]
    clocked.match(session, *accounts_of_both)
    second = clocked.match(session, *accounts_of_both, terms=AUTOPILOT)
    for at in (START + DAY, START + DAY + HOUR):
        clocked.settle(session, second, at)
    mover = clocked.mover(session, second)
    absences.announce(session, mover, Period(None, START + 9 * DAY), START + 2 * DAY)
    session.commit()
    (other,) = (each for each in both if each.account != mover)
    until = {"until": (START + 5 * DAY).isoformat()}
    with race.sending(lambda client: client.post("/v1/me/absences", json=until, headers=other.headers), after=ENTRY):
        assert absences.back(session, mover, START + 3 * DAY).games == (second,)
    session.commit()
    assert race.answer().status_code == 201 and repeated == []


def test_a_request_whose_transaction_a_deadlock_broke_has_its_effect_once(
    app: Flask, race: Race, repeated: list[None], sign_up: SignUp, owner_url: str
) -> None:
    ann, ben = sign_up("Ann"), sign_up("Ben")
    game = opened(app, ann)
    asked = join(game, ben, **{"Idempotency-Key": "once"})
    with psycopg.connect(owner_url) as other:
        other.execute("SET deadlock_timeout = '1h'")  # so that the request is the victim
        other.execute("SELECT FROM tables WHERE id = %s FOR UPDATE", [game])
        race.send(asked)
        other.execute("SELECT FROM accounts WHERE id = %s FOR UPDATE", [ben.account])
        other.commit()
    answer = race.answer()
    assert answer.status_code == 201 and len(repeated) == 1
    assert asked(app.test_client()).data == answer.data
    jobs = "SELECT count(*) FROM procrastinate_jobs WHERE task_name = 'mail_turn'"
    for query in ("SELECT count(*) FROM seats WHERE account IS NOT NULL AND seat = 1", jobs):
        assert db.session.scalar(text(query)) == 1
