"""Make and check the addresses that mails are replied to.

Each says what a reply to it is about, and proves that we mailed it out. All are the sender's own address with a mark,
ids and a MAC after a plus sign: `nova-luna+play-…@example.org`. Everybody can read the ids, but nobody can forge the
MAC. Nothing of it is stored, so the same mail can be composed again. Whoever has such an address can do what it allows,
so it is never logged.

Ids are in mixed case, but mail servers may change case. Therefore ids are packed as numbers, and everything is written
in base 32. A mark is always followed by 40 characters, which are 25 bytes without a spare bit that anybody could
choose.
"""

from __future__ import annotations

import hmac
import re
from base64 import b32decode, b32encode
from email.utils import parseaddr
from typing import Literal, NamedTuple

from service.access.return_path import reference_of
from service.access.secrets import Keys, digest
from service.config import Settings
from service.ids import ALPHABET, LENGTH

Silencing = Literal["stop", "mute"]
STOP: Silencing = "stop"
MUTE: Silencing = "mute"
"""The questions put to a player about the mails of a game: stop them all, or leave out messages."""

_PLAY, _LEAVE, _AGREE, _ENTER, _INVITED = "play", "leave", "agree", "enter", "guest"
_AT_TABLE = (_PLAY, _LEAVE, STOP, MUTE, _AGREE)
_ID_BYTES, _VERSION_BYTES, _READING_BYTES, _ALL_BYTES = 9, 3, 2, 25
_SHORT_VERSION_BYTES, _HEAD_BYTES = 2, 4
"""The sizes in an address that contains a head, too. No game has so many moves."""
_SECRET = re.compile(rf"({'|'.join(_AT_TABLE)}|{_ENTER}|{_INVITED})-([a-z2-7]{{40}})", re.IGNORECASE)


class ToService(NamedTuple):
    """The service's own address. The sender is known only by the From field."""


class ToTable(NamedTuple):
    """A reply by the player in this seat to a mail that showed this game at this version.

    Attributes:
        game: the game's id.
        seat: the player's seat.
        version: the version that the mail showed.
        leaving: whether the mail asked if they really want to resign.
        head: the head of the game's log at this version (`LoadedTable.head`), by which a state that a restore has
            undone is recognized; empty in mails of earlier releases.
    """

    game: str
    seat: int
    version: int
    leaving: bool
    head: str = ""


class ToSilencing(NamedTuple):
    """A reply by the player in this seat to a mail that asked whether to stop or mute the mails of a game."""

    game: str
    seat: int
    version: int
    what: Silencing


class ToReading(NamedTuple):
    """A reply to a mail that asked whether the player meant a move.

    Whoever does not agree may write any other reply.

    Attributes:
        table: the table.
        choice: the number of the choice; 0 for a refill.
        cell: the index of the cell among the open ones, from 0.
    """

    table: ToTable
    choice: int
    cell: int


class ToCode(NamedTuple):
    """A reply to the mail with this code, given by its id (`service.store.accounts.Code`)."""

    code: str


class ToInvitation(NamedTuple):
    """A reply to the mail with this invitation, given by its id (`service.store.invitations.Invitation`)."""

    invitation: str


class ToBounces(NamedTuple):
    """The return path of the mail with this reference.

    Use `service.access.return_path.is_proven` to check that the reference is genuine.
    """

    reference: str


Answerable = ToTable | ToReading | ToSilencing | ToCode | ToInvitation
"""The kinds of addresses that our mails can be replied to."""

Recipient = ToService | Answerable | ToBounces


def own_address(settings: Settings) -> str:
    """Return the service's own address, as it is written in `Settings.mail_from`."""
    return parseaddr(settings.mail_from)[1]


def reply_address(settings: Settings, to: Answerable) -> str | None:
    """Return the address for the Reply-To of a mail, or None if the service receives no mail (`Settings.mail_in`).

    It is in lower case, except for what it has from the sender's own address.
    """
    if settings.mail_in is None:
        return None
    local, _, domain = own_address(settings).rpartition("@")
    mark, packed = _packed(to)
    at = to.table if isinstance(to, ToReading) else to
    layout = "head" if isinstance(at, ToTable) and at.head else ""
    text = b32encode(packed + _mac(settings.secret_keys[0], mark, packed, layout)).decode().lower()
    return f"{local}+{mark}-{text}@{domain}"


