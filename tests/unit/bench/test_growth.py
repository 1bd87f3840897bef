"""The measurement of queries whose time may not grow with the number of games."""

from datetime import UTC, datetime, timedelta
from functools import partial

from sqlalchemy.orm import Session

from bench import growth, seed, served
from service.commands import tables


def test_the_services_own_query_is_repeated_and_finds_the_games(owner_url: str) -> None:
    with served.connected(owner_url) as engine:
        with Session(engine) as session, session.begin():
            people = seed.sign_up(session, 2)
            games = seed.games(session, people, count=4, version=3, following=1)
        turns = [game.following[0][0] for game in games]
        for player in people:
            with growth.Sent(engine, partial(growth.my_turn, player.account)) as sent:
                assert sent.rows == max(1, 2 * turns.count(player))  # a row for each seat, one of nulls for none
                assert sent() > 0


def test_asking_for_tables_that_are_due_closes_none(owner_url: str) -> None:
    now = datetime.now(UTC)
    with served.connected(owner_url) as engine:
        with Session(engine) as session, session.begin():
            [player] = seed.sign_up(session, 1)
            at = now - timedelta(days=31)
            tables.create(
                session, player.account, tables.TableSettings(seats=2, goal_discs=20, visibility="public"), now=at
            )
        for _ in range(2):
            with growth.Sent(engine, partial(growth.due, now, player.account)) as sent:
                assert sent.rows == 1
