"""Read in one statement what the plan for a game's clock is made from, beside the clock itself (CLOCKS.md 5, 7.5)."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from sqlalchemy import text
from sqlalchemy.orm import Session

from service.clocks.reminders import Chosen
from service.store import delivery_preferences
from service.store.clock_words import Word
from service.store.reminders import Reminder


class ClockPlan(NamedTuple):
    """The facts for planning a game's current stretch.

    Attributes:
        facts: how often something that the clock depends on has been changed at the table.
        chosen: the points at which the player to move wants to be reminded.
        sent: the points that were sent in the stretch, with the time of the last mail.
        unsent: the reminders of the game that are planned and were not sent.
        words: the offers of time that were made in the game and not yet given.
    """

    facts: int
    chosen: list[Chosen]
    sent: dict[str, datetime]
    unsent: list[Reminder]
    words: list[Word]


_READ = text("""
    SELECT tables.facts, notifications.reminders, notifications.reminder_mail, (
               SELECT jsonb_agg(jsonb_build_array(account, game, wait, round, which, due_at, sent_at) ORDER BY sent_at)
                 FROM reminders WHERE game = :game AND (sent_at IS NULL OR wait = :wait)
           ), (
               SELECT jsonb_agg(jsonb_build_array(seat, wait, duration, at) ORDER BY at, seat)
                 FROM clock_words WHERE game = :game
           )
      FROM tables LEFT JOIN notifications ON notifications.account = :account WHERE tables.key = :game
""")


def read(session: Session, game: int, wait: int, account: str | None) -> ClockPlan:
    """Return the plan for a game, given by its table's key.

    `wait` is the number of the current stretch, and `account` that of the player to move, who is not reminded if it is
    None.
    """
    values = {"game": game, "wait": wait, "account": account}
    facts, chosen, how, reminders, words = session.execute(_READ, values).one()
    points = [] if account is None else delivery_preferences.points(chosen, how)
    sent, unsent = dict[str, datetime](), list[Reminder]()
    for owner, key, began, since, which, due_at, sent_at in reminders or ():
        if sent_at is None:
            unsent.append(Reminder(owner, key, began, since, which, datetime.fromisoformat(due_at)))
        else:
            sent[which] = datetime.fromisoformat(sent_at)
    offers = [Word(seat, began, duration, datetime.fromisoformat(at)) for seat, began, duration, at in words or ()]
    return ClockPlan(facts, [Chosen(*point) for point in points], sent, unsent, offers)
