"""Read what a daily digest contains, at the time it is sent: the mails held for it, and every game that waits."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import partial

from sqlalchemy import text
from sqlalchemy.orm import Session

from service.queries import closed_context, end_context, invitation_context, recipients, talk_context, turn_context
from service.queries.closed_context import Closed
from service.queries.end_context import End
from service.queries.invitation_context import Invited
from service.queries.recipients import Recipient
from service.queries.reminder_context import Reminder, reminder
from service.queries.talk_context import Talked
from service.queries.turn_context import Turn
from service.store import deliveries, mail_kinds
from service.store.batches import Batch
from service.store.deliveries import Delivery

MOST = 30
"""The maximum of waits, and of other news, in one digest."""


@dataclass(frozen=True, slots=True)
class Wait:
    """A game that waits for the reader, and since when."""

    turn: Turn
    since: datetime


@dataclass(frozen=True, slots=True)
class Digest:
    """The content of a digest.

    Attributes:
        to: the recipient.
        waits: the games that wait for the reader.
        ends: the games that have ended.
        closed: the tables that were closed.
        invitations: the invitations.
        talks: the tables with new messages.
        more: how many more games wait.
        told: the keys of the held mails that this digest replaces.
        stale: the keys of held mails that have nothing to say any more.
    """

    to: Recipient
    waits: tuple[Wait, ...]
    ends: tuple[End, ...]
    closed: tuple[Closed, ...]
    invitations: tuple[Invited, ...]
    talks: tuple[Talked, ...]
    more: int
    told: tuple[str, ...]
    stale: tuple[str, ...]

    @property
    def of_tables(self) -> tuple[Turn | End | Talked, ...]:
        """Everything about tables that the reader can look at."""
        return (*(wait.turn for wait in self.waits), *self.ends, *self.talks)

    @property
    def has_news(self) -> bool:
        """True if there is anything that the last digest did not contain."""
        return bool(self.told)


_WAITS = text("""
    SELECT tables.id, progress.wait_seq, coalesce(log.at, progress.last_at)
      FROM progress
      JOIN tables ON tables.key = progress.game
      LEFT JOIN log ON log.game = progress.game AND log.seq = progress.wait_seq
      LEFT JOIN game_notifications game ON game.account = progress.turn_account AND game.game = progress.game
      LEFT JOIN notifications wish ON wish.account = progress.turn_account
     WHERE progress.turn_account = :account AND progress.wait_seq IS NOT NULL
       AND coalesce(game.mail, wish.turn_mail, 'at_once') <> 'off'
     ORDER BY progress.game DESC LIMIT :most
""")
_MOST_COUNTED = 1000


def digest(session: Session, account: str, now: datetime) -> Digest | None:
    """Return the content of an account's digest, or None if the account was deleted."""
    to = recipients.player(session, account)
    if to is None:
        return None
    standing = session.execute(_WAITS, {"account": account, "most": _MOST_COUNTED}).all()
    waits = {
        mail_kinds.TURN.key(game=game, wait=wait, account=account): (game, wait, since)
        for game, wait, since in standing
    }
    news: dict[str, End | Closed | Invited | Talked | Reminder | None] = {}
    stale: list[str] = []
    batch = Batch("mail_digest")  # an unreadable game keeps no other one out of the digest
    for held in deliveries.held(session, account, MOST):
        found = None
        if held.kind != "turn":
            found = batch.attempt(held.key, partial(_read, session, held, account, now))
            if held.key in batch.aside:
                continue
        if held.key in waits or found is not None:
            news[held.key] = found
        else:
            stale.append(held.key)
    # New ones come first; earlier digests had the others.
    shown = sorted(waits, key=lambda key: key not in news)[:MOST]
    turns = [
        (batch.attempt(key, partial(turn_context.turn, session, *waits[key][:2], now)), waits[key][2]) for key in shown
    ]
    told = [Wait(turn, since) for turn, since in turns if turn is not None]
    also = {each.turn.table: each for found in news.values() if isinstance(found, Reminder) for each in found.games}
    for each in told:
        also.pop(each.turn.table, None)
    return Digest(
        to=to,
        waits=(*told, *(Wait(each.turn, each.since) for each in also.values())),
        ends=tuple(each for each in news.values() if isinstance(each, End)),
        closed=tuple(each for each in news.values() if isinstance(each, Closed)),
        invitations=tuple(each for each in news.values() if isinstance(each, Invited)),
        talks=tuple(each for each in news.values() if isinstance(each, Talked)),
        more=len(waits) - len(shown),
        told=tuple(news),
        stale=tuple(stale),
    )


def _read(
    session: Session, held: Delivery, account: str, now: datetime
) -> End | Closed | Invited | Talked | Reminder | None:
    _, _, id = held.key.partition(".")
    match held.kind:
        case "end":
            return end_context.end(session, held.game or "", account)
        case "talk":
            return talk_context.talked(session, held.game or "", account)
        case "reminder":
            return reminder(session, account, int(held.key.rpartition(".")[2]), now)
        case "closed":
            return closed_context.closed(session, held.game or "", account)
        case _:
            return invitation_context.invitation(session, id, now)
