"""What people wish of their mail: by kind, by game, and when the daily digest comes."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from service.clocks import digest
from service.clocks.zones import zone as zone_of
from service.store import deliveries, wishes
from service.store.accounts import Account
from service.store.batches import Batch
from service.store.queue import defer
from service.store.wishes import ANSWER, DIGEST, KINDS, OFF, PROBLEMS, Notifications

_SET_ASIDE_FOR = timedelta(hours=1)


def change(session: Session, account: str, changes: dict[str, Any], now: datetime) -> None:
    """Changes what is named in ``changes``: one of `KINDS` with how it is wanted, ``answer``, ``hints``, ``http_commands``,
    ``digest_hour``, ``zone`` (one that there is)."""
    held = session.scalars(select(Account).where(Account.id == account).with_for_update(key_share=True)).one()
    row = wishes.locked(session, account)
    held.zone = changes.get("zone", held.zone)
    row.digest_hour = changes.get("digest_hour", row.digest_hour)
    row.hints = changes.get("hints", row.hints)
    row.http_commands = changes.get("http_commands", row.http_commands)
    for kind in (*KINDS, ANSWER):
        if kind in changes:
            setattr(row, f"{kind}_mail", changes[kind])
    session.flush()
    _reckon(session, row, held.zone, now)


def change_game(session: Session, account: str, game: int, mail: str | None, now: datetime) -> None:
    """Changes how the mails of a game (by its table's key) are wanted; None: as those of all games."""
    row = wishes.locked(session, account)
    wishes.set_of_game(session, account, game, mail=mail)
    _reckon(session, row, _zone(session, account), now)


def change_answers(session: Session, account: str, game: int, answer: str | None) -> None:
    """Changes how answers about a game (by its table's key) are wanted; None: as those about all games."""
    wishes.set_of_game(session, account, game, answer=answer)


def stop(session: Session, account: str, kind: str, game: int | None, now: datetime) -> None:
    """Whoever reads a mail of this kind, about this game if it is about one, wants no more of them. The `kind` digest is
    all that goes into one. Of answers those still come that tell of something wrong, or ask something."""
    if kind == ANSWER and game is not None:
        change_answers(session, account, game, PROBLEMS)
    elif kind == ANSWER:
        change(session, account, {ANSWER: PROBLEMS}, now)
    elif game is not None:
        change_game(session, account, game, OFF, now)
    elif kind in KINDS:
        change(session, account, {kind: OFF}, now)
    else:
        row = wishes.locked(session, account)
        change(session, account, {each: OFF for each in KINDS if row.of(each) == DIGEST}, now)
        wishes.stop_games_in_digest(session, account)
        _reckon(session, row, _zone(session, account), now)


def hold_for_digest(session: Session, account: str, now: datetime) -> bool:
    """Makes sure that a digest of this account comes; False if it was deleted. Its row is locked until the commit, so
    that no change of wishes at the same time calls the digest off again."""
    there = select(Account.zone).where(Account.id == account, Account.erased_at.is_(None))
    zone = session.scalar(there.with_for_update(read=True, key_share=True))  # before its row, as all who lock both do
    if zone is None:
        return False
    row = wishes.locked(session, account)
    if row.digest_due_at is None:
        row.digest_due_at = digest.next_due(row.digest_hour, zone, now).at
        session.flush()
    return True


def call_for_digests(session: Session, now: datetime, most: int) -> int:
    """Put the digests that are due into the queue, so many at most, each once for its day; return how many were due.

    One that can't be called for is set aside: it is due again an hour later, and keeps no other back.
    """
    due = wishes.due(session, now, most)
    batch = Batch("call_for_digests")
    batch.each(session, due, lambda found: found[0].account, lambda found: _call_for(session, *found, now))
    if batch.aside:
        wishes.put_off(session, batch.aside, now + _SET_ASIDE_FOR)
    return len(due)


def _call_for(session: Session, row: Notifications, zone: str, now: datetime) -> None:
    assert row.digest_due_at is not None, "it was found by that"
    # Where the hour was changed to an earlier one after this was due, by the new hour it would be of a day to come.
    of = min(digest.due_at(row.digest_hour, zone, row.digest_due_at).day, now.astimezone(zone_of(zone)).date())
    day = of.isoformat()
    lock = f"digest:{row.account}:{day}"
    defer(session, "mail_digest", {"account": row.account, "day": day}, queueing_lock=lock)
    row.digest_due_at = digest.next_due(row.digest_hour, zone, now).at


def settle(session: Session, account: str, now: datetime) -> None:
    """After a digest: no further one comes if nothing goes into it any more."""
    row = wishes.locked(session, account)
    if row.digest_due_at is not None and not _has_digest(session, row):
        row.digest_due_at = None
        session.flush()


def _reckon(session: Session, row: Notifications, zone: str, now: datetime) -> None:
    """What waits for the digest, and when the next is due, by the wishes as they are now."""
    deliveries.let_go(session, row.account, now)
    due = digest.next_due(row.digest_hour, zone, now).at if _has_digest(session, row) else None
    # One that is due and was not found yet is not put off by a change made in between.
    if due is None or row.digest_due_at is None or row.digest_due_at > now:
        row.digest_due_at = due
    session.flush()


def has_digest(session: Session, account: str) -> bool:
    """Whether anything of this account is to go into a digest."""
    row = session.get(Notifications, account)
    return row is not None and _is_in_digest(session, row)


def _has_digest(session: Session, row: Notifications) -> bool:
    return _is_in_digest(session, row) or bool(deliveries.held(session, row.account, 1))


def _is_in_digest(session: Session, row: Notifications) -> bool:
    return any(row.of(kind) == DIGEST for kind in KINDS) or wishes.any_game_in_digest(session, row.account)


def _zone(session: Session, account: str) -> str:
    return session.scalars(select(Account.zone).where(Account.id == account)).one()
