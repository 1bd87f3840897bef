"""As whom Postgres runs, and where that account may go."""

import os
import pwd
import stat
from dataclasses import dataclass
from pathlib import Path

from service.local.errors import LocalError


@dataclass(frozen=True)
class Account:
    """An account of the machine, without any further groups."""

    name: str
    uid: int
    gid: int

    @property
    def is_self(self) -> bool:
        """Whether this process runs as the account already."""
        return os.geteuid() == self.uid


def postgres_account() -> Account:
    """The account that Postgres runs as: the caller's, but `nobody` for root, whom Postgres refuses.

    Raises:
        LocalError: root on a machine without `nobody`.
    """
    uid = os.geteuid()
    if uid != 0:
        return Account(_name(uid), uid, os.getegid())
    try:
        entry = pwd.getpwnam("nobody")
    except KeyError:
        raise LocalError(
            "Postgres refuses to run as root, and this machine has no account `nobody`. "
            "Start as another user, or set DATABASE_URL."
        ) from None
    return Account(entry.pw_name, entry.pw_uid, entry.pw_gid)


def owner(path: Path) -> str:
    """The name of the account that a file belongs to, or its number where it has no name."""
    return _name(path.stat().st_uid)


def blocking_folder(path: Path, account: Account) -> Path | None:
    """The topmost folder on the way to ``path``, itself included, that the account may not pass; None if it gets there.

    What doesn't exist yet blocks nobody. Goes by owner, group and mode; a machine with finer access lists may differ.
    """
    real = path.resolve()
    for folder in (*reversed(real.parents), real):
        try:
            status = folder.stat()
        except FileNotFoundError:
            return None
        except PermissionError:
            return folder.parent
        if account.uid == 0:
            continue
        bit = stat.S_IXOTH
        if status.st_uid == account.uid:
            bit = stat.S_IXUSR
        elif status.st_gid == account.gid:
            bit = stat.S_IXGRP
        if not status.st_mode & bit:
            return folder
    return None


def _name(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)
