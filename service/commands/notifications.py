"""Change what mail people want: by kind, by game, and the hour of the daily digest."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from service.clocks import digest
from service.clocks.zones import zone as zone_of
from service.commands import quiet_times
from service.store import deliveries, delivery_preferences, mail_kinds
from service.store.accounts import Account
from service.store.batches import Batch
from service.store.delivery_preferences import ANSWER, DIGEST, KINDS, OFF, PROBLEMS, Notifications
from service.store.queue import defer

_SET_ASIDE_FOR = timedelta(hours=1)


def change(session: Session, account: str, changes: dict[str, Any], now: datetime) -> None:
    """Change what `changes` names.

    That is one of `KINDS` with its delivery preference, `answer`, `hints`, `http_commands`, `digest_hour`, or `zone`
    (an existing time zone).
    """
    held = session.scalars(select(Account).where(Account.id == account).with_for_update(key_share=True)).one()
    row = delivery_preferences.locked(session, account)
    if changes.get("zone", held.zone) != held.zone:
        quiet_times.change(session, account, changes["zone"], None, now)
    row.digest_hour = changes.get("digest_hour", row.digest_hour)
    row.hints = changes.get("hints", row.hints)
    row.http_commands = changes.get("http_commands", row.http_commands)
    for kind in (*KINDS, ANSWER):
        if kind in changes:
            setattr(row, f"{kind}_mail", changes[kind])
    session.flush()
    _update_digest(session, row, held.zone, now)


def change_game(session: Session, account: str, game: int, mail: str | None, now: datetime) -> None:
    """Set the delivery preference for a game, given by its table's key; None follows the general preference."""
    row = delivery_preferences.locked(session, account)
    delivery_preferences.set_of_game(session, account, game, mail=mail)
    _update_digest(session, row, _zone(session, account), now)


def change_answers(session: Session, account: str, game: int, answer: str | None) -> None:
    """Set the preference for replies about a game, given by its table's key; None follows the general preference."""
    delivery_preferences.set_of_game(session, account, game, answer=answer)


def stop(session: Session, account: str, kind: str, game: int | None, now: datetime) -> None:
    """Stop the mails of this kind, only about this game if one is given.

    For the kind digest, that is everything that goes into a digest. Replies that report a problem or ask something are
    still sent.
    """
    if kind == ANSWER and game is not None:
        change_answers(session, account, game, PROBLEMS)
    elif kind == ANSWER:
        change(session, account, {ANSWER: PROBLEMS}, now)
    elif game is not None:
        change_game(session, account, game, OFF, now)
    elif kind in KINDS:
        change(session, account, {kind: OFF}, now)
    else:
        row = delivery_preferences.locked(session, account)
        change(session, account, {each: OFF for each in KINDS if row.of(each) == DIGEST}, now)
        delivery_preferences.stop_games_in_digest(session, account)
        _update_digest(session, row, _zone(session, account), now)


def hold_for_digest(session: Session, account: str, now: datetime) -> bool:
    """Make sure that a digest of this account is due; return False if the account was deleted.

    Its row stays locked until the commit, so that no simultaneous change of preferences cancels the digest.
    """
    there = select(Account.zone).where(Account.id == account, Account.erased_at.is_(None))
    zone = session.scalar(
        there.with_for_update(read=True, key_share=True)
    )  # locked before the row of preferences, as everywhere
    if zone is None:
        return False
    row = delivery_preferences.locked(session, account)
    if row.digest_due_at is None:
        row.digest_due_at = digest.next_due(row.digest_hour, zone, now).at
        session.flush()
    return True


def queue_due_digests(session: Session, now: datetime, most: int) -> int:
    """Queue at most `most` digests that are due, each once for its day, and return how many were due.

    One that cannot be queued is due again an hour later, and does not hold up the others.
    """
    due = delivery_preferences.due(session, now, most)
    batch = Batch("call_for_digests")
    batch.each(session, due, lambda found: found[0].account, lambda found: _queue_digest(session, *found, now))
    if batch.aside:
        delivery_preferences.put_off(session, batch.aside, now + _SET_ASIDE_FOR)
    return len(due)


def _queue_digest(session: Session, row: Notifications, zone: str, now: datetime) -> None:
    assert row.digest_due_at is not None, "it was found by that"
    # If the hour was changed to an earlier one after this digest was due, the new hour alone would give a future day.
    of = min(digest.due_at(row.digest_hour, zone, row.digest_due_at).day, now.astimezone(zone_of(zone)).date())
    day = of.isoformat()
    lock = mail_kinds.DIGEST.lock(account=row.account, day=day)
    defer(session, "mail_digest", {"account": row.account, "day": day}, queueing_lock=lock)
    row.digest_due_at = digest.next_due(row.digest_hour, zone, now).at


def cancel_empty_digest(session: Session, account: str) -> None:
    """Cancel the next digest, after one was sent, if nothing goes into it any more."""
    row = delivery_preferences.locked(session, account)
    if row.digest_due_at is not None and not _has_digest(session, row):
        row.digest_due_at = None
        session.flush()


def _update_digest(session: Session, row: Notifications, zone: str, now: datetime) -> None:
    """Update, after a change of preferences, what is held for the digest and when the next one is due."""
    deliveries.drop_unwanted(session, row.account, now)
    due = digest.next_due(row.digest_hour, zone, now).at if _has_digest(session, row) else None
    # A digest that is already due but not yet queued is not delayed by the change.
    if due is None or row.digest_due_at is None or row.digest_due_at > now:
        row.digest_due_at = due
    session.flush()


def has_digest(session: Session, account: str) -> bool:
    """Return whether any mail of this account goes into a digest."""
    row = session.get(Notifications, account)
    return row is not None and _is_in_digest(session, row)


def _has_digest(session: Session, row: Notifications) -> bool:
    return _is_in_digest(session, row) or bool(deliveries.held(session, row.account, 1))


def _is_in_digest(session: Session, row: Notifications) -> bool:
    return any(row.of(kind) == DIGEST for kind in KINDS) or delivery_preferences.any_game_in_digest(
        session, row.account
    )


def _zone(session: Session, account: str) -> str:
    return session.scalars(select(Account.zone).where(Account.id == account)).one()
