"""Backups are encrypted in the format of age (age-encryption.org/v1), so that the `age` program opens them as well."""

from collections.abc import Callable
from typing import IO, TYPE_CHECKING

import pyrage

from service.keeping.errors import KeepingError

if TYPE_CHECKING:
    from _typeshed import SupportsWrite

SEALED = b"age-encryption.org/v1\n"
"""How an encrypted file begins."""


def sealing(key: str | None) -> Callable[[IO[bytes], IO[bytes]], None] | None:
    """What encrypts from one stream into another for this key (a recipient, or an identity); None without a key."""
    if key is None:
        return None
    recipient = _identity(key).to_public() if _is_identity(key) else pyrage.x25519.Recipient.from_str(key)

    def seal(source: IO[bytes], target: IO[bytes]) -> None:
        pyrage.encrypt_io(source, target, [recipient])

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
            raise KeepingError("The backup was encrypted for another key than NOVALUNA_BACKUP_KEY.") from None
        raise _damaged() from None
    except OSError:
        raise _damaged() from None


def _damaged() -> KeepingError:
    return KeepingError("The backup is damaged or cut short. Take another copy of it.")


def _is_identity(key: str) -> bool:
    return key.upper().startswith("AGE-SECRET-KEY-1")


def _identity(key: str) -> pyrage.x25519.Identity:
    return pyrage.x25519.Identity.from_str(key)