def recipient(settings: Settings, address: str) -> Recipient | None:
    """Parse a recipient address, in any case, or return None if there is no such address here."""
    own_local, _, own_domain = own_address(settings).lower().rpartition("@")
    quoted, _, domain = address.rpartition("@")
    if not address.isascii() or domain.lower() != own_domain:
        return None
    local = _unquoted(quoted).lower()
    if local == own_local:
        return ToService()
    if not local.startswith(f"{own_local}+"):
        return None
    if reference := reference_of(f"{local}@{own_domain}"):
        return ToBounces(reference)
    found = _SECRET.fullmatch(local, len(own_local) + 1)
    return _proven(settings.secret_keys, found[1], b32decode(found[2].upper())) if found else None


def _packed(to: Answerable) -> tuple[str, bytes]:
    match to:
        case ToTable(game, seat, version, leaving, head):
            return _LEAVE if leaving else _PLAY, _packed_table(game, seat, version, head)
        case ToSilencing(game, seat, version, what):
            return what, _packed_table(game, seat, version)
        case ToReading(table, choice, cell):
            return _AGREE, _packed(table)[1] + bytes((choice, cell))
        case ToCode(code):
            return _ENTER, _number(code).to_bytes(_ID_BYTES)
        case ToInvitation(invitation):
            return _INVITED, _number(invitation).to_bytes(_ID_BYTES)


def _packed_table(game: str, seat: int, version: int, head: str = "") -> bytes:
    where = _number(game).to_bytes(_ID_BYTES) + seat.to_bytes()
    if not head:
        return where + version.to_bytes(_VERSION_BYTES)
    return where + version.to_bytes(_SHORT_VERSION_BYTES) + bytes.fromhex(head)


def _proven(keys: Keys, mark: str, given: bytes) -> Recipient | None:
    if mark in (_PLAY, _LEAVE, _AGREE) and (found := _proven_state(keys, mark, given)):
        return found
    length = _ID_BYTES + 1 + _VERSION_BYTES if mark in _AT_TABLE else _ID_BYTES
    length += _READING_BYTES if mark == _AGREE else 0
    packed, mac = given[:length], given[length:]
    if not any(hmac.compare_digest(_mac(key, mark, packed), mac) for key in keys):
        return None
    id = _id(int.from_bytes(packed[:_ID_BYTES]))
    match mark:
        case "enter":
            return ToCode(id)
        case "guest":
            return ToInvitation(id)
    at = _ID_BYTES + 1 + _VERSION_BYTES
    seat, version = packed[_ID_BYTES], int.from_bytes(packed[_ID_BYTES + 1 : at])
    match mark:
        case "stop" | "mute":
            return ToSilencing(id, seat, version, mark)
        case _:
            table = ToTable(id, seat, version, leaving=mark == _LEAVE)
            return ToReading(table, *packed[at:]) if mark == _AGREE else table


def _proven_state(keys: Keys, mark: str, given: bytes) -> ToTable | ToReading | None:
    """Return the table, with the head of its log, that these bytes prove, or None."""
    at = _ID_BYTES + 1 + _SHORT_VERSION_BYTES
    length = at + _HEAD_BYTES + (_READING_BYTES if mark == _AGREE else 0)
    packed, mac = given[:length], given[length:]
    if not any(hmac.compare_digest(_mac(key, mark, packed, "head"), mac) for key in keys):
        return None
    id, version = _id(int.from_bytes(packed[:_ID_BYTES])), int.from_bytes(packed[_ID_BYTES + 1 : at])
    head = packed[at : at + _HEAD_BYTES].hex()
    table = ToTable(id, packed[_ID_BYTES], version, mark == _LEAVE, head)
    return ToReading(table, *packed[at + _HEAD_BYTES :]) if mark == _AGREE else table


def _mac(key: str, mark: str, packed: bytes, layout: str = "") -> bytes:
    """Return the MAC that fills up the 25 bytes.

    It has 72 bits for a state of a table, 56 for a move there (96 and 80 without a head), and 128 for the others.
    `layout` separates addresses with a head from those without.
    """
    return digest(key, f"reply {mark} {layout}".strip(), packed.hex())[: _ALL_BYTES - len(packed)]


def _number(id: str) -> int:
    number = 0
    for character in id:
        number = number * len(ALPHABET) + ALPHABET.index(character)
    return number


def _id(number: int) -> str:
    characters = []
    for _ in range(LENGTH):
        number, place = divmod(number, len(ALPHABET))
        characters.append(ALPHABET[place])
    return "".join(reversed(characters))


def _unquoted(local: str) -> str:
    """Return a local part without quotation marks: `"nova-luna"` is `nova-luna` (RFC 5321, 4.1.2)."""
    if len(local) > 1 and local[0] == local[-1] == '"':
        return re.sub(r"\\(.)", r"\1", local[1:-1])
    return local
