"""Encryption of backups in the age format (age-encryption.org/v1), which the `age` program can decrypt as well."""

from collections.abc import Callable
from typing import IO, TYPE_CHECKING, cast

import pyrage

from service.backup.errors import BackupError

if TYPE_CHECKING:
    from _typeshed import SupportsRead, SupportsWrite

AGE_HEADER = b"age-encryption.org/v1\n"
"""The first bytes of an encrypted file."""


def encryptor(key: str | None) -> "Callable[[SupportsRead[bytes], IO[bytes]], None] | None":
    """Return a function that encrypts one stream into another for an age recipient or identity; None without a key."""
    if key is None:
        return None
    recipient = _identity(key).to_public() if _is_identity(key) else pyrage.x25519.Recipient.from_str(key)

    def encrypt(source: "SupportsRead[bytes]", target: IO[bytes]) -> None:
        pyrage.encrypt_io(cast(IO[bytes], source), target, [recipient])

    return encrypt


def decrypt(key: str | None, source: IO[bytes], target: "SupportsWrite[bytes]") -> None:
    """Decrypt one stream into another, as far as it is intact.

    Raises:
        BackupError: the key does not fit, or the stream is damaged or truncated.
    """
    if key is None or not _is_identity(key):
        raise BackupError(
            "The backup is encrypted. Give its identity, the line AGE-SECRET-KEY-1…, by NOVALUNA_BACKUP_KEY."
        )
    try:
        pyrage.decrypt_io(source, target, [_identity(key)])
    except pyrage.DecryptError as error:
        if "matching" in str(error).lower():
            raise BackupError(
                "The backup was encrypted for another key than NOVALUNA_BACKUP_KEY, or its beginning is damaged."
            ) from None
        raise (cut_short() if "fill whole buffer" in str(error) else damaged()) from None
    except OSError:
        raise (cut_short() if _at_its_end(source) else damaged()) from None


def _at_its_end(source: IO[bytes]) -> bool:
    """Return whether a stream was read to its end.

    If it was when decryption failed, the last piece is at fault, so more may be missing.
    """
    return not source.read(1)


def damaged() -> BackupError:
    """Return the error for a backup whose bytes have changed."""
    return BackupError("The backup is damaged: bytes of it were changed. Take another copy of it.")


def cut_short() -> BackupError:
    """Return the error for a backup whose end is missing."""
    return BackupError("The backup is cut short, or damaged at its end. Take another copy of it.")


def _is_identity(key: str) -> bool:
    return key.upper().startswith("AGE-SECRET-KEY-1")


def _identity(key: str) -> pyrage.x25519.Identity:
    return pyrage.x25519.Identity.from_str(key)
