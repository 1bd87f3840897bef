"""Mail for hosts without a relay: a Maildir in the data folder, which mail programs can open too.

Mail programs and other processes delete and rename files while this reads: what is gone is skipped.

A file's name is derived from the Message-ID, so a mail that is delivered again after a crash is there once.
"""

from __future__ import annotations

import os
import re
import secrets
import stat
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from email import message_from_bytes, policy
from email.message import EmailMessage
from email.utils import parseaddr
from pathlib import Path
from typing import NamedTuple

from service.mail.message import key_in, to_bytes

_UNSAFE = re.compile(r"[^A-Za-z0-9._@-]")


class StoredMail(NamedTuple):
    """A stored message: its recipient, its `Envelope.key`, and when it arrived, in milliseconds since 1970."""

    address: str
    key: str
    at_ms: int


@dataclass(frozen=True, slots=True)
class Maildir:
    """The Maildir in the folder `path`, which is created, readable by its owner only, with the first mail."""

    path: Path

    def deliver(
        self, message: EmailMessage, return_path: str | None = None, last_look: Callable[[], bool] | None = None
    ) -> bool:
        """Write a message to disk, unless one with the same Message-ID is there.

        `return_path` is not used, since nothing is returned from here.

        Returns:
            False, with nothing written, if `last_look` says that the message is not to be sent any more.
        """
        self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        for name in ("tmp", "new", "cur"):
            (self.path / name).mkdir(mode=0o700, exist_ok=True)
        name = _name(message)
        if any((self.path / "cur").glob(name + ":*")):
            return True
        draft = self.path / "tmp" / f"{name}.{secrets.token_hex(8)}"
        try:
            _write(draft, to_bytes(message))
            if last_look is not None and not last_look():
                return False
            try:
                os.link(draft, self.path / "new" / name)
            except FileExistsError:
                return True
            _sync(self.path / "new")
        finally:
            draft.unlink(missing_ok=True)
        return True

    def messages(self) -> Iterator[EmailMessage]:
        """Yield the messages in the order in which they arrived."""
        for path in self._files():
            try:
                message = _read(path)
            except FileNotFoundError:
                continue
            yield message

    def forget(self, is_meant: Callable[[StoredMail], bool]) -> int:
        """Delete every message for which `is_meant` is true, and return their number.

        One that a program has renamed meanwhile, because it was read, is looked for again.
        """
        forgotten, are_all_there = 0, False
        while not are_all_there:
            are_all_there = True
            for path in self._files():
                try:
                    if is_meant(_stored(path)):
                        path.unlink()
                        forgotten += 1
                except FileNotFoundError:
                    are_all_there = False
        return forgotten

    def _files(self) -> list[Path]:
        paths: list[Path] = []
        for name in ("new", "cur"):
            with suppress(FileNotFoundError):  # there is no mail yet; `glob` would hide a folder that can't be read
                paths += (self.path / name).iterdir()
        found = []
        for path in paths:
            with suppress(FileNotFoundError):
                status = path.stat()
                if stat.S_ISREG(status.st_mode):
                    found.append((status.st_mtime_ns, path.name, path))
        return [path for *_, path in sorted(found)]


def address_of(message: EmailMessage) -> str:
    """Return the bare address of a message's recipient."""
    return parseaddr(str(message["To"]))[1]


def _name(message: EmailMessage) -> str:
    return _UNSAFE.sub("_", str(message["Message-ID"]).strip("<>"))


def _stored(path: Path) -> StoredMail:
    message = _read(path)
    return StoredMail(address_of(message), key_in(str(message["Message-ID"])), path.stat().st_mtime_ns // 1_000_000)


def _read(path: Path) -> EmailMessage:
    return message_from_bytes(path.read_bytes(), _class=EmailMessage, policy=policy.default)


def _write(path: Path, content: bytes) -> None:
    with open(path, "xb", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
