"""Backups are encrypted in the format of age (age-encryption.org/v1), so that the `age` program opens them as well."""

from collections.abc import Callable
from typing import IO, TYPE_CHECKING, cast

import pyrage

from service.backup.errors import KeepingError

if TYPE_CHECKING:
    from _typeshed import SupportsRead, SupportsWrite

SEALED = b"age-encryption.org/v1\n"
"""How an encrypted file begins."""


def sealing(key: str | None) -> "Callable[[SupportsRead[bytes], IO[bytes]], None] | None":
    """What encrypts from one stream into another for this key (a recipient, or an identity); None without a key."""
    if key is None:
        return None
    recipient = _identity(key).to_public() if _is_identity(key) else pyrage.x25519.Recipient.from_str(key)

    def seal(source: "SupportsRead[bytes]", target: IO[bytes]) -> None:
        pyrage.encrypt_io(cast(IO[bytes], source), target, [recipient])

    return seal


def unseal(key: str | None, source: IO[bytes], target: "SupportsWrite[bytes]") -> None:
    """Decrypts from one stream into another, as far as it goes.

    Raises:
        KeepingError: the key doesn't open it, or the stream is damaged or cut short.
    """
    if key is None or not _is_identity(key):
        raise KeepingError(
            "The backup is encrypted. Give its identity, the line AGE-SECRET-KEY-1…, by NOVALUNA_BACKUP_KEY."
        )
    try:
        pyrage.decrypt_io(source, target, [_identity(key)])
    except pyrage.DecryptError as error:
        if "matching" in str(error).lower():
            raise KeepingError(
                "The backup was encrypted for another key than NOVALUNA_BACKUP_KEY, or its beginning is damaged."
            ) from None
        raise (cut_short() if "fill whole buffer" in str(error) else damaged()) from None
    except OSError:
        raise (cut_short() if _at_its_end(source) else damaged()) from None


def _at_its_end(source: IO[bytes]) -> bool:
    """Return whether a stream was read to its end: what could not be read there is the last piece, so more may be missing."""
    return not source.read(1)


def damaged() -> KeepingError:
    """Return that bytes of a backup are not what they were."""
    return KeepingError("The backup is damaged: bytes of it were changed. Take another copy of it.")


def cut_short() -> KeepingError:
    """Return that the end of a backup is missing."""
    return KeepingError("The backup is cut short, or damaged at its end. Take another copy of it.")


def _is_identity(key: str) -> bool:
    return key.upper().startswith("AGE-SECRET-KEY-1")


def _identity(key: str) -> pyrage.x25519.Identity:
    return pyrage.x25519.Identity.from_str(key)
