"""Reminders that were not sent are dropped or put off one by one; one that was sent stays as it is."""

from datetime import timedelta

from sqlalchemy import text
from sqlalchemy.orm import Session

from service.store import reminders
from service.store.reminders import Reminder
from tests.support import world
from tests.support.clock import NOW

DUE = NOW.replace(microsecond=0)
TOMORROW = DUE + timedelta(days=1)


def test_reminders_are_dropped_and_put_off_until_they_are_sent(session: Session) -> None:
    ann = world.account(session, "Ann")
    table = world.loaded(session, world.open_table(session, ann)).table.key
    half, last, sent = rows = [Reminder(ann, table, 0, 0, which, DUE) for which in ("half", "P1D", "P2D")]
    for row in rows:
        session.execute(
            text("INSERT INTO reminders (account, game, wait, round, which, due_at) VALUES (:a, :g, 0, 0, :w, :at)"),
            {"a": ann, "g": table, "w": row.which, "at": DUE},
        )
    reminders.mark_sent(session, [sent], DUE)
    reminders.put_off(session, [last, sent], TOMORROW)
    reminders.drop(session, [half, sent])
    left = session.execute(text("SELECT which, due_at, sent_at FROM reminders ORDER BY which")).all()
    assert [tuple(row) for row in left] == [("P1D", TOMORROW, None), ("P2D", DUE, DUE)]
