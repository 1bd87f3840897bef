"""A game with a clock is audited after one of its players has deleted the account, and with it their quiet times."""

from datetime import timedelta

from sqlalchemy.orm import Session

from engine.clock.terms import Bank, Terms
from service.auditing.games import differences
from service.auditing.stored_games import read
from service.commands import accounts, quiet_times
from service.commands.rebuild import rebuild
from tests.support import clocked, world
from tests.support.clocked import DAY, HOUR, START

QUIET = [{"days": ["mon", "tue", "wed", "thu", "fri", "sat", "sun"], "from": "18:00", "to": "08:00"}]


def test_a_game_goes_on_soundly_without_an_erased_player(session: Session) -> None:
    ann, ben, cleo = (world.account(session, name) for name in ("Ann", "Ben", "Cleo"))
    quiet_times.change(session, cleo, "UTC", QUIET, START - timedelta(days=9))
    terms = Terms(Bank(timedelta(days=5), timedelta(days=1), timedelta(days=7)))
    game = clocked.match(session, ann, ben, cleo, terms=terms)
    at = START
    for _ in range(8):
        at += DAY + 9 * HOUR
        clocked.move(session, game, at)
    session.flush()
    assert [found for each in read(session, 0, 9) for found in differences(session, each)] == []
    accounts.delete_account(session, world.KEYS, cleo, at + HOUR)
    for _ in range(3):
        at += DAY
        clocked.move(session, game, at)
    session.flush()
    assert [found for each in read(session, 0, 9) for found in differences(session, each)] == []
    assert list(rebuild(session, write=False)) == []
