"""The system account that Postgres runs as, and which folders that account can enter."""

import os
import pwd
import stat
from dataclasses import dataclass
from pathlib import Path

from service.local.errors import LocalError
from service.local.system_account import FORMER, NAME, system_account


@dataclass(frozen=True)
class SystemAccount:
    """An account of this machine, without supplementary groups.

    Attributes:
        why_shared: why Postgres has no account of its own here and shares this one with other programs; None if it has
            one, or runs as the caller.
    """

    name: str
    uid: int
    gid: int
    why_shared: str | None = None

    @property
    def is_self(self) -> bool:
        """True if this process already runs as the account."""
        return os.geteuid() == self.uid


def postgres_account() -> SystemAccount:
    """Return the account that Postgres is to run as.

    That is the caller's account. Postgres refuses to run as root, so for root it is a system account of its own, which
    is created if it does not exist, or `nobody` where none can be created.

    Raises:
        LocalError: the caller is root, and the machine has neither of these accounts.
    """
    uid = os.geteuid()
    if uid != 0:
        return SystemAccount(_name(uid), uid, os.getegid())
    try:
        entry, why_shared = system_account()
    except KeyError:
        raise LocalError(
            f"Postgres refuses to run as root, and this machine has neither an account `{NAME}` nor `{FORMER}`. "
            "Start as another user, or set DATABASE_URL."
        ) from None
    return SystemAccount(entry.pw_name, entry.pw_uid, entry.pw_gid, why_shared)


def former_uid() -> int | None:
    """Return the user id that earlier releases ran root's Postgres as, or None if the machine has no such account."""
    try:
        return pwd.getpwnam(FORMER).pw_uid
    except KeyError:
        return None


def owner(path: Path) -> str:
    """Return the name of the account that owns a file, or its user id if it has no name."""
    return _name(path.stat().st_uid)


def blocking_folder(path: Path, account: SystemAccount) -> Path | None:
    """Return the topmost folder on the way to ``path`` that the account cannot enter, or None if it can reach ``path``.

    ``path`` itself counts. A folder that does not exist blocks nobody. The answer follows owner, group and mode; access
    control lists are not looked at.
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


def change_owner(folder: Path, former: int, account: SystemAccount) -> None:
    """Give a folder, and everything in it that the user id `former` owns, to another account.

    Symbolic links are not followed. The folder itself comes last, so an interrupted change is completed by the next
    call.
    """
    for path, folders, files in os.walk(folder, topdown=False):
        for name in (*folders, *files):
            _change_owner(os.path.join(path, name), former, account)
    _change_owner(folder, former, account)


def _change_owner(path: str | Path, former: int, account: SystemAccount) -> None:
    if os.lstat(path).st_uid == former:
        os.chown(path, account.uid, account.gid, follow_symlinks=False)


def _name(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)
