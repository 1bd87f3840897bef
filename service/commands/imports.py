"""Import a game that was played elsewhere, share it, and delete it."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from engine import notation, record
from engine.audit import check
from engine.errors import RecordError
from engine.notation import NotatedGame
from engine.phrases import Phrase, phrase
from service.access import names
from service.access.limits import Hit, Limit, Limiter
from service.commands.expectation import Expectation
from service.errors import Conflict, Malformed, NotFound
from service.ids import new_id
from service.queries.counting import count_up_to
from service.queries.imported_games import loaded, summary
from service.store.accounts import Account
from service.store.imports import Import

MOST = 200
"""The most imports that an account may have."""

PER_HOUR = 60
"""How often an account may try to import a game in an hour; a try that is refused counts too."""

_UNKNOWN = Phrase("There is no such import, or none that you may see.")


@dataclass(frozen=True, slots=True)
class Verified:
    """A game that was verified, in the form in which it is stored: a record's line, or a canonical text."""

    content: str
    game: NotatedGame
    is_record: bool


def verified_record(line: bytes) -> Verified:
    """Return the game of a record's line, after its audit.

    Raises:
        Malformed: the record does not hold (`bad_record`); `fault` and `entry` are those of docs/FORMATS.md. Or its
            text would be too long to be read (`bad_text`), or a name in it to be shown here (`name_too_long`).
    """
    try:
        check(line)
    except RecordError as error:
        detail = phrase("The record does not hold: %(why)s.", why=error.phrase)
        members: dict[str, Any] = {} if error.entry is None else {"entry": error.entry}
        raise Malformed("bad_record", detail, fault=error.code, **members) from None
    game = _with_fit_names(notation.from_record(json.loads(line)))
    _printed(game)
    return Verified(line.decode(), game, is_record=True)


def verified_text(data: bytes) -> Verified:
    """Return the game of a text, after it was played, with its comments and variations.

    Raises:
        Malformed: the text is refused (`bad_text`); `fault` and `line` are those of docs/NOTATION.md. Or a name in it
            is too long to be shown here (`name_too_long`).
    """
    try:
        game = notation.read(data)
    except notation.Refusal as refusal:
        raise _refused(refusal) from None
    return Verified(_printed(_with_fit_names(game)), game, is_record=False)


def _printed(game: NotatedGame) -> str:
    """Return the canonical text of a game; refuse one whose text could not be read again."""
    try:
        return notation.text(game)
    except notation.Refusal as refusal:
        raise _refused(refusal) from None


def _refused(refusal: notation.Refusal) -> Malformed:
    """Return the refusal of an import for that of its text."""
    detail = phrase("The text is refused: %(why)s", why=refusal.phrase)
    if refusal.line:
        detail = phrase("The text is refused in line %(line)s: %(why)s", line=str(refusal.line), why=refusal.phrase)
    return Malformed("bad_text", detail, fault=refusal.code, line=refusal.line)


def _with_fit_names(game: NotatedGame) -> NotatedGame:
    """Return the game; refuse one with a name that is longer than any name here, for which no place has room.

    Records and texts have no such limit: this is one of the service, not of the formats.
    """
    for seat, name in enumerate(game.setup.names):
        if name is not None and len(name) > names.MAX_LENGTH:
            detail = phrase(
                "The name of player %(number)s has %(length)s characters; a game that is imported may have names of at"
                " most %(most)s.",
                number=seat + 1,
                length=len(name),
                most=names.MAX_LENGTH,
            )
            raise Malformed("name_too_long", detail)
    return game


def add(session: Session, account: str, found: Verified, now: datetime) -> tuple[Import, bool]:
    """Store a game, and return its import and whether it is new; the same game again is the import that there is.

    Raises:
        Conflict: the account has `MOST` imports (`too_many_imports`).
    """
    # The lock orders two imports of one account, so that neither the count nor the game is wrong.
    session.execute(select(Account.id).where(Account.id == account).with_for_update(key_share=True))
    digest = hashlib.sha256(found.content.encode()).digest()
    mine = Import.account == account
    same = session.scalar(select(Import).where(mine, Import.digest == digest))
    if same is not None:
        return same, False
    if count_up_to(session, select(Import.id).where(mine), MOST) >= MOST:
        detail = phrase("You have %(most)s imports, and more are not kept; delete some.", most=MOST)
        raise Conflict("too_many_imports", detail, most=MOST)
    made = Import(
        id=new_id(),
        account=account,
        imported_at=now,
        digest=digest,
        content=found.content,
        is_record=found.is_record,
        summary=record.canonical(summary(found.game)).decode(),
        shared=False,
    )
    session.add(made)
    session.flush()
    return made, True


def count(limiter: Limiter, account: str) -> None:
    """Count one more try to import a game; raise LimitReached if there were too many within an hour."""
    detail = phrase("You may try to import a game %(most)s times within an hour; try again later.", most=PER_HOUR)
    limiter.require([Hit(Limit.IMPORTS_PER_ACCOUNT, PER_HOUR, account)], "too_many_imported", detail)


def share(session: Session, account: str, id: str, shared: bool, expected: Expectation | None = None) -> Import:
    """Let others see one of the account's imports, or no longer; `expected` is as in `remove`."""
    kept = _locked(session, account, id, expected)
    kept.shared = shared
    session.flush()
    return kept


def remove(session: Session, account: str, id: str, expected: Expectation | None = None) -> None:
    """Delete one of the account's imports; `expected` is the state in which this may be done, None for any."""
    session.delete(_locked(session, account, id, expected))


def _locked(session: Session, account: str, id: str, expected: Expectation | None) -> Import:
    """Return one of the account's imports, locked until the commit; raise NotFound for any other (`no_such_import`)."""
    kept = session.get(Import, id, with_for_update=True, populate_existing=True)
    if kept is None or kept.account != account:
        raise unknown()
    if expected is not None:
        expected.check(loaded(kept))
    return kept


def remove_all(session: Session, account: str) -> None:
    """Delete all imports of an account that is being deleted."""
    session.execute(delete(Import).where(Import.account == account))


def unknown() -> NotFound:
    """Return the refusal of an import that is not there, or that the caller may not see."""
    return NotFound("no_such_import", _UNKNOWN)
