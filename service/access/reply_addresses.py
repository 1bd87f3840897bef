"""The addresses that people answer to: each says what an answer to it is about, and proves that it was mailed out.

All are the sender's own address with a mark, ids and a MAC behind a plus sign: ``nova-luna+play-…@example.org``. The ids
can be read by everybody; the MAC can be made up by nobody. Nothing of it is stored, so the same mail can be composed
again. Whoever has such an address can do what it is good for, so it stands in no log.

Ids are of mixed case, and mail servers change case as they like, so ids are packed as numbers and all is written in base
32. Behind a mark there are always 40 characters, 25 bytes, with no bit to spare that somebody could choose.
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
"""What can be asked of a player about the mails of a game: whether they want no more, or no more talk in them."""

_PLAY, _LEAVE, _AGREE, _ENTER, _INVITED = "play", "leave", "agree", "enter", "guest"
_AT_TABLE = (_PLAY, _LEAVE, STOP, MUTE, _AGREE)
_ID_BYTES, _VERSION_BYTES, _READING_BYTES, _ALL_BYTES = 9, 3, 2, 25
_SHORT_VERSION_BYTES, _HEAD_BYTES = 2, 4
"""Of an address that has a head too. No game has so many moves."""
_SECRET = re.compile(rf"({'|'.join(_AT_TABLE)}|{_ENTER}|{_INVITED})-([a-z2-7]{{40}})", re.IGNORECASE)


class ToService(NamedTuple):
    """The service's own address: who writes is known by the sender alone."""


class ToTable(NamedTuple):
    """An answer of the player in this seat to a mail that showed this game, by its id, at this version.

    `leaving`: to the mail that asked whether they really want to leave it. `head`: that of the game's log at this version
    (`LoadedTable.head`), so that a state which a restore has undone is known; empty in mails from before it was put in.
    """

    game: str
    seat: int
    version: int
    leaving: bool
    head: str = ""


class ToSilencing(NamedTuple):
    """An answer of the player in this seat to the mail that asked whether they want no more mails of this game (`STOP`), or
    no more talk in them (`MUTE`)."""

    game: str
    seat: int
    version: int
    what: Silencing


class ToReading(NamedTuple):
    """An answer to the mail that asked whether a move was meant: at this table, the `choice` of this number at the cell of this
    place among the open ones (from 0); choice 0 is a refill. Who does not agree may write any other answer."""

    table: ToTable
    choice: int
    cell: int


class ToCode(NamedTuple):
    """An answer to the mail that brought this code, by its id (`service.store.accounts.Code`)."""

    code: str


class ToInvitation(NamedTuple):
    """An answer to the mail that brought this invitation, by its id (`service.store.invitations.Invitation`)."""

    invitation: str


class ToBounces(NamedTuple):
    """The return path of the mail with this reference. Whether it was made here, `service.access.return_path.is_proven`
    tells."""

    reference: str


Answerable = ToTable | ToReading | ToSilencing | ToCode | ToInvitation
"""Whom a mail of ours can be answered to."""

Recipient = ToService | Answerable | ToBounces


def own_address(settings: Settings) -> str:
    """The service's own address, as it is written in `Settings.mail_from`."""
    return parseaddr(settings.mail_from)[1]


def reply_address(settings: Settings, to: Answerable) -> str | None:
    """The address for the Reply-To of a mail, in lower case but for what the sender's own has; None where the service
    takes no mail in (`Settings.mail_in`), so that nothing can be answered."""
    if settings.mail_in is None:
        return None
    local, _, domain = own_address(settings).rpartition("@")
    mark, packed = _packed(to)
    at = to.table if isinstance(to, ToReading) else to
    layout = "head" if isinstance(at, ToTable) and at.head else ""
    text = b32encode(packed + _mac(settings.secret_keys[0], mark, packed, layout)).decode().lower()
    return f"{local}+{mark}-{text}@{domain}"


def recipient(settings: Settings, address: str) -> Recipient | None:
    """Whom a mail to this address is for, whatever case it is written in; None: there is no such address here."""
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
    """Return the state of a table, with its head, that an answer is to, if that is what these bytes prove."""
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
    """Return what fills the 25 bytes: 72 bits for a state of a table, 56 for a move there (96 and 80 without a head), 128
    for the others. `layout` keeps those with a head apart from those without."""
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
    """``"nova-luna"`` is ``nova-luna`` (RFC 5321, 4.1.2)."""
    if len(local) > 1 and local[0] == local[-1] == '"':
        return re.sub(r"\\(.)", r"\1", local[1:-1])
    return local
