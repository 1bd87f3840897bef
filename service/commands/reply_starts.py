"""Start things by mail: a table with invitations, a solo, or taking a seat."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import or_, select
from sqlalchemy.orm import Session

from engine.clock.errors import ClockError
from engine.game import FULL
from engine.phrases import Phrase, phrase
from engine.solo import DISCS
from service.access import secrets
from service.access.addresses import from_mail
from service.access.invalid_text import InvalidText
from service.access.limits import Limiter
from service.commands import invitations, matches, players, rematches, tables
from service.commands.account_limits import AccountLimits
from service.commands.command_text import as_text
from service.commands.invitation_limits import InvitationLimits
from service.commands.start import start_solo
from service.config import Settings
from service.errors import Refusal
from service.ids import ALPHABET, LENGTH
from service.reading.commands import AccountSettings, Games, Help, History, Join, New, Rematch, Rules, Solo, Status
from service.store.accounts import Account
from service.store.invitations import Invitation
from service.store.mail_outcome import (
    DECLINED,
    GAMES,
    HELP,
    HISTORY,
    INVITED,
    JOINED,
    OPENED,
    REFUSED,
    REMATCH,
    RULES,
    SETTINGS,
    SOLO,
    STATUS,
    UNCLEAR,
    Line,
    refused,
    short,
)
from service.store.tables import Table

FEWEST, MOST = 2, 4

_HOW_MANY = ("how_many", Phrase("Say for how many the game is, or whom you invite."))
INQUIRIES = {Help: HELP, History: HISTORY, Status: STATUS, Games: GAMES, Rules: RULES, AccountSettings: SETTINGS}
"""The result of each command that asks for information."""


@dataclass(frozen=True, slots=True)
class Services:
    """The settings and the rate limiter that the commands of a mail need."""

    settings: Settings
    limiter: Limiter

    @property
    def invitations(self) -> InvitationLimits:
        """The limits on sending invitations."""
        return InvitationLimits.of(self.settings, self.limiter)

    @property
    def bounds(self) -> AccountLimits:
        """The limits on tables, games and invitations that an account has at a time."""
        return AccountLimits(self.settings, self.limiter)


def begin(
    session: Session, services: Services, account: str, command: New | Join | Solo | Rematch, now: datetime
) -> list[Line]:
    """Do what a line asks for on behalf of the account, and return the results.

    A new table gives one result for itself and one for each address.
    """
    match command:
        case New():
            return _new(session, services, account, command, now)
        case Solo():
            return [_solo(session, services, account, now)]
        case Join(code):
            return [_join(session, services, account, code, now)]
        case Rematch(table):
            assert table is not None, "the mail is about a game"
            return [_rematch(session, services, account, table, now)]


def _new(session: Session, services: Services, account: str, command: New, now: datetime) -> list[Line]:
    """Open a table; it is private if every seat is given to somebody invited."""
    written = as_text(command)
    addresses, wrong = _addresses(session, account, command.addresses)
    if wrong:
        return wrong
    seats = command.seats or len(addresses) + command.bots + 1
    if command.seats is None and not addresses and not command.bots:
        code, why = _HOW_MANY
        return [Line(written, UNCLEAR, code=code, why=why, readings=tuple(f"new {n}" for n in (2, 3, 4)))]
    if not FEWEST <= seats <= MOST:
        return [_wrong(written, "bad_seats", Phrase("A game is for two to four; to play alone, write solo."))]
    bots = command.bots
    if bots >= seats:
        why = Phrase("One of the players has to be you: say more players, or fewer bots.")
        return [_wrong(written, "too_many_bots", why)]
    if len(addresses) + bots >= seats:
        why = (
            phrase(
                "There are more addresses and bots than free seats; with you there are %(seats)s players.", seats=seats
            )
            if bots
            else phrase("There are more addresses than free seats; with you there are %(seats)s players.", seats=seats)
        )
        return [_wrong(written, "too_many_addresses", why)]
    visibility = "private" if len(addresses) + bots == seats - 1 else "public"
    try:
        table = matches.open_match(
            session,
            account,
            tables.TableSettings(seats=seats, goal_discs=FULL, visibility=visibility, terms=command.terms()),
            bots=bots,
            now=now,
            bounds=services.bounds,
        )
    except (Refusal, ClockError) as refusal:
        return [refused(written, refusal)]
    lines = [Line(written, JOINED if tables.has_started(session, table.id) else OPENED, table=table.id)]
    for address in addresses:
        try:
            invitations.invite(session, account, table.id, address, services.invitations, now, services.bounds)
        except Refusal as refusal:
            lines.append(refused(address, refusal))
        else:
            lines.append(Line(short(address), INVITED, table=table.id))
    return lines


def _addresses(session: Session, account: str, given: tuple[str, ...]) -> tuple[list[str], list[Line]]:
    """Normalize the addresses and drop duplicates.

    Returns:
        the addresses, and a result for each one that is invalid or is the account's own.
    """
    own = session.get_one(Account, account).email
    good, wrong = dict[str, None](), []
    for address in given:
        try:
            normal = from_mail(address)
        except InvalidText as invalid:
            wrong.append(_wrong(address, "no_address", invalid.phrase))
            continue
        if normal == own:
            wrong.append(
                _wrong(address, "own_address", Phrase("That is your own address; your seat is counted already."))
            )
        good[normal] = None
    return list(good), wrong


def _solo(session: Session, services: Services, account: str, now: datetime) -> Line:
    try:
        table = tables.create(
            session,
            account,
            tables.TableSettings(seats=1, goal_discs=DISCS, visibility="private", kind="solo"),
            now=now,
            bounds=services.bounds,
        )
    except Refusal as refusal:
        return refused("solo", refusal)
    start_solo(session, account, table.id, "", now)
    return Line("solo", SOLO, table=table.id)


def _rematch(session: Session, services: Services, account: str, table: str, now: datetime) -> Line:
    written = as_text(Rematch())
    try:
        found = rematches.ask(session, account, table, limits=services.invitations, now=now, bounds=services.bounds)
    except Refusal as refusal:
        return refused(written, refusal)
    return Line(written, REMATCH if found.is_new else JOINED, table=found.table)


def _join(session: Session, services: Services, account: str, code: str, now: datetime) -> Line:
    """Take a seat by a code.

    The code is that of an invitation to this account's address, or the id of a table that is public or that the address
    was invited to.
    """
    written = as_text(Join(code))
    found = _invited(session, services, account, code)
    if found is not None:
        return accept(session, services, account, found, written, now)
    table = session.scalar(select(Table).where(Table.id == code)) if _is_id(code) else None
    if table is None or table.visibility != "public":
        why = Phrase("There is no such table, or none that you are invited to; the invitation’s mail can be answered.")
        return _wrong(written, "no_such_code", why)
    return _sit(session, services, account, table.id, None, written, now)


def accept(
    session: Session, services: Services, account: str, invitation: Invitation, written: str, now: datetime
) -> Line:
    """Give the account the seat that an invitation is for."""
    return _sit(session, services, account, *_ticket(session, services, invitation), written, now)


def decline(session: Session, services: Services, invitation: Invitation, written: str, now: datetime) -> Line:
    """Decline an invitation."""
    try:
        invitations.decline(session, *_ticket(session, services, invitation), services.settings.secret_keys, now)
    except Refusal as refusal:
        return refused(written, refusal)
    return Line(short(written), DECLINED)


def _ticket(session: Session, services: Services, invitation: Invitation) -> tuple[str, str]:
    """Return the id of an invitation's table, and the invitation's secret."""
    table = session.scalars(select(Table.id).where(Table.key == invitation.game)).one()
    return table, secrets.secret(services.settings.secret_keys, invitations.PURPOSE, invitation.id)


def _sit(
    session: Session, services: Services, account: str, table: str, secret: str | None, written: str, now: datetime
) -> Line:
    keys = services.settings.secret_keys
    try:
        players.join(session, account, table, invitation=secret, entropy="", keys=keys, now=now, bounds=services.bounds)
    except Refusal as refusal:
        return refused(written, refusal)
    return Line(short(written), JOINED, table=table)


def _invited(session: Session, services: Services, account: str, code: str) -> Invitation | None:
    """Return the invitation to this account's address that has this secret, or that is to the table with this id."""
    mine = (
        select(Invitation, Table.id)
        .join(Table, Table.key == Invitation.game)
        .join(Account, or_(Account.id == Invitation.account, Account.email == Invitation.email))
        .where(Account.id == account)
        .order_by(Invitation.created_at.desc(), Invitation.id)
    )
    keys = services.settings.secret_keys
    for invitation, table in session.execute(mine):
        if table == code or secrets.is_secret(keys, invitations.PURPOSE, invitation.id, code):
            return invitation
    return None


def _is_id(code: str) -> bool:
    return len(code) == LENGTH and set(code) <= set(ALPHABET)


def _wrong(written: str, code: str, why: Phrase) -> Line:
    return Line(short(written), REFUSED, code=code, why=why)
