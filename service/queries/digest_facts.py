"""What a daily digest tells, read when it is sent: what was left for it since the last one, and every wait that stands."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import partial

from sqlalchemy import text
from sqlalchemy.orm import Session

from service.queries import mail_facts
from service.queries.mail_facts import Closed, End, Invited, Recipient, Talked, Turn
from service.store import deliveries
from service.store.batches import Batch
from service.store.deliveries import Delivery

MOST = 30
"""Waits, and pieces of news, that one digest tells."""


@dataclass(frozen=True, slots=True)
class Wait:
    """A game that waits for the reader, and since when."""

    turn: Turn
    since: datetime


@dataclass(frozen=True, slots=True)
class Digest:
    """What to tell. `more` games wait besides; `told` and `stale` are the mails that this one stands for, and those that
    have nothing to say any more, by their keys."""

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
        """All that is told of tables that the reader can look at."""
        return (*(wait.turn for wait in self.waits), *self.ends, *self.talks)

    @property
    def has_news(self) -> bool:
        """Whether there is anything that the last one did not tell."""
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
    """What there is to tell this account; None if it was deleted."""
    to = mail_facts.player(session, account)
    if to is None:
        return None
    standing = session.execute(_WAITS, {"account": account, "most": _MOST_COUNTED}).all()
    waits = {f"turn.{game}.{wait}.{account}": (game, wait, since) for game, wait, since in standing}
    news: dict[str, End | Closed | Invited | Talked | None] = {}
    stale: list[str] = []
    batch = Batch("mail_digest")  # a game that can't be read keeps no other out of the digest
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
    # New ones first; the others have been told of before.
    shown = sorted(waits, key=lambda key: key not in news)[:MOST]
    turns = [(batch.attempt(key, partial(mail_facts.turn, session, *waits[key][:2])), waits[key][2]) for key in shown]
    return Digest(
        to=to,
        waits=tuple(Wait(turn, since) for turn, since in turns if turn is not None),
        ends=tuple(each for each in news.values() if isinstance(each, End)),
        closed=tuple(each for each in news.values() if isinstance(each, Closed)),
        invitations=tuple(each for each in news.values() if isinstance(each, Invited)),
        talks=tuple(each for each in news.values() if isinstance(each, Talked)),
        more=len(waits) - len(shown),
        told=tuple(news),
        stale=tuple(stale),
    )


def _read(session: Session, held: Delivery, account: str, now: datetime) -> End | Closed | Invited | Talked | None:
    _, _, id = held.key.partition(".")
    match held.kind:
        case "end":
            return mail_facts.end(session, held.game or "", account)
        case "talk":
            return mail_facts.talked(session, held.game or "", account)
        case "closed":
            return mail_facts.closed(session, held.game or "", account)
        case _:
            return mail_facts.invitation(session, id, now)
